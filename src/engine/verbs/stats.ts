import { z } from 'zod'
import { formatInstant, type Scope, scopeKey } from '../../model/index.ts'
import { readScope } from '../access.ts'
import type { PendingResult, Stats } from '../api/reading.ts'
import { listAll } from '../listing.ts'
import { type Call, defineVerb, readOptions, timeField } from '../verb.ts'
import { asOfTime } from './get.ts'

function tally(pairs: readonly (readonly [string, number])[]): Record<string, number> {
  const sums = new Map<string, number>()
  for (const [name, count] of pairs) sums.set(name, (sums.get(name) ?? 0) + count)
  // Entries and not assignment: a kind may be called __proto__.
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function waiting(
  call: Call,
  input: Parameters<typeof readScope>[1] & { readonly signal?: AbortSignal | undefined },
) {
  const { core } = call
  if (!core.embedder) return []
  return listAll(core, readScope(call.access, input), {
    withoutVector: core.embedder.id,
    statuses: 'any',
    now: core.clock(),
    lifetimes: core.policies.lifetimes,
    signal: input.signal,
  })
}

export const stats = defineVerb({
  name: 'stats',
  summary: 'Count memories by kind, status and scope.',
  positional: [],
  input: () => z.strictObject({ asOf: timeField(), ...readOptions }),
  writes: false,
  example: 'mneme stats --user ann',
  async run(call, input): Promise<Stats> {
    const { store, clock, embedder, policies } = call.core
    const asOf = asOfTime(input.asOf)
    const now = asOf && 'time' in asOf ? asOf.time : clock()
    const { counts, sizeBytes } = await store.stats(
      readScope(call.access, input),
      { now, lifetimes: policies.lifetimes },
      { asOf, signal: input.signal },
    )
    const scopes = new Map<string, { scope: Scope; count: number }>()
    for (const { scope, count } of counts) {
      const key = scopeKey(scope)
      scopes.set(key, { scope, count: (scopes.get(key)?.count ?? 0) + count })
    }
    return {
      total: counts.reduce((sum, { count }) => sum + count, 0),
      live: counts.filter(({ status }) => status === 'live').reduce((sum, { count }) => sum + count, 0),
      byKind: tally(counts.map(({ kind, count }) => [kind, count])),
      byStatus: tally(counts.map(({ status, count }) => [status, count])),
      byScope: [...scopes.values()].sort(
        (a, b) => b.count - a.count || (scopeKey(a.scope) < scopeKey(b.scope) ? -1 : 1),
      ),
      sizeBytes: call.access.ceiling ? null : sizeBytes,
      pending: asOf ? 0 : (await waiting(call, input)).length,
      embedder: embedder ? { id: embedder.id, dimensions: embedder.dimensions } : null,
      store: store.name,
    }
  },
})

export const pending = defineVerb({
  name: 'pending',
  summary: 'List memories that wait for their vector.',
  positional: [],
  input: () => z.strictObject({ ...readOptions }),
  writes: false,
  example: 'mneme pending --user ann',
  async run(call, input): Promise<PendingResult> {
    const records = await waiting(call, input)
    return {
      records: records.map(({ record }) => {
        const { attempts, lastError } = call.core.pending.attemptsOf(record.id)
        const since = formatInstant(Date.parse(record.updatedAt))
        return { id: record.id, attempts, ...(lastError === undefined ? {} : { lastError }), since }
      }),
    }
  },
})
