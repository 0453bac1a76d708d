export type { BoltOptions } from './options.ts'
export { bolt } from './store.ts'
