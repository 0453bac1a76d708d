import type { Claim, StoredRecord } from '../../contract/index.ts'
import { scopeKey } from '../../model/index.ts'
import { accessOf } from './codec.ts'
import type { Connection } from './connection.ts'
import { loadAll, type Place } from './content.ts'
import type { Work } from './work.ts'

const chunk = 64

/** Left to itself the planner walks the whole scope, or all records in order, instead of looking the value up. */
const rest =
  "scope = (SELECT id FROM scopes WHERE key = ?) AND kind = ? AND status = 'live' ORDER BY +created_at, +id LIMIT 1"
const columns = 'rev, access_count, last_accessed_at'
const texts: Readonly<Record<Claim['type'], string>> = {
  key: `SELECT ${columns} FROM records INDEXED BY records_key WHERE key = ? AND ${rest}`,
  content: `SELECT ${columns} FROM records INDEXED BY records_hash WHERE hash = ? AND ${rest}`,
}

function placeOf(db: Connection, { type, scope, kind, value }: Claim): Place | null {
  const row = db.sql(texts[type]).get(value, scopeKey(scope), kind)
  return row === undefined ? null : { rev: row.rev as number, access: accessOf(row) }
}

/** The oldest live record that holds each claim. */
export function* holders(db: Connection, claims: readonly Claim[]): Work<(StoredRecord | null)[]> {
  const found: (StoredRecord | null)[] = []
  for (let start = 0; start < claims.length; start += chunk) {
    const places = claims.slice(start, start + chunk).map((claim) => placeOf(db, claim))
    const loaded = loadAll(
      db,
      places.filter((place) => place !== null),
    ).values()
    for (const place of places) found.push(place === null ? null : (loaded.next().value?.stored ?? null))
    yield
  }
  return found
}
