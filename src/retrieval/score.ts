import { compareIds } from '../contract/index.ts'
import { bm25Max } from '../text/index.ts'
import { bestFirst } from './best-first.ts'
import type { Candidate, Collection } from './candidate.ts'
import type { Ranked } from './rank.ts'

/** What the caller asked to search by. A hybrid search that lost its vectors is still a hybrid one. */
export type SearchMode = 'hybrid' | 'text' | 'vector'

/** Three things that move a score beside relevance. */
export interface Factors {
  readonly recency: number
  readonly importance: number
  readonly reliability: number
}

/** What a record's factors are, 0..1 each, and how much each counts: 0 not at all, 1 by a tenth up or down. */
export interface Adjustment {
  readonly factors: Factors
  readonly weights: Factors
}

export interface ScoreOptions {
  readonly mode: SearchMode
  /** Looked up once per candidate. Absent: relevance alone. */
  readonly adjust?: (candidate: Candidate) => Adjustment
  /** Weights that none of `adjust` is above: those that can't reach the best are not looked up. @default nothing is known of them */
  readonly mostWeights?: Factors | undefined
}

/** A candidate with its score and what it is made of. */
export interface Scored {
  readonly candidate: Candidate
  /** Relevance moved by the factors, 0..1. Comparable between queries. */
  readonly score: number
  /** 0..1, before the factors. */
  readonly relevance: number
  /** What text and vectors say about this candidate alone, 0..1. */
  readonly evidence: number
  /** What it was ranked by. */
  readonly value: number
}

const FACTOR_SHARE = 0.2
// Cosines are single precision: closer than this is equal.
const SMALLEST_SPREAD = 1e-6

const textShare = { hybrid: 0.5, text: 1, vector: 0 } as const satisfies Record<SearchMode, number>

/**
 * Turns the values of `ranked`, in any order, into scores that mean something: the best candidate gets the strongest
 * evidence that there is for any candidate, the others a share of it by their rank value. So a threshold can
 * say "nothing relevant", and scores of two queries compare. A record whose key is the query is certain: its
 * relevance and score are 1, whatever its factors. Best first; equal scores by rank value, then by id.
 */
export function score(
  ranked: readonly Ranked[],
  collection: Pick<Collection, 'vectors' | 'meanCosine' | 'termIdfs'>,
  options: ScoreOptions,
): readonly Scored[] {
  const candidates = ranked.map(({ candidate }) => candidate)
  const values = ranked.map(({ value }) => value)
  return [...scoreInTurn(candidates, values, collection, options)]
}

/** The same, one after the other, of candidates and their values: what nobody asks for is not scored. */
export function* scoreInTurn(
  candidates: readonly Candidate[],
  values: ArrayLike<number>,
  collection: Pick<Collection, 'vectors' | 'meanCosine' | 'termIdfs'>,
  { mode, adjust, mostWeights }: ScoreOptions,
): Generator<Scored, void, undefined> {
  const evidence = evidenceOf(candidates, collection, mode)
  let strongest = 0
  let bestValue = 0
  for (let i = 0; i < candidates.length; i++) {
    strongest = Math.max(strongest, evidence[i]!)
    bestValue = Math.max(bestValue, values[i]!)
  }
  const relevances = new Float64Array(candidates.length)
  const bounds = new Float64Array(candidates.length)
  const most = mostWeights === undefined ? Number.POSITIVE_INFINITY : factorOf(mostWeights, mostFactors)
  for (let i = 0; i < candidates.length; i++) {
    const found = bestValue > 0 ? strongest * (Math.max(0, values[i]!) / bestValue) : evidence[i]!
    relevances[i] = candidates[i]!.keyMatch ? 1 : found
    bounds[i] = relevances[i] === 0 ? 0 : Math.min(1, relevances[i]! * most)
  }
  const places = bestFirst({
    bounds,
    keyOf: (i) => scoreOf(candidates[i]!, relevances[i]!, adjust),
    before: (a, b) =>
      Number(candidates[b]!.keyMatch) - Number(candidates[a]!.keyMatch) ||
      values[b]! - values[a]! ||
      compareIds(candidates[a]!.id, candidates[b]!.id),
  })
  for (const i of places) {
    yield {
      candidate: candidates[i]!,
      score: bounds[i]!,
      relevance: relevances[i]!,
      evidence: evidence[i]!,
      value: values[i]!,
    }
  }
}

