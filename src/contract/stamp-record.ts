import { InputError } from '../errors/index.ts'
import { formatInstant, type MemoryRecord } from '../model/index.ts'
import type { PutRecord } from './stored-record.ts'

/** What a store knows of the id when it puts a record. */
export interface StampContext {
  /** The last version of the id, tombstones and erased ones included; 0 for a new id. */
  readonly lastVersion: number
  /** Of the current record, null when there is none. */
  readonly createdAt: string | null
  /** Epoch milliseconds of the commit. */
  readonly at: number
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] }

/** Versions and counts go on from what a put says: with room to count. */
const maxCount = 2 ** 31

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= maxCount
}

function tooLarge(id: string): InputError {
  return new InputError({
    code: 'INVALID_RECORD',
    message: `record ${id}: version and access count must be whole numbers up to ${maxCount}.`,
    details: { id },
  })
}

/** Completes a put (STO-VER-1): the next version unless a greater one is given; times as given, else kept, else the moment of commit. */
export function stampRecord(put: PutRecord, { lastVersion, createdAt, at }: StampContext): MemoryRecord {
  if (!(isCount(put.version ?? 1) && isCount(put.accessCount))) throw tooLarge(put.id)
  const now = formatInstant(at)
  // One order of fields, that in which people read them, the same in every answer, export and file. Written out, as a loop
  // over their names takes ten times as long, and every write waits for it.
  const record = { id: put.id, kind: put.kind, content: put.content } as Writable<MemoryRecord>
  if (put.data !== undefined) record.data = put.data
  if (put.key !== undefined) record.key = put.key
  record.scope = put.scope
  record.tags = put.tags
  record.metadata = put.metadata
  record.importance = put.importance
  record.confidence = put.confidence
  record.reliability = put.reliability
  record.source = put.source
  record.trust = put.trust
  if (put.eventTime !== undefined) record.eventTime = put.eventTime
  if (put.validFrom !== undefined) record.validFrom = put.validFrom
  if (put.validTo !== undefined) record.validTo = put.validTo
  record.createdAt = put.createdAt ?? createdAt ?? now
  record.updatedAt = put.updatedAt ?? now
  if (put.lastAccessedAt !== undefined) record.lastAccessedAt = put.lastAccessedAt
  record.accessCount = put.accessCount
  if (put.expiresAt !== undefined) record.expiresAt = put.expiresAt
  record.pinned = put.pinned
  record.status = put.status
  if (put.supersedes !== undefined) record.supersedes = put.supersedes
  if (put.supersededBy !== undefined) record.supersededBy = put.supersededBy
  record.version = Math.max(lastVersion + 1, put.version ?? 0)
  return record
}
