import type { Candidate, Collection } from './candidate.ts'
import type { Question } from './question.ts'
import { shapeFlag } from './shape.ts'
import type { TokenMatch } from './token-match.ts'

/** Everything that ranking weighs about one candidate; also what an explanation shows. All finite. */
export interface Signals {
  /** BM25 as a share of the best, 0..1. */
  readonly b: number
  /** Cosine above that of the average record, as a share of the best, 0..1. */
  readonly d: number
  /** Token match as a share of the best, 0..1. */
  readonly m: number
  /** Share of the query that the token match covers, 0..1. */
  readonly m2: number
  /** The plain hybrid value, .4 b + .4 d + .2 m, over the sides that say anything: the base of the signals below. */
  readonly f0: number
  /** f0 in place of d when no candidate has a vector; in place of m and m2 when no token matches. Else 0. */
  readonly fd: number
  readonly fm: number
  /** f0 of the turns one before, one after, two before, two after, in the same thread. */
  readonly fp1: number
  readonly fn1: number
  readonly fp2: number
  readonly fn2: number
  /** f0 of the turn before, when that one holds a question mark. */
  readonly prevqF: number
  /** Mean of the thread's three best f0, and its best. */
  readonly tm: number
  readonly tx: number
  /** 1 when said by the actor asked about; the same times f0. */
  readonly am: number
  readonly amf: number
  /** Answer-shape flags of the text: ends in a question mark, names a time, holds a name. */
  readonly isq: number
  readonly rt: number
  readonly cw: number
  /** First or second turn of its thread. */
  readonly first: number
  /** The kind of answer asked for, and a text of that shape. */
  readonly whenRt: number
  readonly hmNu: number
  readonly wherePl: number
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
    const f0 = fused[i]!
    const thread = candidate.thread === null ? undefined : threads.get(candidate.thread)
    const neighbour = (offset: number): number => thread?.places.get(candidate.position + offset) ?? -1
    const fusedOf = (index: number): number => (index < 0 ? 0 : fused[index]!)
    const before = neighbour(-1)
    const asks = before >= 0 && shapeFlag(candidates[before]!.shape, 'hasQuestionMark') === 1
    const am = question.actorAsked !== null && candidate.actor === question.actorAsked ? 1 : 0
    const rt = shapeFlag(candidate.shape, 'time')
    return {
      b: text[i]!,
      d: dense[i]!,
      m: tokens[i]!,
      m2: match?.[i]?.m2 ?? 0,
      f0,
      fd: noDense * f0,
      fm: noTokens * f0,
      fp1: fusedOf(before),
      fn1: fusedOf(neighbour(1)),
      fp2: fusedOf(neighbour(-2)),
      fn2: fusedOf(neighbour(2)),
      prevqF: asks ? fusedOf(before) : 0,
      tm: thread?.mean ?? f0,
      tx: thread?.best ?? f0,
      am,
      amf: am * f0,
      isq: shapeFlag(candidate.shape, 'question'),
      rt,
      cw: shapeFlag(candidate.shape, 'name'),
      first: thread !== undefined && candidate.position < FIRST_TURNS ? 1 : 0,
      whenRt: question.when ? rt : 0,
      hmNu: question.howMany ? shapeFlag(candidate.shape, 'number') : 0,
      wherePl: question.where ? shapeFlag(candidate.shape, 'place') : 0,
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
