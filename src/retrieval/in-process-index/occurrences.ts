import { chunkOf, createPool, placeOf, withRoom } from './pool.ts'

const FREQUENCY_BITS = 6
const FREQUENCY_LIMIT = (1 << FREQUENCY_BITS) - 1
const SMALLEST_SLICE = 2
const LARGEST_SLICE = 1024

/** The first part of an occurrence: a slot in postings, an item in rows. */
export function subjectOf(word: number): number {
  return word >>> FREQUENCY_BITS
}

/**
 * Which items (terms, tokens) occur in which slots and how often, both ways: a row of items a slot, and postings an item.
 *
 * An occurrence is one 32-bit word, subject and frequency; the rare frequency that does not fit is looked up aside.
 * Postings ascend by slot and live in linked slices of growing size, so that an item that occurs once costs little.
 */
export class Occurrences<T> {
  readonly #numbers = new Map<T, number>()
  readonly #items: T[] = []
  readonly #rows = createPool((length) => new Uint32Array(length))
  readonly #slices = createPool((length) => new Uint32Array(length))
  readonly #large = new Map<number, number>()
  // By slot.
  #starts = new Uint32Array(0)
  #lengths = new Uint32Array(0)
  // By item: its first slice, the next free word, how many words are left in that slice, its size, and all postings.
  #heads = new Uint32Array(0)
  #tails = new Uint32Array(0)
  #left = new Uint32Array(0)
  #sizes = new Uint32Array(0)
  #counts = new Uint32Array(0)
  // By item: its place among those asked for plus 1, all 0 between two calls.
  #wanted = new Uint32Array(0)

  /** How many items there are; numbers of items are below it. */
  get itemCount(): number {
    return this.#items.length
  }

  /** The number of an item, -1 when it occurs nowhere. */
  numberOf(item: T): number {
    return this.#numbers.get(item) ?? -1
  }

  /** Writes the row of a slot. Slots come in ascending order, each once. */
  append(slot: number, items: readonly T[], frequencies: readonly number[] | null): void {
    const start = this.#rows.reserve(items.length)
    this.#starts = withRoom(this.#starts, slot + 1)
    this.#lengths = withRoom(this.#lengths, slot + 1)
    this.#starts[slot] = start
    this.#lengths[slot] = items.length
    const row = this.#rows.chunks[chunkOf(start)]!
    const first = placeOf(start)
    for (let i = 0; i < items.length; i++) {
      const number = this.#intern(items[i]!)
      const frequency = frequencies === null ? 1 : frequencies[i]!
      const packed = Math.min(frequency, FREQUENCY_LIMIT)
      if (frequency >= FREQUENCY_LIMIT) this.#large.set(start + i, frequency)
      row[first + i] = number * (FREQUENCY_LIMIT + 1) + packed
      this.#post(number, slot * (FREQUENCY_LIMIT + 1) + packed)
    }
  }

  rowLength(slot: number): number {
    return this.#lengths[slot]!
  }

