import type { JsonValue, Kind, Link, MemoryRecord, RevisionOp, Scope } from '../model/index.ts'
import type { JournalLine } from './journal.ts'
import type { Analysis, PutRecord, StoredVector } from './stored-record.ts'

/** Applied in order, after all preconditions were checked on the state before the transaction. */
export type StoreChange =
  /** The id stays in its scope for ever: a put under another exact scope than the record's, or its tombstone's, is CONFLICT. */
  | {
      readonly type: 'put'
      readonly op: RevisionOp
      readonly record: PutRecord
      /** Digest of what makes two records the same memory; null for records that have no duplicates (keyed ones, kv). */
      readonly hash: string | null
      readonly analysis: Analysis
      readonly vector: StoredVector | null
    }
  /**
   * Takes the record away and empties its past revisions and log entries; a content-free tombstone stays (the next
   * version). Its links go too, from the log as well. Without such a record nothing happens, nothing is logged.
   */
  | { readonly type: 'remove'; readonly op: 'delete' | 'undo'; readonly id: string }
  /** Both ends must be records. Replaces the link of the same ends and type. */
  | { readonly type: 'link'; readonly link: Link }
  /** Without such a link nothing happens, nothing is logged. */
  | { readonly type: 'unlink'; readonly from: string; readonly to: string; readonly linkType: string }
  | { readonly type: 'journal'; readonly line: JournalLine }

export type Precondition =
  /** The record is at this version; null: no such record (a tombstone counts as none). */
  | { readonly type: 'version'; readonly id: string; readonly is: number | null }
  /** No live record has this key in this exact scope and kind. Only this precondition guards keys: no unique index, other statuses may repeat them. */
  | { readonly type: 'noKey'; readonly scope: Scope; readonly kind: Kind; readonly key: string }
  /** No live record has this digest in this exact scope and kind. Writers may leave it out, so digests can repeat: no unique index. */
  | { readonly type: 'noContent'; readonly scope: Scope; readonly kind: Kind; readonly hash: string }

/** What a live record holds in its exact scope and kind: a key, or the digest of its content. */
export interface Claim {
  readonly type: 'key' | 'content'
  readonly scope: Scope
  readonly kind: Kind
  /** The key, or the digest. */
  readonly value: string
}

export interface IdempotencyKey {
  readonly scope: Scope
  readonly key: string
  /** Digest of the input: the same key with another digest is IDEMPOTENCY_CONFLICT. */
  readonly digest: string
  /** Epoch milliseconds: at a transaction whose `at` is this or later the key is forgotten. */
  readonly expiresAt: number
}

/** All or nothing: every precondition holds and every change lands, or nothing is written. */
export interface Transaction {
  /** UUIDv7 made by the engine. Order lives in cursors, not in ids. */
  readonly id: string
  /**
   * The engine's clock, epoch milliseconds. The store commits at `max(at, the owners' last at)`, the owners being those
   * of every record put or removed, of both ends of every link, of journal lines and of the idempotency key.
   */
  readonly at: number
  readonly verb: string
  readonly actor?: string | undefined
  readonly reason?: string | undefined
  readonly idempotency?: IdempotencyKey | undefined
  readonly requires: readonly Precondition[]
  readonly changes: readonly StoreChange[]
  /**
   * Lines of one owner's journal whose transaction an erase took out of the log of another store, to be kept here as they are kept
   * there. `changes` holds them alone; there is no key and no precondition. The log doesn't show it, such an id may come again, and
   * `at` is taken as given. `seq` is that of the first line.
   */
  readonly gone?: { readonly seq: number } | undefined
  /** A content-free skeleton of the verb's answer (ids, versions, outcomes), from which a repeated call is answered. */
  readonly result?: JsonValue | undefined
}

export interface CommitResult {
  readonly tx: string
  /** Epoch milliseconds of the commit. */
  readonly at: number
  /** True when the idempotency key was used before: nothing was written, `tx` is the earlier transaction. */
  readonly replayed: boolean
  /** False: accepted by a layer that may lose it, while the durable one is away. @default true */
  readonly durable?: boolean | undefined
  /** The records as put, in the order of the put changes; empty when replayed. */
  readonly records: readonly MemoryRecord[]
}
