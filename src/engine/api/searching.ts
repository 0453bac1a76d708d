import type { ErrorCode } from '../../errors/index.ts'
import type { Filter, Kind, MemoryRecord, Status } from '../../model/index.ts'
import type { ReadScopeOptions } from './options.ts'

export interface ScoreWeights {
  readonly recency?: number | undefined
  readonly importance?: number | undefined
  readonly reliability?: number | undefined
}

export interface SearchOptions extends ReadScopeOptions {
  readonly kinds?: readonly Kind[] | undefined
  readonly filter?: Filter | undefined
  readonly tags?: readonly string[] | undefined
  readonly status?: Status | readonly Status[] | 'any' | undefined
  /** 1..1000. @default 10 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  /** 0..1; results below are left out. @default 0 */
  readonly minScore?: number | undefined
  /** @default 'hybrid', or 'text' where the engine has no embedder */
  readonly mode?: 'hybrid' | 'text' | 'vector' | undefined
  /** @default 'convex' */
  readonly fusion?: 'convex' | 'rrf' | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  /**
   * What was true in the world at that moment: also what was superseded since, unless `status` says otherwise; never what is
   * invalid or quarantined.
   */
  readonly validAt?: string | undefined
  /** Search what the store believed then. With `validAt`: what it believed then of that moment. */
  readonly asOf?: string | undefined
  /** Each >= 0; all 0 is relevance alone. @default 1 each */
  readonly weights?: ScoreWeights | undefined
  /** @default 72 */
  readonly recencyHalfLifeHours?: number | undefined
  /** @default 'createdAt' */
  readonly recencyAnchor?: 'createdAt' | 'updatedAt' | 'lastAccessedAt' | undefined
  /** 0..1: how much to prefer results unlike those before. @default 0 */
  readonly diversity?: number | undefined
  /** False: leave out the engine's reranker. @default true when there is one */
  readonly rerank?: boolean | undefined
  /** Compare every vector exactly. */
  readonly exact?: boolean | undefined
  /** Say with each hit why it is there. @default false */
  readonly explain?: boolean | undefined
  readonly reason?: string | undefined
  /** Count the results as used. @default true */
  readonly touch?: boolean | undefined
  /** The query's vector, when the caller has it already. */
  readonly vector?: readonly number[] | Float32Array | undefined
}

/** Numbers behind a score. */
export interface Explanation {
  readonly rank: number
  readonly relevance: number
  readonly value: number
  readonly signals: Readonly<Record<string, number>>
  readonly factors: { readonly recency: number; readonly importance: number; readonly reliability: number }
  /** Which implementations answered: the store's own or the in-process index. */
  readonly ran: { readonly text: string; readonly vectors: string; readonly fusion: string }
}

export type SearchHit = MemoryRecord & { readonly score: number; readonly explanation?: Explanation }

/** A stage that could not do its part; the rest answered. */
export interface Degradation {
  /** `hot` and `cold`: a layer of the store. */
  readonly stage: 'embedder' | 'reranker' | 'strategy' | 'model' | 'hot' | 'cold'
  readonly code: ErrorCode | 'RERANKER_FAILED' | 'STRATEGY_FAILED'
  readonly message: string
}

/** What an answer about a call says where it may lack something. */
export interface Degradable {
  readonly degraded?: readonly Degradation[]
}

export interface SearchResult extends Degradable {
  readonly results: readonly SearchHit[]
  readonly nextCursor?: string
}

export type ExplainStage =
  | 'scope'
  | 'filter'
  | 'status'
  | 'expired'
  | 'text'
  | 'vector'
  | 'fusion'
  | 'threshold'
  | 'limit'
  | 'returned'
export interface ExplainResult extends Degradable {
  readonly id: string
  readonly found: boolean
  /** The stage that kept or dropped the record. */
  readonly stage: ExplainStage
  readonly rank?: number
  readonly score?: number
  readonly parts: Readonly<Record<string, number | string | boolean>>
}
