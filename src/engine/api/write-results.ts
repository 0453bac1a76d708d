import type { Link, MemoryRecord } from '../../model/index.ts'
import type { WriteOptions } from './options.ts'
import type { Plan, PlanOp } from './plan.ts'
import type { Degradation } from './searching.ts'

/** What every write says about itself. */
export interface Written {
  /** Only a dry run has a plan. */
  readonly plan?: undefined
  /**
   * False: accepted by a layer of the store that may lose it, while the durable one is away; it is written there when that is back.
   * Absent: it is kept.
   */
  readonly durable?: false
  /** Parts that failed and are made up for later: the embedder, say. */
  readonly degraded?: readonly Degradation[]
}

/** The answer of a dry run: the same shape without `tx`, with the plan. */
export type DryRun<Result> = Omit<Result, 'tx' | 'plan'> & { readonly tx?: undefined; readonly plan: Plan }

/** The same of a call that may take several transactions: with those there is no plan, as `apply` takes one. */
export type LongDryRun<Result> = Omit<DryRun<Result>, 'plan'> & { readonly plan?: Plan | undefined }

/** A write: with `dryRun: true` it answers with a plan and writes nothing. */
export interface WriteMethod<
  Args extends readonly unknown[],
  Options extends WriteOptions,
  Result,
  Dry = DryRun<Result>,
> {
  (...call: [...args: Args, options: Options & { readonly dryRun: true }]): Promise<Dry>
  (...call: [...args: Args, options?: Options & { readonly dryRun?: false | undefined }]): Promise<Result>
  (...call: [...args: Args, options?: Options]): Promise<Result | Dry>
}

/** `conflict`: it contradicts what holds its key, may not replace it, and waits in quarantine. */
export type AddOutcome = 'added' | 'updated' | 'duplicate' | 'conflict'

/** What of a write may turn out to contradict what is known. */
export interface MayConflict {
  /**
   * Of a contradiction, for `conflicts.resolve`: what was to be replaced is as it was, and `record` waits in quarantine, where no
   * recall shows it (TRU-3).
   */
  readonly conflict?: string
}

export interface AddResult extends Written, MayConflict {
  readonly record: MemoryRecord
  /** The transaction that holds the record. */
  readonly tx: string
  readonly outcome: AddOutcome
}
export interface AddManyResult extends Written {
  readonly results: readonly ({ readonly record: MemoryRecord; readonly outcome: AddOutcome } & MayConflict)[]
  /** Absent when nothing was given. */
  readonly tx?: string | undefined
}
export interface WriteResult extends Written, MayConflict {
  readonly record: MemoryRecord
  readonly tx: string
}
export interface SupersedeResult extends WriteResult {
  readonly previous: MemoryRecord
}
export interface DeleteResult extends Written {
  readonly deleted: number
  /** Absent when nothing was there. Of several transactions the first. */
  readonly tx?: string | undefined
}
export interface LinkResult extends Written {
  readonly link: Link | null
  /** Absent when nothing changed. */
  readonly tx?: string | undefined
}
export interface UndoResult extends Written {
  /** Absent when nothing was left to undo. Of several transactions the first. */
  readonly tx?: string | undefined
  /** Ids of the records that are as they were before. */
  readonly reverted: readonly string[]
}
export interface ApplyResult extends Written {
  readonly results: readonly { readonly op: PlanOp; readonly id?: string; readonly record?: MemoryRecord }[]
  /** Absent when the plan changes nothing. */
  readonly tx?: string | undefined
}
