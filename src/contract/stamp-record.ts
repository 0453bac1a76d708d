import { InputError } from '../errors/index.ts'
import { formatInstant, type MemoryRecord } from '../model/index.ts'
import type { PutRecord } from './stored-record.ts'

/** Every field of a record, in the order people read them. */
const order = {
  id: true,
  kind: true,
  content: true,
  data: true,
  key: true,
  scope: true,
  tags: true,
  metadata: true,
  importance: true,
  confidence: true,
  reliability: true,
  source: true,
  trust: true,
  eventTime: true,
  validFrom: true,
  validTo: true,
  createdAt: true,
  updatedAt: true,
  lastAccessedAt: true,
  accessCount: true,
  expiresAt: true,
  pinned: true,
  status: true,
  supersedes: true,
  supersededBy: true,
  version: true,
} satisfies Record<keyof MemoryRecord, true>
const fields = Object.keys(order) as readonly (keyof MemoryRecord)[]

/** What a store knows of the id when it puts a record. */
export interface StampContext {
  /** The last version of the id, tombstones and erased ones included; 0 for a new id. */
  readonly lastVersion: number
  /** Of the current record, null when there is none. */
  readonly createdAt: string | null
  /** Epoch milliseconds of the commit. */
  readonly at: number
}

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
  const stamped: Partial<MemoryRecord> = {
    version: Math.max(lastVersion + 1, put.version ?? 0),
    createdAt: put.createdAt ?? createdAt ?? now,
    updatedAt: put.updatedAt ?? now,
  }
  // One order of fields, the same in every answer, export and file.
  const record: Record<string, unknown> = {}
  for (const field of fields) {
    const value = stamped[field] ?? put[field]
    if (value !== undefined) record[field] = value
  }
  return record as never
}
