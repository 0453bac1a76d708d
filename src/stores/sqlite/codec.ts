import { crc32 } from 'node:zlib'
import type { Analysis, ReadOptions, StoredRecord, StoredVector } from '../../contract/index.ts'
import type { MemoryRecord } from '../../model/index.ts'
import { fromFloatBytes } from '../../vector/index.ts'
import type { SqliteRow, SqliteValue } from './driver.ts'

/** The first byte is the width of a token: 2 bytes hold every table up to 65,536 tokens, 4 any other. */
export function encodeTokens(tokens: readonly number[]): Uint8Array {
  const width = tokens.every((token) => token < 65_536) ? 2 : 4
  // A part of a buffer that is there: a typed array of its own costs more than all that is written to it.
  const bytes = Buffer.allocUnsafe(1 + width * tokens.length)
  let end = bytes.writeUInt8(width)
  for (const token of tokens) end = width === 2 ? bytes.writeUInt16LE(token, end) : bytes.writeUInt32LE(token, end)
  return bytes
}

function decodeTokens(blob: Uint8Array): number[] {
  const width = blob[0] as number
  const view = new DataView(blob.buffer, blob.byteOffset + 1, blob.byteLength - 1)
  const tokens = new Array<number>(view.byteLength / width)
  for (let i = 0; i < tokens.length; i++) {
    tokens[i] = width === 2 ? view.getUint16(i * 2, true) : view.getUint32(i * 4, true)
  }
  return tokens
}

/** Frequencies are written as one digit each; nothing has the frequency 0. */
const digits = Array.from({ length: 36 }, (_, digit) => (digit === 0 ? ' ' : digit.toString(36)))

/** Terms in a form that is short and quickly read: words with blanks between, then their frequencies; JSON where that won't do. */
export function encodeTerms(terms: Analysis['terms']): string {
  let words = ''
  let frequencies = ''
  for (const [term, frequency] of terms) {
    words += words === '' ? term : ` ${term}`
    frequencies += digits[frequency] ?? ' '
  }
  const short = !frequencies.includes(' ') && isReadable(words, Math.max(1, terms.length))
  return short ? `${words}\n${frequencies}` : JSON.stringify(terms)
}

const oneWord = String.raw`[^\s\0\ud800-\udfff]+`
const readable = new RegExp(`^(?!\\[)(?:${oneWord}(?: ${oneWord})*)?$`)

/** True when splitting at blanks gives the same words, that many. */
function isReadable(words: string, count: number): boolean {
  let blanks = 0
  let isPlain = words !== ''
  // Words of English, which nearly all are: a loop takes a fraction of what the pattern does.
  for (let i = 0; i < words.length; i++) {
    const unit = words.charCodeAt(i)
    if (unit === 0x20) blanks++
    else if (unit < 0x30 || unit > 0x7a || (unit > 0x39 && unit < 0x61)) isPlain = false
  }
  return blanks === count - 1 && (isPlain || readable.test(words))
}

/** @throws SyntaxError for a damaged text */
function decodeTerms(text: string): Analysis['terms'] {
  if (text.startsWith('[')) return JSON.parse(text) as Analysis['terms']
  const end = text.lastIndexOf('\n')
  const words = end > 0 ? text.slice(0, end).split(' ') : []
  if (end < 0 || text.length - end - 1 !== words.length) throw new SyntaxError('terms without their frequencies')
  return words.map((word, i) => [word, Number.parseInt(text.charAt(end + 1 + i), 36)] as const)
}

/** A number for the text of a hash, of eight bytes in the file; not every hash has its own. */
export function hashCode(hash: string): number {
  let a = 0x9e3779b9
  let b = 0x243f6a88
  for (let i = 0; i < hash.length; i++) {
    const unit = hash.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x85ebca6b)
    b = Math.imul(b ^ unit, 0xc2b2ae35)
  }
  a = Math.imul(a ^ (a >>> 16), 0x45d9f3b) ^ Math.imul(b ^ (b >>> 13), 0x119de1f3)
  b = Math.imul(b ^ (b >>> 16), 0x45d9f3b) ^ Math.imul(a ^ (a >>> 13), 0x119de1f3)
  return 2 ** 52 + (b >>> 12) * 2 ** 32 + (a >>> 0)
}

