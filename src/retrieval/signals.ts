import type { Candidate, Collection } from './candidate.ts'
import type { Question } from './question.ts'
import { shapeFlag } from './shape.ts'
import { threadSignals } from './thread-signals.ts'
import type { TokenMatch } from './token-match.ts'

/** Everything that ranking weighs about one candidate; also what an explanation shows. All finite. */
export interface Signals {
  /** BM25 as a share of the best, 0..1. */
  readonly words: number
  /** Cosine above that of the average record, as a share of the best, 0..1. */
  readonly meaning: number
  /** Token match as a share of the best, 0..1. */
  readonly pieces: number
  /** Share of the query that the token match covers, 0..1. */
  readonly coverage: number
  /** The plain hybrid value, .4 words + .4 meaning + .2 pieces, over the sides that say anything: the base of the signals below. */
  readonly base: number
  /** The base in place of meaning when no candidate has a vector; of pieces and coverage when no token matches. Else 0. */
  readonly withoutMeaning: number
  readonly withoutPieces: number
  /** The base of the turns one before, one after, two before, two after, in the same thread. */
  readonly previous: number
  readonly next: number
  readonly secondPrevious: number
  readonly secondNext: number
  /** The base of the turn before, when that one holds a question mark. */
  readonly previousQuestion: number
  /** Mean of the thread's three best bases, and its best. */
  readonly threadMean: number
  readonly threadBest: number
  /** 1 when said by the actor asked about; the same times the base. */
  readonly askedActor: number
  readonly askedActorBase: number
  /** Answer-shape flags of the text: ends in a question mark, names a time, holds a name. */
  readonly endsInQuestion: number
  readonly namesTime: number
  readonly holdsName: number
  /** First or second turn of its thread. */
  readonly opensThread: number
  /** The kind of answer asked for, and a text of that shape. */
  readonly whenWithTime: number
  readonly howManyWithNumber: number
  readonly whereWithPlace: number
}

/** The signals of several candidates, by signal: numbers in the order of the candidates. */
export type SignalColumns = { readonly [Name in keyof Signals]: Float64Array }

/** What was measured of one candidate. */
export function signalsAt(columns: SignalColumns, place: number): Signals {
  return Object.fromEntries(
    Object.entries(columns).map(([name, values]) => [name, values[place]!]),
  ) as unknown as Signals
}

// Cosines are single precision: a smaller spread than this is rounding.
const SMALLEST_SPREAD = 1e-6

/**
 * Measures every candidate on every signal. Neighbours and thread mates count only when they are
 * candidates too. A record that is no turn is a thread of its own. `match` is null without a token table.
 */
export function signals(
  question: Pick<Question, 'actorAsked' | 'when' | 'howMany' | 'where'>,
  candidates: readonly Candidate[],
  collection: Pick<Collection, 'meanCosine'>,
  match: readonly TokenMatch[] | null,
): SignalColumns {
  const column = columnsOf(candidates.length)
  const bm25 = column()
  const cosines = column()
  const matched = column()
  const coverage = column()
  const askedActor = column()
  const [endsInQuestion, namesTime, holdsName, holdsNumber, namesPlace] = [
    column(),
    column(),
    column(),
    column(),
    column(),
  ]
  for (let i = 0; i < candidates.length; i++) {
    const candidate = candidates[i]!
    const { shape } = candidate
    bm25[i] = candidate.bm25
    cosines[i] = candidate.cosine ?? Number.NaN
    if (match !== null) {
      matched[i] = match[i]!.m
      coverage[i] = match[i]!.m2
    }
    if (question.actorAsked !== null && candidate.actor === question.actorAsked) askedActor[i] = 1
    endsInQuestion[i] = shapeFlag(shape, 'question')
    namesTime[i] = shapeFlag(shape, 'time')
    holdsName[i] = shapeFlag(shape, 'name')
    holdsNumber[i] = shapeFlag(shape, 'number')
    namesPlace[i] = shapeFlag(shape, 'place')
  }
  const words = shares(bm25)
  const meaning = denseShares(cosines, collection.meanCosine)
  const pieces = shares(matched)
  const base = fuse([
    { weight: 0.4, values: words },
    { weight: 0.4, values: meaning },
    { weight: 0.2, values: pieces },
  ])
  const none = column()
  const askedActorBase = column()
  for (let i = 0; i < base.length; i++) askedActorBase[i] = askedActor[i]! * base[i]!
  const thread = threadSignals(candidates, base, column)
  return {
    words,
    meaning,
    pieces,
    coverage,
    base,
    withoutMeaning: speaks(meaning) ? none : base,
    withoutPieces: speaks(pieces) ? none : base,
    previous: thread.previous,
    next: thread.next,
    secondPrevious: thread.secondPrevious,
    secondNext: thread.secondNext,
    previousQuestion: thread.previousQuestion,
    threadMean: thread.threadMean,
    threadBest: thread.threadBest,
    askedActor,
    askedActorBase,
    endsInQuestion,
    namesTime,
    holdsName,
    opensThread: thread.opensThread,
    whenWithTime: question.when ? namesTime : none,
    howManyWithNumber: question.howMany ? holdsNumber : none,
    whereWithPlace: question.where ? namesPlace : none,
  }
}

/** So many columns and more fit into one piece of memory: each piece costs as much as what is in it. */
const COLUMNS = 20

/** Makes columns of zeros. */
function columnsOf(count: number): () => Float64Array {
  let room = new Float64Array(COLUMNS * count)
  let used = 0
  return () => {
    if (used === room.length) {
      room = new Float64Array(COLUMNS * count)
      used = 0
    }
    used += count
    return room.subarray(used - count, used)
  }
}

interface Side {
  readonly weight: number
  /** One a candidate, 0..1. */
  readonly values: Float64Array
}

function speaks(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) if (values[i]! > 0) return true
  return false
}

/**
 * The weighted mean of the sides that say anything; one that is silent for all is taken to agree with the others.
 * Text search alone, recall at 10 (MRR): LoCoMo .730 (.557) with 0 for what is silent, .756 (.625) so; assistant
 * set .712 (.441) and .718 (.500).
 */
function fuse(sides: readonly [Side, ...Side[]]): Float64Array {
  const speaking = sides.filter(({ values }) => speaks(values))
  const total = speaking.reduce((sum, { weight }) => sum + weight, 0)
  const fused = new Float64Array(sides[0].values.length)
  for (const { weight, values } of speaking) {
    for (let i = 0; i < fused.length; i++) fused[i]! += (weight / total) * values[i]!
  }
  return fused
}

/** Each as a share of the largest. */
function shares(values: Float64Array): Float64Array {
  let largest = 0
  for (const value of values) largest = Math.max(largest, value)
  const shared = new Float64Array(values.length)
  for (let i = 0; i < values.length; i++) if (values[i]! > 0) shared[i] = values[i]! / largest
  return shared
}

/** @param cosines NaN for none */
function denseShares(cosines: Float64Array, meanCosine: number): Float64Array {
  let largest = Number.NEGATIVE_INFINITY
  for (let i = 0; i < cosines.length; i++) if (cosines[i]! > largest) largest = cosines[i]!
  const spread = largest - meanCosine
  const values = new Float64Array(cosines.length)
  for (let i = 0; i < values.length; i++) {
    const cosine = cosines[i]!
    if (Number.isNaN(cosine)) continue
    // Nothing stands out, as in a store of one record: what is alike at all is found.
    if (spread < SMALLEST_SPREAD) values[i] = cosine > 0 ? 1 : 0
    else values[i] = Math.max(0, (cosine - meanCosine) / spread)
  }
  return values
}
