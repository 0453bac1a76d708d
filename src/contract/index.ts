export {
  idempotencyConflict,
  linkConflict,
  presenceConflict,
  scopeConflict,
  storeClosed,
  transactionConflict,
  versionConflict,
} from './conflicts.ts'
export { decodeCursor, encodeCursor } from './cursor.ts'
export type { Embedder, EmbedOptions, OperationOptions, Reranker } from './embedder.ts'
export { erasedId } from './erased-id.ts'
export { brokenJournalLine, journalDigest } from './journal-chain.ts'
export { compareIds, comparePositions, isDescending, orderValue } from './list-order.ts'
export { isReservedKind, lacksVector, matchesKind, matchesQuery } from './matches-query.ts'
export type {
  Analysis,
  AsOf,
  Claim,
  CommitResult,
  Cursor,
  Derivation,
  EraseCounts,
  EraseStamp,
  IdempotencyKey,
  JournalEntry,
  JournalLine,
  ListOrder,
  ListPosition,
  ListQuery,
  LoggedChange,
  LoggedTransaction,
  LogPage,
  MemoryStore,
  Page,
  Precondition,
  PutRecord,
  ReadOptions,
  SearchWindow,
  SnapshotPart,
  SnapshotState,
  SnapshotStore,
  StoreChange,
  StoreCount,
  StoredRecord,
  StoredVector,
  StoreProblem,
  StoreStats,
  TextHits,
  TextSearch,
  Touch,
  Transaction,
  Turn,
  TurnDetails,
  TurnSearch,
  VectorHits,
  VectorSearch,
} from './memory-store.ts'
export { type StampContext, stampRecord } from './stamp-record.ts'
export type { TokenTable } from './token-table.ts'
