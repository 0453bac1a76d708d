/** The storage contract and that of hot tiers as tests: run them on your own. */
export { conformanceCases, facetCases } from './cases/index.ts'
export type { ConformanceCase, ConformanceContext, Facet, Facets, HeldCommit, Need } from './conformance-case.ts'
export {
  describeHotTierConformance,
  type HotCase,
  type HotCaseContext,
  type HotCaseOptions,
  type HotNeed,
  type HotTierTarget,
  hotTierCases,
  runHotTierConformance,
} from './hot-tier/index.ts'
export { type ConformanceTarget, describeConformance, runConformance } from './run.ts'
export type { ConformanceResult, KnownGap, TestApi } from './suite.ts'
