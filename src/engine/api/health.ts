import type { MigrationCounts, StoreHealth } from '../../contract/index.ts'
import type { Scope } from '../../model/index.ts'
import type { Degradable } from './searching.ts'

export interface HealthOptions {
  /** How long the store is waited for, milliseconds, 1..600000; opening it included. @default 5000 */
  readonly timeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * `ok`: all is well. `degraded`: some answers are partial or slower, or some writes wait; it mends itself when what is away comes
 * back, unless something is set aside. `down`: nothing can be acknowledged. `tiers`: the layers of the store, each with its own status.
 */
export interface Health extends StoreHealth {
  readonly metadata: EngineMetadata
}

/** What an engine is made of, known without asking anybody. */
export interface EngineMetadata {
  readonly name: 'mneme'
  readonly version: string
  /** The store's name. */
  readonly store: string
  /** What the store was made with, such as its layers and how long a hot one keeps entries; null where it says nothing. */
  readonly storeSettings: Readonly<Record<string, string | number>> | null
  /** Null: text search only. */
  readonly embedder: { readonly id: string; readonly dimensions: number } | null
  /** How text becomes terms. */
  readonly analyser: string
  /** Who counts tokens where a call does not say. */
  readonly tokenCounter: string
  /** The language model and the reranker, null without. */
  readonly model: string | null
  readonly reranker: string | null
  /** Days that memories live, by kind; kinds that are not named live for ever, unknown ones as long as semantic ones. */
  readonly ttlDays: Readonly<Record<string, number>>
}

export interface MigrateToColdOptions {
  /** Of the session, without it or with it. @default the engine's, in a view its own */
  readonly scope?: Scope | undefined
  readonly signal?: AbortSignal | undefined
}

export interface MigrateToColdResult extends MigrationCounts, Degradable {}
