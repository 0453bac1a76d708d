import type {
  FilterNode,
  JsonValue,
  Kind,
  Link,
  MemoryRecord,
  RecordDraft,
  Revision,
  RevisionOp,
  Scope,
  ScopeFilter,
  Status,
} from '../model/index.ts'
import type { OperationOptions } from './embedder.ts'

/** An opaque position in a store's log; only the store that made it can read it. */
export type Cursor = string

/** A past state: at a moment, or right after a position of the log. What was removed or erased since is not in it. */
export type AsOf =
  /** Epoch milliseconds; what was committed at that very millisecond is in. */
  { readonly time: number } | { readonly position: Cursor }

export interface ReadOptions extends OperationOptions {
  /** Read the state of then; the present state when absent. */
  readonly asOf?: AsOf | undefined
  /** Of `get` and `list`: the records alone are wanted; analysis may come back empty and vector null. */
  readonly bare?: boolean | undefined
}

/** What search needs to know about a record's text, made once at write by the engine; a store keeps it and may search it. */
export interface Analysis {
  /** Which analyser made it; another id means it must be made anew. */
  readonly analyser: string
  /** Index terms with their frequencies, ascending by term; empty for records that are not searched. */
  readonly terms: readonly (readonly [term: string, frequency: number])[]
  /** Distinct word-piece ids, ascending. */
  readonly tokens: readonly number[]
  /** Answer-shape bits. */
  readonly shape: number
}

export interface StoredVector {
  /** Id of the embedder that made it: vectors of different spaces are never compared. */
  readonly space: string
  /** Unit length, or all zeros when there was nothing to embed. */
  readonly values: Float32Array
}

/** A record with all that is kept beside it. */
export interface StoredRecord {
  readonly record: MemoryRecord
  readonly analysis: Analysis
  readonly vector: StoredVector | null
}

/** A draft that the store completes: version (last version of the id + 1) and times (moment of commit) where absent. */
export type PutRecord = RecordDraft & Partial<Pick<MemoryRecord, 'version' | 'createdAt' | 'updatedAt'>>

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
  /** A content-free skeleton of the verb's answer (ids, versions, outcomes), from which a repeated call is answered. */
  readonly result?: JsonValue | undefined
}

export interface CommitResult {
  readonly tx: string
  /** Epoch milliseconds of the commit. */
  readonly at: number
  /** True when the idempotency key was used before: nothing was written, `tx` is the earlier transaction. */
  readonly replayed: boolean
  /** The records as put, in the order of the put changes; empty when replayed. */
  readonly records: readonly MemoryRecord[]
}

