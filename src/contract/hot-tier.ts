import type { FilterNode, MemoryRecord, Scope, ScopeFilter } from '../model/index.ts'
import type { OperationOptions } from './embedder.ts'
import type { TierHealth } from './store-health.ts'
import type { StoredRecord, Touch } from './stored-record.ts'

/**
 * What a hot tier knows of an id:
 * - `hit`: the record as it stands in the store behind
 * - `gone`: it was removed there
 * - `miss`: nothing; ask the store behind, and fill with the lease. An empty lease fills nothing: somebody is writing the record,
 *   or the server is full.
 */
export type HotAnswer =
  | { readonly state: 'hit'; readonly stored: StoredRecord }
  | { readonly state: 'gone' }
  | { readonly state: 'miss'; readonly lease: string }

/** The right to say how a record stands: from `get` for who fills after a miss, from `hold` for who writes. */
export interface HotLease {
  readonly id: string
  /** Opaque. */
  readonly lease: string
}

/** A record to keep. Without a lease only where nobody else can be writing it, such as when a tier is filled before its use. */
export interface HotPut {
  readonly stored: StoredRecord
  readonly lease?: string | undefined
}

/** What a removed record leaves behind: an answer, and no older version in its place. The lease as for a put. */
export interface HotTombstone {
  readonly id: string
  readonly scope: Scope
  /** The last one of the record, or that of its removal. */
  readonly version: number
  readonly lease?: string | undefined
}

export interface HotQuery {
  /** All of them. */
  readonly tags?: readonly string[] | undefined
  readonly filter?: FilterNode | undefined
  /** Ranks by cosine, highest first; then come the entries that can't be compared. Without it: by creation, newest first. */
  readonly vector?: { readonly space: string; readonly values: Float32Array } | undefined
  /** 1..1000. */
  readonly limit: number
}

export interface HotHit {
  readonly stored: StoredRecord
  /** Null without a vector of the space and length asked for. */
  readonly cosine: number | null
}

export interface HotHits {
  readonly hits: readonly HotHit[]
  /** Entries that match and have a vector of another space or length: they were not compared. 0 without a vector asked for. */
  readonly skipped: number
}

export interface HotOpenOptions extends OperationOptions {
  /**
   * Names the store behind, the same in every process. Tiers in front of different stores see nothing of each other,
   * whatever else they share; so a store that was made anew meets no entries of the former one.
   */
  readonly behind?: string | undefined
}

/**
 * A fast, expiring copy of records in front of a durable store. Any entry may vanish at any time, by its time to live, by eviction
 * or with the server; absent means: ask the store behind. What it says must be true: an older version never takes the place of
 * a newer one, and a removed record does not come back.
 *
 * A reader: `get`; of what missed, read the store behind, then `putIfNewer` with the leases. A writer: `hold` the ids it changes, commit,
 * then `putIfNewer` or `remove` with those leases; `release` them when nothing was written. From `hold` on they are misses, and nobody
 * else can fill them. A writer that dies in between, or does not know whether its commit will still happen, leaves the leases to their
 * end, which a tier states. A put that comes after that, or while others held the same id, is not kept and leaves a miss.
 *
 * Methods reject with BackendError when the server fails, and with ClosedError before `open` and after `close`.
 */
export interface HotTier {
  /** For messages and `health`. */
  readonly name: string
  /** How long an entry is kept, milliseconds. */
  readonly ttlMs: number
  /** Connects when it can: a server that is down is no error here, but of the calls that need it. @throws SetupError */
  open(options?: HotOpenOptions): Promise<void>
  close(): Promise<void>

  /** In the order of `ids`. What the filter does not let through is a miss. */
  get(scope: ScopeFilter, ids: readonly string[], options?: OperationOptions): Promise<readonly HotAnswer[]>
  /**
   * Keeps each whose lease holds and that is newer than what is there; of one version, the later put wins. A record that is
   * expired is not kept. In order: whether it was kept.
   */
  putIfNewer(entries: readonly HotPut[], options?: OperationOptions): Promise<readonly boolean[]>
  /** Leaves tombstones where the lease holds, which live as long as an entry would. */
  remove(tombstones: readonly HotTombstone[], options?: OperationOptions): Promise<void>
  /** Before a write: makes misses of them, void the leases given before, and gives the writer's, in order; see above. */
  hold(ids: readonly string[], options?: OperationOptions): Promise<readonly string[]>
  /** Gives leases of `hold` back unused. What was there before stays a miss. */
  release(leases: readonly HotLease[], options?: OperationOptions): Promise<void>
  /** Makes misses of them, and void the leases that `get` gave for them. */
  evict(ids: readonly string[], options?: OperationOptions): Promise<void>
  /** Counts uses of entries that are there, one by one. */
  touch(touched: readonly Omit<Touch, 'count'>[], options?: OperationOptions): Promise<void>

  /** The best entries that a scope sees; neither status nor expiry of the record is judged. */
  search(scope: ScopeFilter, query: HotQuery, options?: OperationOptions): Promise<HotHits>
  /** The entries of exactly this scope or finer ones of the same owner and `sessionId`, oldest first. */
  session(scope: Scope, options?: OperationOptions): Promise<readonly MemoryRecord[]>
  /** Takes a session's entries away from here; how many there were. */
  dropSession(scope: Scope, options?: OperationOptions): Promise<number>
  /** Every entry that a scope sees, in no order, each once while nothing changes. */
  scan(scope: ScopeFilter, options?: OperationOptions): AsyncIterable<StoredRecord>

  /** Makes every entry of now a miss, and void every lease: for when a write could not reach it. */
  flushEpoch(options?: OperationOptions): Promise<void>

  /** Entries of a queue that outlives this process, and nothing more: it goes with the server. In the order of their coming. */
  readonly queue: HotQueue
  /** Asks the server; never rejects. */
  health(options?: OperationOptions): Promise<TierHealth>
}

/** Text that waits for the store behind: well-formed, as JSON is. */
export interface HotQueue {
  /**
   * False, and nothing added, when `bound` entries are waiting. Where the answer was lost, so that it may have been added, the error says
   * `outcome: 'unknown'` in its details.
   */
  push(entry: string, bound: number, options?: OperationOptions): Promise<boolean>
  /** The oldest first. */
  peek(limit: number, options?: OperationOptions): Promise<readonly string[]>
  /** Takes the oldest away if it is still this one. */
  shift(entry: string, options?: OperationOptions): Promise<boolean>
  size(options?: OperationOptions): Promise<number>
}
