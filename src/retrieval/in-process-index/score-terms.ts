import { bm25Term } from '../../text/index.ts'
import type { TopK } from '../../vector/index.ts'
import type { IndexState } from './index-state.ts'
import { frequencyIn, isFew, placeIn, wordOf } from './postings.ts'
import { placeOf, SEGMENT_SLOTS, slotAt } from './slots.ts'
import { isWhole, type SegmentMatches } from './term-query.ts'
import type { VisibleSet } from './visible-set.ts'

// Sums are added up in the order of the query's terms, wherever the frequencies come from: the same to the bit (IDX-2).

export interface Scoring {
  readonly state: IndexState
  readonly visible: VisibleSet
  /** By place in the query: which term. */
  readonly places: readonly number[]
  /** By term: how often it is in the query, and what it weighs. */
  readonly times: readonly number[]
  readonly weights: readonly number[]
  readonly average: number
  readonly best: TopK
  readonly limit: number
  /** Which records may be found; null for all. */
  readonly allowed: ((slot: number) => boolean) | null
}

/** Up to so many visible records, where others lie between them, all are scored before the best are chosen. */
const SCORED_TOGETHER = 32_768

/** Offers every record that can be among the best. */
export function scoreAll(segments: readonly SegmentMatches[], scoring: Scoring): void {
  const { slots } = scoring.visible
  if (slots.length <= SCORED_TOGETHER && 2 * slots.length < scoring.state.used) {
    scoreTogether(segments, scoring)
    return
  }
  for (const matches of segments) {
    if (matches.rows === null) scorePostings(scoring, matches)
    else scoreRows(scoring, matches, matches.rows)
  }
}

// Shared by all searches: nothing awaits while they are in use. Slots that have a score, and their scores.
const found = new Uint32Array(SCORED_TOGETHER)
const sums = new Float64Array(SCORED_TOGETHER)

/** Few records may lie in many segments: taken one by one, those would let all that is good in their parts enter the best. */
function scoreTogether(segments: readonly SegmentMatches[], scoring: Scoring): void {
  const { best, limit } = scoring
  let count = 0
  for (const matches of segments) {
    if (matches.rows === null) count = sumPostings(scoring, matches, count)
    else count = sumRows(scoring, matches, matches.rows, count)
  }
  const least = reachedBy(limit, sums, count)
  for (let i = 0; i < count; i++) if (sums[i]! >= least) best.offer(found[i]!, sums[i]!)
}

function sumRows(scoring: Scoring, { range }: SegmentMatches, rows: Uint32Array, foundBefore: number): number {
  const { state, weights, allowed } = scoring
  const { length } = state.segments[range.segment]!.columns
  const width = weights.length + 1
  let count = foundBefore
  for (let at = 0; at < rows.length; at += width) {
    const slot = rows[at]!
    if (allowed?.(slot) === false) continue
    found[count] = slot
    sums[count++] = sumOf(scoring, rows, at + 1, length[placeOf(slot)]!)
  }
  return count
}

function sumPostings(scoring: Scoring, matches: SegmentMatches, foundBefore: number): number {
  const { state, visible, places, allowed } = scoring
  const { range, numbers } = matches
  const marks = isWhole(state, range) ? null : visible.marksOf(range)
  let scoredPlaces = 0
  for (const term of places) {
    if (numbers[term]! >= 0) scoredPlaces = addUp(scoring, matches, term, marks, scoredPlaces)
  }
  const first = slotAt(range.segment, 0)
  let count = foundBefore
  for (let i = 0; i < scoredPlaces; i++) {
    const place = scored[i]!
    const score = scores[place]!
    scores[place] = 0
    if (allowed?.(first + place) === false) continue
    found[count] = first + place
    sums[count++] = score
  }
  return count
}

function scoreRows(scoring: Scoring, { range }: SegmentMatches, rows: Uint32Array): void {
  const { state, weights, best, allowed } = scoring
  const { length } = state.segments[range.segment]!.columns
  const width = weights.length + 1
  let floor = best.floor
  for (let at = 0; at < rows.length; at += width) {
    const slot = rows[at]!
    const score = sumOf(scoring, rows, at + 1, length[placeOf(slot)]!)
    if (score < floor || allowed?.(slot) === false) continue
    best.offer(slot, score)
    floor = best.floor
  }
}

