import { withRoom } from './columns.ts'
import type { IndexState } from './index-state.ts'
import { isFew, placeIn, wordOf } from './postings.ts'
import { placeOf } from './slots.ts'
import { termNumbers } from './term-numbers.ts'
import { type TextKey, textKey } from './texts.ts'
import type { VisibleRange, VisibleSet } from './visible-set.ts'
import { LONG, longFrequency, longLength, longNumber } from './words.ts'

// What it costs to read, in entries of a row: to find a row in memory; a posting that is counted and scored, and one whose
// count is known, as words that most records have are often passed over.
const ROW_COST = 60
const POSTING_COST = 1.5
const KNOWN_POSTING_COST = 0.5
/** Queries of more terms are answered from postings: what rows hold of them would take much room. */
const MOST_IN_ROWS = 64

/** The terms of a query, each once. */
export interface TermQuery {
  readonly terms: readonly string[]
  readonly keys: readonly TextKey[]
  /** By place in the query: which of the terms. */
  readonly places: readonly number[]
}

export function termQuery(asked: readonly string[]): TermQuery {
  const terms = [...new Set(asked)]
  return { terms, keys: terms.map(textKey), places: asked.map((term) => terms.indexOf(term)) }
}

/** Where the terms of a query occur among the visible records of a segment. */
export interface SegmentMatches {
  readonly range: VisibleRange
  /** By term: its number in the segment, -1 for none. */
  readonly numbers: Int32Array
  /** What was read from rows: a slot and the frequency of each term, one record after the other. Null: to be read from postings. */
  readonly rows: Uint32Array | null
}

export interface Matches {
  /** Segments in which any term occurs. */
  readonly segments: readonly SegmentMatches[]
  /** By term: in how many visible records it occurs. */
  readonly frequencies: readonly number[]
}

/**
 * Finds the terms among the visible records: out of the postings of all, or out of the rows of the visible records,
 * whichever is shorter in a segment. Counts of postings are kept with the visible set.
 */
export function findTerms(state: IndexState, visible: VisibleSet, query: TermQuery): Matches {
  const { terms } = query
  const numbersIn = termNumbers(state, query)
  const known = terms.map((term) => visible.termFrequencies.get(term))
  const isKnown = known.map((frequency) => frequency !== undefined)
  const counts = new Float64Array(terms.length)
  const segments: SegmentMatches[] = []
  for (const range of visible.ranges()) {
    const { postings, count, termWords } = state.segments[range.segment]!
    const numbers = numbersIn(range.segment)
    let cost = 0
    for (let t = 0; t < terms.length; t++) {
      const number = numbers[t]!
      if (number < 0) continue
      cost += (postings.to(number) - postings.from(number)) * (isKnown[t] ? KNOWN_POSTING_COST : POSTING_COST)
    }
    if (cost === 0) continue
    const inRows = terms.length <= MOST_IN_ROWS && (range.to - range.from) * (ROW_COST + termWords / count) < cost
    const rows = inRows ? readRows(state, visible, range, numbers) : null
    if (rows === null) countPostings(state, visible, range, numbers, isKnown, counts)
    else countRows(rows, counts)
    segments.push({ range, numbers, rows })
  }
  const frequencies = known.map((frequency, t) => frequency ?? counts[t]!)
  terms.forEach((term, t) => {
    visible.termFrequencies.set(term, frequencies[t]!)
  })
  return { segments, frequencies }
}

/** True when every record of the segment is visible, so that its postings are those of the visible ones. */
export function isWhole(state: IndexState, { segment, from, to }: VisibleRange): boolean {
  return to - from === state.segments[segment]!.count
}

function countPostings(
  state: IndexState,
  visible: VisibleSet,
  range: VisibleRange,
  numbers: Int32Array,
  isKnown: readonly boolean[],
  counts: Float64Array,
): void {
  const { postings } = state.segments[range.segment]!
  const marks = isWhole(state, range) ? null : visible.marksOf(range)
  for (let t = 0; t < numbers.length; t++) {
    const number = numbers[t]!
    if (number < 0 || isKnown[t]) continue
    const from = postings.from(number)
    const to = postings.to(number)
    if (marks === null) counts[t]! += to - from
    else if (isFew(range.to - range.from, to - from))
      counts[t]! += countFew(visible, range, postings.words(number), from, to)
    else counts[t]! += countMarked(postings.words(number), from, to, marks)
  }
}

function countFew({ slots }: VisibleSet, range: VisibleRange, words: Uint16Array, from: number, to: number): number {
  let count = 0
  for (let i = range.from; i < range.to; i++) if (wordOf(words, from, to, placeOf(slots[i]!)) >= 0) count++
  return count
}

function countMarked(words: Uint16Array, from: number, to: number, marks: Uint8Array): number {
  let count = 0
  for (let i = from; i < to; i++) count += marks[placeIn(words[i]!)]!
  return count
}

function countRows(rows: Uint32Array, counts: Float64Array): void {
  const width = counts.length + 1
  for (let at = 0; at < rows.length; at += width) {
    for (let t = 0; t < counts.length; t++) if (rows[at + 1 + t] !== 0) counts[t]!++
  }
}

// Shared by all searches: nothing awaits while they are in use.
/** By number of a term in the segment: its place in the query plus 1; zeros between two uses. */
let wanted = new Uint8Array(0)
let found = new Uint32Array(0)

function readRows(state: IndexState, visible: VisibleSet, range: VisibleRange, numbers: Int32Array): Uint32Array {
  const segment = state.segments[range.segment]!
  const { slots } = visible
  const width = numbers.length + 1
  wanted = withRoom(wanted, segment.postings.terms)
  numbers.forEach((number, t) => {
    if (number >= 0) wanted[number] = t + 1
  })
  const words = segment.termRows
  const { termEnd } = segment.columns
  let length = 0
  for (let i = range.from; i < range.to; i++) {
    const slot = slots[i]!
    const place = placeOf(slot)
    const end = termEnd[place]!
    let any = false
    for (let at = segment.termStart(place); at < end; ) {
      const first = words[at]!
      const term = wanted[first < LONG ? first : longNumber(words, at)]!
      if (term !== 0) {
        if (!any) {
          any = true
          found = withRoom(found, length + width)
          found.fill(0, length, length + width)
          found[length] = slot
        }
        found[length + term] = first < LONG ? 1 : longFrequency(words, at)
      }
      at += first < LONG ? 1 : longLength(words, at)
    }
    if (any) length += width
  }
  for (const number of numbers) if (number >= 0) wanted[number] = 0
  return found.slice(0, length)
}
