import type { Filter, Kind, Link, MemoryRecord, Scope, Status } from '../../model/index.ts'
import type { ReadScopeOptions } from './options.ts'
import type { Degradable } from './searching.ts'

export interface ListOptions extends ReadScopeOptions {
  readonly kinds?: readonly Kind[] | undefined
  readonly filter?: Filter | undefined
  readonly tags?: readonly string[] | undefined
  /** @default 'live', with `validAt` 'live' and 'superseded' */
  readonly status?: Status | readonly Status[] | 'any' | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  /** What was true in the world at that moment. */
  readonly validAt?: string | undefined
  readonly asOf?: string | undefined
  /** newest, updated and importance descend; oldest and eventTime ascend; ties by id. @default 'newest' */
  readonly order?: 'newest' | 'oldest' | 'updated' | 'importance' | 'eventTime' | undefined
  /** 1..1000. @default 50 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}
export interface ListResult extends Degradable {
  readonly records: readonly MemoryRecord[]
  readonly nextCursor?: string
}

export interface NeighborsResult extends Degradable {
  /** Nearest first: by depth, then by weight, then by id. */
  readonly records: readonly MemoryRecord[]
  readonly links: readonly Link[]
}

/** A way from one memory to another over links in either direction, no memory twice. */
export interface MemoryPath {
  /** From the one end to the other, both included. */
  readonly records: readonly MemoryRecord[]
  /** The strongest link between each two neighbours, in order. */
  readonly links: readonly Link[]
  /** The weights of its links, multiplied: 0..1. */
  readonly strength: number
}

export interface PathsResult extends Degradable {
  /** The shortest first, of one length the strongest first, then by ids. */
  readonly paths: readonly MemoryPath[]
  /** False where so much is linked that not all of it was looked at: there may be other paths. */
  readonly complete: boolean
}

export interface Stats extends Degradable {
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

export interface PendingResult extends Degradable {
  readonly records: readonly {
    readonly id: string
    readonly attempts: number
    readonly lastError?: string
    readonly since: string
  }[]
}

/** What language models took on a UTC day, for one exact scope. */
export interface UsageDay {
  /** `2026-12-01` */
  readonly day: string
  readonly scope: Scope
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Of the calls, those whose tokens are estimated, as the model did not tell them. */
  readonly estimated: number
  /** Tokens set aside for calls that are under way, or whose process ended. */
  readonly reserved: number
  /** With `modelLimits.prices`, in their currency. */
  readonly cost?: number
}

export interface UsageResult extends Degradable {
  /** The latest first. */
  readonly days: readonly UsageDay[]
  /** The sum of what is shown. */
  readonly total: Omit<UsageDay, 'day' | 'scope'>
  /** The language model of this engine, null without one. */
  readonly model: string | null
  /** What each exact scope may take in a day; null without a limit. */
  readonly perDay: { readonly tokens?: number | undefined; readonly cost?: number | undefined } | null
}

export interface VerifyResult extends Degradable {
  readonly ok: boolean
  readonly problems: readonly { readonly code: string; readonly id?: string | undefined; readonly message: string }[]
  readonly checked: number
}

export interface RebuildResult extends Degradable {
  /** Records looked at. */
  readonly records: number
  /** Records that got new terms, and vectors. */
  readonly analysed: number
  readonly embedded: number
}
