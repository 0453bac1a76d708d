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

const THREAD_BEST = 3
const FIRST_TURNS = 2
// Cosines are single precision: a smaller spread than this is rounding.
const SMALLEST_SPREAD = 1e-6

/**
 * Measures every candidate, in order, on every signal. Neighbours and thread mates count only when they are
 * candidates too. A record that is no turn is a thread of its own. `match` is null without a token table.
 */
export function signals(
  question: Pick<Question, 'actorAsked' | 'when' | 'howMany' | 'where'>,
  candidates: readonly Candidate[],
  collection: Pick<Collection, 'meanCosine'>,
  match: readonly TokenMatch[] | null,
): readonly Signals[] {
  const text = shares(candidates.map((candidate) => candidate.bm25))
  const dense = denseShares(candidates, collection.meanCosine)
  const tokens = shares(candidates.map((_, i) => match?.[i]?.m ?? 0))
  const fused = fuse([
    { weight: 0.4, values: text },
    { weight: 0.4, values: dense },
    { weight: 0.2, values: tokens },
  ])
  const noDense = speaks(dense) ? 0 : 1
  const noTokens = speaks(tokens) ? 0 : 1
  const threads = threadsOf(candidates, fused)

  return candidates.map((candidate, i) => {
    const base = fused[i]!
    const thread = candidate.thread === null ? undefined : threads.get(candidate.thread)
    const neighbour = (offset: number): number => thread?.places.get(candidate.position + offset) ?? -1
    const fusedOf = (index: number): number => (index < 0 ? 0 : fused[index]!)
    const before = neighbour(-1)
    const asks = before >= 0 && shapeFlag(candidates[before]!.shape, 'hasQuestionMark') === 1
    const askedActor = question.actorAsked !== null && candidate.actor === question.actorAsked ? 1 : 0
    const namesTime = shapeFlag(candidate.shape, 'time')
    return {
      words: text[i]!,
      meaning: dense[i]!,
      pieces: tokens[i]!,
      coverage: match?.[i]?.m2 ?? 0,
      base,
      withoutMeaning: noDense * base,
      withoutPieces: noTokens * base,
      previous: fusedOf(before),
      next: fusedOf(neighbour(1)),
      secondPrevious: fusedOf(neighbour(-2)),
      secondNext: fusedOf(neighbour(2)),
      previousQuestion: asks ? fusedOf(before) : 0,
      threadMean: thread?.mean ?? base,
      threadBest: thread?.best ?? base,
      askedActor,
      askedActorBase: askedActor * base,
      endsInQuestion: shapeFlag(candidate.shape, 'question'),
      namesTime,
      holdsName: shapeFlag(candidate.shape, 'name'),
      opensThread: thread !== undefined && candidate.position < FIRST_TURNS ? 1 : 0,
      whenWithTime: question.when ? namesTime : 0,
      howManyWithNumber: question.howMany ? shapeFlag(candidate.shape, 'number') : 0,
      whereWithPlace: question.where ? shapeFlag(candidate.shape, 'place') : 0,
    }
  })
}

interface Side {
  readonly weight: number
  /** One a candidate, 0..1. */
  readonly values: readonly number[]
}

const speaks = (values: readonly number[]): boolean => values.some((value) => value > 0)

/**
 * The weighted mean of the sides that say anything; one that is silent for all is taken to agree with the others.
 * Text search alone, recall at 10 (MRR): LoCoMo .730 (.557) with 0 for what is silent, .756 (.625) so; assistant
 * set .712 (.441) and .718 (.500).
 */
function fuse(sides: readonly [Side, ...Side[]]): readonly number[] {
  const speaking = sides.filter(({ values }) => speaks(values))
  const total = speaking.reduce((sum, { weight }) => sum + weight, 0)
  return sides[0].values.map((_, i) => speaking.reduce((sum, side) => sum + (side.weight / total) * side.values[i]!, 0))
}

/** Each as a share of the largest. */
function shares(values: readonly number[]): readonly number[] {
  const largest = values.reduce((most, value) => Math.max(most, value), 0)
  return values.map((value) => (largest > 0 && value > 0 ? value / largest : 0))
}

function denseShares(candidates: readonly Candidate[], meanCosine: number): readonly number[] {
  const largest = candidates.reduce(
    (most, { cosine }) => Math.max(most, cosine ?? Number.NEGATIVE_INFINITY),
    Number.NEGATIVE_INFINITY,
  )
  const spread = largest - meanCosine
  return candidates.map(({ cosine }) => {
    if (cosine === null) return 0
    // Nothing stands out, as in a store of one record: what is alike at all is found.
    if (spread < SMALLEST_SPREAD) return cosine > 0 ? 1 : 0
    return Math.max(0, (cosine - meanCosine) / spread)
  })
}

interface Thread {
  /** From the place of a turn in the thread to its place among the candidates. */
  readonly places: ReadonlyMap<number, number>
  readonly mean: number
  readonly best: number
}

function threadsOf(candidates: readonly Candidate[], fused: readonly number[]): ReadonlyMap<string, Thread> {
  const byThread = new Map<string, Map<number, number>>()
  candidates.forEach(({ thread, position }, i) => {
    if (thread === null) return
    const places = byThread.get(thread)
    if (places === undefined) byThread.set(thread, new Map([[position, i]]))
    else places.set(position, i)
  })
  const threads = new Map<string, Thread>()
  for (const [thread, places] of byThread) {
    // Turns that are no candidates count 0. How many there are is known up to the last candidate.
    const turns = Math.max(...places.keys()) + 1
    const best = [...places.values()]
      .map((i) => fused[i]!)
      .sort((a, b) => b - a)
      .slice(0, THREAD_BEST)
    const mean = best.reduce((sum, value) => sum + value, 0) / Math.max(best.length, Math.min(THREAD_BEST, turns))
    threads.set(thread, { places, mean, best: best[0]! })
  }
  return threads
}
