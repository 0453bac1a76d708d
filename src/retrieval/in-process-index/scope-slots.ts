import { withRoom } from './columns.ts'
import type { Segment } from './segment.ts'
import { slotAt } from './slots.ts'

const WORTH_CLEANING = 64

interface SlotList {
  room: Uint32Array
  count: number
  /** How many of the slots are dead. */
  dead: number
}

/**
 * By scope: the ascending slots of its records, with some dead ones among them. Made in one pass when first asked for, which
 * a search of everything never does, and kept up to date from then on.
 */
export class ScopeSlots {
  readonly #segments: readonly Segment[]
  #lists: SlotList[] | null = null

  constructor(segments: readonly Segment[]) {
    this.#segments = segments
  }

  of(scope: number): Uint32Array {
    this.#lists ??= listsOf(this.#segments)
    const list = this.#lists[scope]
    return list === undefined ? none : list.room.subarray(0, list.count)
  }

  /** Follows a slot that has come to life: the last of all. */
  added(scope: number, slot: number): void {
    if (this.#lists === null) return
    const list = listOf(this.#lists, scope)
    list.room = withRoom(list.room, list.count + 1)
    list.room[list.count++] = slot
  }

  /** Follows a slot that has died. */
  removed(scope: number, lives: (slot: number) => boolean): void {
    const list = this.#lists?.[scope]
    if (list === undefined) return
    list.dead++
    if (list.dead < WORTH_CLEANING || 2 * list.dead < list.count) return
    list.room = list.room.subarray(0, list.count).filter(lives)
    list.count = list.room.length
    list.dead = 0
  }

  /** Many slots have come at once. */
  forget(): void {
    this.#lists = null
  }
}

const none = new Uint32Array(0)

function listOf(lists: SlotList[], scope: number): SlotList {
  while (lists.length <= scope) lists.push({ room: none, count: 0, dead: 0 })
  return lists[scope]!
}

function listsOf(segments: readonly Segment[]): SlotList[] {
  let counts = new Uint32Array(0)
  let size = 0
  for (const { count, columns } of segments) {
    const { status, scope } = columns
    for (let place = 0; place < count; place++) {
      if (status[place] === 0) continue
      const number = scope[place]!
      if (number >= counts.length) counts = withRoom(counts, number + 1)
      counts[number]!++
      size++
    }
  }
  const all = new Uint32Array(size)
  const next = new Uint32Array(counts.length)
  for (let number = 1; number < next.length; number++) next[number] = next[number - 1]! + counts[number - 1]!
  for (let segment = 0; segment < segments.length; segment++) {
    const { count, columns } = segments[segment]!
    const { status, scope } = columns
    const first = slotAt(segment, 0)
    for (let place = 0; place < count; place++) if (status[place] !== 0) all[next[scope[place]!]!++] = first + place
  }
  return Array.from(counts, (count, number) => ({
    room: all.subarray(next[number]! - count, next[number]),
    count,
    dead: 0,
  }))
}
