export type { Carry } from './promote.ts'
export { isOwnKind } from './read-staged.ts'
export { isOfSession, type StagingStore, staging } from './staging.ts'
