export type { PostgresOptions } from './options.ts'
export { postgres } from './store.ts'
