import { z } from 'zod'
import type { PutRecord, StoredRecord } from '../../../contract/index.ts'
import { ConflictError, InputError } from '../../../errors/index.ts'
import { mayReplace } from '../../../learning/index.ts'
import { formatInstant, type NewMemory, parseNewMemory, scopeKey, type Trust } from '../../../model/index.ts'
import { reachScope } from '../../access.ts'
import type { ResolveResult } from '../../api/conflicts.ts'
import { closed, conflictData, conflictKind, type Resolution } from '../../conflict-steps.ts'
import type { Core } from '../../core.ts'
import { type OpenConflict, openConflicts } from '../../open-conflicts.ts'
import type { AnswerRef } from '../../repeated-call.ts'
import { ownVector } from '../../vectors.ts'
import { type Call, idField, writeOptions } from '../../verb.ts'
import type { WorkStep } from '../../work.ts'
import { defineWrite, outcomeOf, type Planned, requireRecord } from '../../write-verb.ts'
import { closedBy } from '../closed-by.ts'
import { invalidated } from '../invalidate.ts'
import { inheritedFrom } from '../supersede.ts'
import { unstamped } from '../unstamped.ts'

const input = () =>
  z.strictObject({
    id: idField(),
    keep: z.enum(['first', 'second', 'both', 'neither']).optional(),
    merged: z.unknown().optional(),
    ...writeOptions,
  })
type Input = z.infer<ReturnType<typeof input>>

function undecided(): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message: "conflicts.resolve: say what to keep, 'first', 'second', 'both' or 'neither', or give a merged memory.",
  })
}

function decided(id: string, resolution: Resolution | undefined): ConflictError {
  const how = resolution === undefined ? '' : ` (${resolution})`
  return new ConflictError({
    code: 'CONFLICT',
    message: `Conflict ${id} was resolved already${how}. Undo that first to decide otherwise, or change the memories themselves.`,
    details: { id, ...(resolution === undefined ? {} : { resolution }) },
  })
}

function moved(id: string, second: string): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message: `Conflict ${id} is not open any more: one of its sides changed. List the conflicts again; restore(${JSON.stringify(second)}) brings back what is still in quarantine.`,
    details: { id, second },
  })
}

/** The more trusted of both: whoever decides has confirmed what they keep. */
function confirmedTrust(first: Trust, second: Trust): Trust {
  if (first === 'trusted' || second === 'trusted') return 'trusted'
  return first === 'inferred' || second === 'inferred' ? 'inferred' : 'untrusted'
}

/** What came in, live: since it holds, or was heard. */
function promoted({ second }: OpenConflict, more: Partial<PutRecord>): PutRecord {
  const { validFrom, createdAt } = second.record
  return { ...unstamped(second.record), validFrom: validFrom ?? createdAt, status: 'live', ...more }
}

function isSameName({ first, second }: OpenConflict): boolean {
  const [a, b] = [first.record, second.record]
  return a.key !== undefined && a.key === b.key && a.kind === b.kind && scopeKey(a.scope) === scopeKey(b.scope)
}

function keepSecond(core: Core, open: OpenConflict): WorkStep[] {
  const { first, second } = open
  const after = promoted(open, {
    trust: confirmedTrust(first.record.trust, second.record.trust),
    supersedes: first.record.id,
    // Versions count the values of a key, whichever record holds them.
    version: Math.max(first.record.version, second.record.version) + 1,
  })
  return [
    closedBy(core, first, after),
    { type: 'put', op: 'restore', planOp: 'supersede', before: second, after, reason: 'kept' },
  ]
}

function keepBoth(open: OpenConflict): WorkStep[] {
  const { key: _key, ...nameless } = promoted(open, {})
  const after = isSameName(open) ? nameless : promoted(open, {})
  return [{ type: 'put', op: 'restore', before: open.second, after, reason: 'both kept' }]
}

/** The memory that takes the place of both. @throws InputError INVALID_ARGUMENT for an untrusted one in place of a trusted one */
function mergedSteps(call: Call, { first, second }: OpenConflict, given: unknown): (WorkStep & { type: 'put' })[] {
  const { core } = call
  const said = (typeof given === 'string' ? { content: given } : given) as NewMemory
  const memory = {
    source: { type: 'user', from: [first.record.id, second.record.id] },
    ...inheritedFrom(first.record),
    ...said,
  }
  const { draft, vector: own } = parseNewMemory(memory, { scope: first.record.scope }, 'merged')
  if (!mayReplace(first.record.trust, draft.trust)) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: "merged: an untrusted memory can't take the place of a trusted one. Say trust: 'trusted' to confirm it.",
      details: { path: 'merged.trust' },
    })
  }
  const after: PutRecord = {
    validFrom: formatInstant(core.clock()),
    ...draft,
    id: draft.id ?? core.ids(),
    supersedes: first.record.id,
    version: Math.max(first.record.version, second.record.version) + 1,
  }
  const vector = own && ownVector(core.embedder, own, 'merged.vector')
  return [
    closedBy(core, first, after),
    closedBy(core, second, after),
    { type: 'put', op: 'add', planOp: 'supersede', before: null, after, vector, reason: 'merged' },
  ]
}

