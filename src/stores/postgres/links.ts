import type { ReadOptions } from '../../contract/index.ts'
import type { Link, ScopeFilter } from '../../model/index.ts'
import type { Call } from './database.ts'
import { decodeLink } from './log.ts'
import { encodeName } from './names.ts'
import { createParameters } from './parameters.ts'
import { readPast } from './past.ts'
import { scopeCondition } from './scope-condition.ts'
import type { Session } from './session.ts'

const inOrder = 'ORDER BY l.from_id, l.to_id, l.type'

/** Links that touch any of the ids, each once, from a table of links. */
const touching = (table: string, columns: string, ids: string) =>
  `(SELECT ${columns} FROM ${table} WHERE from_id = ANY(${ids}::text[]) UNION SELECT ${columns} FROM ${table} WHERE to_id = ANY(${ids}::text[]))`

async function linksNow(session: Session, call: Call, scope: ScopeFilter, ids: readonly string[]): Promise<Link[]> {
  const parameters = createParameters()
  const wanted = parameters.add(ids.map(encodeName))
  const columns = 'owner, digest, from_id, to_id, from_scope, to_scope, type, body'
  // Links go with their ends, so whoever sees the two scopes sees the records.
  const text = `SELECT l.* FROM ${touching('{links}', columns, wanted)} l
    JOIN {scopes} f ON f.id = l.from_scope JOIN {scopes} t ON t.id = l.to_scope
    WHERE ${scopeCondition(scope, 'f', parameters)} AND ${scopeCondition(scope, 't', parameters)} ${inOrder}`
  const rows = await session.database.transaction(call, 'read', (query) => query(text, parameters.values))
  return rows.map((row) => decodeLink(row))
}

function linksThen(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  ids: readonly string[],
  asOf: NonNullable<ReadOptions['asOf']>,
): Promise<Link[]> {
  return session.database.transaction(call, 'snapshot', async (query, beyond) => {
    const past = await readPast(beyond, session, asOf)
    const parameters = createParameters()
    const wanted = parameters.add(ids.map(encodeName))
    const columns = 'owner, digest, place, number, at, from_id, to_id, type, body'
    /** The version of then of an end is there, has its content and is visible. */
    const wasThere = (end: string) => `EXISTS (
      SELECT FROM {ids} i JOIN {scopes} s ON s.id = i.scope CROSS JOIN LATERAL (
        SELECT w.record FROM {revisions} w WHERE w.owner = i.owner AND w.id = i.id AND ${past.condition('w', parameters)}
        ORDER BY w.version DESC LIMIT 1) v
      WHERE i.id = l.${end} AND v.record IS NOT NULL AND ${scopeCondition(scope, 's', parameters)})`
    const rows = await query(
      `SELECT l.* FROM (SELECT DISTINCT ON (c.owner, c.digest) c.* FROM ${touching('{link_log}', columns, wanted)} c
         WHERE ${past.condition('c', parameters)} ORDER BY c.owner, c.digest, c.place DESC, c.number DESC) l
       WHERE l.body IS NOT NULL AND ${wasThere('from_id')} AND ${wasThere('to_id')} ${inOrder}`,
      parameters.values,
    )
    return rows.map((row) => decodeLink(row))
  })
}

export function links(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  ids: readonly string[],
  { asOf }: ReadOptions,
): Promise<Link[]> {
  const wanted = [...new Set(ids)]
  return asOf === undefined ? linksNow(session, call, scope, wanted) : linksThen(session, call, scope, wanted, asOf)
}
