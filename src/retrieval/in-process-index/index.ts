export { createIndex, type IndexOptions, type InProcessIndex, indexOf, type SearchFacets } from './in-process-index.ts'