/** The score of a record from the frequencies of the terms, which begin at `from`. */
function sumOf({ places, weights, average }: Scoring, frequencies: Uint32Array, from: number, length: number): number {
  let score = 0
  for (let p = 0; p < places.length; p++) {
    const term = places[p]!
    const frequency = frequencies[from + term]!
    if (frequency > 0) score += bm25Term(weights[term]!, frequency, length, average)
  }
  return score
}

// Room to add up the scores of a segment's records in, by place, zeros between two uses; and to list the places that have one.
const scores = new Float64Array(SEGMENT_SLOTS)
const scored = new Uint16Array(SEGMENT_SLOTS)
// By place: 1 where the sum was not added up in the order of the query, zeros between two uses.
const disordered = new Uint8Array(SEGMENT_SLOTS)

/**
 * Words that most records have weigh little. When all that some of them can give together is less than the worst of the
 * best so far, only records that have another term of the query come into question, and each word leaves fewer of them.
 * Those few are then scored from their rows, so that what is found is the same.
 */
function scorePostings(scoring: Scoring, matches: SegmentMatches): void {
  const { state, best, places } = scoring
  const { range, numbers } = matches
  const weak = weakTerms(scoring, matches)
  const marks = isWhole(state, range) ? null : scoring.visible.marksOf(range)
  let count = 0
  for (const term of places) {
    if (numbers[term]! >= 0 && !weak.terms.includes(term)) count = addUp(scoring, matches, term, marks, count)
  }
  for (let i = 0; i < weak.terms.length; i++) {
    count = keepReaching(best.floor, weak.most[i]!, count)
    addToScored(scoring, matches, weak.terms[i]!, count)
  }
  const fromRow = rowScorer(scoring, matches)
  // Until there are enough, every record would be among the best so far.
  const least = best.floor > 0 || scoring.allowed !== null ? 0 : reachedBy(scoring.limit, sumsOf(count), count)
  let floor = Math.max(best.floor, least)
  for (let i = 0; i < count; i++) {
    const place = scored[i]!
    const score = scores[place]!
    const exact = disordered[place] === 0
    scores[place] = 0
    disordered[place] = 0
    if (exact ? score < floor : !reaches(score, floor)) continue
    const slot = slotAt(range.segment, place)
    if (scoring.allowed?.(slot) === false) continue
    best.offer(slot, exact ? score : fromRow(place))
    floor = Math.max(best.floor, least)
  }
}

const BINS = 512
const bins = new Uint32Array(BINS)

/** The sums of the scored places, one after the other. */
function sumsOf(count: number): Float64Array {
  for (let i = 0; i < count; i++) sums[i] = scores[scored[i]!]!
  return sums
}

/** A score that so many of the first `count` reach, and few others; 0 when there are not as many. */
function reachedBy(wanted: number, reached: Float64Array, count: number): number {
  if (count <= wanted) return 0
  let most = 0
  for (let i = 0; i < count; i++) if (reached[i]! > most) most = reached[i]!
  const perScore = (BINS - 1) / most
  bins.fill(0)
  for (let i = 0; i < count; i++) bins[Math.floor(reached[i]! * perScore)]!++
  let bin = BINS - 1
  for (let seen = bins[bin]!; seen < wanted; seen += bins[--bin]!);
  return (bin / perScore) * (1 - ROUNDING)
}

/** Scores of records from their rows, added up in the order of the query. */
function rowScorer(scoring: Scoring, { range, numbers }: SegmentMatches): (place: number) => number {
  const segment = scoring.state.segments[range.segment]!
  const frequencies = new Uint32Array(numbers.length)
  return (place) => {
    segment.frequencies(place, numbers, frequencies)
    return sumOf(scoring, frequencies, 0, segment.columns.length[place]!)
  }
}

/** Sums of the same numbers in another order differ by less than this share. */
const ROUNDING = 1e-9

function reaches(score: number, floor: number): boolean {
  return score * (1 + ROUNDING) >= floor
}

/** Leaves out of the scored places those that can't be among the best any more. Answers how many are left. */
function keepReaching(floor: number, most: number, count: number): number {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const place = scored[i]!
    if (reaches(scores[place]! + most, floor)) scored[kept++] = place
    else {
      scores[place] = 0
      disordered[place] = 0
    }
  }
  return kept
}

