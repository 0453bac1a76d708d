export { isOwnKind } from './read-staged.ts'
export { type StagingStore, staging } from './staging.ts'
