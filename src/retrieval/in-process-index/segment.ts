import type { Cursor } from '../../contract/index.ts'
import { type Columns, columnsOf, constantsOf, withConstants, withRoom } from './columns.ts'
import type { IndexedRecord } from './indexed-record.ts'
import { GrowingPostings, MOST_TERMS, type Postings, SealedPostings, sealPostings } from './postings.ts'
import { SEGMENT_SLOTS } from './slots.ts'
import { Texts } from './texts.ts'
import { EntryReader, LONG, longFrequency, longLength, longNumber, Words } from './words.ts'

/** Long records fill a segment before it has all its slots: its size stays within bounds. */
const FULL_WORDS = 1 << 20
const SMALLEST = 64

/** Shared: nothing else reads entries while one of these methods does. */
const reader = new EntryReader()

/** The stretch of the log that a segment was made of: transactions after one position, up to and with another. */
export interface LogSpan {
  readonly after: Cursor | null
  readonly until: Cursor
}

/** Names by which the index knows what a record has in common with others. */
export interface Interned {
  readonly scope: number
  readonly kind: number
  /** Number plus 1; 0 for none. */
  readonly actor: number
}

/** What a segment keeps of a record by itself. */
export type SegmentRecord = Pick<
  IndexedRecord,
  | 'id'
  | 'expiresAt'
  | 'moment'
  | 'createdAfter'
  | 'importance'
  | 'reliability'
  | 'version'
  | 'terms'
  | 'frequencies'
  | 'tokens'
  | 'shape'
  | 'keyHash'
>

/** What a segment consists of. */
export interface SegmentArrays {
  readonly columns: Columns
  readonly ids: Texts
  readonly postings: SealedPostings
  readonly terms: Uint16Array
  readonly tokens: Uint16Array
  /** By token: how many records have it. */
  readonly tokenTotals: Uint16Array
}

/**
 * The records of neighbouring slots in columns, with terms and tokens both ways: rows of items a record, and postings a
 * term. It knows nothing of other segments and has words of its own, so that it can go without a trace of what was in it.
 * Only the last segment of an index grows.
 */
export class Segment {
  columns: Columns
  ids: Texts
  postings: Postings
  /** Null for records that come from no log. */
  span: LogSpan | null = null
  /** Another one whenever something is written; not when a record dies. */
  revision = 0
  /** Under which key it is saved, and what its revision was then. */
  saved: { readonly key: string; readonly revision: number } | null = null
  #count: number
  #shortest: number | null = null
  #hasKeys: boolean | null = null
  #terms: Words
  #tokens: Words
  #tokenTotals: Uint16Array | null

  constructor(arrays?: SegmentArrays) {
    this.columns = arrays?.columns ?? columnsOf(SMALLEST)
    this.ids = arrays?.ids ?? new Texts()
    this.postings = arrays?.postings ?? new GrowingPostings()
    this.#terms = new Words(arrays?.terms)
    this.#tokens = new Words(arrays?.tokens)
    this.#tokenTotals = arrays?.tokenTotals ?? null
    this.#count = this.ids.count
  }

  /** Places in use, those of dead records included. */
  get count(): number {
    return this.#count
  }

