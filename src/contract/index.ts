export { checkChanges } from './check-changes.ts'
export {
  checkPlaceInJournal,
  idempotencyConflict,
  linkConflict,
  presenceConflict,
  scopeConflict,
  storeClosed,
  transactionConflict,
  versionConflict,
} from './conflicts.ts'
export { cursorTag, decodeCursor, decodeParts, encodeCursor, encodeParts, invalidCursor } from './cursor.ts'
export type { Embedder, EmbedOptions, OperationOptions, Reranker } from './embedder.ts'
export { erasedId } from './erased-id.ts'
export { namesAny, withoutErased, withoutReferences } from './erased-references.ts'
export { createGate, type Gate } from './gate.ts'
export type { GraphSearch, GraphStart, GraphStep, GraphView } from './graph-search.ts'
export type {
  HotAnswer,
  HotHit,
  HotHits,
  HotLease,
  HotOpenOptions,
  HotPut,
  HotQuery,
  HotQueue,
  HotTier,
  HotTombstone,
} from './hot-tier.ts'
export { isAddress } from './is-address.ts'
export type { JournalEnd, JournalEntry, JournalLine } from './journal.ts'
export { brokenJournalLine, type JournalCheck, journalCheck, journalDigest } from './journal-chain.ts'
export { knownOptions } from './known-options.ts'
export type { GeneratedText, GenerateRequest, LanguageModel, ModelMessage } from './language-model.ts'
export { compareIds, comparePositions, isDescending, orderValue } from './list-order.ts'
export type { LoggedChange, LoggedTransaction, LogPage } from './log.ts'
export { isReservedKind, lacksVector, matchesKind, matchesQuery } from './matches-query.ts'
export type { MemoryStore, OpenOptions } from './memory-store.ts'
export type { AsOf, Cursor, ListOrder, ListPosition, ListQuery, Page, ReadOptions } from './reading.ts'
export type {
  Judge,
  RankedCandidate,
  RetrievalStrategy,
  StrategyQuery,
  StrategySources,
} from './retrieval-strategy.ts'
export type { Scratch } from './scratch.ts'
export type {
  Found,
  SearchWindow,
  TextHit,
  TextHits,
  TextSearch,
  Turn,
  TurnDetails,
  TurnQuery,
  TurnSearch,
  VectorHit,
  VectorHits,
  VectorSearch,
} from './search-facets.ts'
export type { SnapshotPart, SnapshotState, SnapshotStore } from './snapshots.ts'
export { type StampContext, stampRecord } from './stamp-record.ts'
export type { StoreDegradation, StoreHealth, TierHealth } from './store-health.ts'
export type {
  EraseCounts,
  EraseStamp,
  MigrationCounts,
  StatsQuery,
  StoreCount,
  StoreProblem,
  StoreStats,
} from './store-report.ts'
export type { Analysis, Derivation, PutRecord, StoredRecord, StoredVector, Touch } from './stored-record.ts'
export type { TokenCounter } from './token-counter.ts'
export type { TokenTable } from './token-table.ts'
export type { Claim, CommitResult, IdempotencyKey, Precondition, StoreChange, Transaction } from './transaction.ts'
export { spacesOf, type VectorSpace } from './vector-space.ts'
export { type Meaning, whyMistrusted, whyUnreachable } from './why-unreachable.ts'
