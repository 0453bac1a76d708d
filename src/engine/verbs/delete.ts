import { z } from 'zod'
import type { StoredRecord } from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { type FilterNode, parseFilter, statuses } from '../../model/index.ts'
import { reachScope, writeScope } from '../access.ts'
import type { DeleteResult } from '../api/write-results.ts'
import { listPages } from '../listing.ts'
import { inParts, oneTransaction, outcomeOfParts, writeAll } from '../parts.ts'
import {
  type Call,
  defineVerb,
  idField,
  idsField,
  kindsField,
  statusesOf,
  statusField,
  tagsField,
  writeOptions,
} from '../verb.ts'
import { type Answered, callKey, defineWrite, outcomeOf, type Planned, runWrite } from '../write-verb.ts'
import { keptRemovals, removeStep } from './kept-versions.ts'

/** Removes what was named, and with each record the versions that edits of it have kept; counted is what was named. */
async function planRemovals(
  { core }: Call,
  found: readonly (StoredRecord | null)[],
  signal?: AbortSignal,
): Promise<Planned> {
  const records = found.filter((record) => record !== null)
  return {
    steps: [...records.map((before) => removeStep(before)), ...(await keptRemovals(core, records, signal))],
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

const selection = () =>
  z.strictObject({
    ids: idsField().optional(),
    filter: z.unknown().optional(),
    kinds: kindsField(),
    tags: tagsField(),
    status: statusField(),
    ...writeOptions,
  })
type Selection = z.infer<ReturnType<typeof selection>>

/** @throws InputError INVALID_ARGUMENT for ids with a filter, or neither */
function checkSelection({ ids, filter, kinds, tags, status }: Selection): void {
  if ((ids === undefined) === (filter === undefined)) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: 'deleteMany needs either ids or a filter. filter: {} deletes everything in the scope.',
    })
  }
  const narrowed = kinds ?? tags ?? status
  if (ids !== undefined && narrowed !== undefined) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: 'deleteMany: kinds, tags and status narrow a filter, not ids. Give a filter, or the ids alone.',
    })
  }
}

/** What is there now and is selected: all of it, or as much as one transaction takes. */
async function selected(
  call: Call,
  input: Selection,
): Promise<{ found: StoredRecord[]; more: boolean; count: number }> {
  const filter: FilterNode = parseFilter(input.filter)
  const query = {
    kinds: input.kinds,
    tags: input.tags,
    statuses: statusesOf(input.status, statuses),
    filter,
    signal: input.signal,
  }
  const found: StoredRecord[] = []
  let length = 0
  let count = 0
  for await (const page of listPages(call.core, reachScope(call.access, input.scope), query, { bare: true })) {
    count += page.length
    const isFull = found.length + page.length > oneTransaction.rows || length > oneTransaction.length
    if (isFull && !input.dryRun) return { found, more: true, count }
    // Of a dry run that is longer only the number is told.
    if (!isFull) for (const one of page) found.push(one)
    for (const { record } of page) length += record.content.length
  }
  return { found, more: count > found.length, count }
}

interface Deleted extends DeleteResult {
  /** More of it was there. */
  readonly more: boolean
}

function answerSome(answered: Answered): Deleted {
  const { deleted, more } = answered.extra as { readonly deleted: number; readonly more: boolean }
  return { deleted, more, ...outcomeOf(answered) }
}

async function planSome(call: Call, input: Selection): Promise<Planned> {
  const { found, more } = await selected(call, input)
  const planned = await planRemovals(call, found, input.signal)
  return { ...planned, extra: { deleted: planned.extra as number, more } }
}

export const deleteMany = defineVerb({
  name: 'deleteMany',
  summary: 'Delete by ids or by filter; an empty filter is everything in the scope.',
  positional: [],
  input: selection,
  writes: true,
  example: 'mneme delete-many --filter \'{"project": "old"}\' --dry-run --user ann',
  async run(call, input): Promise<DeleteResult> {
    const { core } = call
    const scope = writeScope(call.access, input.scope)
    checkSelection(input)
    const { ids } = input
    const own = callKey('deleteMany', scope, input)
    const write = { name: 'deleteMany', scope }
    if (ids !== undefined) {
      const plan = async () => planRemovals(call, await byIds(call, ids, input.scope, input.signal), input.signal)
      return runWrite(core, { ...write, plan, answer: answerDeleted }, input, own)
    }
    if (input.dryRun) {
      const { found, more, count } = await selected(call, input)
      if (more) return { deleted: count }
      const plan = () => planRemovals(call, found, input.signal)
      return runWrite(core, { ...write, plan, answer: answerDeleted }, input, own)
    }
    const parts = inParts(core, { ...write, answer: answerSome }, input, own, 'make the call again to go on.')
    const answers = await writeAll(parts, () => planSome(call, input))
    const deleted = answers.reduce((sum, answer) => sum + answer.deleted, 0)
    return { deleted, ...outcomeOfParts(parts.tx, answers) }
  },
})
