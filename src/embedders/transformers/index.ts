export type { TransformersLibrary } from './library.ts'
export { type TransformersOptions, transformers } from './transformers.ts'
