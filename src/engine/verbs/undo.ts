import { z } from 'zod'
import type { LoggedChange, LoggedTransaction } from '../../contract/index.ts'
import { ConflictError, NotFoundError } from '../../errors/index.ts'
import { matchesScope, type ScopeFilter } from '../../model/index.ts'
import { reachScope } from '../access.ts'
import type { UndoResult } from '../api/write-results.ts'
import { type Call, idField, writeOptions } from '../verb.ts'
import type { WorkStep } from '../work.ts'
import { defineWrite, outcomeOf } from '../write-verb.ts'
import { unstamped } from './unstamped.ts'

type Put = LoggedChange & { type: 'put' }

/** The step that takes a put back: the record as it was before it, or none. Null: it changed since. */
async function revert(call: Call, put: Put, reach: ScopeFilter): Promise<WorkStep | null> {
  const { store } = call.core
  const [current] = await store.get(reach, [put.id])
  if (current?.record.version !== put.version) return null
  const revisions = await store.revisions(reach, put.id)
  const place = revisions.findIndex((revision) => revision.version === put.version)
  const previous = revisions[place - 1]
  // Nothing before it, or a tombstone: the put brought the record into being.
  if (!previous || previous.op === 'delete' || previous.op === 'undo') {
    return { type: 'remove', op: 'undo', before: current }
  }
  if (!previous.record) return null
  // What was learned by use is no part of what is taken back.
  const { accessCount: _count, lastAccessedAt: _last, ...rest } = previous.record
  const { accessCount, lastAccessedAt } = current.record
  const counted = { ...rest, accessCount, ...(lastAccessedAt === undefined ? {} : { lastAccessedAt }) }
  return { type: 'put', op: 'undo', planOp: 'update', before: current, after: unstamped(counted) }
}

function refuse(transaction: LoggedTransaction, ids: readonly string[]): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message: `Transaction ${transaction.id} can't be undone whole: ${ids.length} of its records changed or went since. Undo the later changes first, or use force to undo the rest.`,
    details: { ids },
  })
}

function reachesOutside(transaction: LoggedTransaction): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message: `Transaction ${transaction.id} also changed records outside this scope. Undo it from a scope that reaches them all, or use force to undo the part that is in it.`,
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

export const undo = defineWrite({
  name: 'undo',
  summary: 'Take back a transaction, unless it deleted.',
  positional: ['tx'],
  input: () => z.strictObject({ tx: idField(), force: z.boolean().optional(), ...writeOptions }),
  example: 'mneme undo TX --user ann',
  async plan(call, input) {
    const reach = reachScope(call.access, input.scope)
    const transaction = await call.core.store.transaction(input.tx, { signal: input.signal })
    const visible =
      transaction?.changes.filter((change) => change.scope !== null && matchesScope(reach, change.scope)) ?? []
    if (!transaction || visible.length === 0) {
      throw new NotFoundError({
        code: 'RECORD_NOT_FOUND',
        message: 'No such transaction in this scope. Take the tx from the answer of a write, or from history.',
      })
    }
    // A transaction that also reaches outside must not be taken back in part without being asked.
    const outside = transaction.changes.length - visible.length
    const steps: WorkStep[] = []
    const lost: string[] = []
    for (const change of [...visible].reverse()) {
      if (change.type === 'remove') lost.push(change.id)
      if (change.type !== 'put') continue
      const step = await revert(call, change, reach)
      if (step) steps.push(step)
      else lost.push(change.id)
    }
    if (lost.length > 0 && !input.force) throw refuse(transaction, lost)
    if (outside > 0 && !input.force) throw reachesOutside(transaction)
    steps.push(...(await revertLinks(call, visible, reach)))
    const reverted = steps.flatMap((step) => {
      if (step.type === 'put') return [step.after.id]
      return step.type === 'remove' ? [step.before.record.id] : []
    })
    return { steps, refs: [], extra: reverted }
  },
  answer: (answered): UndoResult => ({ reverted: answered.extra as string[], ...outcomeOf(answered) }),
})
