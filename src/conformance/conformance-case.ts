import type {
  CommitResult,
  GraphSearch,
  MemoryStore,
  StoreChange,
  TextSearch,
  Transaction,
  TurnSearch,
  VectorSearch,
} from '../contract/index.ts'
import type { MemoryRecord } from '../model/index.ts'
import type { FixedClock, put } from '../testing/index.ts'

/**
 * What a case wants of the store beyond the contract's plain part. A store that has not got it is not asked.
 * - `shared`: two instances can be open over the same data (`openSecond`)
 * - `durable`: what was committed is there after close and open (`durable`)
 * - `held-commit`: a commit can be stopped right before it becomes visible (`holdCommit`)
 * - `text`, `vectors`, `turns`: it searches by itself (`facets`)
 * - `graph`: it walks over links by itself (`facets`)
 * - `judges`: it judges the conditions of a window by itself (`judges`)
 */
export type Need = 'shared' | 'durable' | 'held-commit' | 'judges' | Facet
export type Facet = 'text' | 'vectors' | 'turns' | 'graph'

export interface Facets {
  readonly text: TextSearch
  readonly vectors: VectorSearch
  readonly turns: TurnSearch
  readonly graph: GraphSearch
}

/** One promise of the contract, checked from outside. Throws when it is not kept. */
export interface ConformanceCase {
  /** Permanent id of the rule in SPEC.md. */
  readonly rule: string
  /** The rule in a sentence. */
  readonly title: string
  readonly needs?: readonly Need[]
  run(context: ConformanceContext): Promise<void>
}

/** A commit that is stopped: everything is written, nobody sees it. */
export interface HeldCommit {
  release(): Promise<CommitResult>
}

type PutFields = Parameters<typeof put>[0]

/** What a case works with: a store of its own, open and empty, closed by the runner. */
export interface ConformanceContext {
  readonly store: MemoryStore
  readonly clock: FixedClock
  /** Ascending ids for transactions and records. */
  readonly ids: () => string
  /** Another instance over the same data, open. For cases that need `shared`. */
  openSecond(): Promise<MemoryStore>
  /** For cases that need `held-commit`. */
  holdCommit(store: MemoryStore, transaction: Transaction): Promise<HeldCommit>
  /** How the store searches. For cases that need the facet. */
  facet<F extends Facet>(name: F): Facets[F]
  /** A transaction with a fresh id at the clock's time. */
  transaction(changes: readonly StoreChange[], fields?: Partial<Transaction>): Transaction
  /** Commits such a transaction. */
  commit(changes: readonly StoreChange[], fields?: Partial<Transaction>): Promise<CommitResult>
  /** Commits one put and gives the record as stored. */
  add(
    fields?: Partial<PutFields>,
    beside?: Parameters<typeof put>[1],
    transactionFields?: Partial<Transaction>,
  ): Promise<MemoryRecord>
}
