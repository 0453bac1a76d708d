import type { TextKey } from './texts.ts'

const SMALLEST = 16
const FULLEST = 0.6
/** Tables of a part of the ids each: only a small one has to grow at a time. A power of two. */
const PARTS = 64
const PART_SHIFT = 26

/** What the table knows of slots. */
export interface SlotIds {
  lives(slot: number): boolean
  isAt(slot: number, key: TextKey): boolean
  hashAt(slot: number): number
}

interface Part {
  /** Slots plus 1; 0 where nothing is. */
  entries: Uint32Array
  used: number
}

/** From ids to slots: hash tables in arrays. What it says about dead slots is for the caller to judge. */
export class IdTable {
  readonly #ids: SlotIds
  readonly #parts = Array.from({ length: PARTS }, (): Part => ({ entries: new Uint32Array(SMALLEST), used: 0 }))

  constructor(ids: SlotIds) {
    this.#ids = ids
  }

  /** The slot that was last set for an id; -1 for none. */
  find(key: TextKey): number {
    const { entries } = this.#partOf(key.hash)
    return entries[this.#placeOf(entries, key)]! - 1
  }

  set(key: TextKey, slot: number): void {
    const part = this.#partOf(key.hash)
    const { entries } = part
    const place = this.#placeOf(entries, key)
    if (entries[place] === 0) part.used++
    entries[place] = slot + 1
    if (part.used > entries.length * FULLEST) this.#grow(part)
  }

  #partOf(hash: number): Part {
    return this.#parts[hash >>> PART_SHIFT]!
  }

  /** The place of an id, or the free one where it belongs. */
  #placeOf(entries: Uint32Array, key: TextKey): number {
    const mask = entries.length - 1
    for (let at = key.hash & mask; ; at = (at + 1) & mask) {
      const entry = entries[at]!
      if (entry === 0 || this.#ids.isAt(entry - 1, key)) return at
    }
  }

  #grow(part: Part): void {
    const former = part.entries
    const entries = new Uint32Array(2 * former.length)
    const mask = entries.length - 1
    part.entries = entries
    part.used = 0
    for (const entry of former) {
      if (entry === 0 || !this.#ids.lives(entry - 1)) continue
      part.used++
      let at = this.#ids.hashAt(entry - 1) & mask
      while (entries[at] !== 0) at = (at + 1) & mask
      entries[at] = entry
    }
  }
}
