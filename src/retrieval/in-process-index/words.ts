import { withRoom } from './columns.ts'

// Rows and postings are 16-bit words.
//
// A row entry is one word, the number of an item, when that is below 2^15 and the item occurs once. Else the first word
// has the highest bit, six bits of frequency and the upper nine bits of the number, and the second one the lower bits of
// the number; a frequency that does not fit into six bits (63 there) follows in two words.

/** First words from here on have more words to them; below, they are the number of an item that occurs once. */
export const LONG = 0x8000
const FREQUENCY_SHIFT = 9
const FREQUENCY_LIMIT = 63
const HIGH_MASK = 0x1ff

/** Words that grow. */
export class Words {
  #words: Uint16Array<ArrayBufferLike>
  #count: number

  constructor(words: Uint16Array = new Uint16Array(0)) {
    this.#words = words
    this.#count = words.length
  }

  get count(): number {
    return this.#count
  }

  /** With room for more: only what is below `count` counts. */
  get all(): Uint16Array {
    return this.#words
  }

  /** Without room for more. */
  get used(): Uint16Array {
    return this.#words.subarray(0, this.#count)
  }

  append(number: number, frequency: number): void {
    this.#words = withRoom(this.#words, this.#count + 4)
    const words = this.#words
    if (number < LONG && frequency === 1) {
      words[this.#count++] = number
      return
    }
    const packed = Math.min(frequency, FREQUENCY_LIMIT)
    words[this.#count++] = LONG | (packed << FREQUENCY_SHIFT) | (number >>> 16)
    words[this.#count++] = number & 0xffff
    if (packed < FREQUENCY_LIMIT) return
    words[this.#count++] = frequency >>> 16
    words[this.#count++] = frequency & 0xffff
  }
}

// The parts of an entry that begins with a long word at a place.

export function longNumber(words: Uint16Array, at: number): number {
  return (words[at]! & HIGH_MASK) * 0x10000 + words[at + 1]!
}

export function longFrequency(words: Uint16Array, at: number): number {
  const packed = packedFrequency(words, at)
  return packed < FREQUENCY_LIMIT ? packed : words[at + 2]! * 0x10000 + words[at + 3]!
}

/** How many words it has. */
export function longLength(words: Uint16Array, at: number): number {
  return packedFrequency(words, at) < FREQUENCY_LIMIT ? 2 : 4
}

function packedFrequency(words: Uint16Array, at: number): number {
  return (words[at]! >>> FREQUENCY_SHIFT) & FREQUENCY_LIMIT
}

/** Reads entries one after the other. Where there are very many, a loop over the words is faster. */
export class EntryReader {
  number = 0
  frequency = 0
  private words: Uint16Array = none
  private at = 0
  private end = 0

  /** Starts with the entries of `[start, end)`. */
  open(words: Uint16Array, start: number, end: number): this {
    this.words = words
    this.at = start
    this.end = end
    return this
  }

  /** False after the last entry. */
  next(): boolean {
    const { words, at } = this
    if (at >= this.end) return false
    const first = words[at]!
    this.number = first < LONG ? first : longNumber(words, at)
    this.frequency = first < LONG ? 1 : longFrequency(words, at)
    this.at = at + (first < LONG ? 1 : longLength(words, at))
    return true
  }
}

const none = new Uint16Array(0)
