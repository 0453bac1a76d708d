import type { AsOf } from '../../contract/index.ts'
import type { ScopeFilter } from '../../model/index.ts'
import { jsonList } from './codec.ts'
import type { Connection } from './connection.ts'
import type { Place } from './content.ts'
import { readPosition } from './cursor.ts'
import { transactionRow, transactionRowOf } from './schema.ts'
import type { Session } from './session.ts'

/** Which changes are in a past state: an SQL condition on a column of change numbers. */
export interface Past {
  condition(column: string): string
  readonly value: number
}

export function pastOf(db: Connection, session: Session, asOf: AsOf): Past {
  if ('time' in asOf) {
    return {
      condition: (column) => `(SELECT at FROM log t WHERE t.rev = ${transactionRowOf(column)}) <= ?`,
      value: asOf.time,
    }
  }
  const position = readPosition(db, session, asOf.position)
  return { condition: (column) => `${column} < ?`, value: transactionRow(position + 1) }
}

/** Content of the version that an id had then; null when there was none or it is not visible. Removed content is found missing later. */
export function placeThen(db: Connection, session: Session, scope: ScopeFilter, past: Past, id: string): Place | null {
  const row = db
    .sql(
      `SELECT rev, gone, scope FROM log v WHERE id = ? AND version > 0 AND ${past.condition('v.rev')} ORDER BY version DESC LIMIT 1`,
    )
    .get(id, past.value)
  if (row === undefined || row.gone === 1) return null
  const visible = session.scopes.visible(scope)
  return visible === null || visible.has(row.scope as number) ? { rev: row.rev as number, access: null } : null
}

/** The same for every visible id. */
export function allPlacesThen(db: Connection, session: Session, scope: ScopeFilter, past: Past): Place[] {
  const visible = session.scopes.visible(scope)
  const inScopes = visible === null ? '' : 'AND scope IN (SELECT value FROM json_each(?))'
  // With max(), the other columns come from the row that has the maximum.
  const rows = db
    .sql(
      `SELECT rev FROM (SELECT max(v.rev) AS rev, gone FROM log v INDEXED BY log_id WHERE version > 0 AND ${past.condition('v.rev')} ${inScopes} GROUP BY id) WHERE gone = 0`,
    )
    .all(past.value, ...(visible === null ? [] : [jsonList(visible.ids)]))
  return rows.map((row) => ({ rev: row.rev as number, access: null }))
}
