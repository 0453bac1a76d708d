import type { Link, Revision, Scope, ScopeFilter } from '../model/index.ts'
import type { OperationOptions } from './embedder.ts'
import type { GraphSearch } from './graph-search.ts'
import type { JournalEnd, JournalEntry } from './journal.ts'
import type { LoggedTransaction, LogPage } from './log.ts'
import type { Cursor, ListQuery, Page, ReadOptions } from './reading.ts'
import type { Scratch } from './scratch.ts'
import type { TextSearch, TurnSearch, VectorSearch } from './search-facets.ts'
import type { SnapshotStore } from './snapshots.ts'
import type { StoreDegradation, StoreHealth } from './store-health.ts'
import type { EraseCounts, EraseStamp, MigrationCounts, StatsQuery, StoreProblem, StoreStats } from './store-report.ts'
import type { Derivation, StoredRecord, StoredVector, Touch } from './stored-record.ts'
import type { Claim, CommitResult, Transaction } from './transaction.ts'
import type { VectorSpace } from './vector-space.ts'

export interface OpenOptions extends OperationOptions {
  /** Called while an operation runs whose answer lacks something, before it resolves. */
  readonly onDegraded?: ((degradation: StoreDegradation) => void) | undefined
}

/**
 * An append-only log of transactions with the current state kept beside it.
 *
 * Every method but `log` and `transaction` sees only what the scope filter lets through. Methods reject with
 * ClosedError ENGINE_CLOSED before `open` and after `close`, with `signal.reason` when aborted, and with BackendError when the
 * store fails. What a store returns is the caller's to keep: later changes don't reach it.
 */
export interface MemoryStore {
  /** For messages and `stats`; nothing branches on it. */
  readonly name: string
  readonly contract: 1
  /** What it was made with, for the engine's `metadata`: a mode, say, or the names of its layers. Never an address. */
  readonly settings?: Readonly<Record<string, string | number>> | undefined

  /**
   * Creates, migrates or opens, after a close in hand; idempotent, one opening at a time. Calls made meanwhile wait for it.
   * @throws SetupError, BackendError
   */
  open(options?: OpenOptions): Promise<void>
  /** Waits for work in hand; idempotent. Opening again is allowed. */
  close(): Promise<void>

  /** In the order of `ids`, null for unknown, removed or invisible ones. Status and expiry are not judged. */
  get(scope: ScopeFilter, ids: readonly string[], options?: ReadOptions): Promise<readonly (StoredRecord | null)[]>
  /** May over-select on `filter` and `tags` only; the engine checks again and refills. */
  list(scope: ScopeFilter, query: ListQuery, options?: ReadOptions): Promise<Page<StoredRecord>>

  /**
   * The oldest live record that holds each claim, in order, expired ones too; null where nobody does. What `noKey` and
   * `noContent` look at, for many at once.
   */
  holders(claims: readonly Claim[], options?: OperationOptions): Promise<readonly (StoredRecord | null)[]>
  /**
   * Atomic and durable when it resolves; an owner's commits are serial.
   * @throws ConflictError VERSION_CONFLICT (details: precondition, id), CONFLICT for noKey and noContent
   * (details: precondition, id of the record that is there), for an id held by another scope, a link without its ends
   * a transaction id used before and a journal that ends elsewhere (`gone`), IDEMPOTENCY_CONFLICT. Idempotency is looked at first, then preconditions in order.
   */
  commit(transaction: Transaction, options?: OperationOptions): Promise<CommitResult>
  /** Late vectors, renewed analyses and access counts: not logged, no new version. */
  derive(derivations: readonly Derivation[], touched?: readonly Touch[], options?: OperationOptions): Promise<void>
  /**
   * Rewrites the past so that nothing of the records is left but a salted hash of each id (STO-ERA-1). Invisible ids are
   * left alone; a removed record's tombstone is erased like a record.
   * - Records, revisions, vectors, links (from the log too) and their put and remove changes go.
   * - In other records, past versions included, `supersedes`, `supersededBy` and `source.from` get the hash instead.
   * - Journal lines lose the ids; those that named nothing else go, the rest lose actor and reason. The owner's chain
   *   is made anew (`seq` and `digest`).
   * - A transaction that changed such a record, names one in its `result`, or wrote a journal line that went or was
   *   cut, loses actor, reason (in revisions too), result and idempotency key, and leaves the log if no change is left
   *   in it.
   * - Of an owner who has neither a record nor a tombstone left, all journal lines and idempotency keys go too.
   * - The erase itself is one transaction of verb `erase` in the log: a remove change per id, none when nothing was visible.
   * @throws ConflictError CONFLICT for a `tx` that a commit or an erase used before, whatever is visible: nothing was erased by this call
   */
  erase(scope: ScopeFilter, ids: readonly string[], options?: OperationOptions & EraseStamp): Promise<EraseCounts>

