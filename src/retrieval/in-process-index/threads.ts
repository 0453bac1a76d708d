import type { IndexState } from './index-state.ts'
import { placeOf } from './slots.ts'

/** The places of turns in their threads, among the visible ones. Worked out a thread at a time, when first asked for. */
export interface Threads {
  /** Null for a record that is no turn. */
  positionOf(slot: number): number | null
  /** A turn of this scope came or went. */
  forget(scope: number): void
}

export function threadsOf(state: IndexState, visible: { has(slot: number): boolean }): Threads {
  const known = new Map<number, Thread>()
  return {
    positionOf(slot) {
      const scope = state.segmentAt(slot).columns.scope[placeOf(slot)]!
      let thread = known.get(scope)
      if (thread === undefined) {
        const isThread = state.scopes.scopes[scope]!.sessionId !== undefined
        thread = isThread ? threadOf(state, visible, scope) : noThread
        known.set(scope, thread)
      }
      return positionIn(thread, slot)
    },
    forget: (scope) => known.delete(scope),
  }
}

interface Thread {
  /** Ascending. */
  readonly slots: Uint32Array
  /** By place among the slots: the place in the thread; null when the two are the same. */
  readonly positions: Uint32Array | null
}

const noThread: Thread = { slots: new Uint32Array(0), positions: null }

/** Null for what is no turn of the thread. */
function positionIn({ slots, positions }: Thread, slot: number): number | null {
  const last = slots.length - 1
  if (last < 0) return null
  // Slots ascend: their distances from both ends say at once where one is that was written between its neighbours.
  let low = Math.max(0, last - (slots[last]! - slot))
  let high = Math.min(last, slot - slots[0]!)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (slots[middle]! < slot) low = middle + 1
    else high = middle
  }
  if (slots[low] !== slot) return null
  return positions === null ? low : positions[low]!
}

/** Turns are placed by event time, else creation, then by arrival. */
function threadOf(state: IndexState, visible: { has(slot: number): boolean }, scope: number): Thread {
  const listed = state.slotsOfScopes.of(scope)
  const slots = new Uint32Array(listed.length)
  let count = 0
  let inOrder = true
  let moment = Number.NEGATIVE_INFINITY
  let arrival = Number.NEGATIVE_INFINITY
  for (let i = 0; i < listed.length; i++) {
    const slot = listed[i]!
    if (!visible.has(slot) || !state.isSearched(slot)) continue
    const { columns } = state.segmentAt(slot)
    const place = placeOf(slot)
    const [itsMoment, itsArrival] = [columns.moment[place]!, columns.arrival[place]!]
    if (itsMoment < moment || (itsMoment === moment && itsArrival < arrival)) inOrder = false
    moment = itsMoment
    arrival = itsArrival
    slots[count++] = slot
  }
  const turns = slots.subarray(0, count)
  return { slots: turns, positions: inOrder ? null : positionsOf(state, turns) }
}

/** Most threads were written in their order; of others the positions have to be told. */
function positionsOf(state: IndexState, slots: Uint32Array): Uint32Array {
  const columnOf = (slot: number, column: 'moment' | 'arrival'): number =>
    state.segmentAt(slot).columns[column][placeOf(slot)]!
  const after = (a: number, b: number): number =>
    columnOf(a, 'moment') - columnOf(b, 'moment') || columnOf(a, 'arrival') - columnOf(b, 'arrival')
  const positions = new Uint32Array(slots.length)
  const order = Array.from(slots.keys()).sort((a, b) => after(slots[a]!, slots[b]!))
  order.forEach((place, position) => {
    positions[place] = position
  })
  return positions
}
