import type { Filter, JsonObject, Kind, Scope, Status } from '../../model/index.ts'

/** Options that every read takes, last. */
export interface ReadScopeOptions {
  readonly scope?: Scope | undefined
  /** Every scope of the store; the root engine only. */
  readonly allScopes?: boolean | undefined
  /** `shared` adds the coarser scopes of the same owner that enclose the scope. */
  readonly include?: 'shared' | undefined
  /** Why: leaves a line in the journal. */
  readonly reason?: string | undefined
  /** Who reads, for the journal. */
  readonly actor?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Options that every write takes, last. */
export interface WriteOptions {
  /** Where the write lands, exactly. */
  readonly scope?: Scope | undefined
  /** The same key with the same input is answered again and writes nothing; kept 7 days per exact scope. */
  readonly idempotencyKey?: string | undefined
  /** Answer what would happen, with `plan`, and write nothing. */
  readonly dryRun?: boolean | undefined
  readonly reason?: string | undefined
  readonly actor?: string | undefined
  readonly signal?: AbortSignal | undefined
}

export interface AddOptions extends WriteOptions {
  /** What to do when the id is there already. @default 'error' */
  readonly ifExists?: 'error' | 'update' | 'skip' | undefined
  /** False: store the same content again. @default true */
  readonly dedupe?: boolean | undefined
}

export interface UpdateOptions extends WriteOptions {
  /** Refuse with VERSION_CONFLICT unless the record is at this version. */
  readonly ifVersion?: number | undefined
  /** Merge metadata per top-level key, null removes one; or replace it whole. @default 'merge' */
  readonly metadataMode?: 'merge' | 'replace' | undefined
}

export interface InvalidateOptions extends WriteOptions {
  /** When it stopped being true. @default now */
  readonly at?: string | undefined
}

export interface UndoOptions extends WriteOptions {
  /** Undo what still can be, where some records changed since. @default false */
  readonly force?: boolean | undefined
}

export interface UnlinkOptions extends WriteOptions {
  readonly type: string
}

export interface LinkOptions extends UnlinkOptions {
  /** 0..1. @default 1 */
  readonly weight?: number | undefined
  readonly metadata?: JsonObject | undefined
}

/** What to delete: ids, or what a filter lets through. */
export type DeleteSelection =
  | { readonly ids: readonly string[]; readonly filter?: undefined }
  | {
      readonly ids?: undefined
      /** `{}` is everything in the scope. */
      readonly filter: Filter
      readonly kinds?: readonly Kind[] | undefined
      readonly tags?: readonly string[] | undefined
      /** @default 'any' */
      readonly status?: Status | readonly Status[] | 'any' | undefined
    }

export interface ViewOptions {
  readonly readOnly?: boolean | undefined
  /** Scopes that reads see as well. */
  readonly alsoRead?: readonly Scope[] | undefined
}