/** Terms that cannot by themselves make a record one of the best, those that can give most first. */
interface WeakTerms {
  readonly terms: number[]
  /** The most that a term and those after it can give together. */
  readonly most: number[]
}

const noWeakTerms: WeakTerms = { terms: [], most: [] }

function weakTerms({ state, times, weights, average, best }: Scoring, { range, numbers }: SegmentMatches): WeakTerms {
  const { floor } = best
  if (!(floor > 0) || floor === Number.POSITIVE_INFINITY) return noWeakTerms
  const { postings, shortest } = state.segments[range.segment]!
  const terms: number[] = []
  const bounds: number[] = []
  for (let term = 0; term < weights.length; term++) {
    const number = numbers[term]!
    if (number < 0) continue
    const bound = times[term]! * highestScore(weights[term]!, postings.highest(number), shortest, average)
    // What is not below the worst of the best by itself is not with others.
    if (reaches(bound, floor)) continue
    let at = terms.length
    for (; at > 0 && bounds[at - 1]! < bound; at--) {
      terms[at] = terms[at - 1]!
      bounds[at] = bounds[at - 1]!
    }
    terms[at] = term
    bounds[at] = bound
  }
  let most = 0
  for (let at = terms.length - 1; at >= 0; at--) {
    most += bounds[at]!
    bounds[at] = most
    if (!reaches(most, floor)) continue
    return { terms: terms.slice(at + 1), most: bounds.slice(at + 1) }
  }
  return { terms, most: bounds }
}

function highestScore(weight: number, frequency: number, length: number, average: number): number {
  // Of ever more occurrences the formula has no number, only a limit.
  return bm25Term(weight, Math.min(frequency, Number.MAX_SAFE_INTEGER), length, average)
}

/** Adds what a term is worth to the places that have a score already. */
function addToScored(scoring: Scoring, matches: SegmentMatches, term: number, count: number): void {
  const segment = scoring.state.segments[matches.range.segment]!
  const number = matches.numbers[term]!
  const words = segment.postings.words(number)
  const from = segment.postings.from(number)
  const to = segment.postings.to(number)
  const weight = scoring.times[term]! * scoring.weights[term]!
  const { length } = segment.columns
  const add = (place: number, word: number): void => {
    const frequency = frequencyIn(word) || segment.frequency(place, number)
    scores[place] = scores[place]! + bm25Term(weight, frequency, length[place]!, scoring.average)
    disordered[place] = 1
  }
  if (isFew(count, to - from)) {
    for (let i = 0; i < count; i++) {
      const place = scored[i]!
      const word = wordOf(words, from, to, place)
      if (word >= 0) add(place, word)
    }
    return
  }
  for (let i = from; i < to; i++) {
    const place = placeIn(words[i]!)
    if (scores[place] !== 0) add(place, words[i]!)
  }
}

/** Adds what a term is worth to each record. Answers how many places have a score now. */
function addUp(
  { state, visible, weights, average }: Scoring,
  { range, numbers }: SegmentMatches,
  term: number,
  marks: Uint8Array | null,
  scoredBefore: number,
): number {
  const segment = state.segments[range.segment]!
  const { length } = segment.columns
  const number = numbers[term]!
  const weight = weights[term]!
  const words = segment.postings.words(number)
  const from = segment.postings.from(number)
  const to = segment.postings.to(number)
  let count = scoredBefore
  const add = (place: number, word: number): void => {
    const frequency = frequencyIn(word) || segment.frequency(place, number)
    const former = scores[place]!
    if (former === 0) scored[count++] = place
    scores[place] = former + bm25Term(weight, frequency, length[place]!, average)
  }
  if (marks === null) {
    for (let i = from; i < to; i++) add(placeIn(words[i]!), words[i]!)
  } else if (isFew(range.to - range.from, to - from)) {
    const { slots } = visible
    for (let i = range.from; i < range.to; i++) {
      const place = placeOf(slots[i]!)
      const word = wordOf(words, from, to, place)
      if (word >= 0) add(place, word)
    }
  } else {
    for (let i = from; i < to; i++) {
      const word = words[i]!
      if (marks[placeIn(word)] === 1) add(placeIn(word), word)
    }
  }
  return count
}
