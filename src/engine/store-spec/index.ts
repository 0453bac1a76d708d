export { type Environment, environmentSpec, parseStoreSpec, type StoreSpec, storeFromSpec } from './store-spec.ts'
