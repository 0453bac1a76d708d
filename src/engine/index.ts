export { type Access, narrowAccess } from './access.ts'
export { type Runtime, runVerb } from './bind-verbs.ts'
export { uuidv7 } from './ids.ts'
export type {
  AddManyResult,
  AddOptions,
  AddOutcome,
  AddResult,
  ApplyResult,
  Degradation,
  DeleteResult,
  ExplainResult,
  ExplainStage,
  Explanation,
  ExportOptions,
  ImportOptions,
  ImportResult,
  ImportRow,
  ImportSource,
  LinkResult,
  ListOptions,
  ListResult,
  MemoryEngine,
  MemoryVerbs,
  MemoryView,
  NeighborsResult,
  PendingResult,
  Plan,
  PlannedRecord,
  PlanOp,
  PlanStep,
  ReadScopeOptions,
  RebuildResult,
  ScoreWeights,
  SearchHit,
  SearchOptions,
  SearchResult,
  Stats,
  SupersedeResult,
  UndoResult,
  VerifyResult,
  ViewOptions,
  WriteOptions,
  WriteResult,
} from './memory-engine.ts'
export { type OpenMemoryOptions, openMemory } from './open-memory.ts'
export type { Clock, Logger } from './seams.ts'
export type { Call, Verb } from './verb.ts'
export { verbs } from './verbs/index.ts'
