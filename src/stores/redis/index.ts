export type { RedisOptions } from './options.ts'
export { redis } from './tier.ts'
