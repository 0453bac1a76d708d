import type { Kind, Lifetimes, Scope, Status } from '../model/index.ts'
import type { VectorSpace } from './vector-space.ts'

/** What an erase is called in the log and in the tombstones it leaves. */
export interface EraseStamp {
  /** Used once, like the id of a transaction (STO-ERA-9). @default a random UUID */
  readonly tx?: string | undefined
  /** Epoch milliseconds; stamped like the `at` of a transaction. @default the owners' last at */
  readonly at?: number | undefined
}

/** How much of each went: records that were there, their revisions and the vectors of those, links, journal lines gone or cut, keys. */
export interface EraseCounts {
  readonly records: number
  readonly revisions: number
  readonly vectors: number
  readonly links: number
  readonly journal: number
  readonly idempotency: number
}

/** What came of a move into the durable store, in records. */
export interface MigrationCounts {
  /** That this call moved. */
  readonly migrated: number
  /** Of the session that are still to be moved. */
  readonly remaining: number
}

export interface StoreCount {
  readonly scope: Scope
  readonly kind: Kind
  readonly status: Status
  readonly count: number
}

export interface StatsQuery {
  /** Epoch milliseconds. */
  readonly now: number
  /** @default for ever */
  readonly lifetimes?: Lifetimes | undefined
}

export interface StoreStats {
  /** Records not deleted and not expired at `now`, reserved kinds left out. */
  readonly counts: readonly StoreCount[]
  readonly sizeBytes: number
  /** Vectors of visible records by space, whatever their status. */
  readonly spaces: readonly (VectorSpace & { readonly count: number })[]
}

export interface StoreProblem {
  readonly code: string
  readonly id?: string | undefined
  /** Says what is wrong, never content. */
  readonly message: string
}
