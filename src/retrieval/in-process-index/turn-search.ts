import type { Found, TextHit, Turn, TurnSearch, VectorHit } from '../../contract/index.ts'
import { bm25Term, idf } from '../../text/index.ts'
import type { IndexState } from './index-state.ts'
import { SlotHit } from './slot-hit.ts'
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

    async describe(scope, found, { terms, tokens, space, vector }, window, options) {
      options?.signal?.throwIfAborted()
      const state = current()
      const visible = state.visible.of(scope, window)
      const turns = turnsOf(state, visible, found, tokens !== undefined)
      const score = scoring(state, visible, terms)
      // Those whose cosines are not known.
      const open: IndexedTurn[] = []
      for (const turn of turns) {
        if (Number.isNaN(turn.bm25)) turn.bm25 = score(turn.slot)
        if (turn.cosine === null) open.push(turn)
      }
      const cosines = await cosinesOf(
        state,
        space,
        vector,
        open.map((turn) => turn.slot),
      )
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

/** A turn whose id is read when it is asked for. */
class IndexedTurn implements Turn {
  bm25 = Number.NaN
  cosine: number | null = null
  keyMatch = false
  readonly tokens: readonly number[]
  readonly shape: number
  readonly actor: string | null
  readonly thread: string | null
  readonly position: number
  readonly createdAt: number
  readonly importance: number
  readonly reliability: number
  readonly #state: IndexState
  readonly #slot: number

  constructor(state: IndexState, { threads }: VisibleSet, slot: number, withTokens: boolean) {
    const segment = state.segmentAt(slot)
    const { columns } = segment
    const place = placeOf(slot)
    const position = threads.positionOf(slot)
    this.tokens = withTokens ? segment.tokensOf(place) : noTokens
    this.shape = columns.shape[place]!
    this.actor = state.actors.values[columns.actor[place]! - 1]?.name ?? null
    this.thread = position === null ? null : state.scopes.keys[columns.scope[place]!]!
    this.position = position ?? 0
    this.createdAt = columns.moment[place]! + columns.createdAfter[place]!
    this.importance = columns.importance[place]!
    this.reliability = columns.reliability[place]!
    this.#state = state
    this.#slot = slot
  }

  get id(): string {
    return this.#state.idOf(this.#slot)
  }

  get slot(): number {
    return this.#slot
  }
}

/** The visible ones of what was found, each once, with what the hits say of them. */
function turnsOf(state: IndexState, visible: VisibleSet, found: Found, withTokens: boolean): readonly IndexedTurn[] {
  const turns = new Map<number, IndexedTurn>()
  const turnAt = (slot: number | undefined): IndexedTurn | undefined => {
    if (slot === undefined || !visible.has(slot)) return undefined
    let turn = turns.get(slot)
    if (turn === undefined) {
      turn = new IndexedTurn(state, visible, slot, withTokens)
      turns.set(slot, turn)
    }
    return turn
  }
  const turnOf = (hit: TextHit | VectorHit): IndexedTurn | undefined => {
    const slot = hit instanceof SlotHit ? hit.slotIn(state) : undefined
    // What has changed since it was found is described as it is now.
    return slot !== undefined && state.lives(slot) ? turnAt(slot) : turnAt(state.slotOf(hit.id))
  }
  for (const id of found.keyed ?? []) {
    const turn = turnAt(state.slotOf(id))
    if (turn !== undefined) turn.keyMatch = true
  }
  for (const hit of found.text ?? []) {
    const turn = turnOf(hit)
    if (turn !== undefined) turn.bm25 = hit.score
  }
  for (const hit of found.near ?? []) {
    const turn = turnOf(hit)
    if (turn !== undefined) turn.cosine = hit.cosine
  }
  return [...turns.values()]
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
