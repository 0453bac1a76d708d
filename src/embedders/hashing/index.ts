export { type HashingOptions, hashing } from './hashing.ts'
