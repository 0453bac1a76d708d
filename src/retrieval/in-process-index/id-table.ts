import type { TextKey } from './texts.ts'

const SMALLEST = 64
const FULLEST = 0.6

/** What the table knows of slots. */
export interface SlotIds {
  lives(slot: number): boolean
  isAt(slot: number, key: TextKey): boolean
  hashAt(slot: number): number
}

/** From ids to slots: a hash table in one array. What it says about dead slots is for the caller to judge. */
export class IdTable {
  readonly #ids: SlotIds
  /** Slots plus 1; 0 where nothing is. */
  #entries = new Uint32Array(SMALLEST)
  #used = 0

  constructor(ids: SlotIds, expected: number) {
    this.#ids = ids
    let size = SMALLEST
    while (size * FULLEST <= expected) size *= 2
    this.#entries = new Uint32Array(size)
  }

  /** The slot that was last set for an id; -1 for none. */
  find(key: TextKey): number {
    return this.#entries[this.#placeOf(key)]! - 1
  }

  set(key: TextKey, slot: number): void {
    const place = this.#placeOf(key)
    if (this.#entries[place] === 0) this.#used++
    this.#entries[place] = slot + 1
    if (this.#used > this.#entries.length * FULLEST) this.#grow()
  }

  /** The place of an id, or the free one where it belongs. */
  #placeOf(key: TextKey): number {
    const entries = this.#entries
    const mask = entries.length - 1
    for (let at = key.hash & mask; ; at = (at + 1) & mask) {
      const entry = entries[at]!
      if (entry === 0 || this.#ids.isAt(entry - 1, key)) return at
    }
  }

  #grow(): void {
    const former = this.#entries
    this.#entries = new Uint32Array(2 * former.length)
    const mask = this.#entries.length - 1
    this.#used = 0
    for (const entry of former) {
      if (entry === 0 || !this.#ids.lives(entry - 1)) continue
      this.#used++
      let at = this.#ids.hashAt(entry - 1) & mask
      while (this.#entries[at] !== 0) at = (at + 1) & mask
      this.#entries[at] = entry
    }
  }
}
