import type { Claim } from '../../contract/index.ts'
import { scopeKey } from '../../model/index.ts'
import { jsonList } from './codec.ts'
import type { Connection } from './connection.ts'
import type { SqliteRow } from './driver.ts'

/** Left to itself the planner walks the whole scope, or all records in order, instead of looking the value up. */
const sources: Readonly<Record<Claim['type'], { readonly column: string; readonly index: string }>> = {
  key: { column: 'key', index: 'records_key' },
  content: { column: 'hash', index: 'records_hash' },
}
const inScope = "r.scope = (SELECT id FROM scopes WHERE key = ?) AND r.kind = ? AND r.status = 'live'"

/** The oldest live record that holds a claim. */
export function findHolder(db: Connection, { type, scope, kind, value }: Claim): SqliteRow | undefined {
  const { column, index } = sources[type]
  return db
    .sql(
      `SELECT id, rev, access_count, last_accessed_at FROM records r INDEXED BY ${index} WHERE r.${column} = ? AND ${inScope} ORDER BY created_at, id LIMIT 1`,
    )
    .get(value, scopeKey(scope), kind)
}

/** Fewer than this are looked up one by one. */
const fewest = 4

/** Other texts may not come out of JSON functions as they went in. */
const isPlain = /^[\x20-\x7e]*$/

/** Places of the claims that somebody may hold, found with a few statements for all of them: mostly none. */
export function mayBeHeld(db: Connection, claims: readonly Claim[]): ReadonlySet<number> {
  if (claims.length < fewest) return new Set(claims.keys())
  const held = new Set<number>()
  const groups = new Map<string, { readonly first: Claim; readonly values: string[]; readonly places: number[] }>()
  for (const [place, claim] of claims.entries()) {
    if (!isPlain.test(claim.value)) {
      held.add(place)
      continue
    }
    const name = JSON.stringify([claim.type, claim.kind, scopeKey(claim.scope)])
    const group = groups.get(name)
    if (group === undefined) groups.set(name, { first: claim, values: [claim.value], places: [place] })
    else {
      group.values.push(claim.value)
      group.places.push(place)
    }
  }
  for (const { first, values, places } of groups.values()) {
    const { column, index } = sources[first.type]
    const rows = db
      .sql(
        `SELECT j.key AS place FROM json_each(?) j CROSS JOIN records r INDEXED BY ${index} ON r.${column} = j.value AND ${inScope}`,
      )
      .all(jsonList(values), scopeKey(first.scope), first.kind)
    for (const row of rows) held.add(places[row.place as number] as number)
  }
  return held
}
