import type { PutRecord, StoredRecord } from '../contract/index.ts'
import type { RevisionOp } from '../model/index.ts'
import type { PlannedRecord, PlanStep } from './api/plan.ts'
import { hashOf, type WorkStep } from './work.ts'

/** A planned record as people see it: what only the commit gives it is left out, or as it is now. */
function planned(after: PutRecord, before: StoredRecord | null): PlannedRecord {
  if (!before) return after
  const { version, createdAt, updatedAt } = before.record
  return { version, createdAt, updatedAt, ...after }
}

/** What a plan calls a revision that it does not know. */
const planOps: Readonly<Partial<Record<RevisionOp, PlanStep['op']>>> = {
  report: 'update',
  import: 'update',
  undo: 'update',
}

/** Whether the record is stored although a live one says the same. */
function isRepeated(step: WorkStep & { type: 'put' }): boolean {
  return step.before === null && step.after.status === 'live' && !step.unique && hashOf(step) !== null
}

/** Whether a plan shows the step: applying the one it belongs to makes it again. */
export function isShown(step: WorkStep): boolean {
  return !('unplanned' in step && step.unplanned)
}

/** The step as a plan shows it. */
export function planStep(step: WorkStep): PlanStep {
  const base = { evidence: 'evidence' in step ? (step.evidence ?? []) : [] }
  switch (step.type) {
    case 'put': {
      const op = step.planOp ?? planOps[step.op] ?? (step.op as PlanStep['op'])
      const before = step.against ?? step.before
      return {
        op,
        ...(before ? { before: before.record } : {}),
        after: planned(step.after, step.before),
        ...(isRepeated(step) ? { dedupe: false } : {}),
        reason: step.reason ?? op,
        evidence: step.evidence ?? [],
      }
    }
    case 'remove':
      return { op: 'delete', before: step.before.record, reason: step.reason ?? step.op, ...base }
    case 'link':
      return { op: 'link', link: step.link, reason: 'link', ...base }
    case 'unlink':
      return { op: 'unlink', link: step.link, reason: 'unlink', ...base }
    case 'noop':
      if (step.heard) {
        const { against, after } = step.heard
        return { op: 'conflict', before: against.record, after: planned(after, null), reason: step.reason, ...base }
      }
      return { op: 'noop', before: step.before.record, reason: step.reason, ...base }
  }
}
