import type { Filter, Kind, Link, MemoryRecord, Scope, Status } from '../../model/index.ts'
import type { ReadScopeOptions } from './options.ts'

export interface ListOptions extends ReadScopeOptions {
  readonly kinds?: readonly Kind[] | undefined
  readonly filter?: Filter | undefined
  readonly tags?: readonly string[] | undefined
  /** @default 'live' */
  readonly status?: Status | readonly Status[] | 'any' | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly validAt?: string | undefined
  readonly asOf?: string | undefined
  /** newest, updated and importance descend; oldest and eventTime ascend; ties by id. @default 'newest' */
  readonly order?: 'newest' | 'oldest' | 'updated' | 'importance' | 'eventTime' | undefined
  /** 1..1000. @default 50 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}
export interface ListResult {
  readonly records: readonly MemoryRecord[]
  readonly nextCursor?: string
}

export interface NeighborsResult {
  /** Nearest first: by depth, then by weight, then by id. */
  readonly records: readonly MemoryRecord[]
  readonly links: readonly Link[]
}

export interface Stats {
  readonly total: number
  readonly live: number
  readonly byKind: Readonly<Record<string, number>>
  readonly byStatus: Readonly<Record<string, number>>
  readonly byScope?: readonly { readonly scope: Scope; readonly count: number }[]
  /** Of the whole store; null in a view, where it would tell what others store. */
  readonly sizeBytes: number | null
  readonly pending: number
  readonly embedder: { readonly id: string; readonly dimensions: number } | null
  readonly store: string
}

export interface PendingResult {
  readonly records: readonly {
    readonly id: string
    readonly attempts: number
    readonly lastError?: string
    readonly since: string
  }[]
}

export interface VerifyResult {
  readonly ok: boolean
  readonly problems: readonly { readonly code: string; readonly id?: string | undefined; readonly message: string }[]
  readonly checked: number
}

export interface RebuildResult {
  /** Records looked at. */
  readonly records: number
  /** Records that got new terms, and vectors. */
  readonly analysed: number
  readonly embedded: number
}
