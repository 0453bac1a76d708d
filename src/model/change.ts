import type { JsonObject } from './json.ts'
import type { Kind, MemoryRecord } from './record.ts'
import type { Scope } from './scope.ts'

/** What a change did to a record. */
export type RevisionOp =
  | 'add'
  | 'update'
  | 'supersede'
  | 'invalidate'
  | 'restore'
  | 'archive'
  | 'report'
  | 'import'
  | 'undo'
  | 'delete'
  | 'erase'

/** One version of a record: what, when, by whom and why. */
export interface Revision {
  readonly id: string
  readonly version: number
  readonly tx: string
  readonly at: string
  readonly op: RevisionOp
  readonly actor?: string
  readonly reason?: string
  /** Null: a tombstone, or a version whose content went with a later delete. Nothing of the content is left. */
  readonly record: MemoryRecord | null
}

/** A line of the change feed. */
export interface Change {
  readonly tx: string
  /** Resume after this change with `changes({ after: cursor })`. */
  readonly cursor: string
  readonly at: string
  readonly op: RevisionOp
  readonly id: string
  readonly kind: Kind
  readonly scope: Scope
  readonly version: number
  /** Absent when the record was deleted since. */
  readonly record?: MemoryRecord
}

/** A directed, typed connection between two records. */
export interface Link {
  readonly from: string
  readonly to: string
  readonly type: string
  /** 0..1. @default 1 */
  readonly weight: number
  readonly metadata: JsonObject
}
