import { withRoom } from './columns.ts'

// Rows and postings are 16-bit words.
//
// A row entry is one word, the number of an item, when that is below 2^15 and the item occurs once. Else the first word
// has the highest bit, six bits of frequency and the upper nine bits of the number, and the second one the lower bits of
// the number; a frequency that does not fit into six bits (63 there) follows in two words.

const LONG = 0x8000
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

/** Reads entries one after the other. */
export class EntryReader {
  number = 0
  frequency = 0
  #words: Uint16Array = new Uint16Array(0)
  #at = 0
  #end = 0

  /** Starts with the entries of `[start, end)`. */
  open(words: Uint16Array, start: number, end: number): this {
    this.#words = words
    this.#at = start
    this.#end = end
    return this
  }

  /** False after the last entry. */
  next(): boolean {
    if (this.#at >= this.#end) return false
    const words = this.#words
    const first = words[this.#at++]!
    if (first < LONG) {
      this.number = first
      this.frequency = 1
      return true
    }
    this.number = (first & HIGH_MASK) * 0x10000 + words[this.#at++]!
    const packed = (first >>> FREQUENCY_SHIFT) & FREQUENCY_LIMIT
    this.frequency = packed < FREQUENCY_LIMIT ? packed : words[this.#at]! * 0x10000 + words[this.#at + 1]!
    if (packed === FREQUENCY_LIMIT) this.#at += 2
    return true
  }
}
