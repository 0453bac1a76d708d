/// <reference lib="esnext.disposable" preserve="true" />
import type { ErrorCode } from '../errors/index.ts'
import type {
  Change,
  Filter,
  JsonObject,
  Kind,
  Link,
  MemoryPatch,
  MemoryRecord,
  NewMemory,
  Revision,
  Scope,
  Status,
} from '../model/index.ts'

/** Options that every read takes, last. */
export interface ReadScopeOptions {
  readonly scope?: Scope | undefined
  /** Every scope of the store; the root engine only. */
  readonly allScopes?: boolean | undefined
  /** `shared` adds the coarser scopes of the same owner that enclose the scope. */
  readonly include?: 'shared' | undefined
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

/** What every write says about itself. */
interface Written {
  /** Only a dry run has a plan. */
  readonly plan?: undefined
  /** Parts that failed and are made up for later: the embedder, say. */
  readonly degraded?: readonly Degradation[]
}

/** The answer of a dry run: the same shape without `tx`, with the plan. */
export type DryRun<Result> = Omit<Result, 'tx' | 'plan'> & { readonly tx?: undefined; readonly plan: Plan }

/** A write: with `dryRun: true` it answers with a plan and writes nothing. */
export interface WriteMethod<Args extends readonly unknown[], Options extends WriteOptions, Result> {
  (...call: [...args: Args, options: Options & { readonly dryRun: true }]): Promise<DryRun<Result>>
  (...call: [...args: Args, options?: Options & { readonly dryRun?: false | undefined }]): Promise<Result>
  (...call: [...args: Args, options?: Options]): Promise<Result | DryRun<Result>>
}

export type AddOutcome = 'added' | 'updated' | 'duplicate'
export interface AddResult extends Written {
  readonly record: MemoryRecord
  /** The transaction that holds the record. */
  readonly tx: string
  readonly outcome: AddOutcome
}
export interface AddManyResult extends Written {
  readonly results: readonly { readonly record: MemoryRecord; readonly outcome: AddOutcome }[]
  /** Absent when nothing was given. */
  readonly tx?: string | undefined
}
export interface WriteResult extends Written {
  readonly record: MemoryRecord
  readonly tx: string
}
export interface SupersedeResult extends WriteResult {
  readonly previous: MemoryRecord
}
export interface DeleteResult extends Written {
  readonly deleted: number
  /** Absent when nothing was there. */
  readonly tx?: string | undefined
}
export interface LinkResult extends Written {
  readonly link: Link | null
  /** Absent when nothing changed. */
  readonly tx?: string | undefined
}
export interface UndoResult extends Written {
  /** Absent when nothing was left to undo. */
  readonly tx?: string | undefined
  /** Ids of the records that are as they were before. */
  readonly reverted: readonly string[]
}
export interface ApplyResult extends Written {
  readonly results: readonly { readonly op: PlanOp; readonly id?: string; readonly record?: MemoryRecord }[]
  /** Absent when the plan changes nothing. */
  readonly tx?: string | undefined
}

export type PlanOp =
  | 'add'
  | 'update'
  | 'supersede'
  | 'invalidate'
  | 'restore'
  | 'archive'
  | 'delete'
  | 'link'
  | 'unlink'
  | 'noop'
  | 'conflict'

/** A record as planned: without the fields that only a commit gives it, when it is new. */
export type PlannedRecord = Omit<MemoryRecord, 'id' | 'version' | 'createdAt' | 'updatedAt'> &
  Partial<Pick<MemoryRecord, 'id' | 'version' | 'createdAt' | 'updatedAt'>>

export interface PlanStep {
  readonly op: PlanOp
  readonly before?: MemoryRecord
  readonly after?: PlannedRecord
  readonly link?: Link
  readonly reason: string
  readonly evidence: readonly { readonly message: string; readonly quote: string }[]
}

/** What a change would do: plain JSON, to be reviewed and applied later with `apply`. */
export interface Plan {
  readonly id: string
  readonly createdAt: string
  /** The moment of the log it was made at, opaque. */
  readonly base: string
  readonly steps: readonly PlanStep[]
}

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

export interface ScoreWeights {
  readonly recency?: number | undefined
  readonly importance?: number | undefined
  readonly reliability?: number | undefined
}

export interface SearchOptions extends ReadScopeOptions {
  readonly kinds?: readonly Kind[] | undefined
  readonly filter?: Filter | undefined
  readonly tags?: readonly string[] | undefined
  readonly status?: Status | readonly Status[] | 'any' | undefined
  /** 1..1000. @default 10 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  /** 0..1; results below are left out. @default 0 */
  readonly minScore?: number | undefined
  /** @default 'hybrid', or 'text' where the engine has no embedder */
  readonly mode?: 'hybrid' | 'text' | 'vector' | undefined
  /** @default 'convex' */
  readonly fusion?: 'convex' | 'rrf' | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly validAt?: string | undefined
  /** Search what the store believed then. */
  readonly asOf?: string | undefined
  /** Each >= 0; all 0 is relevance alone. @default 1 each */
  readonly weights?: ScoreWeights | undefined
  /** @default 72 */
  readonly recencyHalfLifeHours?: number | undefined
  /** @default 'createdAt' */
  readonly recencyAnchor?: 'createdAt' | 'updatedAt' | 'lastAccessedAt' | undefined
  /** 0..1: how much to prefer results unlike those before. @default 0 */
  readonly diversity?: number | undefined
  /** False: leave out the engine's reranker. @default true when there is one */
  readonly rerank?: boolean | undefined
  /** Compare every vector exactly. */
  readonly exact?: boolean | undefined
  /** Say with each hit why it is there. @default false */
  readonly explain?: boolean | undefined
  readonly reason?: string | undefined
  /** Count the results as used. @default true */
  readonly touch?: boolean | undefined
  /** The query's vector, when the caller has it already. */
  readonly vector?: readonly number[] | Float32Array | undefined
}

/** Numbers behind a score. */
export interface Explanation {
  readonly rank: number
  readonly relevance: number
  readonly value: number
  readonly signals: Readonly<Record<string, number>>
  readonly factors: { readonly recency: number; readonly importance: number; readonly reliability: number }
  /** Which implementations answered: the store's own or the in-process index. */
  readonly ran: { readonly text: string; readonly vectors: string; readonly fusion: string }
}

export type SearchHit = MemoryRecord & { readonly score: number; readonly explanation?: Explanation }

/** A stage that could not do its part; the rest answered. */
export interface Degradation {
  readonly stage: 'embedder' | 'reranker'
  readonly code: ErrorCode | 'RERANKER_FAILED'
  readonly message: string
}

export interface SearchResult {
  readonly results: readonly SearchHit[]
  readonly nextCursor?: string
  readonly degraded?: readonly Degradation[]
}

export type ExplainStage =
  | 'scope'
  | 'filter'
  | 'status'
  | 'expired'
  | 'text'
  | 'vector'
  | 'fusion'
  | 'threshold'
  | 'limit'
  | 'returned'
export interface ExplainResult {
  readonly id: string
  readonly found: boolean
  /** The stage that kept or dropped the record. */
  readonly stage: ExplainStage
  readonly rank?: number
  readonly score?: number
  readonly parts: Readonly<Record<string, number | string | boolean>>
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

export interface ExportOptions extends ReadScopeOptions {
  /** @default 'jsonl' */
  readonly format?: 'jsonl' | undefined
  /** Write the vectors too. @default false */
  readonly vectors?: boolean | undefined
}

export interface ImportRow {
  /** 1 for the first line. */
  readonly row: number
  readonly id?: string
  readonly outcome: 'imported' | 'updated' | 'skipped' | 'failed'
  readonly reason?: string
}
export interface ImportOptions extends WriteOptions {
  /** @default 'mneme' */
  readonly format?: 'mneme' | undefined
  /** Write into every scope that the file names; the root engine only. @default false: only records inside the scope of the call */
  readonly allScopes?: boolean | undefined
  /** Hears how many texts are embedded. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  /** `replace` deletes what the target scopes hold first. @default 'merge' */
  readonly mode?: 'merge' | 'replace' | undefined
  /** What to do when an id is there already with other content. @default 'error' */
  readonly ifExists?: 'error' | 'update' | 'skip' | undefined
}
export interface ImportResult extends Written {
  readonly imported: number
  readonly updated: number
  readonly skipped: number
  readonly failed: number
  readonly rows: readonly ImportRow[]
  /** Absent when nothing was written. */
  readonly tx?: string | undefined
}
export type ImportSource = string | AsyncIterable<string> | { readonly path: string }

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

/** The verbs that views and the root engine share. */
export interface MemoryVerbs {
  /**
   * Remembers something: a text, or a memory with more about it.
   * The same live content, kind and scope twice is one record; a key that exists is updated.
   * @throws InputError before anything is written; ConflictError CONFLICT for an id that is there with other content
   */
  readonly add: WriteMethod<[memory: string | NewMemory], AddOptions, AddResult>
  /** Remembers many in one transaction: all or nothing, results in order. */
  readonly addMany: WriteMethod<[memories: readonly (string | NewMemory)[]], AddOptions, AddManyResult>
  /** Changes a memory; the old version stays in its history. @throws NotFoundError; ConflictError VERSION_CONFLICT with `ifVersion` */
  readonly update: WriteMethod<[id: string, patch: MemoryPatch], UpdateOptions, WriteResult>
  /** A newer fact takes the place of an older one: both are kept and linked, the old one's validity is closed. */
  readonly supersede: WriteMethod<
    [id: string, replacement: string | NewMemory | { readonly id: string }],
    WriteOptions,
    SupersedeResult
  >
  /** Hides a memory from recall and keeps it for audit. */
  readonly invalidate: WriteMethod<[id: string], InvalidateOptions, WriteResult>
  /** Makes an invalid, superseded, archived or quarantined memory live again. */
  readonly restore: WriteMethod<[id: string], WriteOptions, WriteResult>
  /** Deletes a memory with its history; a content-free tombstone stays. An unknown id is `deleted: 0`. */
  readonly delete: WriteMethod<[id: string], WriteOptions, DeleteResult>
  /** Deletes by ids or by filter, of any status unless `status` says otherwise; `filter: {}` is everything in the scope. */
  readonly deleteMany: WriteMethod<[selection: DeleteSelection & WriteOptions], WriteOptions, DeleteResult>
  /** Connects two memories; the same two with the same type is one link. */
  link(from: string, to: string, options: LinkOptions & { readonly dryRun: true }): Promise<DryRun<LinkResult>>
  link(from: string, to: string, options: LinkOptions & { readonly dryRun?: false | undefined }): Promise<LinkResult>
  link(from: string, to: string, options: LinkOptions): Promise<LinkResult | DryRun<LinkResult>>
  unlink(from: string, to: string, options: UnlinkOptions & { readonly dryRun: true }): Promise<DryRun<LinkResult>>
  unlink(
    from: string,
    to: string,
    options: UnlinkOptions & { readonly dryRun?: false | undefined },
  ): Promise<LinkResult>
  unlink(from: string, to: string, options: UnlinkOptions): Promise<LinkResult | DryRun<LinkResult>>
  /** Takes back a transaction, unless it deleted. @throws ConflictError CONFLICT naming the records that changed since; `force` undoes the rest */
  readonly undo: WriteMethod<[tx: string], UndoOptions, UndoResult>
  /** Carries out a plan in one transaction. @throws ConflictError VERSION_CONFLICT when its records changed meanwhile */
  readonly apply: WriteMethod<[plan: Plan], WriteOptions, ApplyResult>

