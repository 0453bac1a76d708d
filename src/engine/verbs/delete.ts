import { z } from 'zod'
import type { StoredRecord } from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { type FilterNode, parseFilter, statuses } from '../../model/index.ts'
import { reachScope } from '../access.ts'
import type { DeleteResult } from '../api/write-results.ts'
import { listAll } from '../listing.ts'
import { type Call, idField, idsField, kindsField, statusesOf, statusField, tagsField, writeOptions } from '../verb.ts'
import { type Answered, defineWrite, outcomeOf, type Planned } from '../write-verb.ts'
import { keptVersions } from './kept-versions.ts'

/** Removes what was named, and with each record the versions that edits of it have kept; counted is what was named. */
async function planRemovals(
  { core }: Call,
  found: readonly (StoredRecord | null)[],
  signal?: AbortSignal,
): Promise<Planned> {
  const records = found.filter((record) => record !== null)
  const named = new Set(records.map(({ record }) => record.id))
  const kept = await keptVersions(core, records, signal)
  const all = [...records, ...kept.filter(({ record }) => !named.has(record.id))]
  return {
    steps: all.map((before) => ({ type: 'remove', op: 'delete', before })),
    refs: [],
    extra: records.length,
  }
}

/** Expired records are deleted too: they are hidden, not gone. */
async function byIds(call: Call, ids: readonly string[], scope: unknown, signal?: AbortSignal) {
  return call.core.store.get(reachScope(call.access, scope), [...new Set(ids)], { signal, bare: true })
}

function answerDeleted(answered: Answered): DeleteResult {
  return { deleted: answered.extra as number, ...outcomeOf(answered) }
}

export const deleteOne = defineWrite({
  name: 'delete',
  summary: 'Delete a memory with its history; a content-free tombstone stays.',
  positional: ['id'],
  input: () => z.strictObject({ id: idField(), ...writeOptions }),
  example: 'mneme delete ID --user ann',
  plan: async (call, input) =>
    planRemovals(call, await byIds(call, [input.id], input.scope, input.signal), input.signal),
  answer: answerDeleted,
})

export const deleteMany = defineWrite({
  name: 'deleteMany',
  summary: 'Delete by ids or by filter; an empty filter is everything in the scope.',
  positional: [],
  input: () =>
    z.strictObject({
      ids: idsField().optional(),
      filter: z.unknown().optional(),
      kinds: kindsField(),
      tags: tagsField(),
      status: statusField(),
      ...writeOptions,
    }),
  example: 'mneme delete-many --filter \'{"project": "old"}\' --dry-run --user ann',
  async plan(call, input) {
    if ((input.ids === undefined) === (input.filter === undefined)) {
      throw new InputError({
        code: 'INVALID_ARGUMENT',
        message: 'deleteMany needs either ids or a filter. filter: {} deletes everything in the scope.',
      })
    }
    const narrowed = input.kinds ?? input.tags ?? input.status
    if (input.ids !== undefined && narrowed !== undefined) {
      throw new InputError({
        code: 'INVALID_ARGUMENT',
        message: 'deleteMany: kinds, tags and status narrow a filter, not ids. Give a filter, or the ids alone.',
      })
    }
    if (input.ids !== undefined)
      return planRemovals(call, await byIds(call, input.ids, input.scope, input.signal), input.signal)
    const filter: FilterNode = parseFilter(input.filter)
    const query = {
      kinds: input.kinds,
      tags: input.tags,
      statuses: statusesOf(input.status, statuses),
      filter,
      signal: input.signal,
    }
    const found = await listAll(call.core, reachScope(call.access, input.scope), query, { bare: true })
    return planRemovals(call, found, input.signal)
  },
  answer: answerDeleted,
})
