import { z } from 'zod'
import type { LoggedChange, LoggedTransaction, StoredRecord } from '../../contract/index.ts'
import { ConflictError, NotFoundError } from '../../errors/index.ts'
import { equalJson, type JsonValue, type MemoryRecord, matchesScope, type ScopeFilter } from '../../model/index.ts'
import { reachScope, writeScope } from '../access.ts'
import type { UndoResult } from '../api/write-results.ts'
import { inParts, outcomeOfParts, partOf } from '../parts.ts'
import { earlierCall } from '../repeated-call.ts'
import { type Call, defineVerb, idField, writeOptions } from '../verb.ts'
import type { WorkStep } from '../work.ts'
import { type Answered, callKey, outcomeOf, type Planned, runWrite } from '../write-verb.ts'
import { unstamped } from './unstamped.ts'

type Put = LoggedChange & { type: 'put' }

const input = () => z.strictObject({ tx: idField(), force: z.boolean().optional(), ...writeOptions })
type Input = z.infer<ReturnType<typeof input>>

/** What of a transaction a call may take back. */
interface Visible {
  readonly transaction: LoggedTransaction
  readonly changes: readonly LoggedChange[]
  /** How many of its changes lie outside. */
  readonly outside: number
}

async function visibleOf(call: Call, { scope, signal }: Input, tx: string): Promise<Visible | null> {
  const reach = reachScope(call.access, scope)
  const transaction = await call.core.store.transaction(tx, { signal })
  if (!transaction) return null
  const changes = transaction.changes.filter((change) => change.scope !== null && matchesScope(reach, change.scope))
  return { transaction, changes, outside: transaction.changes.length - changes.length }
}

function notFound(): NotFoundError {
  return new NotFoundError({
    code: 'RECORD_NOT_FOUND',
    message: 'No such transaction in this scope. Take the tx from the answer of a write, or from history.',
  })
}

/** What a record says, without what use and commits add to it. */
function said(record: MemoryRecord): JsonValue {
  const { accessCount: _count, lastAccessedAt: _last, ...rest } = unstamped(record) as MemoryRecord
  return rest as unknown as JsonValue
}

/** Whether a record is as a put left it: not changed since, or changed and taken back to that. */
async function isAsLeft(call: Call, put: Put, current: StoredRecord | null | undefined, reach: ScopeFilter) {
  if (!current || current.record.version === put.version) return Boolean(current)
  const revisions = await call.core.store.revisions(reach, put.id)
  const left = revisions.find((revision) => revision.version === put.version)?.record
  return left ? equalJson(said(left), said(current.record)) : false
}

/** The step that takes a put back: the record as it was before it, or none. Null: it changed since. */
async function revert(
  call: Call,
  put: Put,
  current: StoredRecord | undefined,
  reach: ScopeFilter,
): Promise<WorkStep | null> {
  if (!current || !(await isAsLeft(call, put, current, reach))) return null
  const created: WorkStep = { type: 'remove', op: 'undo', before: current }
  if (put.version === 1) return created
  const revisions = await call.core.store.revisions(reach, put.id)
  const place = revisions.findIndex((revision) => revision.version === put.version)
  const previous = revisions[place - 1]
  // Nothing before it, or a tombstone: the put brought the record into being.
  const isTombstone = previous?.record === null && (previous.op === 'delete' || previous.op === 'undo')
  if (!previous || isTombstone) return created
  if (!previous.record) return null
  // What was learned by use is no part of what is taken back.
  const { accessCount: _count, lastAccessedAt: _last, ...rest } = previous.record
  const { accessCount, lastAccessedAt } = current.record
  const counted = { ...rest, accessCount, ...(lastAccessedAt === undefined ? {} : { lastAccessedAt }) }
  const planOp = counted.status === 'superseded' ? 'supersede' : 'update'
  return { type: 'put', op: 'undo', planOp, before: current, after: unstamped(counted) }
}

function refuse(tx: string, ids: readonly string[]): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message: `Transaction ${tx} can't be undone whole: ${ids.length} of its records changed or went since. Undo the later changes first, or use force to undo the rest.`,
    details: { ids },
  })
}

function reachesOutside(tx: string): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message: `Transaction ${tx} also changed records outside this scope. Undo it from a scope that reaches them all, or use force to undo the part that is in it.`,
  })
}

/** Steps that take link changes back, newest first. */
async function revertLinks(call: Call, changes: readonly LoggedChange[], reach: ScopeFilter): Promise<WorkStep[]> {
  const steps: WorkStep[] = []
  for (const change of [...changes].reverse()) {
    if (change.type !== 'link' && change.type !== 'unlink') continue
    if (!matchesScope(reach, change.scope)) continue
    const ends = await call.core.store.get(reach, [change.link.from, change.link.to])
    if (ends.some((end) => end === null)) continue
    if (change.type === 'unlink') steps.push({ type: 'link', link: change.link })
    else if (change.previous) steps.push({ type: 'link', link: change.previous })
    else steps.push({ type: 'unlink', link: change.link })
  }
  return steps
}

