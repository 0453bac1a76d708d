export { type TransformersOptions, transformers } from './transformers.ts'
