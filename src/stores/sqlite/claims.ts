import type { Claim } from '../../contract/index.ts'
import { scopeKey } from '../../model/index.ts'
import { hashCode, jsonList } from './codec.ts'
import { type Connection, readValue } from './connection.ts'
import type { SqliteRow } from './driver.ts'
import type { Work } from './work.ts'

/**
 * Records by key, or by the content of their current revision. Left to itself the planner walks the whole scope, or all
 * records in order, instead of looking the value up.
 */
export const byKey = 'records r INDEXED BY records_key'
export const byHash =
  'log v INDEXED BY log_hash CROSS JOIN records r ON r.scope = v.scope AND r.created_at = v.created_at AND r.id = v.id AND r.rev = v.rev'
/** Records that are pinned, and the few that have the same words in their metadata or data. */
export const byPinned =
  'log v INDEXED BY log_pinned CROSS JOIN records r ON r.scope = v.scope AND r.created_at = v.created_at AND r.id = v.id AND r.rev = v.rev'
const inScope = "r.scope = (SELECT id FROM scopes WHERE key = ?) AND r.kind = ? AND r.status = 'live'"

const columns = 'r.id, r.rev, r.access_count, r.last_accessed_at'
const oldest = `${inScope} ORDER BY r.created_at, r.id LIMIT 1`
const findByKey = `SELECT ${columns} FROM ${byKey} WHERE r.key = ? AND ${oldest}`
const findByHash = `SELECT ${columns} FROM ${byHash} WHERE v.hash_code = ? AND v.hash_code > 0 AND v.hash = ? AND ${oldest}`

const anyKey = `SELECT 1 FROM ${byKey} WHERE r.key = ? LIMIT 1`
const anyHash = 'SELECT 1 FROM log INDEXED BY log_hash WHERE hash_code = ? AND hash_code > 0 LIMIT 1'

/** Mostly nobody does, which one look into an index tells. */
export function isHeldAnywhere(db: Connection, { type, value }: Pick<Claim, 'type' | 'value'>): boolean {
  return readValue(db, type === 'key' ? anyKey : anyHash, type === 'key' ? value : hashCode(value)) !== null
}

/** The oldest live record that holds a claim. */
export function findHolder(db: Connection, { type, scope, kind, value }: Claim): SqliteRow | undefined {
  return type === 'key'
    ? db.sql(findByKey).get(value, scopeKey(scope), kind)
    : db.sql(findByHash).get(hashCode(value), value, scopeKey(scope), kind)
}

/** Fewer than this are looked up one by one. */
const fewest = 4

/** Other texts may not come out of JSON functions as they went in. */
const isPlain = /^[\x20-\x7e]*$/

/** As many are looked up with one statement. */
const chunk = 512

/** Places of the claims that somebody may hold, found with few statements for all of them: mostly none. */
export function* mayBeHeld(db: Connection, claims: readonly Claim[]): Work<ReadonlySet<number>> {
  const held = new Set<number>()
  if (claims.length < fewest) {
    for (const [place, claim] of claims.entries()) if (isHeldAnywhere(db, claim)) held.add(place)
    return held
  }
  const places: Record<Claim['type'], number[]> = { key: [], content: [] }
  for (const [place, { type, value }] of claims.entries()) {
    if (type === 'key' && !isPlain.test(value)) held.add(place)
    else places[type].push(place)
  }
  const lookedUp = ({ type, value }: Claim) => (type === 'key' ? value : hashCode(value))
  const texts = {
    key: `SELECT DISTINCT j.key AS place FROM json_each(?) j CROSS JOIN ${byKey} ON r.key = j.value`,
    content:
      'SELECT DISTINCT j.key AS place FROM json_each(?) j CROSS JOIN log v INDEXED BY log_hash ON v.hash_code = j.value AND v.hash_code > 0',
  }
  for (const type of ['key', 'content'] as const) {
    for (let start = 0; start < places[type].length; start += chunk) {
      const part = places[type].slice(start, start + chunk)
      const rows = db.sql(texts[type]).all(jsonList(part.map((place) => lookedUp(claims[place] as Claim))))
      for (const row of rows) held.add(part[row.place as number] as number)
      yield
    }
  }
  return held
}
