import type { Kind, ScopeFilter, Status } from '../model/index.ts'
import type { OperationOptions } from './embedder.ts'

/** What a search may see beside its scope, and how its results are narrowed. Statistics are those of what it may see. */
export interface SearchWindow {
  readonly statuses: readonly Status[]
  /** Epoch milliseconds: expired records are out. */
  readonly now: number
  readonly kinds?: readonly Kind[] | undefined
  /** Only these records may be found; statistics stay those of everything visible. */
  readonly only?: ReadonlySet<string> | undefined
  /** Compare every vector exactly; otherwise a few of the nearest of many may be missing. @default false */
  readonly exact?: boolean | undefined
  readonly limit: number
}

export interface TextHits {
  /** Best first, ties by id; scores are raw BM25 (k1 1.2, b 0.75), above 0. */
  readonly hits: readonly { readonly id: string; readonly score: number }[]
  /** Visible records that have terms. */
  readonly documents: number
  /** In the order of the terms asked for. */
  readonly idfs: readonly number[]
}

/** Ranks by BM25 over the statistics of exactly what the read may see; equal to 1e-6 on every store (STO-TXT-1). */
export interface TextSearch {
  match(
    scope: ScopeFilter,
    terms: readonly string[],
    window: SearchWindow,
    options?: OperationOptions,
  ): Promise<TextHits>
}

export interface VectorHits {
  /** Best first, ties by id; records without a vector in the space, and zero vectors, are never found. */
  readonly hits: readonly { readonly id: string; readonly cosine: number }[]
  /** Visible records with a vector in the space. */
  readonly vectors: number
  /** Product of the unit query vector with the mean of the visible unit vectors; of more than a thousand within .01. */
  readonly meanCosine: number
}

export interface VectorSearch {
  nearest(
    scope: ScopeFilter,
    space: string,
    vector: Float32Array,
    window: SearchWindow,
    options?: OperationOptions,
  ): Promise<VectorHits>
}

export interface Turn {
  readonly id: string
  /** Distinct, ascending; none when the query names no tokens. */
  readonly tokens: readonly number[]
  readonly shape: number
  readonly actor: string | null
  readonly thread: string | null
  readonly position: number
  /** Cosine with the query vector; null without one. */
  readonly cosine: number | null
  /** BM25 of the query's terms. */
  readonly bm25: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly importance: number
  readonly reliability: number
}

export interface TurnDetails {
  /** In the order of the ids asked for; ids that are not visible are left out. */
  readonly turns: readonly Turn[]
  /** Document frequency of each token asked for. */
  readonly tokenFrequencies: readonly number[]
  readonly averageTokens: number
}

/** What turns are compared with. */
export interface TurnQuery {
  readonly terms: readonly string[]
  /** Absent: the tokens of turns are not wanted. */
  readonly tokens?: readonly number[] | undefined
  readonly space?: string | undefined
  readonly vector?: Float32Array | undefined
  /** What searches have just said, in the order of the ids, NaN for nothing: it needs not be worked out again. */
  readonly known?: { readonly bm25: Float64Array; readonly cosines: Float64Array } | undefined
}

/** Who said it, where in its thread, and what is around: what the ranking wants to know of each candidate. */
export interface TurnSearch {
  /** Every actor of the visible records, with the role its source type gives it. */
  actors(
    scope: ScopeFilter,
    window: SearchWindow,
    options?: OperationOptions,
  ): Promise<readonly { readonly name: string; readonly role: 'user' | 'assistant' | 'other' }[]>
  describe(
    scope: ScopeFilter,
    ids: readonly string[],
    query: TurnQuery,
    window: SearchWindow,
    options?: OperationOptions,
  ): Promise<TurnDetails>
}
