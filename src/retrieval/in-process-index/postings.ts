import { withRoom } from './columns.ts'
import { SLOT_MASK } from './slots.ts'
import { passingKey, type TextKey, Texts } from './texts.ts'

// A posting is a 16-bit word: the place of a record in its segment, and above it three bits of frequency, 0 for one that
// does not fit.
const PLACE_BITS = 13
const INLINE_LIMIT = 7

/** The place of a record in its segment. */
export function placeIn(posting: number): number {
  return posting & SLOT_MASK
}

/** How often the term occurs there; 0 says: look it up in the row. */
export function frequencyIn(posting: number): number {
  return posting >>> PLACE_BITS
}

/** How many steps it takes to find a place among all postings of a term in a segment. */
const STEPS = 16

/** True when it is cheaper to look up so many places among so many postings than to go through all of these. */
export function isFew(places: number, postings: number): boolean {
  return places * STEPS < postings
}

/** The posting of a place among those in `[from, to)`, -1 when there is none. */
export function wordOf(words: Uint16Array, from: number, to: number, place: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (placeIn(words[middle]!) < place) low = middle + 1
    else high = middle
  }
  return low < to && placeIn(words[low]!) === place ? words[low]! : -1
}

function posting(place: number, frequency: number): number {
  return place | (frequency > INLINE_LIMIT ? 0 : frequency << PLACE_BITS)
}

/** The terms of a segment and the places where each occurs. */
export interface Postings {
  /** Numbers of terms are below it. */
  readonly terms: number
  /** -1 for a term that occurs nowhere in the segment. */
  numberOf(key: TextKey, term: string): number
  termAt(number: number): string
  /** The highest frequency of a term, infinite when it is not known. */
  highest(number: number): number
  /** The postings of a term are those of `words` in `[from, to)`, ascending by place. */
  words(number: number): Uint16Array
  from(number: number): number
  to(number: number): number
}

/** Postings that grow, from nothing or from sealed ones, of which only what changes is copied. Numbers of terms stay. */
export class GrowingPostings implements Postings {
  readonly #base: SealedPostings | null
  readonly #first: number
  /** Terms that are not in the base, and theirs in the order of their numbers. */
  readonly #numbers = new Map<string, number>()
  readonly #own: string[] = []
  /** By number. Undefined for terms of the base to which nothing was added. */
  readonly #words: (Uint16Array | undefined)[]
  #counts = new Uint32Array(0)

  constructor(base: SealedPostings | null = null) {
    this.#base = base
    this.#first = base?.terms ?? 0
    this.#words = new Array(this.#first)
  }

  get terms(): number {
    return this.#first + this.#own.length
  }

  numberOf(key: TextKey, term: string): number {
    return this.#numbers.get(term) ?? this.#base?.numberOf(key) ?? -1
  }

  termAt(number: number): string {
    return number < this.#first ? this.#base!.termAt(number) : this.#own[number - this.#first]!
  }

  highest(): number {
    return Number.POSITIVE_INFINITY
  }

  words(number: number): Uint16Array {
    return this.#words[number] ?? this.#base!.words()
  }

  from(number: number): number {
    return this.#words[number] === undefined ? this.#base!.from(number) : 0
  }

  to(number: number): number {
    return this.#words[number] === undefined ? this.#base!.to(number) : this.#counts[number]!
  }

  /** Answers the number of the term. Places ascend. */
  add(term: string, place: number, frequency: number): number {
    const number = this.#intern(term)
    const words = this.#roomyWords(number)
    words[this.#counts[number]!++] = posting(place, frequency)
    return number
  }

  #roomyWords(number: number): Uint16Array {
    let words = this.#words[number]
    if (words === undefined) {
      words = this.#base!.words().slice(this.from(number), this.to(number))
      this.#counts = withRoom(this.#counts, number + 1)
      this.#counts[number] = words.length
      this.#words[number] = words
    }
    if (this.#counts[number]! < words.length) return words
    const roomy = larger(words)
    this.#words[number] = roomy
    return roomy
  }

  #intern(term: string): number {
    const known = this.#numbers.get(term) ?? this.#base?.numberOf(passingKey(term)) ?? -1
    if (known >= 0) return known
    const number = this.terms
    this.#numbers.set(term, number)
    this.#own.push(term)
    this.#words[number] = EMPTY
    this.#counts = withRoom(this.#counts, number + 1)
    return number
  }
}

