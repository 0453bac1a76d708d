import { namesAny, withoutReferences } from '../../../contract/index.ts'
import type { JsonValue, MemoryRecord } from '../../../model/index.ts'
import { encodeHead, mentionsOf } from '../commit/write.ts'
import type { Query } from '../database.ts'
import { encodeName } from '../names.ts'
import { countDeleted } from './count-deleted.ts'
import { mayName } from './may-name.ts'

/** Puts the hash in place of the id in every version of other records that name an erased one. */
export async function scrubMentions(query: Query, hashes: ReadonlyMap<string, string>): Promise<void> {
  const rows = await query(
    `SELECT v.owner, v.id, v.version, v.record FROM {revisions} v WHERE v.record IS NOT NULL AND (v.owner, v.id, v.version) IN (
       SELECT owner, id, version FROM {mentions} WHERE mentioned = ANY($1::text[]))`,
    [[...hashes.keys()].map(encodeName)],
  )
  if (rows.length === 0) return
  const renewed = rows.map(({ owner, id, version, record }) => {
    const clean = withoutReferences(JSON.parse(record as string) as MemoryRecord, hashes)
    return { owner, id, version, record: JSON.stringify(clean), mentions: [...mentionsOf(clean)].map(encodeName) }
  })
  const given = [JSON.stringify(renewed)]
  const of = 'json_to_recordset($1) AS x(owner bigint, id text, version bigint, record text, mentions text[])'
  const same = 't.owner = x.owner AND t.id = x.id AND t.version = x.version'
  await query(`UPDATE {revisions} t SET record = x.record FROM ${of} WHERE ${same}`, given)
  await query(`DELETE FROM {mentions} t USING ${of} WHERE ${same}`, given)
  await query(
    `INSERT INTO {mentions} (owner, id, version, mentioned) SELECT x.owner, x.id, x.version, m FROM ${of} CROSS JOIN LATERAL unnest(x.mentions) m`,
    given,
  )
}

const batch = 1000

/** Places of transactions whose result names an erased id, as a value or as a key. */
async function placesNaming(query: Query, ids: ReadonlySet<string>): Promise<number[]> {
  const { condition, values } = mayName('result', ids)
  const places: number[] = []
  for (let after = -1; ; ) {
    const rows = await query(
      `SELECT place, result FROM {transactions} WHERE result IS NOT NULL AND ${condition} AND place > $${values.length + 1} ORDER BY place LIMIT ${batch}`,
      [...values, after],
    )
    for (const { place, result } of rows) {
      if (namesAny(JSON.parse(result as string) as JsonValue, ids)) places.push(place as number)
    }
    if (rows.length < batch) return places
    after = rows.at(-1)?.place as number
  }
}

/**
 * Leaves nothing of transactions that had to do with erased records but their verb and what they did to others; without
 * that they leave the log. @returns how many idempotency keys went
 */
export async function scrubTransactions(
  query: Query,
  ids: ReadonlySet<string>,
  emptied: readonly number[],
  touched: Set<number>,
): Promise<number> {
  for (const place of await placesNaming(query, ids)) touched.add(place)
  const places = [...touched]
  const rows = await query('SELECT place, head FROM {transactions} WHERE place = ANY($1::bigint[])', [places])
  const heads = rows.map(({ head }) => encodeHead({ verb: (JSON.parse(head as string) as { verb: string }).verb }))
  await query(
    `UPDATE {transactions} t SET head = x.head, result = NULL,
       gone = NOT EXISTS (SELECT FROM {revisions} v WHERE v.place = t.place) AND NOT EXISTS (SELECT FROM {link_log} l WHERE l.place = t.place)
     FROM unnest($1::bigint[], $2::text[]) x(place, head) WHERE t.place = x.place`,
    [rows.map(({ place }) => place), heads],
  )
  return countDeleted(query, 'FROM {used_keys} WHERE place = ANY($1::bigint[]) OR owner = ANY($2::bigint[])', [
    places,
    emptied,
  ])
}
