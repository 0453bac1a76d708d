import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Cursor, erasedId, type LoggedTransaction, type MemoryStore } from '../../contract/index.ts'
import { allScopes, type Lifetimes } from '../../model/index.ts'
import { IndexState } from './index-state.ts'
import { indexedRecord } from './indexed-record.ts'
import type { LogSpan } from './segment.ts'
import { slotAt } from './slots.ts'
import type { FetchVectors } from './vector-spaces.ts'

const PAGE = 1000
const FETCH = 500
const FILLED_AT_ONCE = 2000
const SMALLEST_COMPACTION = 512
const TURN_MS = 4
const MANY_REMOVALS = 32

/** How far an index has come. */
export interface Follower {
  readonly space: string | null
  readonly anew: boolean
  /** The epoch of the store's analyses that it was begun in; null where that is not known. */
  epoch: string | null
  /** Changes of the log that have been applied since its start, and how many of those are in the snapshot. */
  changes: number
  saved: number
  state: IndexState
  cursor: Cursor | null
  /** The `derived` of the log up to which no late vector is missing; null before the first page. */
  derived: string | null
  /** A look-up of late vectors that goes on with the next call: up to which `derived`, and from which slot. */
  filling: { readonly derived: string; readonly from: number } | null
}

type Source = Pick<MemoryStore, 'log' | 'get'>
/** Gives other work a turn every few milliseconds: something to wait for when it is time. */
type Breathe = () => Promise<void> | undefined

export interface FollowerOptions {
  readonly space: string | null
  /** Records of a segment. */
  readonly segmentSlots?: number | undefined
  readonly lifetimes?: Lifetimes | undefined
  readonly fetch: FetchVectors
}

/** @param anew true when a snapshot must not be its beginning */
export function newFollower({ space, segmentSlots, lifetimes, fetch }: FollowerOptions, anew = false): Follower {
  return {
    space,
    anew,
    epoch: null,
    changes: 0,
    saved: 0,
    state: new IndexState({ accepts: (other) => other === space, fetch }, segmentSlots, lifetimes),
    cursor: null,
    derived: null,
    filling: null,
  }
}

/** Reads the log to its end and brings the index up to it. When it fails half way, the next call goes on from there. */
export async function followLog(follower: Follower, source: Source, signal: AbortSignal | undefined): Promise<void> {
  const breathe = breather()
  const erased = erasedIds(follower.state, breathe)
  for (;;) {
    const readBefore = follower.state.end
    const page = await source.log(follower.cursor, { limit: PAGE, signal })
    // Pages show the vectors of now: what is late for the first page is late for all.
    follower.derived ??= page.derived
    for (const transaction of page.entries) {
      const span = { after: follower.cursor, until: transaction.cursor }
      await apply(follower.state, transaction, span, (salt) => erased(salt, readBefore), breathe)
      follower.cursor = transaction.cursor
      follower.changes += transaction.changes.length
    }
    const ended = page.entries.length === 0 && page.cursor === follower.cursor
    follower.cursor = page.cursor
    if (!ended) continue
    if (follower.space !== null) await fillVectors(follower, page.derived, source, signal)
    await compact(follower, breathe)
    return
  }
}

/** Reads a stretch of the log once more. */
export async function replay(
  state: IndexState,
  { after, until }: LogSpan,
  compare: (a: Cursor, b: Cursor) => number,
  source: Source,
  signal: AbortSignal | undefined,
): Promise<void> {
  const breathe = breather()
  const erased = erasedIds(state, breathe)
  for (let cursor = after; ; ) {
    const readBefore = state.end
    const page = await source.log(cursor, { limit: PAGE, signal })
    for (const transaction of page.entries) {
      if (compare(transaction.cursor, until) > 0) return
      const span = { after: cursor, until: transaction.cursor }
      await apply(state, transaction, span, (salt) => erased(salt, readBefore), breathe)
      cursor = transaction.cursor
    }
    if (page.entries.length === 0 && page.cursor === cursor) return
    cursor = page.cursor
  }
}

