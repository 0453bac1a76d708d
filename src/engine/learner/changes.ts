import type { PutRecord, StoredRecord } from '../../contract/index.ts'
import { type RevisionOp, scopeKey } from '../../model/index.ts'
import { contentHash } from '../analysis.ts'
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
export function merged(a: PlanEvidence, b: PlanEvidence): PlanEvidence {
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
  /** A contradiction between a record and a text, as it is after all that this write heard of it. */
  append(id: string, text: string, contradiction: Appended): void
  /** What this write has heard of it so far. */
  appended(id: string, text: string): Appended | undefined
  /** Nothing is left of contradictions of this write that say what has become known by it: what speaks for them speaks for that. */
  settle(known: PutRecord): void
  /** Whether a live memory that says this is hidden by this write. */
  takesBack(record: PutRecord): boolean
  /** The record as it will be; undefined for one that this write leaves as it is. */
  of(id: string): Change | undefined
  steps(): readonly WorkStep[]
}

/** A contradiction that somebody is to judge. */
export interface Appended {
  readonly draft: PutRecord
  readonly reason: string
  readonly evidence: PlanEvidence
  readonly steps: readonly WorkStep[]
}

export function createChanges(): Changes {
  const changes = new Map<string, Noted>()
  const left = new Map<string, WorkStep & { readonly type: 'noop' }>()
  const appended = new Map<string, Appended>()
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
    append(id, text, contradiction) {
      appended.set(JSON.stringify([id, text]), contradiction)
    },
    appended: (id, text) => appended.get(JSON.stringify([id, text])),
    settle(known) {
      for (const [name, { draft, evidence }] of appended) {
        if (scopeKey(draft.scope) !== scopeKey(known.scope) || !settles(known, draft)) continue
        appended.delete(name)
        this.addEvidence(known.id, evidence)
      }
    },
    takesBack(record) {
      const hash = contentHash(record)
      return [...changes.values()].some(
        ({ before, after }) =>
          before?.record.status === 'live' && after.status !== 'live' && contentHash(before.record) === hash,
      )
    },
    of: (id) => changes.get(id),
    steps() {
      const puts = [...changes.values()].map((change): WorkStep => ({ type: 'put', ...change }))
      const noops = [...left.values()].filter(({ before }) => !changes.has(before.record.id))
      return [...puts, ...[...appended.values()].flatMap(({ steps }) => steps), ...noops]
    },
  }
}
