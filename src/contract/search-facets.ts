import type { Kind, Lifetimes, ScopeFilter, Status } from '../model/index.ts'
import type { OperationOptions } from './embedder.ts'
import type { ListQuery } from './reading.ts'

/** What a search may see beside its scope, and how its results are narrowed. Statistics are those of what it may see. */
export interface SearchWindow {
  readonly statuses: readonly Status[]
  /** Epoch milliseconds: expired records are out. */
  readonly now: number
  readonly kinds?: readonly Kind[] | undefined
  /** Only these records may be found; statistics stay those of everything visible. */
  readonly only?: ReadonlySet<string> | undefined
  /** The same as conditions, for a store that `judges`. Too many may be found: the engine looks at each once more. */
  readonly where?: Pick<ListQuery, 'tags' | 'filter' | 'since' | 'until' | 'validAt'> | undefined
  /** How long records live beside their own expiry, judged at `now`; for a store that `judges`. @default for ever */
  readonly lifetimes?: Lifetimes | undefined
  /** Compare every vector exactly; otherwise a few of the nearest of many may be missing. @default false */
  readonly exact?: boolean | undefined
  readonly limit: number
}

/** A record that was found by its words. */
export interface TextHit {
  readonly id: string
  /** Raw BM25 (k1 1.2, b 0.75), above 0. */
  readonly score: number
}

export interface TextHits {
  /** Best first, ties by id. */
  readonly hits: readonly TextHit[]
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

/** A record that was found by its vector. */
export interface VectorHit {
  readonly id: string
  readonly cosine: number
}

export interface VectorHits {
  /** Best first, ties by id; records without a vector in the space, and zero vectors, are never found. */
  readonly hits: readonly VectorHit[]
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

/** What is known about one record that was found: plain data for the ranking. */
export interface Turn {
  readonly id: string
  /** BM25 of the query's terms; 0 when it has none of them. */
  readonly bm25: number
  /** Cosine with the query vector, -1..1; null when the record has no vector in its space. */
  readonly cosine: number | null
  /** Distinct token ids of its lexical text, ascending; empty when the query names no tokens. */
  readonly tokens: readonly number[]
  /** Answer-shape bits of its text. */
  readonly shape: number
  /** Who said it. */
  readonly actor: string | null
  /** Equal for all turns of one session in one exact scope; null when the record is not a turn. */
  readonly thread: string | null
  /**
   * Place among the visible turns of its thread, from 0. Of turns before it that are not described, two at least are counted
   * since the last that is, and the others may be: so who are neighbours is told, and who opens a thread.
   */
  readonly position: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly importance: number
  readonly reliability: number
  /** True when the query is exactly the record's key. */
  readonly keyMatch: boolean
}

/** What searches found; a record may be in several of them. */
export interface Found {
  /** Ids of records whose key is the query. */
  readonly keyed?: Iterable<string> | undefined
  readonly text?: readonly TextHit[] | undefined
  readonly near?: readonly VectorHit[] | undefined
}

export interface TurnDetails {
  /** Each record once, in the order keyed, text, near; records that are not visible are left out. */
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
}

/** Who said it, where in its thread, and what is around: what the ranking wants to know of each candidate. */
export interface TurnSearch {
  /** Every actor of the visible records, with the role its source type gives it. */
  actors(
    scope: ScopeFilter,
    window: SearchWindow,
    options?: OperationOptions,
  ): Promise<readonly { readonly name: string; readonly role: 'user' | 'assistant' | 'other' }[]>
  /** Where each record stands in the order in which those of its owner were first written; null for one that is not there. */
  arrivals(ids: readonly string[], options?: OperationOptions): Promise<readonly (number | null)[]>
  /** What the hits say of a record is taken over; the rest is worked out. */
  describe(
    scope: ScopeFilter,
    found: Found,
    query: TurnQuery,
    window: SearchWindow,
    options?: OperationOptions,
  ): Promise<TurnDetails>
}
