export type { TieredOptions } from './options.ts'
export { type TieredStore, tiered } from './tiered.ts'
