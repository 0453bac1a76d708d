/**
 * The plain data that the stages of a search pass on: no store, no I/O.
 * gather makes candidates; signals, rank, score and select only read them.
 */

/** One record that text, vector or key search found, with what is known about it. */
export interface Candidate {
  readonly id: string
  /** Raw BM25 of the query over what the read may see; 0 when text search did not find it. */
  readonly bm25: number
  /** Cosine with the query vector, -1..1; null when the record has no vector in the current space. */
  readonly cosine: number | null
  /** Distinct token ids of its lexical text, ascending; empty without a token table. */
  readonly tokens: readonly number[]
  /** Answer-shape bits of its text, see `shapeOf`. */
  readonly shape: number
  /** Who said it. */
  readonly actor: string | null
  /** Equal for all turns of one session in one exact scope; null when the record is not a turn. */
  readonly thread: string | null
  /** Place among the visible turns of its thread, from 0. */
  readonly position: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly importance: number
  readonly reliability: number
  /** True when the query is exactly the record's key. */
  readonly keyMatch: boolean
}

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
