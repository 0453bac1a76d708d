import { formatInstant, type MemoryRecord } from '../model/index.ts'
import type { PutRecord } from './memory-store.ts'

/** What a store knows of the id when it puts a record. */
export interface StampContext {
  /** The last version of the id, tombstones and erased ones included; 0 for a new id. */
  readonly lastVersion: number
  /** Of the current record, null when there is none. */
  readonly createdAt: string | null
  /** Epoch milliseconds of the commit. */
  readonly at: number
}

/** Completes a put (STO-VER-1): the next version unless a greater one is given; times as given, else kept, else the moment of commit. */
export function stampRecord(put: PutRecord, { lastVersion, createdAt, at }: StampContext): MemoryRecord {
  return {
    ...put,
    version: Math.max(lastVersion + 1, put.version ?? 0),
    createdAt: put.createdAt ?? createdAt ?? formatInstant(at),
    updatedAt: put.updatedAt ?? formatInstant(at),
  }
}
