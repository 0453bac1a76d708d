import type { PutRecord } from '../../contract/index.ts'

/** A record as a draft: the next commit gives it its version and its time of change. */
export function unstamped(record: PutRecord): PutRecord {
  const { version: _version, updatedAt: _updatedAt, ...draft } = record
  return draft
}
