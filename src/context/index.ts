export { type Compressed, type CompressOptions, compress } from './compress.ts'
