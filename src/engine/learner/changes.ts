import type { PutRecord, StoredRecord } from '../../contract/index.ts'
import { type RevisionOp, scopeKey } from '../../model/index.ts'
import type { PlanStep } from '../api/plan.ts'
import { settles } from '../conflict-steps.ts'
import type { WorkStep } from '../work.ts'

type PlanEvidence = PlanStep['evidence']

/** What becomes of one record. */
export interface Change {
  /** Null: made by this write. */
  readonly before: StoredRecord | null
  readonly after: PutRecord
  readonly op: RevisionOp
  readonly planOp?: PlanStep['op']
  /** Refuse when a live record has the same content by now. */
  readonly unique?: boolean
  readonly reason: string
}

interface Noted extends Change {
  readonly evidence: PlanEvidence
}

/** Both, each passage once. */
function merged(a: PlanEvidence, b: PlanEvidence): PlanEvidence {
  const known = new Set(a.map((one) => JSON.stringify(one)))
  return [...a, ...b.filter((one) => !known.has(JSON.stringify(one)))]
}

/**
 * The changes of one write, one a record: facts of a batch are compared with one another as they come, and what an earlier one
 * made a later one may close again.
 */
export interface Changes {
  put(change: Change, evidence: PlanEvidence): void
  /** Nothing is to be done with a record, and why. */
  leave(before: StoredRecord, reason: string, evidence: PlanEvidence): void
  /** More evidence for what was made by this write. */
  addEvidence(id: string, evidence: PlanEvidence): void
  /** Steps of a contradiction between a record and a text; said again, only more evidence of it. */
  append(id: string, text: string, steps: readonly WorkStep[], evidence: PlanEvidence): void
  isAppended(id: string, text: string): boolean
  /** Nothing is left of contradictions of this write that say what has become known by it: what speaks for them speaks for that. */
  settle(known: PutRecord): void
  /** The record as it will be; undefined for one that this write leaves as it is. */
  of(id: string): Change | undefined
  steps(): readonly WorkStep[]
}

/** A step that a plan shows with its evidence. */
function isShown(step: WorkStep): step is WorkStep & { readonly evidence?: PlanEvidence } {
  return step.type === 'noop' || (step.type === 'put' && !step.unplanned)
}

export function createChanges(): Changes {
  const changes = new Map<string, Noted>()
  const left = new Map<string, WorkStep & { readonly type: 'noop' }>()
  const appended = new Map<string, readonly WorkStep[]>()
  return {
    put(change, evidence) {
      const { id } = change.after
      const earlier = changes.get(id)
      // What a record was before this write, and why it was made by it, stays with it.
      const before = earlier ? earlier.before : change.before
      changes.set(id, { ...change, before, evidence: merged(earlier?.evidence ?? [], evidence) })
    },
    leave(before, reason, evidence) {
      const { id } = before.record
      const earlier = left.get(id)
      left.set(id, { type: 'noop', before, reason, evidence: merged(earlier?.evidence ?? [], evidence) })
    },
    addEvidence(id, evidence) {
      const earlier = changes.get(id)
      if (earlier) changes.set(id, { ...earlier, evidence: merged(earlier.evidence, evidence) })
    },
    append(id, text, steps, evidence) {
      const name = JSON.stringify([id, text])
      const all = appended.get(name) ?? steps
      appended.set(
        name,
        all.map((step) => (isShown(step) ? { ...step, evidence: merged(step.evidence ?? [], evidence) } : step)),
      )
    },
    isAppended: (id, text) => appended.has(JSON.stringify([id, text])),
    settle(known) {
      for (const [name, steps] of appended) {
        const waiting = steps.find((step) => step.type === 'noop' || (step.type === 'put' && step.against))
        if (waiting?.type !== 'noop' && waiting?.type !== 'put') continue
        const record = waiting.type === 'put' ? waiting.after : waiting.before.record
        if (scopeKey(record.scope) !== scopeKey(known.scope) || !settles(known, record)) continue
        appended.delete(name)
        this.addEvidence(known.id, waiting.evidence ?? [])
      }
    },
    of: (id) => changes.get(id),
    steps() {
      const puts = [...changes.values()].map((change): WorkStep => ({ type: 'put', ...change }))
      const noops = [...left.values()].filter(({ before }) => !changes.has(before.record.id))
      return [...puts, ...[...appended.values()].flat(), ...noops]
    },
  }
}
