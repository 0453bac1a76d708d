import type {
  Cursor,
  MemoryStore,
  OperationOptions,
  SnapshotStore,
  StoredRecord,
  StoreProblem,
  TextSearch,
  TurnSearch,
  VectorSearch,
} from '../../contract/index.ts'
import { MnemeError } from '../../errors/index.ts'
import { allScopes, type Lifetimes } from '../../model/index.ts'
import { problemOf, suspects } from './check-index.ts'
import { type Follower, type FollowerOptions, followLog, newFollower } from './follow-log.ts'
import { IndexState } from './index-state.ts'
import { indexedRecord, keyHashOf } from './indexed-record.ts'
import { loadSnapshot, type SnapshotId } from './load-snapshot.ts'
import { isWorthSaving, lookBefore, saveSnapshot } from './save-snapshot.ts'
import { textSearch } from './text-search.ts'
import { turnSearch } from './turn-search.ts'
import { vectorSearch } from './vector-search.ts'
import { type FetchVectors, unitOf } from './vector-spaces.ts'

/** While in use: a snapshot that lacks so many changes is written anew by the way, a moment after a search. */
const SAVED_BY_THE_WAY = 10_000
const SAVED_AFTER_MS = 1_000
/** Vectors are prepared for many searches this long after the first one: a process of one search never gains from it. */
const PREPARED_AFTER_MS = 500

export interface SearchFacets {
  readonly text: TextSearch
  readonly vectors: VectorSearch
  readonly turns: TurnSearch
  /** False only when no record that a search could find by it has this key. */
  mayHaveKey(key: string): boolean
}

/**
 * Search for stores that have none of their own: follows a store's log and keeps what search needs in memory.
 *
 * The facets answer from what `sync` has read so far and see a transaction as a whole or not at all.
 */
export interface InProcessIndex extends SearchFacets {
  /** Records in the index, of any status. */
  readonly size: number
  /** Up to where in the log the facets answer from; null before the first `sync`. */
  readonly position: Cursor | null
  /**
   * Reads what is new in the log: resolves when everything committed before the call is searchable (IDX-5).
   * Calls at one time share the work. After a failure the next call goes on where this one stopped.
   * @throws what the store throws; `signal.reason` when aborted, which stops the waiting and not the shared work
   */
  sync(options?: OperationOptions): Promise<void>
  /** Forgets everything; the next `sync` reads the log from its start. */
  clear(): void
  /**
   * Writes a snapshot if enough has changed since the last one (IDX-14). Never rejects: failures are told to `onSnapshotFailure`.
   * @param always write also what is hardly worth it
   */
  save(always?: boolean): Promise<void>
  /** Ends work in the background and saves. To be called before the store is closed. */
  close(): Promise<void>
  /** Compares the index with the store's current records; empty when all is well. Brings the index up to date first. */
  check(store: Pick<MemoryStore, 'get' | 'list'>, options?: OperationOptions): Promise<readonly StoreProblem[]>
}

export interface IndexOptions {
  /** The vectors that are kept: those of this embedder. Null without an embedder. */
  readonly space: string | null
  /** Who makes the analyses: a snapshot of another analyser's is passed over. @default '' */
  readonly analyser?: string | undefined
  /** Records of a segment, at most: what has to be read from the log again when one of them goes. @default 8192, the most */
  readonly segmentSlots?: number | undefined
  /** By which records expire beside their own expiry. A snapshot made under others is passed over: say so in `analyser`. @default for ever */
  readonly lifetimes?: Lifetimes | undefined
  /** Ends the work on the log for good. */
  readonly signal?: AbortSignal | undefined
  /** Hears of a snapshot that could not be read or written: the log has all that is in it. */
  readonly onSnapshotFailure?: ((operation: 'read' | 'write', error: unknown) => void) | undefined
}

type IndexedStore = Pick<MemoryStore, 'log' | 'get' | 'vectorsOf' | 'snapshots'>

