import { matchesQuery, type SearchWindow } from '../../../contract/index.ts'
import { decodeStored } from '../content.ts'
import type { Query } from '../database.ts'
import { encodeName } from '../names.ts'
import { createParameters, type Parameters } from '../parameters.ts'
import { conditionsOf } from './filter-sql.ts'
import { rowIsVisible, type Visible } from './window.ts'

/** Which of the visible records may be found: a condition on a row of `{searched}`. */
export type Narrowing = (alias: string, parameters: Parameters) => string

/** So many records are looked at one by one where SQL does not tell which are meant; of more, too many may be found. */
const mostLookedAt = 2000

/** Null where all may be found. */
export async function narrowingOf(query: Query, visible: Visible, window: SearchWindow): Promise<Narrowing | null> {
  const { kinds, only, where } = window
  const given: Narrowing[] = []
  if (kinds !== undefined) {
    const names = [...new Set(kinds)].map(encodeName)
    given.push((alias, parameters) => `${alias}.kind = ANY (${parameters.add(names)}::text[])`)
  }
  if (only !== undefined) {
    const ids = [...only].map(encodeName)
    given.push((alias, parameters) => `${alias}.id = ANY (${parameters.add(ids)}::text[])`)
  }
  if (where !== undefined) given.push(await judged(query, visible, where))
  if (given.length === 0) return null
  return (alias, parameters) => given.map((one) => `(${one(alias, parameters)})`).join(' AND ')
}

async function judged(query: Query, visible: Visible, where: NonNullable<SearchWindow['where']>): Promise<Narrowing> {
  const parameters = createParameters()
  const { sql, exact } = conditionsOf(where, 's', parameters)
  const bySql: Narrowing = (alias, own) => conditionsOf(where, alias, own).sql
  if (exact) return bySql
  const rows = await query(
    `SELECT s.num, v.record, r.access_count, r.last_accessed_at FROM (
      SELECT s.num, s.owner, s.id FROM {searched} s WHERE ${rowIsVisible(visible, 's', parameters)} AND ${sql} LIMIT ${mostLookedAt + 1}
    ) s JOIN {records} r ON r.owner = s.owner AND r.id = s.id
    JOIN {revisions} v ON v.owner = r.owner AND v.id = r.id AND v.version = r.version WHERE v.record IS NOT NULL`,
    parameters.values,
  )
  if (rows.length > mostLookedAt) return bySql
  const asked = { ...where, statuses: 'any' as const }
  const nums = rows.flatMap((row) => {
    const stored = decodeStored(row)
    return matchesQuery({ ...asked, kinds: [stored.record.kind] }, stored) ? [row.num as number] : []
  })
  return (alias, own) => `${alias}.num = ANY (${own.add(nums)}::bigint[])`
}
