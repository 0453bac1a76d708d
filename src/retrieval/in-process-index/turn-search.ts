import type { TurnSearch } from '../../contract/index.ts'
import { bm25Term, idf } from '../../text/index.ts'
import { FoundTurns } from './found-turns.ts'
import type { IndexState } from './index-state.ts'
import { placeOf, segmentOf } from './slots.ts'
import { termNumbers } from './term-numbers.ts'
import { findTerms, termQuery } from './term-query.ts'
import { averageLength } from './text-search.ts'
import { cosinesOf } from './vector-search.ts'
import type { VisibleSet } from './visible-set.ts'

/** Threads, actors and tokens of the records of an index (IDX-4). */
export function turnSearch(current: () => IndexState): TurnSearch {
  return {
    async actors(scope, window, options) {
      options?.signal?.throwIfAborted()
      const state = current()
      return state.visible.of(scope, window).actors
    },

    async arrivals(ids, options) {
      options?.signal?.throwIfAborted()
      const state = current()
      return ids.map((id) => {
        const slot = state.slotOf(id)
        return slot === undefined ? null : state.arrivalOf(slot)
      })
    },

    async describe(scope, found, { terms, tokens, space, vector }, window, options) {
      options?.signal?.throwIfAborted()
      const state = current()
      const visible = state.visible.of(scope, window)
      const described = new FoundTurns(state, visible, found, tokens !== undefined)
      const { turns, slots, bm25 } = described
      const score = scoring(state, visible, terms)
      for (let i = 0; i < slots.length; i++) if (Number.isNaN(bm25[i])) bm25[i] = score(slots[i]!)
      await compare(state, space, vector, described)
      const { tokenEntries, tokenRecords } = visible
      return {
        turns,
        tokenFrequencies: (tokens ?? []).map((token) => visible.tokenFrequency(token)),
        averageTokens: tokenRecords === 0 ? 0 : tokenEntries / tokenRecords,
      }
    },
  }
}

/** Works out the cosines that are not known. */
async function compare(
  state: IndexState,
  space: string | undefined,
  vector: Float32Array | undefined,
  { slots, cosines }: FoundTurns,
): Promise<void> {
  const places: number[] = []
  const open: number[] = []
  for (let i = 0; i < slots.length; i++) {
    if (!Number.isNaN(cosines[i])) continue
    places.push(i)
    open.push(slots[i]!)
  }
  const found = await cosinesOf(state, space, vector, open)
  for (let i = 0; i < places.length; i++) cosines[places[i]!] = found[i] ?? Number.NaN
}

/** BM25 of one record, added up like that of a search, to the bit. */
function scoring(state: IndexState, visible: VisibleSet, terms: readonly string[]): (slot: number) => number {
  const query = termQuery(terms)
  const { places } = query
  const weights = frequenciesOf(state, visible, query).map((having) => idf(having, visible.documents))
  const average = averageLength(visible)
  const numbersIn = termNumbers(state, query)
  const numbers: (Int32Array | undefined)[] = []
  const frequencies = new Uint32Array(query.terms.length)
  return (slot) => {
    const segment = state.segmentAt(slot)
    const segmentNumber = segmentOf(slot)
    numbers[segmentNumber] ??= numbersIn(segmentNumber)
    const wanted = numbers[segmentNumber]!
    if (!segment.frequencies(placeOf(slot), wanted, frequencies)) return 0
    const length = segment.columns.length[placeOf(slot)]!
    let sum = 0
    for (const term of places) {
      const frequency = frequencies[term]!
      if (frequency > 0) sum += bm25Term(weights[term]!, frequency, length, average)
    }
    return sum
  }
}

/** Document frequencies of terms among the visible records. */
function frequenciesOf(state: IndexState, visible: VisibleSet, query: ReturnType<typeof termQuery>): readonly number[] {
  const known = query.terms.map((term) => visible.termFrequencies.get(term))
  return known.every((frequency) => frequency !== undefined) ? known : findTerms(state, visible, query).frequencies
}
