import type { Link, MemoryRecord } from '../../model/index.ts'

export type PlanOp =
  | 'add'
  | 'update'
  | 'supersede'
  | 'invalidate'
  | 'restore'
  | 'archive'
  | 'delete'
  | 'link'
  | 'unlink'
  | 'noop'
  | 'conflict'

/** A record as planned: without the fields that only a commit gives it, when it is new. */
export type PlannedRecord = Omit<MemoryRecord, 'id' | 'version' | 'createdAt' | 'updatedAt'> &
  Partial<Pick<MemoryRecord, 'id' | 'version' | 'createdAt' | 'updatedAt'>>

export interface PlanStep {
  readonly op: PlanOp
  readonly before?: MemoryRecord
  readonly after?: PlannedRecord
  readonly link?: Link
  /** False: `after` is new and stored even where a live memory says the same. */
  readonly dedupe?: false
  readonly reason: string
  readonly evidence: readonly { readonly message: string; readonly quote: string }[]
}

/** What a change would do: plain JSON, to be reviewed and applied later with `apply`. */
export interface Plan {
  readonly id: string
  readonly createdAt: string
  /** The moment of the log it was made at, opaque. */
  readonly base: string
  readonly steps: readonly PlanStep[]
}