export type LoggedChange =
  | {
      readonly type: 'put'
      readonly op: RevisionOp
      readonly id: string
      readonly kind: Kind
      readonly scope: Scope
      readonly version: number
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

export type ListOrder = 'newest' | 'oldest' | 'updated' | 'importance' | 'eventTime'

/** A place in an ordered list: the order value and the id of the last record seen. */
export interface ListPosition {
  readonly value: number
  readonly id: string
}

export interface ListQuery {
  /** @default every kind but reserved ones */
  readonly kinds?: readonly Kind[] | undefined
  /** @default ['live'] */
  readonly statuses?: readonly Status[] | 'any' | undefined
  readonly key?: string | undefined
  readonly hash?: string | undefined
  /** All of them. */
  readonly tags?: readonly string[] | undefined
  readonly filter?: FilterNode | undefined
  /** `[since, until)` on event time, else creation; epoch milliseconds. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Records that hold in the world at this moment. */
  readonly validAt?: number | undefined
  /** Records expired at this moment are out; absent: expired ones are in. */
  readonly now?: number | undefined
  /** Only records that have no vector in this space and a content worth one: one with index terms. */
  readonly withoutVector?: string | undefined
  /** newest, updated and importance descend, oldest and eventTime ascend; ties by id in the same direction. */
  readonly order: ListOrder
  readonly limit: number
  readonly after?: ListPosition | undefined
}

export interface Page<T> {
  readonly items: readonly T[]
  /** More may follow after the last item. */
  readonly more: boolean
}

/** A vector that came late, or an analysis made anew. Ignored when the record has moved on to another version. */
export interface Derivation {
  readonly id: string
  readonly version: number
  readonly vector?: StoredVector | undefined
  readonly analysis?: Analysis | undefined
}

/** Somebody read a record: its access count + 1, its access time to the later one. Past revisions stay as they were put. */
export interface Touch {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** Who read or wrote what and why, without content. */
export interface JournalLine {
  readonly op: 'read' | 'write'
  readonly verb: string
  readonly actor?: string | undefined
  readonly reason?: string | undefined
  readonly ids: readonly string[]
  readonly scope: Scope
}

/** A journal line in its owner's chain: `digest = sha256(previous digest + canonical line)`. */
export interface JournalEntry extends JournalLine {
  /** 1, 2, 3 … per owner. */
  readonly seq: number
  readonly at: number
  readonly tx: string
  readonly digest: string
}

/** What an erase is called in the log and in the tombstones it leaves. */
export interface EraseStamp {
  /** @default a random UUID */
  readonly tx?: string | undefined
  /** Epoch milliseconds; stamped like the `at` of a transaction. @default the owners' last at */
  readonly at?: number | undefined
}

/** How much of each went: records that were there, their revisions and the vectors of those, links, journal lines gone or cut, keys. */
export interface EraseCounts {
  readonly records: number
  readonly revisions: number
  readonly vectors: number
  readonly links: number
  readonly journal: number
  readonly idempotency: number
}

export interface StoreCount {
  readonly scope: Scope
  readonly kind: Kind
  readonly status: Status
  readonly count: number
}

export interface StoreStats {
  /** Records not deleted and not expired at `now`, reserved kinds left out. */
  readonly counts: readonly StoreCount[]
  readonly sizeBytes: number
  /** Vectors of visible records by space, whatever their status. */
  readonly spaces: readonly { readonly space: string; readonly dimensions: number; readonly count: number }[]
}

export interface StoreProblem {
  readonly code: string
  readonly id?: string | undefined
  /** Says what is wrong, never content. */
  readonly message: string
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

  /** Creates, migrates or opens; idempotent, one opening at a time. @throws SetupError, BackendError */
  open(options?: OperationOptions): Promise<void>
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
   * and a transaction id used before, IDEMPOTENCY_CONFLICT. Idempotency is looked at first, then preconditions in order.
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

  stats(scope: ScopeFilter, query: { readonly now: number }, options?: ReadOptions): Promise<StoreStats>
  /** Checks the store's own structures against each other; empty when all is well. */
  verify(options?: OperationOptions): Promise<readonly StoreProblem[]>
  /** A consistent copy at another path, while in use; absent where a store is not a file. */
  backup?(path: string, options?: OperationOptions): Promise<void>

  /** Present where the store searches by itself; otherwise the in-process index, which follows the log, does. */
  readonly text?: TextSearch
  readonly vectors?: VectorSearch
  readonly turns?: TurnSearch
  /** Present where the store can keep a snapshot of the in-process index. */
  readonly snapshots?: SnapshotStore
}

/** A piece of a snapshot. */
export interface SnapshotPart {
  /** Unlike any other of the snapshot, and of what it was before. */
  readonly key: string
  /**
   * The stretch of the log, after a position up to and with another, whose records are in it: the part goes with the
   * first of them that is removed or erased. Null when nothing of any record is in it.
   */
  readonly span: { readonly after: Cursor | null; readonly until: Cursor } | null
  readonly chunks: readonly Uint8Array[]
}

export interface SnapshotState {
  /** Another one after every removal and erase, and with every epoch. */
  readonly generation: string
  /** Another one after analyses were made anew: what was made of the log before is out of date without an entry there. */
  readonly epoch: string
  /** Of the parts that are there. */
  readonly keys: readonly string[]
}

/**
 * Bytes that were made of the log and are kept beside it, so that they need not be made again: whatever is lost of them
 * is lost without harm. Of a removed or erased record nothing can be read back once that has resolved (IDX-15).
 */
export interface SnapshotStore {
  state(name: string, options?: OperationOptions): Promise<SnapshotState>
  /** Null when the part is not there, or not to the last byte what was written. The bytes are the caller's. */
  read(name: string, key: string, options?: OperationOptions): Promise<readonly Uint8Array[] | null>
  /**
   * Adds parts; `only` names the ones that stay, by default all. False, and nothing written, when another generation
   * than the given one has come: records may have gone that are in the parts.
   */
  write(
    name: string,
    change: {
      readonly generation: string
      readonly parts: readonly SnapshotPart[]
      readonly only?: readonly string[] | undefined
    },
    options?: OperationOptions,
  ): Promise<boolean>
  /** Below 0 when one position of the log comes before another. @throws InputError INVALID_CURSOR */
  compare(a: Cursor, b: Cursor): number
}

/** What a search may see beside its scope, and how its results are narrowed. Statistics are those of what it may see. */
export interface SearchWindow {
  readonly statuses: readonly Status[]
  /** Epoch milliseconds: expired records are out. */
  readonly now: number
  readonly kinds?: readonly Kind[] | undefined
  /** Only these records may be found; statistics stay those of everything visible. */
  readonly only?: ReadonlySet<string> | undefined
  /** Compare every vector exactly; otherwise a few of the nearest of many may be missing. @default false */
  readonly exact?: boolean | undefined
  readonly limit: number
}

export interface TextHits {
  /** Best first, ties by id; scores are raw BM25 (k1 1.2, b 0.75), above 0. */
  readonly hits: readonly { readonly id: string; readonly score: number }[]
  /** Visible records that have terms. */
  readonly documents: number
  /** In the order of the terms asked for. */
  readonly idfs: readonly number[]
}

/** Ranks by BM25 over the statistics of exactly what the read may see; equal to 1e-6 on every store (STO-TXT-1). */
export interface TextSearch {
  match(
    scope: ScopeFilter,
    terms: readonly string[],
    window: SearchWindow,
    options?: OperationOptions,
  ): Promise<TextHits>
}

export interface VectorHits {
  /** Best first, ties by id; records without a vector in the space, and zero vectors, are never found. */
  readonly hits: readonly { readonly id: string; readonly cosine: number }[]
  /** Visible records with a vector in the space. */
  readonly vectors: number
  /** Product of the unit query vector with the mean of the visible unit vectors; of more than a thousand within .01. */
  readonly meanCosine: number
}

export interface VectorSearch {
  nearest(
    scope: ScopeFilter,
    space: string,
    vector: Float32Array,
    window: SearchWindow,
    options?: OperationOptions,
  ): Promise<VectorHits>
}

export interface Turn {
  readonly id: string
  readonly tokens: readonly number[]
  readonly shape: number
  readonly actor: string | null
  readonly thread: string | null
  readonly position: number
  /** Cosine with the query vector; null without one. */
  readonly cosine: number | null
  /** BM25 of the query's terms. */
  readonly bm25: number
}

export interface TurnDetails {
  /** In the order of the ids asked for; ids that are not visible are left out. */
  readonly turns: readonly Turn[]
  /** Document frequency of each token asked for. */
  readonly tokenFrequencies: readonly number[]
  readonly averageTokens: number
}

/** Who said it, where in its thread, and what is around: what the ranking wants to know of each candidate. */
export interface TurnSearch {
  /** Every actor of the visible records, with the role its source type gives it. */
  actors(
    scope: ScopeFilter,
    window: SearchWindow,
    options?: OperationOptions,
  ): Promise<readonly { readonly name: string; readonly role: 'user' | 'assistant' | 'other' }[]>
  describe(
    scope: ScopeFilter,
    ids: readonly string[],
    query: {
      readonly terms: readonly string[]
      readonly tokens: readonly number[]
      readonly space?: string | undefined
      readonly vector?: Float32Array | undefined
    },
    window: SearchWindow,
    options?: OperationOptions,
  ): Promise<TurnDetails>
}
