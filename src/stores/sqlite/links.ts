import type { ReadOptions } from '../../contract/index.ts'
import type { Link, ScopeFilter } from '../../model/index.ts'
import { jsonList } from './codec.ts'
import type { Connection } from './connection.ts'
import { loadAll } from './content.ts'
import type { SqliteRow } from './driver.ts'
import { decodeLink } from './log.ts'
import { pastOf, placeThen } from './past.ts'
import type { Session } from './session.ts'
import type { Work } from './work.ts'

/** The scope of a record that is there. */
const scopeOf = (id: string) =>
  `(SELECT scope FROM log INDEXED BY log_id WHERE id = ${id} AND version > 0 ORDER BY version DESC LIMIT 1)`

/** Links that touch any of the ids; each once. */
function linksNow(db: Connection, ids: string): readonly SqliteRow[] {
  return db
    .sql(
      `SELECT l.*, ${scopeOf('l.from_id')} AS from_scope, ${scopeOf('l.to_id')} AS to_scope
       FROM (SELECT * FROM links WHERE from_id IN (SELECT value FROM json_each(?))
             UNION SELECT * FROM links WHERE to_id IN (SELECT value FROM json_each(?))) l
       ORDER BY l.from_id, l.to_id, l.type`,
    )
    .all(ids, ids)
}

/** The last entry of each link up to a past state, without those that were cut. */
function linksThen(db: Connection, ids: string, condition: string, value: number): readonly SqliteRow[] {
  return db
    .sql(
      `SELECT from_id, to_id, type, body FROM (
         SELECT max(change) AS change, from_id, to_id, type, body
         FROM (SELECT * FROM link_log WHERE from_id IN (SELECT value FROM json_each(?))
               UNION SELECT * FROM link_log WHERE to_id IN (SELECT value FROM json_each(?)))
         WHERE ${condition} GROUP BY from_id, to_id, type)
       WHERE body IS NOT NULL ORDER BY from_id, to_id, type`,
    )
    .all(ids, ids, value)
}

export function* links(
  db: Connection,
  session: Session,
  scope: ScopeFilter,
  ids: readonly string[],
  asOf: ReadOptions['asOf'],
): Work<Link[]> {
  const list = jsonList([...new Set(ids)])
  if (asOf === undefined) {
    const visible = session.scopes.visible(scope)
    const seen = (id: unknown) => visible === null || visible.has(id as number)
    return linksNow(db, list)
      .filter((row) => seen(row.from_scope) && seen(row.to_scope))
      .map((row) => decodeLink(row))
  }
  const past = pastOf(db, session, asOf)
  const there = new Map<string, boolean>()
  const wasThere = (id: string) => {
    const known = there.get(id)
    if (known !== undefined) return known
    const place = placeThen(db, session, scope, past, id)
    const found = place !== null && loadAll(db, [place])[0] !== null
    there.set(id, found)
    return found
  }
  const found: Link[] = []
  for (const row of linksThen(db, list, past.condition('change'), past.value)) {
    if (wasThere(row.from_id as string) && wasThere(row.to_id as string)) found.push(decodeLink(row))
    yield
  }
  return found
}
