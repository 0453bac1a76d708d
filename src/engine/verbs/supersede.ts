import { z } from 'zod'
import type { StoredRecord } from '../../contract/index.ts'
import { ConflictError } from '../../errors/index.ts'
import { mayReplace } from '../../learning/index.ts'
import { formatInstant, type MemoryRecord, madeOnce, type NewMemory, parseNewMemory } from '../../model/index.ts'
import { reachScope } from '../access.ts'
import type { SupersedeResult } from '../api/write-results.ts'
import { contradicts, saysTheSame } from '../conflict-steps.ts'
import type { Core } from '../core.ts'
import { ownVector } from '../vectors.ts'
import { type Call, idField, writeOptions } from '../verb.ts'
import type { WorkStep } from '../work.ts'
import { defineWrite, type Planned, requireRecord } from '../write-verb.ts'
import { closedBy } from './closed-by.ts'
import { asNextVersion } from './edit.ts'
import { unstamped } from './unstamped.ts'
import { oneRecord } from './update.ts'

const existingSchema = madeOnce(() => z.strictObject({ id: idField() }))

/** What a successor takes over from the record it supersedes, unless it says otherwise. */
const inherited = ['kind', 'key', 'tags', 'metadata', 'importance', 'pinned'] as const

export function inheritedFrom(record: MemoryRecord): Partial<NewMemory> {
  return Object.fromEntries(inherited.flatMap((field) => (record[field] === undefined ? [] : [[field, record[field]]])))
}

function conflict(message: string, id: string): ConflictError {
  return new ConflictError({ code: 'CONFLICT', message, details: { id } })
}

/** Ids of the records that this one superseded, newest first. */
async function ancestors(call: Call, record: StoredRecord, scope: unknown): Promise<Set<string>> {
  const reach = reachScope(call.access, scope)
  const ids = new Set<string>([record.record.id])
  for (let next = record.record.supersedes; next !== undefined && !ids.has(next); ) {
    ids.add(next)
    const [found] = await call.core.store.get(reach, [next])
    next = found?.record.supersedes
  }
  return ids
}

/** The step that makes the successor: a new record, or an existing one that is linked. */
async function successorStep(
  call: Call,
  previous: StoredRecord,
  replacement: unknown,
  scope: unknown,
): Promise<WorkStep & { type: 'put' }> {
  const { core } = call
  const existing = existingSchema().safeParse(replacement)
  if (existing.success) {
    const before = await requireRecord(call, existing.data.id, scope)
    const { id, supersedes } = before.record
    if ((await ancestors(call, previous, scope)).has(id)) {
      throw conflict(`Record ${id} is this fact or an earlier version of it, so it can't supersede it.`, id)
    }
    if (supersedes !== undefined) throw conflict(`Record ${id} supersedes another record already.`, id)
    return {
      type: 'put',
      op: 'supersede',
      before,
      after: unstamped({ ...before.record, supersedes: previous.record.id }),
    }
  }
  const given = (typeof replacement === 'string' ? { content: replacement } : replacement) as NewMemory
  const parsed = parseNewMemory(
    { ...inheritedFrom(previous.record), ...given },
    { scope: previous.record.scope },
    'replacement',
  )
  const after = asNextVersion(previous.record, {
    validFrom: formatInstant(core.clock()),
    ...parsed.draft,
    id: parsed.draft.id ?? core.ids(),
    supersedes: previous.record.id,
  })
  const vector = parsed.vector && ownVector(core.embedder, parsed.vector, 'replacement.vector')
  // Who says the same and is trusted less takes no trust away (TRU-6).
  const isLess = given.trust === undefined && !mayReplace(previous.record.trust, after.trust)
  const trusted = isLess && saysTheSame(previous.record, after) ? { ...after, trust: previous.record.trust } : after
  return { type: 'put', op: 'add', planOp: 'supersede', before: null, after: trusted, vector }
}

/**
 * What is untrusted does not take the place of what is trusted, but waits beside it; null where it says the same.
 * @throws ConflictError CONFLICT for a record that is there already: it can't be put into quarantine behind its owner's back
 */
async function refused(
  core: Core,
  previous: StoredRecord,
  successor: WorkStep & { type: 'put' },
  signal?: AbortSignal,
): Promise<Planned | null> {
  const { id, scope, version } = previous.record
  if (successor.before) {
    throw conflict(
      `Record ${successor.after.id} is untrusted and can't supersede a trusted one. Set its trust to 'trusted' first, if it is confirmed.`,
      successor.after.id,
    )
  }
  const { after, vector } = successor
  const plan = await contradicts(core, previous, after, { vector, signal })
  if (!plan) return null
  return {
    steps: [{ type: 'noop', before: previous, reason: 'what is untrusted contradicts it' }, ...plan.steps],
    refs: [plan.second, { id, scope, version }],
    extra: { conflict: plan.conflict },
  }
}

export const supersede = defineWrite({
  name: 'supersede',
  summary: 'Put a newer fact in the place of an older one; both are kept and linked.',
  positional: ['id', 'replacement'],
  input: () => z.strictObject({ id: idField(), replacement: z.unknown(), ...writeOptions }),
  example: 'mneme supersede ID "Ann lives in Rostock now" --user ann',
  async plan(call, input) {
    const previous = await requireRecord(call, input.id, input.scope, input.signal)
    const { id, scope, supersededBy } = previous.record
    if (supersededBy !== undefined) {
      throw conflict(`Record ${id} was superseded already, by ${supersededBy}. Supersede that one.`, id)
    }
    const successor = await successorStep(call, previous, input.replacement, input.scope)
    const next = successor.after
    if (!mayReplace(previous.record.trust, next.trust)) {
      const conflict = await refused(call.core, previous, successor, input.signal)
      if (conflict) return conflict
    }
    return {
      // The old record first: it gives up its key before the new one takes it.
      steps: [closedBy(call.core, previous, next), successor],
      refs: [
        { id: next.id, scope: next.scope },
        { id, scope },
      ],
    }
  },
  answer: (answered): SupersedeResult => ({
    ...oneRecord(answered),
    previous: answered.records[1] as SupersedeResult['previous'],
  }),
})