  /** A memory of any status; null when unknown, invisible, expired or deleted. */
  get(id: string, options?: ReadScopeOptions & { readonly asOf?: string | undefined }): Promise<MemoryRecord | null>
  getMany(
    ids: readonly string[],
    options?: ReadScopeOptions & { readonly asOf?: string | undefined },
  ): Promise<readonly (MemoryRecord | null)[]>
  list(options?: ListOptions, more?: ReadScopeOptions): Promise<ListResult>
  /** Finds by meaning and by words. The query is never syntax; a blank one finds nothing. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>
  /** Every version of a memory, oldest first. */
  history(id: string, options?: ReadScopeOptions): Promise<readonly Revision[]>
  /** What changed after a cursor, in order; without one from the beginning. */
  changes(
    options?: ReadScopeOptions & { readonly after?: string | undefined; readonly limit?: number | undefined },
  ): Promise<{ readonly changes: readonly Change[]; readonly cursor: string }>
  /** Changes as they come, of other processes too, until the signal ends it. Without `after`: from now on. */
  watch(options?: ReadScopeOptions & { readonly after?: string | undefined }): AsyncIterable<Change>
  neighbors(
    id: string,
    options?: ReadScopeOptions & {
      readonly types?: readonly string[] | undefined
      /** 1..10. @default 1 */
      readonly depth?: number | undefined
      /** 1..1000. @default 50 */
      readonly limit?: number | undefined
      readonly asOf?: string | undefined
    },
  ): Promise<NeighborsResult>
  /** Which stage of a search kept or dropped a record, with numbers. */
  explain(query: string, id: string, options?: SearchOptions): Promise<ExplainResult>
  stats(options?: ReadScopeOptions & { readonly asOf?: string | undefined }): Promise<Stats>
  /** Records that wait for their vector: text search finds them meanwhile. */
  pending(options?: ReadScopeOptions): Promise<PendingResult>
  /**
   * Everything the scope sees as JSON lines: the current records with their ids, versions, times and links, to be imported
   * elsewhere. Their history stays behind: `backup` copies that too.
   */
  export(options?: ExportOptions): AsyncIterable<string>
  /** Reads what `export` wrote: all rows are checked first, then written in one transaction. A string is text, never a path. */
  readonly import: WriteMethod<[source: ImportSource], ImportOptions, ImportResult>
}

export interface ViewOptions {
  readonly readOnly?: boolean | undefined
  /** Scopes that reads see as well. */
  readonly alsoRead?: readonly Scope[] | undefined
}

/** A memory: what `openMemory` opens. */
export interface MemoryEngine extends MemoryVerbs {
  /** The same verbs with the scope as a ceiling: nothing outside it can be read or written. */
  scoped(scope: Scope, options?: ViewOptions): MemoryView
  /** Compares records with every index. */
  verify(options?: { readonly signal?: AbortSignal | undefined }): Promise<VerifyResult>
  /** Makes terms, and missing or outdated vectors, anew from the records. */
  rebuild(options?: {
    readonly part?: 'text' | 'vectors' | undefined
    readonly scope?: Scope | undefined
    readonly signal?: AbortSignal | undefined
  }): Promise<RebuildResult>
  /** A consistent copy at another path, while in use. */
  backup(path: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<{ readonly path: string }>
  exportToFile(path: string, options?: ExportOptions): Promise<{ readonly path: string; readonly records: number }>
  /** Opens again after `stop`; idempotent. */
  start(): Promise<void>
  /** Waits for work in hand and closes the store; idempotent. */
  stop(): Promise<void>
  /** Final: every later call is refused with ENGINE_CLOSED. Idempotent. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A bounded view of a memory. */
export interface MemoryView extends MemoryVerbs {
  readonly scope: Scope
}
