import { journalDigest, withoutErased } from '../../../contract/index.ts'
import type { Query } from '../database.ts'
import type { Row } from '../driver.ts'
import { decodeEntry, journalColumns } from '../journal.ts'
import { countDeleted } from './count-deleted.ts'
import { mayName } from './may-name.ts'

const batch = 1000

async function* linesOf(query: Query, owner: number): AsyncGenerator<Row> {
  for (let after = 0; ; ) {
    const rows = await query(
      `SELECT ${journalColumns}, j.place, j.scope FROM {journal} j JOIN {scopes} s ON s.id = j.scope WHERE j.owner = $1 AND j.seq > $2 ORDER BY j.seq LIMIT ${batch}`,
      [owner, after],
    )
    yield* rows
    if (rows.length < batch) return
    after = rows.at(-1)?.seq as number
  }
}

/** Makes an owner's chain anew. @returns how many lines went or were cut */
async function rewriteChain(
  query: Query,
  owner: number,
  ids: ReadonlySet<string>,
  touched: Set<number>,
): Promise<number> {
  let changed = 0
  let seq = 0
  let digest = ''
  const lines: object[] = []
  for await (const row of linesOf(query, owner)) {
    const entry = decodeEntry(row)
    const left = withoutErased(entry, ids)
    if (left !== entry) {
      changed++
      touched.add(row.place as number)
    }
    if (left === null) continue
    seq++
    digest = journalDigest(digest, { ...left, seq })
    const { op, verb, actor, reason } = left
    lines.push({
      seq,
      place: row.place,
      tx: row.tx,
      at: left.at,
      scope: row.scope,
      line: JSON.stringify({ op, verb, actor, reason }),
      ids: JSON.stringify(left.ids),
      digest,
    })
  }
  if (changed === 0) return 0
  await query('DELETE FROM {journal} WHERE owner = $1', [owner])
  await query(
    `INSERT INTO {journal} (owner, seq, place, tx, at, scope, line, ids, digest)
     SELECT $2, seq, place, tx, at, scope, line, ids, digest
     FROM json_to_recordset($1) AS x(seq bigint, place bigint, tx text, at bigint, scope bigint, line text, ids text, digest text)`,
    [JSON.stringify(lines), owner],
  )
  await query('UPDATE {owners} SET journal_seq = $2, journal_digest = $3 WHERE id = $1', [owner, seq, digest])
  return changed
}

/** Takes erased ids out of the journal. @returns how many lines went or were cut; adds the places of their transactions */
export async function scrubJournal(
  query: Query,
  ids: ReadonlySet<string>,
  emptied: readonly number[],
  touched: Set<number>,
): Promise<number> {
  const own = await query('SELECT DISTINCT place FROM {journal} WHERE owner = ANY($1::bigint[])', [emptied])
  for (const { place } of own) touched.add(place as number)
  let changed = await countDeleted(query, 'FROM {journal} WHERE owner = ANY($1::bigint[])', [emptied])
  const { condition, values } = mayName('ids', ids)
  const owners = await query(`SELECT DISTINCT owner FROM {journal} WHERE ids <> '[]' AND ${condition}`, values)
  for (const { owner } of owners) changed += await rewriteChain(query, owner as number, ids, touched)
  return changed
}
