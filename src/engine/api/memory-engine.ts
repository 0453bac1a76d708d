/// <reference lib="esnext.disposable" preserve="true" />

import type { ForgetSelection } from '../../kinds/index.ts'
import type { Change, MemoryPatch, MemoryRecord, NewMemory, Revision, Scope } from '../../model/index.ts'
import type { ConflictVerbs } from './conflicts.ts'
import type { ContextOptions, ContextResult } from './context.ts'
import type { EntityVerbs } from './entities.ts'
import type { EpisodeVerbs } from './episodes.ts'
import type { FactVerbs } from './facts.ts'
import type { EngineMetadata, Health, HealthOptions, MigrateToColdOptions, MigrateToColdResult } from './health.ts'
import type { JournalOptions, JournalResult, VerifyJournalResult } from './journal.ts'
import type { KvVerbs } from './kv.ts'
import type { LearnMethod } from './learning.ts'
import type {
  AddOptions,
  DeleteSelection,
  InvalidateOptions,
  LinkOptions,
  ReadScopeOptions,
  UndoOptions,
  UnlinkOptions,
  UpdateOptions,
  ViewOptions,
  WriteOptions,
} from './options.ts'
import type { Plan } from './plan.ts'
import type { ExportOptions, ImportOptions, ImportResult, ImportSource } from './portability.ts'
import type {
  ListOptions,
  ListResult,
  NeighborsResult,
  PathsResult,
  PendingResult,
  RebuildResult,
  Stats,
  UsageResult,
  VerifyResult,
} from './reading.ts'
import type {
  ForgetOptions,
  ForgetResult,
  MaintainOptions,
  MaintainResult,
  ReportOptions,
  ReportResult,
} from './retention.ts'
import type { Degradable, ExplainResult, SearchOptions, SearchResult } from './searching.ts'
import type { SkillFolderVerbs } from './skill-folder.ts'
import type { SkillVerbs } from './skills.ts'
import type {
  ConsolidateOptions,
  ConsolidateResult,
  SummarizeOptions,
  SummarizeResult,
  SummaryVerbs,
} from './summaries.ts'
import type { ToolVerbs } from './tools.ts'
import type {
  AddManyResult,
  AddResult,
  ApplyResult,
  DeleteResult,
  DryRun,
  LinkResult,
  LongDryRun,
  SupersedeResult,
  UndoResult,
  WriteMethod,
  WriteResult,
} from './write-results.ts'

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
  /**
   * Learns what messages teach: facts, compared with what is known, and what is kept word for word; in one transaction, with the
   * plan and the words that each step comes from. Up to 1,000 messages of 1,000,000 characters. Trouble of the model is told in
   * `degraded`, never thrown (LRN-1).
   * @throws InputError UNKNOWN_FIELD, INVALID_TIME for a time without an offset, LIMIT_OUT_OF_RANGE, INVALID_ARGUMENT
   */
  readonly learn: LearnMethod
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
  /**
   * Deletes by ids or by filter, of any status unless `status` says otherwise; `filter: {}` is everything in the scope.
   * Of more than 50,000 it takes several transactions: when it ends half-way, the same call goes on (DEL-25).
   */
  readonly deleteMany: WriteMethod<
    [selection: DeleteSelection & WriteOptions],
    WriteOptions,
    DeleteResult,
    LongDryRun<DeleteResult>
  >
  /** Archives or deletes the live memories that matter least; pinned ones stay. */
  readonly forget: WriteMethod<
    [selection: ForgetSelection & ForgetOptions],
    ForgetOptions,
    ForgetResult,
    LongDryRun<ForgetResult>
  >
  /**
   * Says whether a memory proved right or useful: its reliability falls by its kind's `decayOnFailure`, or rises by
   * `recoverOnSuccess`; one that falls below `pruneBelow` is removed.
   */
  readonly report: WriteMethod<[id: string, outcome: ReportOptions], ReportOptions, ReportResult>
  /**
   * Tidies up in every exact scope by itself: memories that state the same become one, the others are superseded by it; links of a
   * chain that changed nothing are archived; sessions that have ended are summed up. With a model, statements that belong together are
   * merged too, if what it writes keeps their numbers, names, dates and negations. Nothing is deleted, and `undo` takes it back.
   * Of more than 50,000 changes it takes several transactions: when it ends half-way, the same call goes on.
   * @throws InputError INVALID_ARGUMENT for kinds that are never merged
   */
  consolidate(options?: ConsolidateOptions): Promise<ConsolidateResult>
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
  /**
   * Takes back a transaction, unless it deleted; that of a long import takes all of it back, in several transactions.
   * @throws ConflictError CONFLICT naming the records that changed since; `force` undoes the rest
   */
  readonly undo: WriteMethod<[tx: string], UndoOptions, UndoResult, LongDryRun<UndoResult>>
  /** Carries out a plan in one transaction. @throws ConflictError VERSION_CONFLICT when its records changed meanwhile */
  readonly apply: WriteMethod<[plan: Plan], WriteOptions, ApplyResult>
  /**
   * Moves what a session wrote into the durable layer of the store: at the end of a session, or at any time. What it could not move
   * stays where it is, is counted in `remaining`, and is moved by the next call. A store that keeps all of it at once has nothing to
   * move: `{ migrated: 0, remaining: 0 }`.
   * @throws BackendError BACKEND_UNAVAILABLE when the durable layer is away: nothing is lost, nothing was moved
   */
  migrateToCold(sessionId: string, options?: MigrateToColdOptions): Promise<MigrateToColdResult>

  /** A memory of any status; null when unknown, invisible, expired or deleted. */
  get(id: string, options?: ReadScopeOptions & { readonly asOf?: string | undefined }): Promise<MemoryRecord | null>
  getMany(
    ids: readonly string[],
    options?: ReadScopeOptions & { readonly asOf?: string | undefined },
  ): Promise<readonly (MemoryRecord | null)[]>
  list(options?: ListOptions, more?: ReadScopeOptions): Promise<ListResult>
  /** Finds by meaning and by words. The query is never syntax; a blank one finds nothing. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>
  /**
   * Sums up what is remembered: the best sentences of the newest memories, or of those that fit a query, as they stand; with a model in
   * its words, if their numbers and names are those of the memories. Cited, within the tokens, the same memories the same text.
   * Nothing is written, and reading for it is no use of a memory.
   */
  summarize(options?: SummarizeOptions): Promise<SummarizeResult>
  /**
   * What a model should know for a query, as one block of text that never counts more than its budget: who the user is, what is
   * pinned, facts and episodes found, skills that fit. Nothing in it can pass for anything but data; the same memory and the
   * same query give the same text (FED-2, FED-8, FED-10).
   * @throws InputError INVALID_ARGUMENT for a counter that throws or contradicts itself; INVALID_TIME for an unknown zone
   */
  context(query: string, options?: ContextOptions): Promise<ContextResult>
  /** Every version of a memory, oldest first. */
  history(id: string, options?: ReadScopeOptions): Promise<readonly Revision[]>
  /** Who read or wrote what and why, without content: every write, and every read that gave a reason. */
  journal(options?: JournalOptions): Promise<JournalResult>
  /** What changed after a cursor, in order; without one from the beginning. */
  changes(
    options?: ReadScopeOptions & { readonly after?: string | undefined; readonly limit?: number | undefined },
  ): Promise<{ readonly changes: readonly Change[]; readonly cursor: string } & Degradable>
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
  /**
   * How two memories are connected. What is hidden, expired or out of scope is no way through (GRA-3).
   * @throws NotFoundError RECORD_NOT_FOUND; InputError INVALID_ARGUMENT for one and the same, LIMIT_OUT_OF_RANGE
   */
  paths(
    from: string,
    to: string,
    options?: ReadScopeOptions & {
      readonly types?: readonly string[] | undefined
      /** Links that a path may have, 1..10. @default 4 */
      readonly depth?: number | undefined
      /** 1..1000. @default 5 */
      readonly limit?: number | undefined
      readonly asOf?: string | undefined
    },
  ): Promise<PathsResult>
  /** Which stage of a search kept or dropped a record, with numbers. */
  explain(query: string, id: string, options?: SearchOptions): Promise<ExplainResult>
  stats(options?: ReadScopeOptions & { readonly asOf?: string | undefined }): Promise<Stats>
  /** Records that wait for their vector: text search finds them meanwhile. */
  pending(options?: ReadScopeOptions): Promise<PendingResult>
  /** What language models took, by UTC day and exact scope: calls, tokens and, with prices, money. @param options.since a time of the first day shown */
  usage(options?: ReadScopeOptions & { readonly since?: string | undefined }): Promise<UsageResult>
  /**
   * Everything the scope sees as JSON lines: the current records with their ids, versions, times and links, to be imported
   * elsewhere. Their history stays behind: `backup` copies that too.
   */
  export(options?: ExportOptions): AsyncIterable<string>
  /**
   * Reads what `export` wrote: all rows are checked first, then written in one transaction. Beyond 50,000 rows or 32 Mi
   * characters it takes several: when it ends half-way, what is written stays, and the same call goes on (IMP-23).
   * A string is text, never a path. @throws InputError INVALID_RECORD naming the first row that can't be used
   */
  readonly import: WriteMethod<[source: ImportSource], ImportOptions, ImportResult, LongDryRun<ImportResult>>

  readonly conflicts: ConflictVerbs
  readonly entities: EntityVerbs
  readonly episodes: EpisodeVerbs
  readonly facts: FactVerbs
  readonly kv: KvVerbs
  readonly skills: SkillVerbs
  readonly summaries: SummaryVerbs
  readonly tools: ToolVerbs
}