const mostFactors: Factors = { recency: 1, importance: 1, reliability: 1 }

function scoreOf(candidate: Candidate, relevance: number, adjust: ScoreOptions['adjust']): number {
  return adjust === undefined || candidate.keyMatch ? relevance : adjusted(relevance, adjust(candidate))
}

/** The scores of results whose factors are known, and their order by them: what `score` does with `adjust`. */
export function adjustScores(
  scored: readonly Scored[],
  adjust: (candidate: Candidate) => Adjustment,
): readonly Scored[] {
  return inOrder(scored.map((one) => ({ ...one, score: scoreOf(one.candidate, one.relevance, adjust) })))
}

function inOrder(scored: Scored[]): readonly Scored[] {
  return scored.sort(
    (a, b) =>
      b.score - a.score ||
      Number(b.candidate.keyMatch) - Number(a.candidate.keyMatch) ||
      b.value - a.value ||
      compareIds(a.candidate.id, b.candidate.id),
  )
}

/** The relevance moved by each factor: by its weight times a tenth at most, up or down. */
export function adjusted(relevance: number, { factors, weights }: Adjustment): number {
  return clamp(relevance * factorOf(weights, factors))
}

function factorOf(weights: Factors, factors: Factors): number {
  return (
    moved(weights.recency, factors.recency) *
    moved(weights.importance, factors.importance) *
    moved(weights.reliability, factors.reliability)
  )
}

function moved(weight: number, factor: number): number {
  return Math.max(0, 1 + FACTOR_SHARE * weight * (factor - 0.5))
}

/**
 * How fresh something is: 1 now, a half after each half-life. What lies ahead is as fresh as now.
 * @param halfLifeHours above 0; `Infinity` never ages
 */
export function recency(anchorMs: number, nowMs: number, halfLifeHours: number): number {
  const hours = (nowMs - anchorMs) / 3_600_000
  return hours > 0 ? clamp(0.5 ** (hours / halfLifeHours)) : 1
}

/**
 * What text and vectors say about each candidate by itself, 0..1: the share of the most that BM25 could reach
 * for the query, and how far the cosine exceeds that of the other records.
 */
export function evidenceOf(
  candidates: readonly Candidate[],
  collection: Pick<Collection, 'vectors' | 'meanCosine' | 'termIdfs'>,
  mode: SearchMode,
): readonly number[] {
  const most = bm25Max(collection.termIdfs)
  let nearest = -1
  for (let i = 0; i < candidates.length; i++) nearest = Math.max(nearest, candidates[i]!.cosine ?? -1)
  const distinct = nearest - collection.meanCosine > SMALLEST_SPREAD
  const byText = textShare[mode]
  const evidence = new Array<number>(candidates.length)
  for (let i = 0; i < candidates.length; i++) {
    const { bm25, cosine } = candidates[i]!
    const text = most > 0 ? clamp(bm25 / most) : 0
    const vector = cosine === null ? 0 : excess(cosine, distinct ? meanOfOthers(cosine, collection) : 0)
    evidence[i] = byText * text + (1 - byText) * vector
  }
  return evidence
}

/** The mean cosine without the record itself: in a store of one or two it would be its own measure. */
function meanOfOthers(cosine: number, { vectors, meanCosine }: Pick<Collection, 'vectors' | 'meanCosine'>): number {
  // Below 0, unrelated records would lend relevance to each other.
  return vectors > 1 ? Math.max(0, (vectors * meanCosine - cosine) / (vectors - 1)) : 0
}

function excess(cosine: number, baseline: number): number {
  return baseline < 1 ? clamp((cosine - baseline) / (1 - baseline)) : 0
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}
