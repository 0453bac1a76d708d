import type { Kind } from '../../model/index.ts'
import type { Degradation } from '../api/searching.ts'
import type { WorkStep } from '../work.ts'

/** Steps that belong together: all of them are written, or none. */
export type Group = readonly WorkStep[]

/** Memories that were looked at and left as they are, with the reason. */
export interface LeftAlone {
  readonly ids: readonly string[]
  readonly reason: string
}

/** What is tidied, checked. */
export interface TidyingOptions {
  readonly kinds: readonly Kind[]
  /** Epoch milliseconds: what was made later is left alone. */
  readonly before: number
  /** Share of what a model names that has to survive in what it writes, 0..1. */
  readonly minRetention: number
  readonly instructions?: string | undefined
  /** What becomes of the episodes of a session that has ended. */
  readonly episodes: 'keep' | 'summarise' | 'archive'
  /** Epoch milliseconds: a session that got nothing since has ended. */
  readonly endedBefore: number
  readonly signal?: AbortSignal | undefined
  /** Hears of so many records that were read. */
  readonly onRead?: ((records: number) => void) | undefined
}

/** What one exact scope needs. */
export interface Tidied {
  readonly groups: readonly Group[]
  readonly ignored: readonly LeftAlone[]
  readonly degraded: readonly Degradation[]
}

/** Ids that steps of this scope change already: a record is changed once in a transaction. */
export function touchedIds(groups: readonly Group[]): Set<string> {
  return new Set(groups.flat().flatMap((step) => (step.type === 'put' ? [step.after.id] : [])))
}
