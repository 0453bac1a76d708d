export { type EmbedderFromOptions, type EmbedFunction, embedderFrom } from './embedder-from.ts'
export { type HashingOptions, hashing } from './hashing/index.ts'
export { staticEn256, staticTokenTable } from './static-en-256/index.ts'
