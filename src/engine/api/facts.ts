import type { JsonValue, MemoryRecord, Scope, Source, Status, Trust } from '../../model/index.ts'
import type { KeyedReadOptions } from './kv.ts'
import type { ReadScopeOptions, WriteOptions } from './options.ts'
import type { Degradable } from './searching.ts'
import type { DeleteResult, WriteMethod, Written } from './write-results.ts'

export interface FactSetOptions extends WriteOptions {
  /** Where it comes from. A text is a type such as `tool`, else a reference of the user's such as `crm`. @default { type: 'user' } */
  readonly source?: Source | string | undefined
  /** 0..1. Below that of the present value, that one is kept. @default 1 */
  readonly confidence?: number | undefined
  /** `trusted` confirms what an untrusted source says. @default follows the type of the source */
  readonly trust?: Trust | undefined
}

/**
 * `kept`: the present value is more certain, and nothing was written. `conflict`: it may not take the place of the present value, and
 * waits in quarantine.
 */
export type FactOutcome = 'added' | 'superseded' | 'updated' | 'duplicate' | 'kept' | 'conflict'

export interface FactSetResult extends Written {
  readonly record: MemoryRecord
  readonly tx: string
  /** What the key stands for now, in `record`; `updated`: the same value, with more confidence. */
  readonly outcome: FactOutcome
  /** The value before, when another one took its place. */
  readonly previous?: MemoryRecord
  /** Of a contradiction, for `conflicts.resolve`, and what waits in quarantine. */
  readonly conflict?: string
  readonly quarantined?: MemoryRecord
}

export interface Fact {
  readonly key: string
  readonly value: JsonValue
  readonly source: Source
  /** 0..1. */
  readonly confidence: number
  /** Goes up with each value of the key. */
  readonly version: number
  readonly updatedAt: string
  /** Of the memory that holds this value: another value has another one. */
  readonly id: string
}

export interface FactListEntry extends Fact {
  /** Where several scopes were looked at. */
  readonly scope?: Scope
}

/** A value of a key, present or past. */
export interface FactVersion extends Fact {
  readonly status: Status
  readonly validFrom?: string
  readonly validTo?: string
}

export interface FactListOptions extends ReadScopeOptions {
  /** 1..1000. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface FactListResult extends Degradable {
  /** Most recently written first. */
  readonly entries: readonly FactListEntry[]
  readonly nextCursor?: string
}

/** What is known by name. Facts are found by search as well: they are memories of kind `semantic` with a key. */
export interface FactVerbs {
  /** Another value takes the place of the one before, which is kept as a version; the same value twice is one fact. */
  readonly set: WriteMethod<[key: string, value: JsonValue], FactSetOptions, FactSetResult>
  /** The value; null when nothing is known, or when null is. */
  get(key: string, options?: KeyedReadOptions): Promise<JsonValue>
  entry(key: string, options?: KeyedReadOptions): Promise<Fact | null>
  all(options?: FactListOptions): Promise<FactListResult>
  /** Deletes the fact with all its former values; a key that is not there is `deleted: 0`. */
  readonly delete: WriteMethod<[key: string], WriteOptions, DeleteResult>
  /** Every value that the key had, oldest first. */
  history(key: string, options?: KeyedReadOptions): Promise<readonly FactVersion[]>
}
