import { contentColumns, contentJoins, decodeStored } from '../content.ts'
import type { Query } from '../database.ts'
import { decodeName, encodeName } from '../names.ts'
import { type IndexEntry, indexRecords, type VectorForm } from './index-rows.ts'

/** So many are read and indexed at a time. */
const batch = 500

/**
 * Indexes records as the tables have them now, in the same transaction: for whoever changed them there. What is no record any
 * more leaves the index; ids without a row in `ids` are passed over.
 */
export async function indexAgain(query: Query, form: VectorForm, ids: readonly string[]): Promise<void> {
  const all = [...new Set(ids)]
  for (let start = 0; start < all.length; start += batch) {
    const rows = await query(
      `SELECT i.id, i.owner, i.scope, v.version, e.space AS space_number, ${contentColumns}
       FROM unnest($1::text[]) WITH ORDINALITY w(id, place) JOIN {ids} i ON i.id = w.id
       LEFT JOIN {records} r ON r.owner = i.owner AND r.id = i.id
       LEFT JOIN {revisions} v ON v.owner = r.owner AND v.id = r.id AND v.version = r.version AND v.record IS NOT NULL
       ${contentJoins} ORDER BY w.place`,
      [all.slice(start, start + batch).map(encodeName)],
    )
    const entries = rows.map(
      (row): IndexEntry => ({
        owner: row.owner as number,
        id: decodeName(row.id as string),
        scope: row.scope as number,
        isNew: false,
        stored: row.record === null ? null : decodeStored(row),
        space: row.space_number as number | null,
      }),
    )
    await indexRecords(query, form, entries)
  }
}

/** Takes records out of the index, as long as they have their rows in `ids`. */
export async function indexNoMore(query: Query, form: VectorForm, ids: readonly string[]): Promise<void> {
  const gone = ids.map((id) => ({ owner: 0, id, scope: 0, isNew: false, stored: null, space: null }))
  await indexRecords(query, form, gone)
}
