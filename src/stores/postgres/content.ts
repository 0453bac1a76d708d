import type { Analysis, StoredRecord, StoredVector } from '../../contract/index.ts'
import { formatInstant, type MemoryRecord } from '../../model/index.ts'
import type { Row } from './driver.ts'
import { decodeName } from './names.ts'

/** Vectors are little-endian float32 in the tables; on other machines bytes are swapped. */
const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

export function encodeVector(values: Float32Array): Buffer {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength)
  return littleEndian ? bytes : Buffer.from(bytes).swap32()
}

export function decodeVector(value: Uint8Array): Float32Array {
  const bytes = littleEndian ? value : Buffer.from(value).swap32()
  // slice, because the driver's bytes may start anywhere in a larger buffer.
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}

/** Terms, tokens and shape as JSON; the analyser has a number of its own. */
export function encodeAnalysis({ terms, tokens, shape }: Analysis): string {
  return JSON.stringify([terms, tokens, shape])
}

function decodeAnalysis(analyser: string, text: string): Analysis {
  const [terms, tokens, shape] = JSON.parse(text) as [Analysis['terms'], Analysis['tokens'], number]
  return { analyser: decodeName(analyser), terms, tokens, shape }
}

/** Joins what `contentColumns` reads to a revision `v`. */
export const contentJoins =
  'LEFT JOIN {analysers} a ON a.id = v.analyser LEFT JOIN {vectors} e ON e.owner = v.owner AND e.id = v.id AND e.version = v.version LEFT JOIN {spaces} p ON p.id = e.space'
export const contentColumns = 'v.record, v.analysis, a.name AS analyser, e.value AS vector, p.name AS space'
/** Without analysis and vector, which are most of a row; needs no joins. */
export const bareColumns = 'v.record'

export function decodeVectorOf(row: Row): StoredVector | null {
  if (!(row.vector instanceof Uint8Array)) return null
  return { space: decodeName(row.space as string), values: decodeVector(row.vector) }
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] }

const noAnalysis: () => Analysis = () => ({ analyser: '', terms: [], tokens: [], shape: 0 })

/** A row of `contentColumns` or `bareColumns`. With `access_count` in it, access is that of now; else as it was put. */
export function decodeStored(row: Row): StoredRecord {
  const record = JSON.parse(row.record as string) as Writable<MemoryRecord>
  if (typeof row.access_count === 'number') {
    record.accessCount = row.access_count
    if (typeof row.last_accessed_at === 'number') record.lastAccessedAt = formatInstant(row.last_accessed_at)
  }
  return {
    record,
    analysis: typeof row.analysis === 'string' ? decodeAnalysis(row.analyser as string, row.analysis) : noAnalysis(),
    vector: decodeVectorOf(row),
  }
}
