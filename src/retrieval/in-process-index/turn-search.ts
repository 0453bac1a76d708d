import type { Turn, TurnSearch } from '../../contract/index.ts'
import { bm25Term, idf } from '../../text/index.ts'
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

    async describe(scope, ids, query, window, options) {
      options?.signal?.throwIfAborted()
      const state = current()
      const visible = state.visible.of(scope, window)
      const known = query.known
      const { tokens } = query
      const score = scoring(state, visible, query.terms)
      const turns: OpenTurn[] = []
      // Those whose cosines are not known.
      const open: OpenTurn[] = []
      const slots: number[] = []
      for (let i = 0; i < ids.length; i++) {
        const slot = state.slotOf(ids[i]!)
        if (slot === undefined || !visible.has(slot)) continue
        const turn = turnOf(state, visible, ids[i]!, slot, tokens !== undefined)
        const bm25 = known === undefined ? Number.NaN : known.bm25[i]!
        turn.bm25 = Number.isNaN(bm25) ? score(slot) : bm25
        turns.push(turn)
        const cosine = known === undefined ? Number.NaN : known.cosines[i]!
        if (Number.isNaN(cosine)) {
          open.push(turn)
          slots.push(slot)
        } else turn.cosine = cosine
      }
      const cosines = await cosinesOf(state, query.space, query.vector, slots)
      for (let i = 0; i < open.length; i++) open[i]!.cosine = cosines[i]!
      const { tokenEntries, tokenRecords } = visible
      return {
        turns,
        tokenFrequencies: (tokens ?? []).map((token) => visible.tokenFrequency(token)),
        averageTokens: tokenRecords === 0 ? 0 : tokenEntries / tokenRecords,
      }
    },
  }
}

const noTokens: readonly number[] = []

type OpenTurn = { -readonly [Field in keyof Turn]: Turn[Field] }

/** A turn that was not compared with anything yet. */
function turnOf(state: IndexState, visible: VisibleSet, id: string, slot: number, withTokens: boolean): OpenTurn {
  const segment = state.segmentAt(slot)
  const { columns } = segment
  const place = placeOf(slot)
  const position = visible.threads.positionOf(slot)
  return {
    id,
    tokens: withTokens ? segment.tokensOf(place) : noTokens,
    shape: columns.shape[place]!,
    actor: state.actors.values[columns.actor[place]! - 1]?.name ?? null,
    thread: position === null ? null : state.scopes.keys[columns.scope[place]!]!,
    position: position ?? 0,
    cosine: null,
    bm25: 0,
    createdAt: columns.moment[place]! + columns.createdAfter[place]!,
    importance: columns.importance[place]!,
    reliability: columns.reliability[place]!,
  }
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