/** A memory: what `openMemory` opens. */
export interface MemoryEngine extends MemoryVerbs {
  readonly skills: SkillVerbs & SkillFolderVerbs
  /** The same verbs with the scope as a ceiling: nothing outside it can be read or written. */
  scoped(scope: Scope, options?: ViewOptions): MemoryView
  /**
   * Carries out the policies of all kinds in one pass and says what it touched and why. Pinned memories stay. With
   * `dryRun` the same is shown and nothing is done.
   */
  readonly maintain: WriteMethod<[], MaintainOptions, MaintainResult, LongDryRun<MaintainResult>>
  /** Compares records with every index. */
  verify(options?: { readonly signal?: AbortSignal | undefined }): Promise<VerifyResult>
  /** Checks every owner's chain: a line that was changed, taken out or put in shows. */
  verifyJournal(options?: { readonly signal?: AbortSignal | undefined }): Promise<VerifyJournalResult>
  /** Makes terms, and missing or outdated vectors, anew from the records. */
  rebuild(options?: {
    readonly part?: 'text' | 'vectors' | undefined
    readonly scope?: Scope | undefined
    readonly signal?: AbortSignal | undefined
  }): Promise<RebuildResult>
  /** A consistent copy at another path, while in use. */
  backup(path: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<{ readonly path: string }>
  /**
   * Asks every layer of the store whether it answers; opens it first where it is not open. A server that is away, and whatever else
   * keeps the store from opening, is `down`, and no failure of the call.
   */
  health(options?: HealthOptions): Promise<Health>
  /** What the engine is made of, at any time and without asking anybody. */
  readonly metadata: EngineMetadata
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
