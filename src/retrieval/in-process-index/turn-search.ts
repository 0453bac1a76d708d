import { compareIds, type Turn, type TurnSearch } from '../../contract/index.ts'
import { bm25Term, idf } from '../../text/index.ts'
import type { IndexState } from './index-state.ts'
import type { Actor } from './indexed-record.ts'
import { placeOf, segmentOf } from './slots.ts'
import { findTerms, termQuery } from './term-query.ts'
import { averageLength } from './text-search.ts'
import { cosinesOf } from './vector-search.ts'
import type { VisibleSet } from './visible-set.ts'
import { EntryReader } from './words.ts'

/** Threads, actors and tokens of the records of an index (IDX-4). */
export function turnSearch(current: () => IndexState): TurnSearch {
  return {
    async actors(scope, window, options) {
      options?.signal?.throwIfAborted()
      const state = current()
      const visible = state.visible.of(scope, window)
      return [...visible.actors]
        .map((number): Actor => ({ ...state.actors.values[number - 1]! }))
        .sort((a, b) => compareIds(a.name, b.name) || compareIds(a.role, b.role))
    },

    async describe(scope, ids, query, window, options) {
      options?.signal?.throwIfAborted()
      const state = current()
      const visible = state.visible.of(scope, window)
      const found = ids.flatMap((id) => {
        const slot = state.slotOf(id)
        return slot === undefined || !visible.has(slot) ? [] : [{ id, slot }]
      })
      const score = scoring(state, visible, query.terms)
      const turns = found.map(({ id, slot }) => ({ ...turnOf(state, visible, slot), id, bm25: score(slot) }))
      const { tokenEntries, tokenRecords } = visible
      const tokens = {
        tokenFrequencies: query.tokens.map((token) => visible.tokenFrequency(token)),
        averageTokens: tokenRecords === 0 ? 0 : tokenEntries / tokenRecords,
      }
      const slots = found.map(({ slot }) => slot)
      const cosines = await cosinesOf(state, query.space, query.vector, slots)
      return { turns: turns.map((turn, i): Turn => Object.assign(turn, { cosine: cosines[i]! })), ...tokens }
    },
  }
}

function turnOf(state: IndexState, visible: VisibleSet, slot: number): Omit<Turn, 'id' | 'cosine' | 'bm25'> {
  const segment = state.segmentAt(slot)
  const { columns } = segment
  const place = placeOf(slot)
  const position = visible.threads.positionOf(slot)
  return {
    tokens: segment.tokensOf(place),
    shape: columns.shape[place]!,
    actor: state.actors.values[columns.actor[place]! - 1]?.name ?? null,
    thread: position === null ? null : state.scopes.keys[columns.scope[place]!]!,
    position: position ?? 0,
  }
}

/** BM25 of one record, added up like that of a search, to the bit. */
function scoring(state: IndexState, visible: VisibleSet, terms: readonly string[]): (slot: number) => number {
  const query = termQuery(terms)
  const { keys, places } = query
  const weights = frequenciesOf(state, visible, query).map((having) => idf(having, visible.documents))
  const average = averageLength(visible)
  const numbers: (Int32Array | undefined)[] = []
  const frequencies = new Uint32Array(terms.length)
  const reader = new EntryReader()
  return (slot) => {
    const segment = state.segmentAt(slot)
    const number = segmentOf(slot)
    numbers[number] ??= Int32Array.from(keys, (key, t) => segment.postings.numberOf(key, query.terms[t]!))
    const wanted = numbers[number]!
    frequencies.fill(0)
    for (const row = segment.readTerms(reader, placeOf(slot)); row.next(); ) {
      const term = wanted.indexOf(row.number)
      if (term >= 0) frequencies[term] = row.frequency
    }
    const length = segment.columns.length[placeOf(slot)]!
    return places.reduce((sum, term) => {
      const frequency = frequencies[term]!
      return frequency === 0 ? sum : sum + bm25Term(weights[term]!, frequency, length, average)
    }, 0)
  }
}

/** Document frequencies of terms among the visible records. */
function frequenciesOf(state: IndexState, visible: VisibleSet, query: ReturnType<typeof termQuery>): readonly number[] {
  const known = query.terms.map((term) => visible.termFrequencies.get(term))
  return known.every((frequency) => frequency !== undefined) ? known : findTerms(state, visible, query).frequencies
}
