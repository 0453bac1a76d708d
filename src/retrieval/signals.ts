import type { Candidate, Collection } from './candidate.ts'
import type { Question } from './question.ts'
import { shapeFlag } from './shape.ts'
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

/** `bestOf` names them one by one. */
const THREAD_BEST = 3
const FIRST_TURNS = 2
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
  const column = (): Float64Array => new Float64Array(candidates.length)
  const bm25 = column()
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
    const { bm25: score, shape, actor } = candidates[i]!
    bm25[i] = score
    if (match !== null) {
      matched[i] = match[i]!.m
      coverage[i] = match[i]!.m2
    }
    if (question.actorAsked !== null && actor === question.actorAsked) askedActor[i] = 1
    endsInQuestion[i] = shapeFlag(shape, 'question')
    namesTime[i] = shapeFlag(shape, 'time')
    holdsName[i] = shapeFlag(shape, 'name')
    holdsNumber[i] = shapeFlag(shape, 'number')
    namesPlace[i] = shapeFlag(shape, 'place')
  }
  const words = shares(bm25)
  const meaning = denseShares(candidates, collection.meanCosine)
  const pieces = shares(matched)
  const base = fuse([
    { weight: 0.4, values: words },
    { weight: 0.4, values: meaning },
    { weight: 0.2, values: pieces },
  ])
  const none = column()
  const thread = threadSignals(candidates, base)
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
    askedActorBase: askedActor.map((asked, i) => asked * base[i]!),
    endsInQuestion,
    namesTime,
    holdsName,
    opensThread: thread.opensThread,
    whenWithTime: question.when ? namesTime : none,
    howManyWithNumber: question.howMany ? holdsNumber : none,
    whereWithPlace: question.where ? namesPlace : none,
  }
}

interface Side {
  readonly weight: number
  /** One a candidate, 0..1. */
  readonly values: Float64Array
}

const speaks = (values: Float64Array): boolean => values.some((value) => value > 0)

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

function denseShares(candidates: readonly Candidate[], meanCosine: number): Float64Array {
  let largest = Number.NEGATIVE_INFINITY
  for (const { cosine } of candidates) if (cosine !== null && cosine > largest) largest = cosine
  const spread = largest - meanCosine
  const values = new Float64Array(candidates.length)
  for (let i = 0; i < values.length; i++) {
    const { cosine } = candidates[i]!
    if (cosine === null) continue
    // Nothing stands out, as in a store of one record: what is alike at all is found.
    if (spread < SMALLEST_SPREAD) values[i] = cosine > 0 ? 1 : 0
    else values[i] = Math.max(0, (cosine - meanCosine) / spread)
  }
  return values
}

type ThreadSignal =
  | 'previous'
  | 'next'
  | 'secondPrevious'
  | 'secondNext'
  | 'previousQuestion'
  | 'threadMean'
  | 'threadBest'
  | 'opensThread'

/** What the other turns of its thread say of a candidate. */
function threadSignals(
  candidates: readonly Candidate[],
  base: Float64Array,
): { readonly [Name in ThreadSignal]: Float64Array } {
  const column = (): Float64Array => new Float64Array(candidates.length)
  const previous = column()
  const next = column()
  const secondPrevious = column()
  const secondNext = column()
  const previousQuestion = column()
  const opensThread = column()
  const threadMean = base.slice()
  const threadBest = base.slice()
  for (const turns of threadsOf(candidates)) {
    const { mean, best } = bestOf(turns, candidates, base)
    for (let t = 0; t < turns.length; t++) {
      const i = turns[t]!
      const { position } = candidates[i]!
      threadMean[i] = mean
      threadBest[i] = best
      if (position < FIRST_TURNS) opensThread[i] = 1
      // Turns are in their order: those before are the two before in the list, at most.
      for (let back = 1; back <= 2 && back <= t; back++) {
        const before = turns[t - back]!
        const distance = position - candidates[before]!.position
        if (distance === 1) {
          previous[i] = base[before]!
          next[before] = base[i]!
          if (shapeFlag(candidates[before]!.shape, 'hasQuestionMark') === 1) previousQuestion[i] = base[before]!
        } else if (distance === 2) {
          secondPrevious[i] = base[before]!
          secondNext[before] = base[i]!
        }
      }
    }
  }
  return { previous, next, secondPrevious, secondNext, previousQuestion, threadMean, threadBest, opensThread }
}

/** The candidates of each thread, as places, in the order of their turns. */
function threadsOf(candidates: readonly Candidate[]): Iterable<readonly number[]> {
  const threads = new Map<string, number[]>()
  for (let i = 0; i < candidates.length; i++) {
    const { thread } = candidates[i]!
    if (thread === null) continue
    const turns = threads.get(thread)
    if (turns === undefined) threads.set(thread, [i])
    else turns.push(i)
  }
  const position = (place: number): number => candidates[place]!.position
  for (const turns of threads.values()) if (turns.length > 1) turns.sort((a, b) => position(a) - position(b))
  return threads.values()
}

/** Mean of the three best of a thread, and its best. */
function bestOf(
  turns: readonly number[],
  candidates: readonly Candidate[],
  base: Float64Array,
): { readonly mean: number; readonly best: number } {
  // Turns that are no candidates count 0. How many there are is known up to the last candidate.
  const known = candidates[turns.at(-1)!]!.position + 1
  let [first, second, third] = [0, 0, 0]
  for (let t = 0; t < turns.length; t++) {
    const value = base[turns[t]!]!
    if (value > first) [first, second, third] = [value, first, second]
    else if (value > second) [second, third] = [value, second]
    else if (value > third) third = value
  }
  const mean = (first + second + third) / Math.min(THREAD_BEST, Math.max(turns.length, known))
  return { mean, best: first }
}
