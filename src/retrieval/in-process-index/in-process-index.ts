import type {
  MemoryStore,
  OperationOptions,
  StoredRecord,
  StoreProblem,
  TextSearch,
  TurnSearch,
  VectorSearch,
} from '../../contract/index.ts'
import { MnemeError } from '../../errors/index.ts'
import { allScopes } from '../../model/index.ts'
import { problemOf, suspects } from './check-index.ts'
import { followLog, newFollower } from './follow-log.ts'
import { IndexState } from './index-state.ts'
import { indexedRecord } from './indexed-record.ts'
import { textSearch } from './text-search.ts'
import { turnSearch } from './turn-search.ts'
import { vectorSearch } from './vector-search.ts'

export interface SearchFacets {
  readonly text: TextSearch
  readonly vectors: VectorSearch
  readonly turns: TurnSearch
}

/**
 * Search for stores that have none of their own: follows a store's log and keeps what search needs in memory.
 *
 * The facets answer from what `sync` has read so far and see a transaction as a whole or not at all.
 */
export interface InProcessIndex extends SearchFacets {
  /** Records in the index, of any status. */
  readonly size: number
  /**
   * Reads what is new in the log: resolves when everything committed before the call is searchable (IDX-5).
   * Calls at one time share the work. After a failure the next call goes on where this one stopped.
   * @throws what the store throws; `signal.reason` when aborted, which stops the waiting and not the shared work
   */
  sync(options?: OperationOptions): Promise<void>
  /** Forgets everything; the next `sync` reads the log from its start. */
  clear(): void
  /** Compares the index with the store's current records; empty when all is well. Brings the index up to date first. */
  check(store: Pick<MemoryStore, 'get' | 'list'>, options?: OperationOptions): Promise<readonly StoreProblem[]>
}

export interface IndexOptions {
  /** The vectors that are kept: those of this embedder. Null without an embedder. */
  readonly space: string | null
  /** Ends the work on the log for good. */
  readonly signal?: AbortSignal | undefined
}

export function createIndex(store: Pick<MemoryStore, 'log' | 'get'>, options: IndexOptions): InProcessIndex {
  const { space, signal } = options
  let follower = newFollower(space)
  let running: Promise<void> | null = null
  let waiting: Promise<void> | null = null
  const current = (): IndexState => follower.state

  async function follow(): Promise<void> {
    // `clear` puts an empty follower in the place of the one at work.
    for (let done = false; !done; ) {
      const followed = follower
      try {
        await followLog(followed, store, signal)
      } catch (error) {
        if (followed.cursor === null || !MnemeError.is(error, 'INVALID_CURSOR')) throw error
        // Another log than before: the old state answers until the new one is complete.
        const fresh = newFollower(space)
        await followLog(fresh, store, signal)
        if (follower === followed) {
          follower = fresh
          return
        }
      }
      done = follower === followed
    }
  }

  function start(): Promise<void> {
    waiting = null
    running = follow().finally(() => {
      running = null
    })
    return running
  }

  async function sync(call?: OperationOptions): Promise<void> {
    call?.signal?.throwIfAborted()
    // Work under way may have read the end of the log before the caller's last commit: only the next round is sure to see it.
    if (running === null) return unlessAborted(start(), call?.signal)
    waiting ??= running.then(start, start)
    return unlessAborted(waiting, call?.signal)
  }

  async function catchUp(call?: OperationOptions): Promise<void> {
    do await sync(call)
    while (follower.filling !== null)
  }

  return {
    ...facetsOf(current),
    get size() {
      return follower.state.size
    },
    sync,
    clear() {
      follower = newFollower(space)
    },
    async check(checked, call) {
      await catchUp(call)
      const ids = await suspects(current(), space, checked, call)
      if (ids.length === 0) return []
      // Some may only have changed meanwhile.
      await catchUp(call)
      const found = await checked.get(allScopes(), ids, call)
      return ids.flatMap((id, i) => problemOf(current(), space, id, found[i] ?? null) ?? [])
    },
  }
}

/**
 * An index over listed records, for searching a past state (IDX-1). Vectors of every space are kept.
 * @param records of one moment, each id once; their order stands for the order in which they were written
 */
export function indexOf(records: readonly StoredRecord[]): SearchFacets {
  const state = new IndexState(() => true)
  for (const stored of records) state.reveal(state.stage(indexedRecord(stored)), stored.record.status)
  return facetsOf(() => state)
}

function facetsOf(current: () => IndexState): SearchFacets {
  return { text: textSearch(current), vectors: vectorSearch(current), turns: turnSearch(current) }
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work
  let stop: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
