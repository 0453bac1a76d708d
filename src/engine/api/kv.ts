import type { JsonValue, Scope } from '../../model/index.ts'
import type { ReadScopeOptions, WriteOptions } from './options.ts'
import type { Degradable } from './searching.ts'
import type { AddResult, DeleteResult, WriteMethod } from './write-results.ts'

/** Options of reads by key: they look at one exact scope; with `include: 'shared'` the nearest that has the key. */
export type KeyedReadOptions = Omit<ReadScopeOptions, 'allScopes'>

export interface KvPutOptions extends WriteOptions {
  /** Refuse with VERSION_CONFLICT unless the entry is at this version; 0 or null: unless there is none. */
  readonly ifVersion?: number | null | undefined
  /** Milliseconds until the entry is gone. @default never */
  readonly ttlMs?: number | undefined
  /** True: search finds key and value; a text: search finds that. @default false */
  readonly index?: boolean | string | undefined
}

export interface KvPutResult extends AddResult {
  /** For the next `ifVersion`. */
  readonly version: number
}

export interface KvDeleteOptions extends WriteOptions {
  /** Refuse with VERSION_CONFLICT unless the entry is at this version. */
  readonly ifVersion?: number | undefined
}

export interface KvEntry {
  readonly value: JsonValue
  /** Plus one with each put. */
  readonly version: number
  readonly updatedAt: string
  readonly expiresAt?: string
}

/** `kv.get(namespace, key, { scope })` finds it again. */
export interface KvListEntry extends KvEntry {
  readonly namespace: readonly string[]
  readonly key: string
  readonly scope: Scope
}

export interface KvListOptions extends ReadScopeOptions {
  /** Segments below the namespace: what lies in and below them; true: in and below the namespace itself. */
  readonly prefix?: true | readonly string[] | undefined
  /** 1..1000. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface KvListResult extends Degradable {
  /** In the order in which the keys were first put. */
  readonly entries: readonly KvListEntry[]
  readonly nextCursor?: string
}

export interface KvNamespacesOptions extends ReadScopeOptions {
  /** Only those that begin with these segments. */
  readonly prefix?: readonly string[] | undefined
  /** 1..1000. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface KvNamespacesResult extends Degradable {
  /** In order of their segments. */
  readonly namespaces: readonly (readonly string[])[]
  readonly nextCursor?: string
}

/** Values of any JSON by namespace and key. A namespace lies in the scope of the call: its segments follow the scope's own. */
export interface KvVerbs {
  /** @throws ConflictError VERSION_CONFLICT with `ifVersion` */
  readonly put: WriteMethod<[namespace: readonly string[], key: string, value: JsonValue], KvPutOptions, KvPutResult>
  get(namespace: readonly string[], key: string, options?: KeyedReadOptions): Promise<KvEntry | null>
  /** A key that is not there is `deleted: 0`. */
  readonly delete: WriteMethod<[namespace: readonly string[], key: string], KvDeleteOptions, DeleteResult>
  list(namespace: readonly string[], options?: KvListOptions): Promise<KvListResult>
  namespaces(options?: KvNamespacesOptions): Promise<KvNamespacesResult>
}
