export {
  type MigrateProgress,
  type MigrateStoreOptions,
  type MigrateStoreResult,
  migrateStore,
} from './migrate-store.ts'
