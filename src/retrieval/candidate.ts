import type { Turn } from '../contract/index.ts'

/**
 * The plain data that the stages of a search pass on: no store, no I/O.
 * gather makes candidates; signals, rank, score and select only read them.
 */

/** One record that text, vector or key search found, with what is known about it. */
export type Candidate = Turn

/** What is known about everything the read may see, candidates or not. */
export interface Collection {
  /** Visible records with text. */
  readonly documents: number
  /** Visible records that have a vector in the current space. */
  readonly vectors: number
  /** Cosine-like product of the unit query vector with the mean of the visible unit vectors; 0 without vectors. */
  readonly meanCosine: number
  /** In how many visible records a token occurs. */
  readonly tokenFrequency: (token: number) => number
  /** Mean number of distinct tokens of the visible records. */
  readonly averageTokens: number
  /** Inverse document frequencies of the query's terms, absent ones included. */
  readonly termIdfs: readonly number[]
}