  /**
   * Oldest first. After an erase the one tombstone that is left, its id the hash: whoever knows the id finds it,
   * as nothing of its scope was kept. Versions of an id that comes back go on from there.
   */
  revisions(scope: ScopeFilter, id: string, options?: OperationOptions): Promise<readonly Revision[]>
  /**
   * Ordered; never later shows an entry before one already shown. Every transaction has an entry, also one that
   * changed no record. `limit` is 1000 by default. @throws InputError INVALID_CURSOR
   */
  log(after: Cursor | null, options?: OperationOptions & { readonly limit?: number | undefined }): Promise<LogPage>
  /** The present end of the log. */
  head(options?: OperationOptions): Promise<Cursor>
  /**
   * At least 16 random bytes made with the store, the same for every instance over its data, never part of what a read
   * shows. What is handed out and comes back, such as cursors, is sealed with them.
   */
  secret(options?: OperationOptions): Promise<Uint8Array>
  /**
   * Where its data lies, for comparison only: the same text for every instance over the same data, however each was named, and another
   * one for a copy. Absent where that can't be told.
   */
  place?(options?: OperationOptions): Promise<string>
  /** The transaction an idempotency key was used for and the digest of its input; null when unused or expired at `now`. */
  usedKey(
    scope: Scope,
    key: string,
    query: { readonly now: number },
    options?: OperationOptions,
  ): Promise<{ readonly tx: string; readonly digest: string } | null>
  /** One transaction of the log, null when there is none of this id. */
  transaction(id: string, options?: OperationOptions): Promise<LoggedTransaction | null>
  /** Links whose two ends are both visible, touching any of the ids. */
  links(scope: ScopeFilter, ids: readonly string[], options?: ReadOptions): Promise<readonly Link[]>
  /**
   * Lines of visible scopes with `seq` above `after`, by `seq`, ties by owner key. Lines of one `seq` are not parted:
   * a page holds `limit` lines and whatever more has the last one's `seq`.
   */
  journal(
    scope: ScopeFilter,
    query: { readonly after?: number | undefined; readonly limit: number },
    options?: OperationOptions,
  ): Promise<readonly JournalEntry[]>
  /** Where every owner's chain ends, as it is known beside the lines: that the last ones were taken out shows by it. */
  journalEnds(options?: OperationOptions): Promise<readonly JournalEnd[]>

  stats(scope: ScopeFilter, query: StatsQuery, options?: ReadOptions): Promise<StoreStats>
  /** The present vectors of records of any scope, in order: for an index that keeps them rounded. Null where there is none. */
  vectorsOf(ids: readonly string[], options?: OperationOptions): Promise<readonly (StoredVector | null)[]>
  /** Of every vector, maybe former ones too. Takes no count of vectors: engines ask at each opening. */
  vectorSpaces(options?: OperationOptions): Promise<readonly VectorSpace[]>
  /** Checks the store's own structures against each other; empty when all is well. */
  verify(options?: OperationOptions): Promise<readonly StoreProblem[]>
  /** Asks every layer; never rejects. Absent: `head` tells whether it answers. */
  health?(options?: OperationOptions): Promise<StoreHealth>
  /**
   * Moves what a session's transactions left in front of the durable store into it: each whole or not at all, repeatable, in order.
   * Answers in records.
   * Absent where there is nothing to move.
   */
  migrateToCold?(scope: Scope, options?: OperationOptions): Promise<MigrationCounts>
  /** A consistent copy at another path, while in use; absent where a store is not a file. */
  backup?(path: string, options?: OperationOptions): Promise<void>

  /** Room for text that does not fit into memory; absent where a store has no disk. */
  scratch?(options?: OperationOptions): Promise<Scratch>

  /** Present where the store searches by itself; otherwise the in-process index, which follows the log, does. */
  readonly text?: TextSearch
  readonly vectors?: VectorSearch
  readonly turns?: TurnSearch
  /** Present where the store walks over links by itself; otherwise `links` and `get` are asked step by step. */
  readonly graph?: GraphSearch
  /** True where the facets judge `window.where` and `window.lifetimes` themselves; otherwise they are given `only`. */
  readonly judges?: true | undefined
  /** Present where the store can keep a snapshot of the in-process index. */
  readonly snapshots?: SnapshotStore
}