/** Applies a transaction: the costly part hidden from searches and with pauses, then all of it at once. */
async function apply(
  state: IndexState,
  { changes }: LoggedTransaction,
  span: LogSpan,
  erased: (salt: string) => Promise<ReadonlyMap<string, string>>,
  breathe: Breathe,
): Promise<void> {
  const steps: (() => void)[] = []
  let removals = 0
  state.begin(span, changes.length)
  for (const change of changes) {
    if (change.type !== 'put' && change.type !== 'remove') continue
    if (change.type === 'put' && change.stored !== null) {
      if (state.slotOf(change.id) !== undefined) removals++
      const slot = state.stage(indexedRecord(change.stored, state.lifetimes))
      const { status } = change.stored.record
      steps.push(() => state.reveal(slot, status))
    } else if (change.type === 'put' || change.salt === null) {
      removals++
      steps.push(() => state.remove(change.id))
    } else {
      const id = (await erased(change.salt)).get(change.id)
      removals++
      if (id !== undefined) steps.push(() => state.remove(id))
    }
    const pause = breathe()
    if (pause !== undefined) await pause
  }
  if (removals > MANY_REMOVALS) state.visible.clear()
  for (const step of steps) step()
}

/**
 * Finds ids by what an erase leaves of them. Only records of earlier pages can be meant: a page shows nothing of what
 * was erased before it was read.
 */
function erasedIds(state: IndexState, breathe: Breathe): (salt: string, end: number) => Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  let next = 0
  return async (salt, end) => {
    for (; next < end; next++) {
      if (state.lives(next)) ids.set(erasedId(salt, state.idOf(next)), state.idOf(next))
      const pause = breathe()
      if (pause !== undefined) await pause
    }
    return ids
  }
}

/**
 * Late vectors are not logged: asks for those of all records that are searched and have none. Only so many in one call,
 * as each batch that an embedder catches up with asks anew; the oldest first, as embedders catch up in that order.
 */
async function fillVectors(
  follower: Follower,
  derived: string,
  source: Source,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (derived === follower.derived) return
  const { state, filling } = follower
  const from = filling?.derived === derived ? filling.from : 0
  const waiting: number[] = []
  for (const slot of state.liveSlots(from)) {
    if (!state.vectors.has(slot) && state.isSearched(slot)) waiting.push(slot)
    if (waiting.length > FILLED_AT_ONCE) break
  }
  const now = waiting.slice(0, FILLED_AT_ONCE)
  for (let start = 0; start < now.length; start += FETCH) {
    const slots = now.slice(start, start + FETCH)
    const found = await source.get(
      allScopes(),
      slots.map((slot) => state.idOf(slot)),
      { signal },
    )
    slots.forEach((slot, i) => {
      const stored = found[i]
      // A newer version comes with the log.
      if (stored?.vector && stored.record.version === state.versionOf(slot)) state.setVector(slot, stored.vector)
    })
  }
  const next = waiting[FILLED_AT_ONCE]
  follower.filling = next === undefined ? null : { derived, from: next }
  if (next === undefined) follower.derived = derived
}

/** Moves the live slots, in their order, into a new state when most slots are dead. */
async function compact(follower: Follower, breathe: Breathe): Promise<void> {
  const { state } = follower
  const dead = state.used - state.size
  if (dead < SMALLEST_COMPACTION || dead <= state.size) return
  const smaller = state.empty()
  for (const [number, segment] of state.segments.entries()) {
    // Segments are joined whole, so that each still comes from a stretch of the log of its own.
    const living = segment.living
    if (living > 0 && segment.span !== null) smaller.begin(segment.span, living)
    for (let place = 0; place < segment.count; place++) {
      const slot = slotAt(number, place)
      if (!state.lives(slot)) continue
      const record = state.read(slot)
      const staged = smaller.stage(record)
      smaller.vectors.copy(staged, state.vectors, slot)
      smaller.reveal(staged, record.status, segment.columns.arrival[place]!)
      const pause = breathe()
      if (pause !== undefined) await pause
    }
  }
  follower.state = smaller
  follower.filling = null
}

/** Gives other work a turn now and then: see `Breathe`. */
export function breather(): Breathe {
  let last = performance.now()
  return () => {
    if (performance.now() - last < TURN_MS) return undefined
    return nextTurn().then(() => {
      last = performance.now()
    })
  }
}
