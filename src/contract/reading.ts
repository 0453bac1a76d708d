import type { FilterNode, Kind, Lifetimes, Status } from '../model/index.ts'
import type { OperationOptions } from './embedder.ts'

/** An opaque position in a store's log; only the store that made it can read it. */
export type Cursor = string

/** A past state: at a moment, or right after a position of the log. What was removed or erased since is not in it. */
export type AsOf =
  /** Epoch milliseconds; what was committed at that very millisecond is in. */
  { readonly time: number } | { readonly position: Cursor }

export interface ReadOptions extends OperationOptions {
  /** Read the state of then; the present state when absent. */
  readonly asOf?: AsOf | undefined
  /** Of `get` and `list`: the records alone are wanted, and analysis may come back empty and vector null. */
  readonly bare?: boolean | undefined
}

export type ListOrder = 'newest' | 'oldest' | 'updated' | 'importance' | 'eventTime'

/** A place in an ordered list: the order value and the id of the last record seen. */
export interface ListPosition {
  readonly value: number
  readonly id: string
}

export interface ListQuery {
  /** @default every kind but reserved ones */
  readonly kinds?: readonly Kind[] | undefined
  /** @default ['live'] */
  readonly statuses?: readonly Status[] | 'any' | undefined
  readonly key?: string | undefined
  /** Only records that have a key. */
  readonly keyed?: boolean | undefined
  /** Only pinned records. */
  readonly pinned?: boolean | undefined
  readonly hash?: string | undefined
  /** All of them. */
  readonly tags?: readonly string[] | undefined
  readonly filter?: FilterNode | undefined
  /** `[since, until)` on event time, else creation; epoch milliseconds. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Records that hold in the world at this moment. */
  readonly validAt?: number | undefined
  /** Records expired at this moment are out; absent: expired ones are in. */
  readonly now?: number | undefined
  /** How long records live beside their own expiry, judged at `now`. @default for ever */
  readonly lifetimes?: Lifetimes | undefined
  /** Only records that have no vector in this space and a content worth one: one with index terms. */
  readonly withoutVector?: string | undefined
  /** newest, updated and importance descend, oldest and eventTime ascend; ties by id in the same direction. */
  readonly order: ListOrder
  readonly limit: number
  readonly after?: ListPosition | undefined
}

export interface Page<T> {
  readonly items: readonly T[]
  /** More may follow after the last item. */
  readonly more: boolean
}
