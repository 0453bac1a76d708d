import type { Claim, ReadOptions, StoredRecord, StoredVector } from '../../contract/index.ts'
import type { ScopeFilter } from '../../model/index.ts'
import { claimValues, heldBy } from './claims.ts'
import { bareColumns, contentColumns, contentJoins, decodeStored, decodeVectorOf } from './content.ts'
import type { Call } from './database.ts'
import type { Row } from './driver.ts'
import { decodeName, encodeName } from './names.ts'
import { createParameters } from './parameters.ts'
import { readPast } from './past.ts'
import { scopeCondition } from './scope-condition.ts'
import type { Session } from './session.ts'

/** Joins the content of a record `r` to it. */
export function withContent(bare: boolean | undefined): { readonly columns: string; readonly joins: string } {
  const revision = 'JOIN {revisions} v ON v.owner = r.owner AND v.id = r.id AND v.version = r.version'
  const access = 'r.access_count, r.last_accessed_at'
  return bare
    ? { columns: `${access}, ${bareColumns}`, joins: revision }
    : { columns: `${access}, ${contentColumns}`, joins: `${revision} ${contentJoins}` }
}

/** In the order of the ids, each a copy of its own; null where there is none. */
function inOrder(ids: readonly string[], rows: readonly Row[]): (StoredRecord | null)[] {
  const found = new Map(rows.map((row) => [decodeName(row.id as string), row]))
  return ids.map((id) => {
    const row = found.get(id)
    return row === undefined ? null : decodeStored(row)
  })
}

export async function get(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  ids: readonly string[],
  { asOf, bare }: ReadOptions,
): Promise<(StoredRecord | null)[]> {
  if (asOf !== undefined) {
    return session.database.transaction(call, 'snapshot', async (query, beyond) => {
      const past = await readPast(beyond, session, asOf)
      const parameters = createParameters()
      const wanted = parameters.add(ids.map(encodeName))
      const rows = await query(
        `SELECT i.id, ${contentColumns} FROM {ids} i JOIN {scopes} s ON s.id = i.scope
         CROSS JOIN LATERAL (SELECT * FROM {revisions} w WHERE w.owner = i.owner AND w.id = i.id AND ${past.condition('w', parameters)}
           ORDER BY w.version DESC LIMIT 1) v ${contentJoins}
         WHERE i.id = ANY(${wanted}::text[]) AND v.record IS NOT NULL AND ${scopeCondition(scope, 's', parameters)}`,
        parameters.values,
      )
      return inOrder(ids, rows)
    })
  }
  const parameters = createParameters()
  const { columns, joins } = withContent(bare)
  const wanted = parameters.add([...new Set(ids)].map(encodeName))
  const text = `SELECT r.id, ${columns} FROM {ids} i JOIN {scopes} s ON s.id = i.scope
    JOIN {records} r ON r.owner = i.owner AND r.id = i.id ${joins}
    WHERE i.id = ANY(${wanted}::text[]) AND ${scopeCondition(scope, 's', parameters)}`
  const rows = await session.database.transaction(call, 'read', (query) => query(text, parameters.values, 'steady'))
  return inOrder(ids, rows)
}

export async function vectorsOf(
  session: Session,
  call: Call,
  ids: readonly string[],
): Promise<(StoredVector | null)[]> {
  const rows = await session.database.transaction(call, 'read', (query) =>
    query(
      `SELECT r.id, e.value AS vector, p.name AS space FROM {ids} i JOIN {records} r ON r.owner = i.owner AND r.id = i.id
       JOIN {vectors} e ON e.owner = r.owner AND e.id = r.id AND e.version = r.version JOIN {spaces} p ON p.id = e.space
       WHERE i.id = ANY($1::text[])`,
      [[...new Set(ids)].map(encodeName)],
    ),
  )
  const found = new Map(rows.map((row) => [decodeName(row.id as string), row]))
  return ids.map((id) => {
    const row = found.get(id)
    return row === undefined ? null : decodeVectorOf(row)
  })
}

export async function holders(
  session: Session,
  call: Call,
  claims: readonly Claim[],
): Promise<(StoredRecord | null)[]> {
  if (claims.length === 0) return []
  const { columns, joins } = withContent(false)
  const rows = await session.database.transaction(call, 'read', (query) =>
    query(`SELECT c.n, ${columns} FROM ${heldBy(claims)} ${joins}`, claimValues(claims)),
  )
  const found = claims.map((): StoredRecord | null => null)
  for (const row of rows) found[(row.n as number) - 1] = decodeStored(row)
  return found
}
