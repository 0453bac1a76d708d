import type { Entity } from '../../kinds/index.ts'
import type { MemoryRecord, Scope } from '../../model/index.ts'
import type { KeyedReadOptions } from './kv.ts'
import type { ReadScopeOptions, WriteOptions } from './options.ts'
import type { Degradable } from './searching.ts'
import type { WriteMethod, WriteResult } from './write-results.ts'

/** An entity with the memory that it is: links are between ids. */
export interface KnownEntity extends Entity {
  readonly id: string
  readonly version: number
  readonly updatedAt: string
}

export interface EntityListEntry extends KnownEntity {
  /** Where several scopes were looked at. */
  readonly scope?: Scope
}

export interface EntitySetOptions extends WriteOptions {
  /** Such as `person`; up to 256 characters, empty takes it away. */
  readonly type?: string | undefined
  /** All of its other names, instead of those it has: up to 100 of up to 512 characters. */
  readonly aliases?: readonly string[] | undefined
  /** Up to 65 536 characters, empty takes it away. */
  readonly description?: string | undefined
}

/** `unchanged`: all that was said is known. */
export type EntityOutcome = 'added' | 'updated' | 'unchanged'

export interface EntityResult extends WriteResult {
  readonly entity: KnownEntity
  readonly outcome: EntityOutcome
}

export interface EntityMergeResult extends WriteResult {
  /** The one that stays, with the names and the links of both. */
  readonly entity: KnownEntity
  /** The other one, superseded: kept, hidden, and there again after `undo`. */
  readonly merged: MemoryRecord
  /** Links that the one that stays got. */
  readonly links: number
}

export interface EntityListOptions extends ReadScopeOptions {
  /** Only of this type, exactly as it was set. */
  readonly type?: string | undefined
  /** 1..1000. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface EntityListResult extends Degradable {
  /** In the order in which they became known. */
  readonly entities: readonly EntityListEntry[]
  readonly nextCursor?: string
}

/**
 * Who and what is known by name: memories of kind `entity` with a key. Names and aliases lead to an entity in any case, with
 * or without accents; each leads to one only. `link`, `neighbors` and `paths` take their ids.
 */
export interface EntityVerbs {
  /**
   * Says what is known of an entity; what is not said stays. Names have 1..512 characters.
   * @throws ConflictError CONFLICT for an alias that is another one's; InputError INVALID_RECORD naming the field
   */
  readonly set: WriteMethod<[name: string], EntitySetOptions, EntityResult>
  /** By its name or an alias; null when there is none. */
  get(name: string, options?: KeyedReadOptions): Promise<KnownEntity | null>
  list(options?: EntityListOptions): Promise<EntityListResult>
  /** Adds another name. @throws NotFoundError RECORD_NOT_FOUND; ConflictError CONFLICT when it is another one's */
  readonly alias: WriteMethod<[name: string, alias: string], WriteOptions, EntityResult>
  /** Takes another name away. @throws NotFoundError RECORD_NOT_FOUND */
  readonly unalias: WriteMethod<[name: string, alias: string], WriteOptions, EntityResult>
  /**
   * Says that two are one: `into` stays and gets the names, tags, metadata and links of both; the other one is superseded. One
   * transaction, which `undo` takes back (ENT-4).
   * @throws NotFoundError RECORD_NOT_FOUND; InputError INVALID_ARGUMENT where both names are of one
   */
  readonly merge: WriteMethod<[name: string, into: string], WriteOptions, EntityMergeResult>
}
