export {
  type Environment,
  environmentSpec,
  parseStoreSpec,
  type StoreSpec,
  storeFromSpec,
  storeSpecShapes,
} from './store-spec.ts'
