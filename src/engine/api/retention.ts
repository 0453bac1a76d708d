import type { Kind, MemoryRecord } from '../../model/index.ts'
import type { WriteOptions } from './options.ts'
import type { Written } from './write-results.ts'

export interface MaintainOptions extends Omit<WriteOptions, 'idempotencyKey'> {
  /** Every scope of the store. */
  readonly allScopes?: boolean | undefined
  /** Archive what would be pruned or evicted; what has expired is removed either way. @default 'delete' */
  readonly mode?: 'delete' | 'archive' | undefined
}

/** Ids by what became of the records. */
export interface MaintainResult extends Written {
  readonly expired: readonly string[]
  readonly pruned: readonly string[]
  readonly evicted: readonly string[]
  readonly archived: readonly string[]
  /** Of every record above, in words. */
  readonly why: Readonly<Record<string, string>>
  /** Absent when nothing was to do. */
  readonly tx?: string | undefined
}

export interface ForgetOptions extends WriteOptions {
  /** Archived memories can be restored; deleted ones leave a tombstone. @default 'archive' */
  readonly mode?: 'archive' | 'delete' | undefined
  readonly kinds?: readonly Kind[] | undefined
  /** All of them. */
  readonly tags?: readonly string[] | undefined
}

export interface ForgetResult extends Written {
  readonly ids: readonly string[]
  /** Absent when nothing was to forget. */
  readonly tx?: string | undefined
}

export interface ReportOptions extends WriteOptions {
  /** Whether it proved right or useful. */
  readonly success: boolean
}

export interface ReportResult extends Written {
  /** Null when it failed too often and is gone. */
  readonly record: MemoryRecord | null
  readonly pruned: boolean
  readonly tx: string
}