  /** Places of living records. */
  get living(): number {
    let living = 0
    for (let place = 0; place < this.#count; place++) if (this.columns.status[place] !== 0) living++
    return living
  }

  get sealed(): boolean {
    return this.postings instanceof SealedPostings
  }

  /** Words of the rows of terms: what reading all of them costs. */
  get termWords(): number {
    return this.#terms.count
  }

  /** The rows of terms, one after the other. */
  get termRows(): Uint16Array {
    return this.#terms.all
  }

  /** @param slots how many places it may have */
  hasRoomFor(records: number, slots: number): boolean {
    return (
      this.#count + records <= slots &&
      this.#terms.count + this.#tokens.count < FULL_WORDS &&
      this.postings.terms < MOST_TERMS / 2
    )
  }

  /** Writes a record into the next place and answers which. Status and arrival come later. */
  append(record: SegmentRecord, { scope, kind, actor }: Interned): number {
    const place = this.#nextPlace()
    const { columns } = this
    const { terms, frequencies, tokens } = record
    this.ids.add(record.id)
    columns.scope[place] = scope
    columns.kind[place] = kind
    columns.actor[place] = actor
    columns.expiresAt[place] = record.expiresAt
    columns.moment[place] = record.moment
    columns.createdAfter[place] = record.createdAfter
    columns.importance[place] = record.importance
    columns.reliability[place] = record.reliability
    columns.shape[place] = record.shape
    columns.keyHash[place] = record.keyHash
    columns.version[place] = record.version
    let length = 0
    const postings = this.#growing()
    for (let i = 0; i < terms.length; i++) {
      const frequency = frequencies[i]!
      length += frequency
      this.#terms.append(postings.add(terms[i]!, place, frequency), frequency)
    }
    for (let i = 0; i < tokens.length; i++) this.#tokens.append(tokens[i]!, 1)
    columns.length[place] = length
    columns.termEnd[place] = this.#terms.count
    columns.tokenEnd[place] = this.#tokens.count
    columns.tokenCount[place] = tokens.length
    return place
  }

  /** Notes where in the log what was written comes from. */
  extend({ after, until }: LogSpan): void {
    this.span = { after: this.span === null ? after : this.span.after, until }
  }

  /** Leaves a place empty. */
  appendNone(): void {
    const place = this.#nextPlace()
    this.ids.addNone()
    this.columns.termEnd[place] = this.#terms.count
    this.columns.tokenEnd[place] = this.#tokens.count
  }

  /** True for a record with index terms; others are no turns and speak for no actor. */
  hasTerms(place: number): boolean {
    return this.columns.termEnd[place]! > this.termStart(place)
  }

  /** Where in the rows of terms that of a record begins; it ends at its `termEnd`. */
  termStart(place: number): number {
    return place === 0 ? 0 : this.columns.termEnd[place - 1]!
  }

  /** Term numbers and frequencies of a record, in the order in which they were given. */
  readTerms(reader: EntryReader, place: number): EntryReader {
    return reader.open(this.#terms.all, this.termStart(place), this.columns.termEnd[place]!)
  }

  readTokens(reader: EntryReader, place: number): EntryReader {
    const { tokenEnd } = this.columns
    return reader.open(this.#tokens.all, place === 0 ? 0 : tokenEnd[place - 1]!, tokenEnd[place]!)
  }

  /** How often a term occurs in a record. */
  frequency(place: number, term: number): number {
    for (const row = this.readTerms(reader, place); row.next(); ) if (row.number === term) return row.frequency
    return 0
  }

  /** How often each of some terms occurs in a record, written to `into`. False when none does. */
  frequencies(place: number, terms: Int32Array, into: Uint32Array): boolean {
    // Most words are none of the terms: five bits of their numbers tell that of nearly all.
    let bits = 0
    for (let t = 0; t < terms.length; t++) {
      into[t] = 0
      if (terms[t]! >= 0) bits |= 1 << (terms[t]! & 31)
    }
    const words = this.termRows
    const end = this.columns.termEnd[place]!
    let any = false
    for (let at = this.termStart(place); at < end; ) {
      const first = words[at]!
      const isLong = first >= LONG
      const number = isLong ? longNumber(words, at) : first
      if ((bits & (1 << (number & 31))) !== 0) {
        for (let t = 0; t < terms.length; t++) {
          if (terms[t] !== number) continue
          into[t] = isLong ? longFrequency(words, at) : 1
          any = true
        }
      }
      at += isLong ? longLength(words, at) : 1
    }
    return any
  }

  tokensOf(place: number): number[] {
    const { tokenEnd, tokenCount } = this.columns
    const count = tokenCount[place]!
    const tokens = new Array<number>(count)
    const words = this.#tokens.all
    for (let i = 0, at = place === 0 ? 0 : tokenEnd[place - 1]!; i < count; i++) {
      const first = words[at]!
      tokens[i] = first < LONG ? first : longNumber(words, at)
      at += first < LONG ? 1 : longLength(words, at)
    }
    return tokens
  }

  /** The length of the shortest record that has terms; a lower bound while the segment grows. */
  get shortest(): number {
    if (!this.sealed) return 0
    if (this.#shortest === null) {
      this.#shortest = Number.POSITIVE_INFINITY
      for (let place = 0; place < this.#count; place++) {
        const length = this.columns.length[place]!
        if (length > 0 && length < this.#shortest) this.#shortest = length
      }
    }
    return this.#shortest
  }

  /** False when no record of it has a key to search for. */
  get hasKeys(): boolean {
    if (!this.sealed) return true
    this.#hasKeys ??= this.columns.keyHash.some((hash) => hash !== 0)
    return this.#hasKeys
  }

  recordAt(place: number): SegmentRecord {
    const { columns } = this
    const terms: string[] = []
    const frequencies: number[] = []
    for (const row = this.readTerms(reader, place); row.next(); ) {
      terms.push(this.postings.termAt(row.number))
      frequencies.push(row.frequency)
    }
    return {
      id: this.ids.at(place),
      expiresAt: columns.expiresAt[place]!,
      moment: columns.moment[place]!,
      createdAfter: columns.createdAfter[place]!,
      importance: columns.importance[place]!,
      reliability: columns.reliability[place]!,
      version: columns.version[place]!,
      terms,
      frequencies,
      tokens: this.tokensOf(place),
      shape: columns.shape[place]!,
      keyHash: columns.keyHash[place]!,
    }
  }

  /** Brings everything into its final, small form. */
  seal(): void {
    if (this.sealed) return
    const { columns, ids, postings, terms, tokens, tokenTotals } = this.sealedArrays()
    this.columns = withConstants(
      columns,
      constantsOf(columns, (place) => ids.has(place)),
    )
    this.ids = ids
    this.postings = postings
    this.#terms = new Words(terms)
    this.#tokens = new Words(tokens)
    this.#tokenTotals = tokenTotals
  }

  /** By token: in how many places it is, those of dead records included; null while the segment grows. */
  get tokenTotals(): Uint16Array | null {
    return this.#tokenTotals
  }

  /** The final form, in arrays of its own unless it has that form already. */
  sealedArrays(): SegmentArrays {
    const { postings } = this
    const tokenTotals = this.#tokenTotals ?? totalsOf(this.#tokens.used)
    if (postings instanceof SealedPostings) {
      const { columns, ids } = this
      return { columns, ids, postings, terms: this.#terms.used, tokens: this.#tokens.used, tokenTotals }
    }
    return {
      columns: columnsOf(this.#count, this.columns),
      ids: new Texts(this.ids.bytes.slice(), this.ids.ends.slice()),
      postings: sealPostings(postings as GrowingPostings),
      terms: this.#terms.used.slice(),
      tokens: this.#tokens.used.slice(),
      tokenTotals,
    }
  }

  #growing(): GrowingPostings {
    if (this.postings instanceof SealedPostings) this.postings = new GrowingPostings(this.postings)
    return this.postings as GrowingPostings
  }

  #nextPlace(): number {
    this.revision++
    this.#tokenTotals = null
    // One that was sealed may grow again.
    this.#shortest = null
    this.#hasKeys = null
    const place = this.#count++
    const { length } = this.columns.status
    if (place >= length) this.columns = columnsOf(Math.min(SEGMENT_SLOTS, Math.max(SMALLEST, 2 * length)), this.columns)
    return place
  }
}

function totalsOf(tokens: Uint16Array): Uint16Array {
  let totals = new Uint16Array(0)
  for (const row = reader.open(tokens, 0, tokens.length); row.next(); ) {
    if (row.number >= totals.length) totals = withRoom(totals, row.number + 1)
    totals[row.number]!++
  }
  let used = totals.length
  while (used > 0 && totals[used - 1] === 0) used--
  return totals.slice(0, used)
}
