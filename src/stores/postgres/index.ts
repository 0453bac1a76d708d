export type { PostgresOptions } from './options.ts'
export { type RaiseWallOptions, raiseWall } from './raise-wall.ts'
export { postgres } from './store.ts'