/** Of a record and its terms, as written: catches damage that leaves the file's structure whole. */
export function checksum(record: string, terms: string): number {
  return crc32(terms, crc32(record))
}

/** Checksum and shape, always as many bytes. */
export function encodeFacts(record: string, terms: string, shape: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeUInt32LE(checksum(record, terms))
  bytes.writeUInt32LE(shape, 4)
  return bytes
}

export function decodeFacts(blob: Uint8Array): { readonly checksum: number; readonly shape: number } {
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength)
  return { checksum: view.getUint32(0, true), shape: view.getUint32(4, true) }
}

/** The vector of a revision, as `vectorColumns` select it. */
export interface VectorRow {
  readonly space: string | null
  readonly vector: Uint8Array | null
}

/** The heavy part of a revision, as `contentColumns` select it. */
interface ContentRow extends VectorRow {
  readonly analyser: string
  readonly facts: Uint8Array
  readonly terms: string
  readonly tokens: Uint8Array
}

/** SQL for the vector of a revision `v`, or its space: one that came late counts more. */
export function lateOr(column: 'vector' | 'space'): string {
  return `coalesce((SELECT l.${column} FROM late_vectors l WHERE l.rev = v.rev), v.${column})`
}

/** Columns of `log v` that `decodeVectorOf` reads. */
export const vectorColumns = `${lateOr('vector')} AS vector, (SELECT name FROM spaces WHERE id = ${lateOr('space')}) AS space`
/** Columns of `log v` that `decodeStored` reads: without analysis and vector, which are most of a row, ... */
const bareColumns = 'v.record, v.hash'
/** ... and with all. */
export const contentColumns = `${bareColumns}, ${vectorColumns}, v.facts, v.terms, v.tokens, (SELECT name FROM analysers WHERE id = v.analyser) AS analyser`

export const readColumns = [bareColumns, contentColumns] as const

export function columnsFor(bare: ReadOptions['bare']): string {
  return bare ? bareColumns : contentColumns
}

/** Reads since the record was put; null leaves the record as it was put. */
export interface Access {
  readonly count: number
  readonly last: string | null
}

export function accessOf(row: SqliteRow): Access {
  return { count: row.access_count as number, last: row.last_accessed_at as string | null }
}

function noAnalysis(): Analysis {
  return { analyser: '', terms: [], tokens: [], shape: 0 }
}

function decodeAnalysis(content: ContentRow): Analysis {
  return {
    analyser: content.analyser,
    terms: decodeTerms(content.terms),
    tokens: decodeTokens(content.tokens),
    shape: decodeFacts(content.facts).shape,
  }
}

export function decodeVectorOf(row: VectorRow): StoredVector | null {
  return row.vector === null || row.space === null ? null : { space: row.space, values: fromFloatBytes(row.vector) }
}

/** @throws SyntaxError for a damaged row */
export function decodeStored(row: SqliteRow, access: Access | null): StoredRecord {
  const record = JSON.parse(row.record as string) as { -readonly [F in keyof MemoryRecord]: MemoryRecord[F] }
  if (access !== null) {
    record.accessCount = access.count
    if (access.last !== null) record.lastAccessedAt = access.last
  }
  const content = row as unknown as ContentRow
  return {
    record,
    analysis: row.terms === undefined ? noAnalysis() : decodeAnalysis(content),
    vector: row.vector === undefined ? null : decodeVectorOf(content),
  }
}

/** A list for `json_each(?)`: one bound value, however long. */
export function jsonList(values: readonly (string | number)[]): string {
  return JSON.stringify(values)
}

/** JSON or NULL. */
export function jsonOrNull(value: unknown): SqliteValue {
  return value === undefined ? null : JSON.stringify(value)
}

export function parseOrUndefined<T>(text: SqliteValue | undefined): T | undefined {
  return typeof text === 'string' ? (JSON.parse(text) as T) : undefined
}
