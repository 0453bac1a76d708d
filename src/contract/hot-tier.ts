import type { FilterNode, MemoryRecord, Scope, ScopeFilter } from '../model/index.ts'
import type { OperationOptions } from './embedder.ts'
import type { TierHealth } from './store-health.ts'
import type { StoredRecord, Touch } from './stored-record.ts'

/**
 * What a hot tier knows of an id:
 * - `hit`: the record as it stands in the store behind
 * - `gone`: it was removed there
 * - `miss`: nothing; ask the store behind, and fill with the lease, which a later eviction or removal makes void
 */
export type HotAnswer =
  | { readonly state: 'hit'; readonly stored: StoredRecord }
  | { readonly state: 'gone' }
  | { readonly state: 'miss'; readonly lease: string }

/** A record to keep. Without a lease it is from its writer; with one, from a reader who missed. */
export interface HotPut {
  readonly stored: StoredRecord
  readonly lease?: string | undefined
}

/** What a removed record leaves behind, so that nobody puts an older version back. */
export interface HotTombstone {
  readonly id: string
  readonly scope: Scope
  readonly version: number
}

export interface HotQuery {
  /** All of them. */
  readonly tags?: readonly string[] | undefined
  readonly filter?: FilterNode | undefined
  /** Ranks by cosine; entries without a vector in the space come last, others by creation, newest first. */
  readonly vector?: { readonly space: string; readonly values: Float32Array } | undefined
  /** 1..1000. */
  readonly limit: number
}

export interface HotHit {
  readonly stored: StoredRecord
  /** Null without a vector in the space asked for. */
  readonly cosine: number | null
}

/**
 * A fast, expiring copy of records in front of a durable store. Any entry may vanish at any time, by its time to live, by eviction
 * or with the server; absent means: ask the store behind. What it says must be true: an older version never takes the place of
 * a newer one, and a removed record does not come back.
 *
 * Methods reject with BackendError when the server fails, and with ClosedError before `open` and after `close`.
 */
export interface HotTier {
  /** For messages and `health`. */
  readonly name: string
  /** Connects when it can: a server that is down is no error here, but of the calls that need it. */
  open(options?: OperationOptions): Promise<void>
  close(): Promise<void>

  /** In the order of `ids`. What the filter does not let through is a miss. */
  get(scope: ScopeFilter, ids: readonly string[], options?: OperationOptions): Promise<readonly HotAnswer[]>
  /** Keeps each that is newer than what is there; of one version, the later put wins. In order: whether it was kept. */
  putIfNewer(entries: readonly HotPut[], options?: OperationOptions): Promise<readonly boolean[]>
  /** Leaves tombstones, which live as long as an entry would. */
  remove(tombstones: readonly HotTombstone[], options?: OperationOptions): Promise<void>
  /** Makes misses of them, and void the leases that were given for them. */
  evict(ids: readonly string[], options?: OperationOptions): Promise<void>
  /** Counts uses of entries that are there. */
  touch(touched: readonly Touch[], options?: OperationOptions): Promise<void>

  /** The best entries that a scope sees; neither status nor expiry of the record is judged. */
  search(scope: ScopeFilter, query: HotQuery, options?: OperationOptions): Promise<readonly HotHit[]>
  /** The entries of exactly this scope or finer ones of the same owner and `sessionId`, oldest first. */
  session(scope: Scope, options?: OperationOptions): Promise<readonly MemoryRecord[]>
  /** Takes a session's entries away from here; how many there were. */
  dropSession(scope: Scope, options?: OperationOptions): Promise<number>
  /** Every entry that a scope sees, in no order, each once while nothing changes. */
  scan(scope: ScopeFilter, options?: OperationOptions): AsyncIterable<StoredRecord>

  /** Makes every entry of now a miss: for when a write could not reach it. */
  flushEpoch(options?: OperationOptions): Promise<void>

  /** Entries of a queue that outlives this process, and nothing more: it goes with the server. In the order of their coming. */
  readonly queue: HotQueue
  /** Asks the server; never rejects. */
  health(options?: OperationOptions): Promise<TierHealth>
}

/** Text that waits for the store behind. */
export interface HotQueue {
  /** False, and nothing added, when `bound` entries are waiting. */
  push(entry: string, bound: number, options?: OperationOptions): Promise<boolean>
  /** The oldest first. */
  peek(limit: number, options?: OperationOptions): Promise<readonly string[]>
  /** Takes the oldest away if it is still this one. */
  shift(entry: string, options?: OperationOptions): Promise<boolean>
  size(options?: OperationOptions): Promise<number>
}