const EMPTY = new Uint16Array(0)

function larger(words: Uint16Array): Uint16Array {
  const copy = new Uint16Array(Math.max(2, 2 * words.length))
  copy.set(words)
  return copy
}

/** What sealed postings consist of. */
export interface PostingArrays {
  readonly terms: Texts
  /** A hash table: the number of a term plus 1, under some bits of its hash; 0 where there is none. */
  readonly table: Uint32Array
  readonly words: Uint16Array
  /** By term: where its postings end. */
  readonly ends: Uint32Array
  /** By term: its highest frequency, 0 for one that does not fit into a posting. */
  readonly highest: Uint8Array
}

/** Postings that stay as they are: a few arrays, however many terms. */
export class SealedPostings implements Postings {
  readonly arrays: PostingArrays

  constructor(arrays: PostingArrays) {
    this.arrays = arrays
  }

  get terms(): number {
    return this.arrays.ends.length
  }

  numberOf(key: TextKey): number {
    const { table, terms } = this.arrays
    const check = checkOf(key.hash)
    for (let at = homeOf(key.hash, table.length); ; at = at + 1 < table.length ? at + 1 : 0) {
      const entry = table[at]!
      if (entry === 0) return -1
      const number = (entry & NUMBER_MASK) - 1
      if (entry >>> NUMBER_BITS === check && terms.is(number, key)) return number
    }
  }

  termAt(number: number): string {
    return this.arrays.terms.at(number)
  }

  highest(number: number): number {
    return this.arrays.highest[number]! || Number.POSITIVE_INFINITY
  }

  words(): Uint16Array {
    return this.arrays.words
  }

  from(number: number): number {
    return number === 0 ? 0 : this.arrays.ends[number - 1]!
  }

  to(number: number): number {
    return this.arrays.ends[number]!
  }
}

const NUMBER_BITS = 22
const NUMBER_MASK = (1 << NUMBER_BITS) - 1
const CHECK_MASK = 2 ** (32 - NUMBER_BITS) - 1
const FULLEST = 0.7
/** A segment takes no more terms: their numbers would not fit. */
export const MOST_TERMS = NUMBER_MASK - 1

/** Where in a table the search for a hash begins: told by its upper bits. */
function homeOf(hash: number, size: number): number {
  return Math.floor((hash / 2 ** 32) * size)
}

/** Bits of a hash that its place in the table does not show. */
function checkOf(hash: number): number {
  return hash & CHECK_MASK
}

export function sealPostings(growing: GrowingPostings): SealedPostings {
  const count = growing.terms
  const terms = new Texts()
  const ends = new Uint32Array(count)
  let total = 0
  for (let number = 0; number < count; number++) {
    terms.add(growing.termAt(number))
    total += growing.to(number) - growing.from(number)
    ends[number] = total
  }
  const words = new Uint16Array(total)
  const highest = new Uint8Array(count)
  for (let number = 0; number < count; number++) {
    const own = growing.words(number).subarray(growing.from(number), growing.to(number))
    words.set(own, ends[number]! - own.length)
    highest[number] = highestIn(own)
  }
  const kept = new Texts(terms.bytes.slice(), ends.length === 0 ? new Uint32Array(0) : terms.ends.slice())
  return new SealedPostings({ terms: kept, table: tableOf(kept), words, ends, highest })
}

function highestIn(words: Uint16Array): number {
  let highest = 0
  for (let i = 0; i < words.length; i++) {
    const frequency = frequencyIn(words[i]!)
    if (frequency === 0) return 0
    if (frequency > highest) highest = frequency
  }
  return highest
}

function tableOf(terms: Texts): Uint32Array {
  const table = new Uint32Array(Math.max(16, Math.ceil(terms.count / FULLEST)))
  for (let number = 0; number < terms.count; number++) {
    const hash = terms.hashAt(number)
    let at = homeOf(hash, table.length)
    while (table[at] !== 0) at = at + 1 < table.length ? at + 1 : 0
    table[at] = checkOf(hash) * (NUMBER_MASK + 1) + number + 1
  }
  return table
}
