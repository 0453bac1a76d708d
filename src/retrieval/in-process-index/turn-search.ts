import { compareIds, type Turn, type TurnSearch } from '../../contract/index.ts'
import { bm25Term, idf } from '../../text/index.ts'
import type { IndexState } from './index-state.ts'
import { averageLength, termFrequencies, tokenFrequencies } from './text-search.ts'
import { cosineWith, spaceNumber } from './vector-search.ts'
import type { VisibleSet } from './visible-set.ts'

/** Threads, actors and tokens of the records of an index (IDX-4). */
export function turnSearch(current: () => IndexState): TurnSearch {
  return {
    async actors(scope, window, options) {
      options?.signal?.throwIfAborted()
      const state = current()
      const visible = state.visible.of(scope, window)
      return [...visible.actors]
        .map((number) => ({ ...state.actors[number - 1]! }))
        .sort((a, b) => compareIds(a.name, b.name) || compareIds(a.role, b.role))
    },

    async describe(scope, ids, query, window, options) {
      options?.signal?.throwIfAborted()
      const state = current()
      const visible = state.visible.of(scope, window)
      const score = scoring(state, visible, query.terms)
      const cosine = cosining(state, query.space, query.vector)
      const turns: Turn[] = []
      for (const id of ids) {
        const slot = state.slotOf(id)
        if (slot === undefined || !visible.has(slot)) continue
        const position = positionOf(state, visible, slot)
        turns.push({
          id,
          tokens: state.tokens.itemsOf(slot),
          shape: state.shape[slot]!,
          actor: state.actors[state.actor[slot]! - 1]?.name ?? null,
          thread: position === null ? null : state.scopes.keys[state.scope[slot]!]!,
          position: position ?? 0,
          cosine: cosine(slot),
          bm25: score(slot),
        })
      }
      const { tokenEntries, tokenRecords } = visible
      return {
        turns,
        tokenFrequencies: tokenFrequencies(
          state,
          visible,
          query.tokens.map((token) => state.tokens.numberOf(token)),
        ),
        averageTokens: tokenRecords === 0 ? 0 : tokenEntries / tokenRecords,
      }
    },
  }
}

/** BM25 of one record, added up like that of a search, to the bit. */
function scoring(state: IndexState, visible: VisibleSet, terms: readonly string[]): (slot: number) => number {
  const numbers = terms.map((term) => state.terms.numberOf(term))
  const idfs = termFrequencies(state, visible, numbers).map((having) => idf(having, visible.documents))
  const average = averageLength(visible)
  return (slot) =>
    numbers.reduce((sum, number, place) => {
      const frequency = state.terms.frequency(slot, number)
      return frequency === 0 ? sum : sum + bm25Term(idfs[place]!, frequency, state.length[slot]!, average)
    }, 0)
}

function cosining(
  state: IndexState,
  space: string | undefined,
  vector: Float32Array | undefined,
): (slot: number) => number | null {
  if (space === undefined || vector === undefined) return () => null
  const wanted = spaceNumber(state, space)
  const cosine = cosineWith(state, space, vector)
  return (slot) => (cosine === null || state.space[slot] !== wanted ? null : cosine(slot))
}

/** The place of a record among the visible turns of its thread; null when it is not a turn. */
function positionOf(state: IndexState, visible: VisibleSet, slot: number): number | null {
  const scope = state.scope[slot]!
  if (state.scopes.scopes[scope]!.sessionId === undefined || !state.isSearched(slot)) return null
  let thread = visible.threads.get(scope)
  if (thread === undefined) {
    thread = threadOf(state, visible, scope)
    visible.threads.set(scope, thread)
  }
  return thread.get(slot)!
}

/** The place of each turn of a thread: by event time, else creation, then by arrival. */
function threadOf(state: IndexState, visible: VisibleSet, scope: number): ReadonlyMap<number, number> {
  const { moment, arrival } = state
  const turns = state.scopes.slots[scope]!.filter((slot) => visible.has(slot) && state.isSearched(slot))
  const after = (a: number, b: number): number => moment[a]! - moment[b]! || arrival[a]! - arrival[b]!
  // Most threads were written in their order.
  if (turns.some((slot, i) => i > 0 && after(turns[i - 1]!, slot) > 0)) turns.sort(after)
  return new Map(turns.map((slot, place) => [slot, place]))
}
