import type { TextSearch } from '../../contract/index.ts'
import { bm25Term, idf } from '../../text/index.ts'
import { type TopK, topK } from '../../vector/index.ts'
import type { IndexState } from './index-state.ts'
import { byId, narrowing } from './narrowing.ts'
import { frequencyIn, placeIn } from './postings.ts'
import { SEGMENT_SLOTS, slotAt } from './slots.ts'
import { findTerms, isWhole, type SegmentMatches, termQuery } from './term-query.ts'
import type { VisibleSet } from './visible-set.ts'

/** BM25 over the records of an index (IDX-1). */
export function textSearch(current: () => IndexState): TextSearch {
  return {
    async match(scope, terms, window, options) {
      options?.signal?.throwIfAborted()
      const state = current()
      const visible = state.visible.of(scope, window)
      const query = termQuery(terms)
      const { segments, frequencies } = findTerms(state, visible, query)
      const { documents } = visible
      const weights = frequencies.map((having) => idf(having, documents))
      const best = topK(window.limit, byId(state))
      const scoring: Scoring = {
        state,
        visible,
        places: query.places,
        weights,
        average: averageLength(visible),
        best,
        allowed: narrowing(state, window),
      }
      for (const matches of segments) {
        if (matches.rows === null) scorePostings(scoring, matches)
        else scoreRows(scoring, matches, matches.rows)
      }
      return {
        hits: best.ranked().map(({ item, score }) => ({ id: state.idOf(item), score })),
        documents,
        idfs: query.places.map((term) => weights[term]!),
      }
    },
  }
}

interface Scoring {
  readonly state: IndexState
  readonly visible: VisibleSet
  /** By place in the query: which term. */
  readonly places: readonly number[]
  /** By term. */
  readonly weights: readonly number[]
  readonly average: number
  readonly best: TopK
  readonly allowed: (slot: number) => boolean
}

// Sums are added up in the order of the query's terms, wherever the frequencies come from: the same to the bit (IDX-2).

function scoreRows(scoring: Scoring, { range }: SegmentMatches, rows: Uint32Array): void {
  const { state, places, weights, average, best, allowed } = scoring
  const { length } = state.segments[range.segment]!.columns
  const width = weights.length + 1
  let floor = best.floor
  for (let at = 0; at < rows.length; at += width) {
    const slot = rows[at]!
    const documentLength = length[slot & (SEGMENT_SLOTS - 1)]!
    let score = 0
    for (let p = 0; p < places.length; p++) {
      const term = places[p]!
      const frequency = rows[at + 1 + term]!
      if (frequency > 0) score += bm25Term(weights[term]!, frequency, documentLength, average)
    }
    if (score < floor || !allowed(slot)) continue
    best.offer(slot, score)
    floor = best.floor
  }
}

// Room to add up the scores of a segment's records in, by place, zeros between two uses; and to list the places that have one.
const scores = new Float64Array(SEGMENT_SLOTS)
const scored = new Uint16Array(SEGMENT_SLOTS)

function scorePostings(scoring: Scoring, { range, numbers }: SegmentMatches): void {
  const { state, visible, places, weights, best, allowed } = scoring
  const marks = isWhole(state, range) ? null : visible.marksOf(range)
  let count = 0
  for (const term of places) {
    const number = numbers[term]!
    if (number >= 0) count = addUp(scoring, range.segment, number, weights[term]!, marks, count)
  }
  let floor = best.floor
  for (let i = 0; i < count; i++) {
    const place = scored[i]!
    const score = scores[place]!
    scores[place] = 0
    if (score < floor) continue
    const slot = slotAt(range.segment, place)
    if (!allowed(slot)) continue
    best.offer(slot, score)
    floor = best.floor
  }
}

/** Adds what a term is worth to each record. Answers how many places have a score now. */
function addUp(
  { state, average }: Scoring,
  segmentNumber: number,
  number: number,
  weight: number,
  marks: Uint8Array | null,
  scoredBefore: number,
): number {
  const segment = state.segments[segmentNumber]!
  const { length } = segment.columns
  const words = segment.postings.words(number)
  const to = segment.postings.to(number)
  let count = scoredBefore
  for (let i = segment.postings.from(number); i < to; i++) {
    const word = words[i]!
    const place = placeIn(word)
    if (marks !== null && marks[place] === 0) continue
    const inline = frequencyIn(word)
    const frequency = inline === 0 ? segment.frequency(place, number) : inline
    const former = scores[place]!
    if (former === 0) scored[count++] = place
    scores[place] = former + bm25Term(weight, frequency, length[place]!, average)
  }
  return count
}

export function averageLength({ lengths, documents }: VisibleSet): number {
  return documents === 0 ? 0 : lengths / documents
}
