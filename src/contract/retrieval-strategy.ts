import type { MemoryRecord } from '../model/index.ts'

/** What is asked, read. */
export interface StrategyQuery {
  readonly query: string
  /** The stemmed words that text search looks for. */
  readonly terms: readonly string[]
  /** Absent where search goes by words alone. */
  readonly vector?: Float32Array
  /** How many are wanted; what comes after is not looked at. */
  readonly limit: number
}

/** A memory that may be an answer. */
export interface RankedCandidate {
  readonly id: string
  readonly record: MemoryRecord
  /** How well it fits, 0..1, comparable between queries. Absent: nothing says so, and it is shown as 0. */
  readonly score?: number
}

/**
 * Where candidates come from: memories of the kind that passed scope, status, expiry and every filter of the search, and no
 * others. Each takes how many are wanted at most. @default 200, or the limit of the query
 */
export interface StrategySources {
  /** The best by words. */
  text(limit?: number): Promise<RankedCandidate[]>
  /** The nearest in meaning; none where search goes by words alone. */
  vector(limit?: number): Promise<RankedCandidate[]>
  /** Newest first, without a score. @default all of them */
  list(limit?: number): Promise<RankedCandidate[]>
  /** What search finds without a strategy: words, meaning, their surroundings, weights. Absent outside of a search. */
  hybrid?(limit?: number): Promise<RankedCandidate[]>
}

/** Positions of the candidates that fit, best first; none when none does. It may say that another order is right. */
export type Judge = (
  query: string,
  candidates: readonly { id: string; trigger: string }[],
) => Promise<readonly number[]>

/** How memories of one kind are found, on plain data: it works with every store. */
export interface RetrievalStrategy {
  /** Asked by `match` of skills or tools too, where the call names none. */
  readonly judge?: Judge
  /**
   * The candidates that are answers, best first: they are shown in this order, with their scores. Those that no source gave are
   * passed over, repeated ones count once. When it throws, what search finds without it is the answer, and the answer says so.
   */
  rank(query: StrategyQuery, from: StrategySources): Promise<readonly RankedCandidate[]>
}
