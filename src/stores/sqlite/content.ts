import type { StoredRecord } from '../../contract/index.ts'
import { type Access, contentColumns, decodeStored, jsonList } from './codec.ts'
import type { Connection } from './connection.ts'
import type { SqliteRow } from './driver.ts'
import { hasContent } from './emptied.ts'
import { isCorrupt } from './failure.ts'

/** Which content to load, and what has been read of it since. */
export interface Place {
  readonly rev: number
  /** Null leaves the record as it was put. */
  readonly access: Access | null
}

export interface Loaded {
  readonly stored: StoredRecord
  readonly hash: string | null
}

function loadRows(db: Connection, revs: readonly number[], columns: string): readonly SqliteRow[] {
  return db
    .sql(
      `SELECT v.rev, ${columns} FROM json_each(?) j CROSS JOIN log v ON v.rev = j.value WHERE ${hasContent('v.record')}`,
    )
    .all(jsonList(revs))
}

/** Row by row, passing over what lies on damaged pages. */
function salvageRows(db: Connection, revs: readonly number[], columns: string): SqliteRow[] {
  return revs.flatMap((rev) => {
    try {
      return loadRows(db, [rev], columns)
    } catch (error) {
      if (isCorrupt(error)) return []
      throw error
    }
  })
}

/** Null for damaged content: JSON that does not parse. One damaged row must not hide the others; `verify` names it. */
export function decodeUndamaged(row: SqliteRow, access: Access | null): StoredRecord | null {
  return undamaged(() => decodeStored(row, access))
}

export function undamaged<T>(decode: () => T): T | null {
  try {
    return decode()
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null
    throw error
  }
}

function decode(row: SqliteRow, access: Access | null): Loaded | null {
  const stored = decodeUndamaged(row, access)
  return stored && { stored, hash: row.hash as string | null }
}

/** In the order of the places; null where the content was removed or is damaged. */
export function loadAll(db: Connection, places: readonly Place[], columns = contentColumns): (Loaded | null)[] {
  if (places.length === 0) return []
  const revs = places.map(({ rev }) => rev)
  let rows: readonly SqliteRow[]
  try {
    rows = loadRows(db, revs, columns)
  } catch (error) {
    if (!isCorrupt(error)) throw error
    rows = salvageRows(db, revs, columns)
  }
  const byRev = new Map(rows.map((row) => [row.rev as number, row]))
  return places.map(({ rev, access }) => {
    const row = byRev.get(rev)
    return row === undefined ? null : decode(row, access)
  })
}
