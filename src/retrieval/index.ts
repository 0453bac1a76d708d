export type { Candidate, Collection } from './candidate.ts'
export { type Fusion, type FusionOptions, rankedLists, reciprocalRankFusion } from './fusion.ts'
export {
  createIndex,
  type IndexOptions,
  type InProcessIndex,
  indexOf,
  type SearchFacets,
} from './in-process-index/index.ts'
export { type ActorInfo, analyse, type Question } from './question.ts'
export { type Ranked, rank, rankValues, WEIGHTS } from './rank.ts'
export {
  type Adjustment,
  adjusted,
  adjustScores,
  evidenceOf,
  type Factors,
  recency,
  type Scored,
  type ScoreOptions,
  type SearchMode,
  score,
  scoreInTurn,
} from './score.ts'
export { type SelectOptions, select } from './select.ts'
export { SHAPE, type ShapeBit, shapeFlag, shapeOf } from './shape.ts'
export { type SignalColumns, type Signals, signals, signalsAt } from './signals.ts'
export { type TokenMatch, tokenMatch } from './token-match.ts'
