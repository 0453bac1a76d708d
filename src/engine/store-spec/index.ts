export type { Environment, StoreSpec } from './schemes.ts'
export { environmentSpec, parseStoreSpec, storeFromSpec, storeSpecShapes } from './store-spec.ts'
