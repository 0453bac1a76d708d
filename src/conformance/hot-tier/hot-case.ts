import type { HotOpenOptions, HotTier, StoredRecord, StoredVector } from '../../contract/index.ts'
import type { put } from '../../testing/index.ts'

/**
 * What a case wants of the tier beyond the contract's plain part. A tier that has not got it is not asked.
 * - `shared`: two instances can be open over the same data (`openSecond`)
 * - `loss`: everything can be taken away at once (`loseAll`)
 */
export type HotNeed = 'shared' | 'loss'

/** How a tier of a case is made. */
export interface HotCaseOptions {
  readonly ttlMs?: number | undefined
  readonly leaseMs?: number | undefined
}

/** One promise of a hot tier, checked from outside. Throws when it is not kept. */
export interface HotCase {
  /** Permanent id of the rule in SPEC.md. */
  readonly rule: string
  /** The rule in a sentence. */
  readonly title: string
  readonly needs?: readonly HotNeed[]
  /** For what only shows when an entry or a lease ends. */
  readonly options?: HotCaseOptions
  run(context: HotCaseContext): Promise<void>
}

type PutFields = Parameters<typeof put>[0]

/** What a case works with: a tier of its own, open and empty, closed by the runner. */
export interface HotCaseContext {
  readonly tier: HotTier
  /** Another instance over the same data, open. For cases that need `shared`. */
  openSecond(options?: HotOpenOptions): Promise<HotTier>
  /** As a server that lost its memory. For cases that need `loss`. */
  loseAll(): Promise<void>
  /** A record as a store would give it: version 1 of Ann's, unless told otherwise. */
  stored(fields: PutFields, vector?: StoredVector | null): StoredRecord
  /** Puts such a record as its writer would. */
  write(fields: PutFields, vector?: StoredVector | null): Promise<StoredRecord>
}
