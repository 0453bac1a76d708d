import type { StoredRecord, StoredVector } from '../../contract/index.ts'
import { expiryOf, type MemoryRecord, momentOf } from '../../model/index.ts'
import { fromFloatBytes, toFloatBytes } from '../../vector/index.ts'
import { claimId, number, type Partition, scopeColumns, sortable, token } from './tokens.ts'

/** Any JSON as text that every server keeps: lone surrogates and NUL are written as escapes. */
export function encodeJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

export function decodeJson<T>(text: unknown): T {
  return JSON.parse(text as string) as T
}

/** The bytes of the floats: exact, and half of what a list of doubles takes. */
export function encodeVector(values: Float32Array): Int8Array {
  return new Int8Array(toFloatBytes(values.slice()).buffer as ArrayBuffer)
}

export function decodeVector(space: unknown, bytes: unknown): StoredVector | null {
  if (typeof space !== 'string' || !(bytes instanceof Int8Array)) return null
  return {
    space: decodeJson<string>(space),
    values: fromFloatBytes(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
  }
}

/** What a version keeps: of the current one `Memory` nodes have the same. */
export type Payload = Readonly<Record<string, unknown>>

/** Ids of records that a record names. */
export function referencesOf({ supersedes, supersededBy, source }: MemoryRecord): string[] {
  return [supersedes, supersededBy, ...(source.from ?? [])].flatMap((id) => (id === undefined ? [] : [token(id)]))
}

export function encodePayload({ record, analysis, vector }: StoredRecord): Payload {
  const references = referencesOf(record)
  return {
    record: JSON.stringify(record),
    analysis: JSON.stringify(analysis),
    ...(references.length === 0 ? {} : { references }),
    ...(vector === null ? {} : { space: JSON.stringify(vector.space), vector: encodeVector(vector.values) }),
  }
}

/** Names of what `decodeStored` needs of a node. */
export const payloadOf = (node: string) =>
  `${node}.record AS record, ${node}.analysis AS analysis, ${node}.space AS space, ${node}.vector AS vector`

export function decodeStored(row: Readonly<Record<string, unknown>>): StoredRecord {
  return {
    record: decodeJson(row.record),
    analysis: decodeJson(row.analysis),
    vector: decodeVector(row.space, row.vector),
  }
}

/** What a query asks for when the records alone are wanted. */
export const bareOf = (node: string) => `${node}.record AS record`

const noAnalysis = { analyser: '', terms: [], tokens: [], shape: 0 }

export function decodeBare(row: Readonly<Record<string, unknown>>): StoredRecord {
  return { record: decodeJson(row.record), analysis: { ...noAnalysis }, vector: null }
}

function time(value: string | undefined): number | bigint | null {
  return value === undefined ? null : number(Date.parse(value))
}

/** The properties of a record's node: what lists, claims and people ask for. */
export function memoryColumns(partition: Partition, stored: StoredRecord, hash: string | null): Payload {
  const { record, analysis, vector } = stored
  const { id, kind, key, scope, status } = record
  const live = status === 'live'
  return {
    ...identityColumns(partition, record),
    content: record.content.toWellFormed(),
    status,
    tags: record.tags.map(token),
    importance: record.importance,
    pinned: record.pinned,
    sort: sortable(id),
    createdAt: time(record.createdAt),
    updatedAt: time(record.updatedAt),
    moment: number(momentOf(record)),
    born: record.createdAt,
    expiresAt: expiryOf(record) === Number.POSITIVE_INFINITY ? null : time(record.expiresAt),
    validFrom: time(record.validFrom),
    validTo: time(record.validTo),
    searched: analysis.terms.length > 0,
    key: key === undefined ? null : token(key),
    hash: hash === null ? null : token(hash),
    keyClaim: live && key !== undefined ? claimId(partition, 'key', scope, kind, key) : null,
    contentClaim: live && hash !== null ? claimId(partition, 'content', scope, kind, hash) : null,
    ...vectorColumns(vector),
    bytes: number(Buffer.byteLength(JSON.stringify(record)) + Buffer.byteLength(JSON.stringify(analysis))),
  }
}

/** The vector as what an index of its length takes. */
export function vectorColumns(vector: StoredVector | null): Payload {
  if (vector === null) return { dimensions: null }
  const { values } = vector
  return { dimensions: number(values.length), [`vector${values.length}`]: Array.from(values) }
}

/** What of an id is there even when the record is gone. */
function identityColumns(partition: Partition, { id, kind, scope, version }: MemoryRecord): Payload {
  return { uid: partition.uid(id), id, ...scopeColumns(partition, scope), kind, version: number(version) }
}
