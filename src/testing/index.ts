/** What tests of memories, stores and embedders want: a clock, ids, failures and store-level changes. */
export { type FailingEmbedderOptions, failingEmbedder } from './failing-embedder.ts'
export { type FixedClock, fixedClock } from './fixed-clock.ts'
export { sequentialIds } from './sequential-ids.ts'
export { draft, plainAnalysis, put, transaction, unitVector } from './store-changes.ts'
