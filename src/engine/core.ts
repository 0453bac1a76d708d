import type {
  Embedder,
  LanguageModel,
  MemoryStore,
  Reranker,
  TextSearch,
  TokenTable,
  TurnSearch,
  VectorSearch,
} from '../contract/index.ts'
import type { Policies } from '../kinds/index.ts'
import type { Prompts } from '../learning/index.ts'
import type { InProcessIndex } from '../retrieval/index.ts'
import type { EngineDefaults } from './defaults.ts'
import type { DegradationWatch } from './degradations.ts'
import type { CheckedModelLimits } from './language-model/limits.ts'
import type { PendingVectors } from './pending-vectors.ts'
import type { Clock, Logger } from './seams.ts'
import type { TokenKeys } from './token-keys.ts'
import type { TouchQueue } from './touch-queue.ts'

/** Where searches are answered: the store's own facets, else the in-process index over its log. */
export interface Facets {
  readonly text: TextSearch
  readonly vectors: VectorSearch
  readonly turns: TurnSearch
  /** False only when no record that a search could find by it has this key. Absent: not known. */
  readonly mayHaveKey?: ((key: string) => boolean) | undefined
  /** They judge `where` and `lifetimes` of a window themselves; otherwise they are given `only`. */
  readonly judges: boolean
  /** Who answers, for `explain`. */
  readonly ran: { readonly text: string; readonly vectors: string }
}

/** The services that verbs run on: one per open engine, shared by its views. */
export interface Core {
  readonly store: MemoryStore
  /** Null: text search only. */
  readonly embedder: Embedder | null
  readonly table: TokenTable | null
  readonly reranker: Reranker | null
  /** Asked through `askModel` only. Null: everything works by rules. */
  readonly model: LanguageModel | null
  readonly modelLimits: CheckedModelLimits
  readonly prompts: Prompts
  /** Null when the store has every facet itself. */
  readonly index: InProcessIndex | null
  readonly facets: Facets
  /** Null: the store is whole or fails. */
  readonly degradations: DegradationWatch | null
  readonly pending: PendingVectors
  readonly touches: TouchQueue
  readonly defaults: EngineDefaults
  readonly policies: Policies
  readonly journalReads: 'reasoned' | 'all'
  readonly clock: Clock
  readonly ids: () => string
  /** Of transactions: always ours, as idempotency leans on them. */
  readonly transactionIds: () => string
  readonly logger: Logger
  /** Work that nobody waits for but closing; a failure is told to the logger. */
  background(work: Promise<unknown>, failure: string): void
  /** Resolves when the work in the background has ended. */
  settled(): Promise<unknown>
  /** What cursors are sealed with. */
  readonly tokenKeys: TokenKeys
  /** Aborted when the engine closes or stops: streams end, background work ends. */
  readonly closing: AbortSignal
  /** Resolves on the next commit of this engine. */
  readonly committed: Announcer
}

/** Wakes whoever waits for the next commit. */
export interface Announcer {
  announce(): void
  next(): Promise<void>
}

export function createAnnouncer(): Announcer {
  let waiting: (() => void)[] = []
  return {
    announce() {
      const ready = waiting
      waiting = []
      for (const wake of ready) wake()
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  }
}
