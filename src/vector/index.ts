export {
  type ArenaOptions,
  type Calibration,
  createVectorArena,
  type FetchFloats,
  leastQueries,
  loadVectorArena,
  type NearestOptions,
  type NearRow,
  type ReadSegment,
  type Segment,
  type TurnOptions,
  turns,
  type VectorArena,
  type VectorSum,
} from './arena/index.ts'
export { cosine } from './cosine.ts'
export { dot } from './dot.ts'
export { dotAt } from './dot-at.ts'
export { fromFloatBytes, toFloatBytes } from './float-bytes.ts'
export type { KernelKind } from './kernel/index.ts'
export { normalise } from './normalise.ts'
export { createRowTable, type RowTable } from './row-table.ts'
export { type TopK, topK } from './top-k.ts'
export { vectorFault } from './vector-fault.ts'