function stepsFor(call: Call, open: OpenConflict, given: Input): WorkStep[] {
  const { core } = call
  if (given.merged !== undefined) return mergedSteps(call, open, given.merged)
  if (given.keep === 'first') return [invalidated(core, open.second)]
  if (given.keep === 'second') return keepSecond(core, open)
  if (given.keep === 'both') return keepBoth(open)
  return [invalidated(core, open.first), invalidated(core, open.second)]
}

/** A decision that was made before and is asked for again is answered as it is now. */
async function again(call: Call, conflict: StoredRecord, given: Input): Promise<Planned> {
  const data = conflictData(conflict.record)
  const { id } = conflict.record
  if (!data?.resolution || data.resolution !== given.keep || given.merged !== undefined)
    throw decided(id, data?.resolution)
  const sides = await call.core.store.get(reachScope(call.access, given.scope), [data.first, data.second], given)
  if (sides.some((side) => side === null)) throw decided(id, data.resolution)
  const there = sides as StoredRecord[]
  return {
    steps: there.map((before): WorkStep => ({ type: 'noop', before, reason: 'resolved already' })),
    refs: there.map(({ record: { id, scope, version } }) => ({ id, scope, version })),
    extra: { resolution: data.resolution },
  }
}

async function planResolve(call: Call, given: Input): Promise<Planned> {
  if (given.keep === undefined && given.merged === undefined) throw undecided()
  const conflict = await requireConflict(call, given)
  const { id } = conflict.record
  const data = conflictData(conflict.record)
  if (conflict.record.status !== 'live' || !data) return again(call, conflict, given)
  const scope = reachScope(call.access, given.scope)
  const open = (await openConflicts(call.core, scope, [conflict], { signal: given.signal })).get(id)
  if (!open) throw moved(id, data.second)
  const resolution: Resolution = given.merged === undefined ? (given.keep as Resolution) : 'merged'
  const steps = stepsFor(call, open, given)
  const changed = new Map(steps.flatMap((step) => (step.type === 'put' ? [[step.after.id, step.after] as const] : [])))
  const refOf = ({ record }: StoredRecord): AnswerRef =>
    changed.has(record.id)
      ? { id: record.id, scope: record.scope }
      : { id: record.id, scope: record.scope, version: record.version }
  const made = resolution === 'merged' ? [...changed.values()].slice(-1).map(({ id, scope }) => ({ id, scope })) : []
  const unchanged = [open.first, open.second].filter(({ record }) => !changed.has(record.id))
  return {
    steps: [
      ...unchanged.map((before): WorkStep => ({ type: 'noop', before, reason: 'stays as it is' })),
      ...steps,
      closed(conflict, resolution),
    ],
    refs: [refOf(open.first), refOf(open.second), ...made],
    extra: { resolution },
  }
}

async function requireConflict(call: Call, { id, scope, signal }: Input): Promise<StoredRecord> {
  const found = await requireRecord(call, id, scope, signal)
  if (found.record.kind === conflictKind) return found
  throw new InputError({
    code: 'INVALID_ARGUMENT',
    message: `Record ${id} is no conflict. Take the id of one from conflicts.list.`,
    details: { id },
  })
}

export const conflictsResolve = defineWrite({
  name: 'conflicts.resolve',
  summary:
    'Decide a contradiction: keep the first, the second, both or neither, or put a merged memory in their place.',
  positional: ['id'],
  input,
  example: 'mneme conflicts resolve CONFLICT --keep second --user ann',
  plan: planResolve,
  answer(answered): ResolveResult {
    const [first, second, merged] = answered.records
    const { resolution } = answered.extra as Pick<ResolveResult, 'resolution'>
    return {
      resolution,
      first: first as ResolveResult['first'],
      second: second as ResolveResult['second'],
      ...(merged ? { merged } : {}),
      ...outcomeOf(answered),
    }
  },
})