  /** The items of a slot, in the order in which they were given. */
  itemsOf(slot: number): T[] {
    const start = this.#starts[slot]!
    const row = this.#rows.chunks[chunkOf(start)]!
    const first = placeOf(start)
    const items = new Array<T>(this.#lengths[slot]!)
    for (let i = 0; i < items.length; i++) items[i] = this.#items[subjectOf(row[first + i]!)]!
    return items
  }

  frequenciesOf(slot: number): number[] {
    const start = this.#starts[slot]!
    const row = this.#rows.chunks[chunkOf(start)]!
    const first = placeOf(start)
    const frequencies = new Array<number>(this.#lengths[slot]!)
    for (let i = 0; i < frequencies.length; i++) frequencies[i] = this.#unpacked(row[first + i]!, start + i)
    return frequencies
  }

  /** How often an item occurs in a slot. */
  frequency(slot: number, number: number): number {
    const start = this.#starts[slot]!
    const row = this.#rows.chunks[chunkOf(start)]!
    const first = placeOf(start)
    for (let i = 0; i < this.#lengths[slot]!; i++) {
      if (subjectOf(row[first + i]!) === number) return this.#unpacked(row[first + i]!, start + i)
    }
    return 0
  }

  /** How often the item occurs in the slot that a posting word names. */
  frequencyIn(word: number, number: number): number {
    const packed = word & FREQUENCY_LIMIT
    return packed < FREQUENCY_LIMIT ? packed : this.frequency(subjectOf(word), number)
  }

  /** Postings of an item, those of dead slots included: what reading them costs. */
  postingCount(number: number): number {
    return this.#counts[number]!
  }

  /** The postings of the marked slots, ascending by slot, as words. */
  postings(number: number, marks: Uint8Array): Uint32Array {
    let left = this.#counts[number]!
    const found = new Uint32Array(left)
    let count = 0
    let address = this.#heads[number]!
    for (let size = SMALLEST_SLICE; left > 0; size = Math.min(2 * size, LARGEST_SLICE)) {
      const slice = this.#slices.chunks[chunkOf(address)]!
      const first = placeOf(address)
      const end = first + Math.min(size, left)
      for (let i = first; i < end; i++) {
        const word = slice[i]!
        if (marks[word >>> FREQUENCY_BITS] === 1) found[count++] = word
      }
      left -= end - first
      address = slice[first + size]!
    }
    return found.subarray(0, count)
  }

  /**
   * The same from the rows of the slots (ascending), cheaper when they are few: one list of words for each item asked for.
   * @param numbers distinct; -1 stands for an item that occurs nowhere
   */
  postingsOf(slots: Uint32Array, numbers: readonly number[]): readonly Uint32Array[] {
    const wanted = this.#wanted
    numbers.forEach((number, place) => {
      if (number >= 0) wanted[number] = place + 1
    })
    const found: number[][] = numbers.map(() => [])
    const starts = this.#starts
    const lengths = this.#lengths
    for (let s = 0; s < slots.length; s++) {
      const slot = slots[s]!
      const start = starts[slot]!
      const row = this.#rows.chunks[chunkOf(start)]!
      const first = placeOf(start)
      const end = first + lengths[slot]!
      for (let i = first; i < end; i++) {
        const word = row[i]!
        const place = wanted[word >>> FREQUENCY_BITS]!
        if (place !== 0) found[place - 1]!.push(slot * (FREQUENCY_LIMIT + 1) + (word & FREQUENCY_LIMIT))
      }
    }
    for (const number of numbers) if (number >= 0) wanted[number] = 0
    return found.map((words) => Uint32Array.from(words))
  }

  #unpacked(word: number, address: number): number {
    const packed = word & FREQUENCY_LIMIT
    return packed < FREQUENCY_LIMIT ? packed : this.#large.get(address)!
  }

  #intern(item: T): number {
    const known = this.#numbers.get(item)
    if (known !== undefined) return known
    const number = this.#items.length
    this.#numbers.set(item, number)
    this.#items.push(item)
    this.#heads = withRoom(this.#heads, number + 1)
    this.#tails = withRoom(this.#tails, number + 1)
    this.#left = withRoom(this.#left, number + 1)
    this.#sizes = withRoom(this.#sizes, number + 1)
    this.#counts = withRoom(this.#counts, number + 1)
    this.#wanted = withRoom(this.#wanted, number + 1)
    return number
  }

  #post(number: number, word: number): void {
    if (this.#left[number] === 0) this.#addSlice(number)
    const tail = this.#tails[number]!
    this.#slices.chunks[chunkOf(tail)]![placeOf(tail)] = word
    this.#tails[number] = tail + 1
    this.#left[number]! -= 1
    this.#counts[number]! += 1
  }

  #addSlice(number: number): void {
    const last = this.#sizes[number]!
    const size = last === 0 ? SMALLEST_SLICE : Math.min(2 * last, LARGEST_SLICE)
    // One word more: the address of the slice after it.
    const address = this.#slices.reserve(size + 1)
    if (last === 0) this.#heads[number] = address
    else {
      const tail = this.#tails[number]!
      this.#slices.chunks[chunkOf(tail)]![placeOf(tail)] = address
    }
    this.#tails[number] = address
    this.#left[number] = size
    this.#sizes[number] = size
  }
}
