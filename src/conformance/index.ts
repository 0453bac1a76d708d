/** The storage contract as tests: run them on your own store. */
export { conformanceCases, facetCases } from './cases/index.ts'
export type { ConformanceCase, ConformanceContext, Facet, Facets, HeldCommit, Need } from './conformance-case.ts'
export {
  type ConformanceResult,
  type ConformanceTarget,
  describeConformance,
  type KnownGap,
  runConformance,
  type TestApi,
} from './run.ts'
