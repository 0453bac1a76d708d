export { staticEn256 } from './static-embedder.ts'
export { staticTokenTable } from './static-token-table.ts'