/** Ids of records that can't live again: by now another one, which is not taken back with them, has their key. */
async function withoutTheirKeys(
  call: Call,
  steps: readonly WorkStep[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const returning = steps.flatMap((step) => {
    if (step.type !== 'put' || step.after.status !== 'live' || step.after.key === undefined) return []
    const { id, scope, kind, key } = step.after
    return [{ id, claim: { type: 'key' as const, scope, kind, value: key } }]
  })
  if (returning.length === 0) return new Set()
  const holders = await call.core.store.holders(
    returning.map(({ claim }) => claim),
    { signal },
  )
  const touched = new Set(steps.flatMap((step) => ('before' in step && step.before ? [step.before.record.id] : [])))
  return new Set(
    returning.flatMap(({ id }, i) => {
      const holder = holders[i]?.record.id
      return holder === undefined || holder === id || touched.has(holder) ? [] : [id]
    }),
  )
}

const isPut = (change: LoggedChange): change is Put => change.type === 'put'

/** Takes one transaction back. */
async function planUndo(call: Call, given: Input, tx: string): Promise<Planned> {
  const reach = reachScope(call.access, given.scope)
  const visible = await visibleOf(call, given, tx)
  if (!visible || visible.changes.length === 0) throw notFound()
  const { changes, outside } = visible
  const ids = changes.filter(isPut).map(({ id }) => id)
  const found = await call.core.store.get(reach, [...new Set(ids)], { signal: given.signal })
  const current = new Map(found.flatMap((stored) => (stored ? [[stored.record.id, stored] as const] : [])))
  const all: WorkStep[] = []
  const lost: string[] = []
  for (const change of [...changes].reverse()) {
    if (change.type === 'remove') lost.push(change.id)
    if (change.type !== 'put') continue
    const step = await revert(call, change, current.get(change.id), reach)
    if (step) all.push(step)
    else lost.push(change.id)
  }
  const keyless = await withoutTheirKeys(call, all, given.signal)
  lost.push(...keyless)
  if (lost.length > 0 && !given.force) throw refuse(tx, lost)
  if (outside > 0 && !given.force) throw reachesOutside(tx)
  const steps = all.filter((step) => step.type !== 'put' || !keyless.has(step.after.id))
  steps.push(...(await revertLinks(call, changes, reach)))
  const reverted = steps.flatMap((step) => {
    if (step.type === 'put') return [step.after.id]
    return step.type === 'remove' ? [step.before.record.id] : []
  })
  return { steps, refs: [], extra: reverted }
}

function answerUndone(answered: Answered): UndoResult {
  return { reverted: answered.extra as string[], ...outcomeOf(answered) }
}

/** A call that was written in several transactions is taken back whole: its parts, the first one first. */
async function* partsOf(call: Call, given: Input): AsyncGenerator<Visible> {
  for (let number = 1; ; number++) {
    const visible = await visibleOf(call, given, partOf(given.tx, number))
    if (!visible) return
    yield visible
  }
}

/** What of a call in several parts can be taken back. @throws before anything is, when not all of it can and it is not forced */
async function checkParts(call: Call, given: Input) {
  const reach = reachScope(call.access, given.scope)
  const parts: string[] = []
  const kept: string[] = []
  const lost: string[] = []
  let outside = 0
  for await (const visible of partsOf(call, given)) {
    outside += visible.outside
    if (visible.changes.length > 0) parts.push(visible.transaction.id)
    const puts = visible.changes.filter(isPut)
    const found = await call.core.store.get(
      reach,
      puts.map(({ id }) => id),
      { signal: given.signal, bare: true },
    )
    for (const [i, put] of puts.entries()) ((await isAsLeft(call, put, found[i], reach)) ? kept : lost).push(put.id)
    for (const change of visible.changes) if (change.type === 'remove') lost.push(change.id)
  }
  if (parts.length === 0) throw notFound()
  if (lost.length > 0 && !given.force) throw refuse(given.tx, lost)
  if (outside > 0 && !given.force) throw reachesOutside(given.tx)
  return { parts, kept }
}

async function undoParts(call: Call, given: Input): Promise<UndoResult> {
  const scope = writeScope(call.access, given.scope)
  const key = callKey('undo', scope, given)
  // Of a repeated call all of it is undone already: it is answered from that.
  const isRepeated = key !== undefined && (await earlierCall(call.core, key, given.signal)) !== null
  const { parts, kept } = await checkParts(call, isRepeated ? { ...given, force: true } : given)
  if (given.dryRun) return { reverted: kept }
  const write = { name: 'undo', scope, answer: answerUndone }
  const writer = inParts(call.core, write, given, key, 'undo again with force to go on.')
  const answers: UndoResult[] = []
  // The newest first, as it may have been written over what an earlier one wrote.
  for (const tx of parts.reverse()) answers.push(await writer.write(() => planUndo(call, given, tx)))
  return { reverted: answers.flatMap(({ reverted }) => reverted), ...outcomeOfParts(writer.tx, answers) }
}

export const undo = defineVerb({
  name: 'undo',
  summary: 'Take back a transaction, unless it deleted.',
  positional: ['tx'],
  input,
  writes: true,
  example: 'mneme undo TX --user ann',
  async run(call, given): Promise<UndoResult> {
    const { core } = call
    const scope = writeScope(call.access, given.scope)
    const key = callKey('undo', scope, given)
    const isWhole = (await core.store.transaction(partOf(given.tx, 2), { signal: given.signal })) === null
    if (!isWhole) return undoParts(call, given)
    return runWrite(
      core,
      { name: 'undo', scope, plan: () => planUndo(call, given, given.tx), answer: answerUndone },
      given,
      key,
    )
  },
})
