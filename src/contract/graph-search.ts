import type { Lifetimes, Link, MemoryRecord, ScopeFilter } from '../model/index.ts'
import type { OperationOptions } from './embedder.ts'

/** Where a walk over links begins, and how far it goes. */
export interface GraphStart {
  readonly id: string
  /** Links away at most, from 1. */
  readonly depth: number
  /** Most records in all steps together, from 1. */
  readonly most: number
}

/** What a walk looks at: the present state, as one. */
export interface GraphView {
  /** Epoch milliseconds: expired records are no way through. */
  readonly now: number
  /** How long records live beside their own expiry, judged at `now`. @default for ever */
  readonly lifetimes?: Lifetimes | undefined
  /** @default every type */
  readonly types?: readonly string[] | undefined
}

/** One step of a walk, from records to those they are linked with. */
export interface GraphStep {
  /** Of the records that the step began at, between visible ones, in no order; also back to where it came from. */
  readonly links: readonly Link[]
  /**
   * What was in no step before, is live, of no reserved kind and not expired: by the strongest link from there, then by id. What is
   * hidden, superseded or expired is no way through.
   */
  readonly records: readonly MemoryRecord[]
  /** There are more records than were asked for. */
  readonly more: boolean
}

/** Walks over links where they are kept: what `links` and `get` would show step by step. */
export interface GraphSearch {
  /** The steps of each walk, in order; a walk ends early where a step finds no record, or where it has `most`. */
  walk(
    scope: ScopeFilter,
    starts: readonly GraphStart[],
    view: GraphView,
    options?: OperationOptions,
  ): Promise<readonly (readonly GraphStep[])[]>
}
