import type { TextSearch } from '../../contract/index.ts'
import { bm25Term, idf } from '../../text/index.ts'
import { topK } from '../../vector/index.ts'
import type { IndexState } from './index-state.ts'
import { byId, narrowing } from './narrowing.ts'
import { type Occurrences, subjectOf } from './occurrences.ts'
import type { VisibleSet } from './visible-set.ts'

/** BM25 over the records of an index (IDX-1). */
export function textSearch(current: () => IndexState): TextSearch {
  return {
    async match(scope, terms, window, options) {
      options?.signal?.throwIfAborted()
      const state = current()
      const visible = state.visible.of(scope, window)
      const numbers = terms.map((term) => state.terms.numberOf(term))
      const postings = termPostings(state, visible, numbers)
      const idfs = numbers.map((number) => idf(postings.get(number)?.length ?? 0, visible.documents))
      const best = topK(window.limit, byId(state))
      const allowed = narrowing(state, window)
      const { scores, scored } = state
      const count = addUp(state, visible, numbers, idfs, postings)
      let floor = best.floor
      for (let i = 0; i < count; i++) {
        const slot = scored[i]!
        const score = scores[slot]!
        scores[slot] = 0
        if (score < floor || !allowed(slot)) continue
        best.offer(slot, score)
        floor = best.floor
      }
      return {
        hits: best.ranked().map(({ item, score }) => ({ id: state.ids[item]!, score })),
        documents: visible.documents,
        idfs,
      }
    },
  }
}

/**
 * Adds to `state.scores` what each term is worth to each record, in the order of the terms, so that sums come out the
 * same to the bit wherever the postings came from. Answers how many slots of `state.scored` have a score now.
 */
function addUp(
  state: IndexState,
  visible: VisibleSet,
  numbers: readonly number[],
  idfs: readonly number[],
  postings: ReadonlyMap<number, Uint32Array>,
): number {
  const { scores, scored, length, terms } = state
  const average = averageLength(visible)
  let count = 0
  for (let place = 0; place < numbers.length; place++) {
    const number = numbers[place]!
    const words = postings.get(number)
    if (words === undefined) continue
    const termIdf = idfs[place]!
    for (let i = 0; i < words.length; i++) {
      const word = words[i]!
      const slot = subjectOf(word)
      const former = scores[slot]!
      if (former === 0) scored[count++] = slot
      scores[slot] = former + bm25Term(termIdf, terms.frequencyIn(word, number), length[slot]!, average)
    }
  }
  return count
}

export function averageLength({ lengths, documents }: VisibleSet): number {
  return documents === 0 ? 0 : lengths / documents
}

/** Document frequencies of terms among the visible records, by number. */
export function termFrequencies(state: IndexState, visible: VisibleSet, numbers: readonly number[]): readonly number[] {
  const { termFrequencies: known } = visible
  const missing = numbers.filter((number) => !known.has(number))
  if (missing.length > 0) termPostings(state, visible, missing)
  return numbers.map((number) => known.get(number) ?? 0)
}

/** The same of tokens. */
export function tokenFrequencies(
  state: IndexState,
  visible: VisibleSet,
  numbers: readonly number[],
): readonly number[] {
  const { tokenFrequencies: known } = visible
  const missing = numbers.filter((number) => !known.has(number))
  for (const [number, words] of postingsIn(visible, state.tokens, missing, visible.tokenEntries)) {
    known.set(number, words.length)
  }
  return numbers.map((number) => known.get(number) ?? 0)
}

function termPostings(state: IndexState, visible: VisibleSet, numbers: readonly number[]): Map<number, Uint32Array> {
  const postings = postingsIn(visible, state.terms, numbers, visible.termEntries)
  for (const [number, words] of postings) visible.termFrequencies.set(number, words.length)
  return postings
}

/** The visible postings of each item: out of the postings of all, or out of the rows of the visible records, whichever is shorter. */
function postingsIn<T>(
  visible: VisibleSet,
  occurrences: Occurrences<T>,
  numbers: readonly number[],
  entries: number,
): Map<number, Uint32Array> {
  const asked = [...new Set(numbers)].filter((number) => number >= 0)
  const cost = asked.reduce((sum, number) => sum + occurrences.postingCount(number), 0)
  if (cost <= entries) {
    const { marks } = visible
    return new Map(asked.map((number) => [number, occurrences.postings(number, marks)]))
  }
  const lists = occurrences.postingsOf(visible.slots, asked)
  return new Map(asked.map((number, place) => [number, lists[place]!]))
}