export function createIndex(store: IndexedStore, options: IndexOptions): InProcessIndex {
  const { space, analyser = '', signal, onSnapshotFailure } = options
  const { snapshots } = store
  const id: SnapshotId = { name: `search/${space ?? ''}`, analyser }
  const ofStore: FollowerOptions = { ...options, fetch: fetchVectors(store) }
  const ended = new AbortController()
  let follower = newFollower(ofStore)
  let running: Promise<void> | null = null
  let waiting: Promise<void> | null = null
  let saving: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  let preparation: NodeJS.Timeout | undefined
  let preparing: Promise<void> | undefined
  let failing = false
  const current = (): IndexState => follower.state

  /** A follower to go on with, in place of one that has read nothing yet. */
  async function begun(empty: Follower): Promise<Follower> {
    if (snapshots === undefined || empty.epoch !== null) return empty
    if (!empty.anew) {
      const loaded = newFollower(ofStore)
      try {
        if (await loadSnapshot(loaded, store, snapshots, id, signal)) return loaded
      } catch (error) {
        signal?.throwIfAborted()
        onSnapshotFailure?.('read', error)
      }
    }
    empty.epoch = (await snapshots.state(id.name, { signal })).epoch
    return empty
  }

  async function follow(): Promise<void> {
    // `clear` puts an empty follower in the place of the one at work.
    for (let done = false; !done; ) {
      const followed = follower
      const begin = await begun(followed)
      if (follower === followed) follower = begin
      try {
        await followLog(begin, store, signal)
      } catch (error) {
        if (begin.cursor === null || !MnemeError.is(error, 'INVALID_CURSOR')) throw error
        // Another log than before: the old state answers until the new one is complete.
        const fresh = await begun(newFollower(ofStore, true))
        await followLog(fresh, store, signal)
        if (follower === begin) {
          follower = fresh
          return
        }
      }
      done = follower === begin
    }
  }

  function start(): Promise<void> {
    waiting = null
    running = follow().finally(() => {
      running = null
      if (missing() > SAVED_BY_THE_WAY && isWorthSaving(missing(), follower.state.size)) saveSoon()
      prepareSoon()
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

  const missing = (): number => follower.changes - follower.saved

  function saveSoon(): void {
    if (snapshots === undefined || saving !== null || timer !== undefined || failing) return
    timer = setTimeout(() => {
      timer = undefined
      void save()
    }, SAVED_AFTER_MS).unref()
  }

  function prepareSoon(): void {
    if (preparation !== undefined || ended.signal.aborted || !current().vectors.preparationDue) return
    preparation = setTimeout(() => {
      preparing = prepare()
    }, PREPARED_AFTER_MS).unref()
  }

  /** What it fails with, the next search that needs the same tells its caller; the next sync tries again. */
  async function prepare(): Promise<void> {
    await current()
      .vectors.prepare(ended.signal)
      .catch(() => undefined)
    preparation = undefined
  }

  function save(always = false): Promise<void> {
    if (snapshots === undefined || follower.cursor === null) return Promise.resolve()
    const worth = always || current().vectors.hasLearnt || isWorthSaving(missing(), follower.state.size)
    if (!worth) return saving ?? Promise.resolve()
    saving ??= saveNow(snapshots, always)
      .catch((error: unknown) => {
        // A file that can't be written would fail every time; only `close` tries once more.
        failing = true
        onSnapshotFailure?.('write', error)
      })
      .finally(() => {
        saving = null
      })
    return saving
  }

  async function saveNow(to: SnapshotStore, always: boolean): Promise<void> {
    const before = await lookBefore(to, id)
    await sync()
    while (running !== null) await running
    const { head } = before
    const { size, vectors } = follower.state
    const isNews = head === null || isWorthSaving(follower.changes - head.changes, size)
    // To learn it again takes every process longer than to write it once.
    const learnt = vectors.hasLearnt && head !== null && Object.keys(head.calibrations).length === 0
    if (isNews || learnt || always) await saveSnapshot(follower, to, id, before)
    // Another process has done it.
    else follower.saved = head.changes
  }

  return {
    ...facetsOf(current),
    get size() {
      return follower.state.size
    },
    get position() {
      return follower.cursor
    },
    sync,
    clear() {
      follower = newFollower(ofStore, true)
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
    save,
    async close() {
      ended.abort()
      clearTimeout(preparation)
      await preparing
      clearTimeout(timer)
      timer = undefined
      await saving
      await save()
    },
  }
}

/** Vectors of records as the store has them by now: what it has gone on to with a record is searched right after. */
function fetchVectors(store: Pick<MemoryStore, 'vectorsOf'>): FetchVectors {
  return async (space, ids) => {
    const found = await store.vectorsOf(ids)
    return found.map((vector) => (vector?.space === space ? unitOf(vector.values) : null))
  }
}

/** With fewer vectors the compiled kernel takes longer to begin than it saves. */
const WORTH_COMPILING = 1_000

/**
 * An index over listed records, for searching a past state (IDX-1). Vectors of every space are kept.
 * @param records of one moment, each id once; their order stands for the order in which they were written
 */
export function indexOf(records: readonly StoredRecord[], lifetimes?: Lifetimes): SearchFacets {
  const kernel = records.length < WORTH_COMPILING ? 'plain' : 'wasm'
  const state = new IndexState({ accepts: () => true, kernel, floatRows: 'all' }, undefined, lifetimes)
  for (const stored of records) state.reveal(state.stage(indexedRecord(stored, lifetimes)), stored.record.status)
  return facetsOf(() => state)
}

function facetsOf(current: () => IndexState): SearchFacets {
  return {
    text: textSearch(current),
    vectors: vectorSearch(current),
    turns: turnSearch(current),
    mayHaveKey: (key) => current().mayHaveKey(keyHashOf(key)),
  }
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
