import type { JsonValue, Kind, Link, RevisionOp, Scope } from '../model/index.ts'
import type { Cursor } from './reading.ts'
import type { StoredRecord } from './stored-record.ts'

export type LoggedChange =
  | {
      readonly type: 'put'
      readonly op: RevisionOp
      readonly id: string
      readonly kind: Kind
      readonly scope: Scope
      readonly version: number
      /** Digest of what makes two records the same memory, as it was put; null also when the record was removed since. */
      readonly hash: string | null
      /** As it was put, with its vector of now (late ones included). Null when the record was removed since. */
      readonly stored: StoredRecord | null
    }
  | {
      readonly type: 'remove'
      readonly op: 'delete' | 'erase' | 'undo'
      /** The id, or after an erase `erasedId(salt, id)`. */
      readonly id: string
      /** Of an erase, so that whoever follows the log finds what it must forget; null otherwise. */
      readonly salt: string | null
      readonly kind: Kind
      /** Null after an erase. */
      readonly scope: Scope | null
      readonly version: number
    }
  /** `previous` is what the link was before, null when it is new; `scope` is that of the record it starts from. */
  | { readonly type: 'link'; readonly link: Link; readonly previous: Link | null; readonly scope: Scope }
  /** The link that went. */
  | { readonly type: 'unlink'; readonly link: Link; readonly scope: Scope }

export interface LoggedTransaction {
  readonly id: string
  /** The position right after this transaction. */
  readonly cursor: Cursor
  readonly at: number
  readonly verb: string
  readonly actor?: string | undefined
  readonly reason?: string | undefined
  readonly changes: readonly LoggedChange[]
  readonly result?: JsonValue | undefined
}

export interface LogPage {
  readonly entries: readonly LoggedTransaction[]
  /** Where to go on reading; equal to the given one when there was nothing new. */
  readonly cursor: Cursor
  /** Changes whenever `derive` stored vectors: late vectors are not in the log. */
  readonly derived: string
}
