import type { JsonObject, JsonValue } from './json.ts'
import type { Scope } from './scope.ts'
import type { EventTime } from './time.ts'

/** The kinds mneme knows; any other name is allowed and follows the policy of `semantic`. Names with `_` in front are reserved. */
export type Kind = 'semantic' | 'episodic' | 'procedural' | 'tool' | 'kv' | 'entity' | (string & {})

export const statuses = ['live', 'superseded', 'invalid', 'archived', 'quarantined'] as const
export type Status = (typeof statuses)[number]

export const sourceTypes = ['user', 'assistant', 'tool', 'web', 'document', 'import', 'system', 'derived'] as const
export type SourceType = (typeof sourceTypes)[number]

/** From the most trusted on. */
export const trustLevels = ['trusted', 'inferred', 'untrusted'] as const
export type Trust = (typeof trustLevels)[number]

/** The more trusted first. */
export function compareTrust(one: Trust, other: Trust): number {
  return trustLevels.indexOf(one) - trustLevels.indexOf(other)
}

export type Metadata = JsonObject

/** Where a memory came from. */
export interface Source {
  readonly type: SourceType
  /** Who said or wrote it, by name. */
  readonly actor?: string
  /** A link or id in the outside world: a URL, a message id, a file. */
  readonly ref?: string
  /** The words it was taken from. */
  readonly quote?: string
  /** Ids of the records it was derived from. */
  readonly from?: readonly string[]
}

/** One memory. Objects handed out are the caller's: changing one never changes the store. */
export interface MemoryRecord<M extends Metadata = Metadata> {
  readonly id: string
  readonly kind: Kind
  /** The text that is searched. */
  readonly content: string
  readonly data?: JsonValue
  /** Stable name, unique per exact scope and kind. */
  readonly key?: string
  readonly scope: Scope
  readonly tags: readonly string[]
  readonly metadata: M
  readonly importance: number
  readonly confidence: number
  readonly reliability: number
  readonly source: Source
  readonly trust: Trust
  readonly eventTime?: EventTime
  readonly validFrom?: string
  readonly validTo?: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly lastAccessedAt?: string
  readonly accessCount: number
  readonly expiresAt?: string
  readonly pinned: boolean
  readonly status: Status
  readonly supersedes?: string
  readonly supersededBy?: string
  /** Starts at 1, plus one per change; access counts don't move it. */
  readonly version: number
}

/** Longest content, in bytes of UTF-8. */
export const maxContentBytes = 1_048_576
/** The fields of a record that a write makes and the store then stamps with version and times. */
export type RecordDraft = Omit<MemoryRecord, 'version' | 'createdAt' | 'updatedAt'>
