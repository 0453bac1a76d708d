export { type Access, narrowAccess } from './access.ts'
export type {
  Conflict,
  ConflictEvidence,
  ConflictListOptions,
  ConflictListResult,
  ConflictVerbs,
  ResolveOptions,
  ResolveResult,
} from './api/conflicts.ts'
export type { ContextOptions, ContextResult } from './api/context.ts'
export type {
  EntityListEntry,
  EntityListOptions,
  EntityListResult,
  EntityMergeResult,
  EntityOutcome,
  EntityResult,
  EntitySetOptions,
  EntityVerbs,
  KnownEntity,
} from './api/entities.ts'
export type { EpisodeOptions, EpisodeVerbs, TimelineOptions } from './api/episodes.ts'
export type {
  Fact,
  FactListEntry,
  FactListOptions,
  FactListResult,
  FactOutcome,
  FactSetOptions,
  FactSetResult,
  FactVerbs,
  FactVersion,
} from './api/facts.ts'
export type { EngineMetadata, Health, HealthOptions, MigrateToColdOptions, MigrateToColdResult } from './api/health.ts'
export type { JournalEntry, JournalOptions, JournalResult, VerifyJournalResult } from './api/journal.ts'
export type {
  KeyedReadOptions,
  KvDeleteOptions,
  KvEntry,
  KvListEntry,
  KvListOptions,
  KvListResult,
  KvNamespacesOptions,
  KvNamespacesResult,
  KvPutOptions,
  KvPutResult,
  KvVerbs,
} from './api/kv.ts'
export type { IgnoredPart, LearnDryRun, LearnInput, LearnOptions, LearnResult, MessageInput } from './api/learning.ts'
export type { MemoryEngine, MemoryVerbs, MemoryView } from './api/memory-engine.ts'
export type {
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
} from './api/options.ts'
export type { Plan, PlannedRecord, PlanOp, PlanStep } from './api/plan.ts'
export type { ExportOptions, ImportOptions, ImportResult, ImportRow, ImportSource } from './api/portability.ts'
export type {
  ListOptions,
  ListResult,
  MemoryPath,
  NeighborsResult,
  PathsResult,
  PendingResult,
  RebuildResult,
  Stats,
  UsageDay,
  UsageResult,
  VerifyResult,
} from './api/reading.ts'
export type {
  ForgetOptions,
  ForgetResult,
  MaintainOptions,
  MaintainResult,
  ReportOptions,
  ReportResult,
} from './api/retention.ts'
export type {
  Degradable,
  Degradation,
  ExplainResult,
  ExplainStage,
  Explanation,
  ScoreWeights,
  SearchHit,
  SearchOptions,
  SearchResult,
} from './api/searching.ts'
export type {
  SkillExportOptions,
  SkillExportResult,
  SkillExportRow,
  SkillFolderVerbs,
  SkillImportResult,
  SkillImportRow,
} from './api/skill-folder.ts'
export type {
  MatchedSkill,
  SkillLearnResult,
  SkillMatchOptions,
  SkillMatchResult,
  SkillOutcome,
  SkillReadFileResult,
  SkillReportOptions,
  SkillVerbs,
} from './api/skills.ts'
export type {
  ConsolidateOptions,
  ConsolidateResult,
  KeptSummaryResult,
  RefreshResult,
  RefreshSummaryOptions,
  SummarizeOptions,
  SummarizeResult,
  SummaryName,
  SummaryVerbs,
} from './api/summaries.ts'
export type { MatchedTool, ToolLearnResult, ToolMatchOptions, ToolMatchResult, ToolVerbs } from './api/tools.ts'
export type {
  AddManyResult,
  AddOutcome,
  AddResult,
  ApplyResult,
  DeleteResult,
  DryRun,
  LinkResult,
  SupersedeResult,
  UndoResult,
  WriteMethod,
  WriteResult,
} from './api/write-results.ts'
export { type Runtime, runVerb } from './bind-verbs.ts'
export type { ModelLimits } from './language-model/limits.ts'
export {
  type MigrateProgress,
  type MigrateStoreOptions,
  type MigrateStoreResult,
  migrateStore,
} from './migrate-store/index.ts'
export { type OpenMemoryOptions, openMemory } from './open-memory.ts'
export { isRecordPiece } from './portable-lines.ts'
export type { Clock, Logger } from './seams.ts'
export {
  type Environment,
  environmentSpec,
  parseStoreSpec,
  type StoreSpec,
  storeFromSpec,
  storeSpecShapes,
} from './store-spec/index.ts'
export type { Call, Verb } from './verb.ts'
export { verbs } from './verbs/index.ts'
