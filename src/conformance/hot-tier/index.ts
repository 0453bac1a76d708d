export { hotTierCases } from './cases/index.ts'
export type { HotCase, HotCaseContext, HotCaseOptions, HotNeed } from './hot-case.ts'
export { describeHotTierConformance, type HotTierTarget, runHotTierConformance } from './run-hot-tier.ts'
