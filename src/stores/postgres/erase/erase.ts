import { randomUUID } from 'node:crypto'
import { type EraseCounts, type EraseStamp, erasedId, transactionConflict } from '../../../contract/index.ts'
import type { ScopeFilter } from '../../../model/index.ts'
import { appendTransaction, currentPlace, updateOwners } from '../commit/write.ts'
import type { Call, Query } from '../database.ts'
import { type BeforeVisible, land, transactionLock } from '../land.ts'
import { identityColumns, refuseOther } from '../made-anew.ts'
import { decodeName, encodeName } from '../names.ts'
import { createParameters } from '../parameters.ts'
import { scopeCondition } from '../scope-condition.ts'
import { indexAgain, indexNoMore } from '../search/index.ts'
import type { Session } from '../session.ts'
import { countDeleted } from './count-deleted.ts'
import { scrubJournal } from './scrub-journal.ts'
import { scrubMentions, scrubTransactions } from './scrub-log.ts'

/** A record or tombstone that is erased. */
interface Doomed {
  readonly id: string
  readonly hash: string
  readonly version: number
  readonly kind: string
  readonly scope: number
  readonly owner: number
  /** Epoch milliseconds of the owner's last commit. */
  readonly lastAt: number
}

const nothing: EraseCounts = { records: 0, revisions: 0, vectors: 0, links: 0, journal: 0, idempotency: 0 }

async function findDoomed(
  query: Query,
  session: Session,
  scope: ScopeFilter,
  ids: readonly string[],
): Promise<Doomed[]> {
  const parameters = createParameters()
  const wanted = parameters.add([...new Set(ids)].map(encodeName))
  const rows = await query(
    `SELECT i.id, i.owner, i.scope, v.version, v.kind, o.last_at FROM {ids} i JOIN {scopes} s ON s.id = i.scope JOIN {owners} o ON o.id = i.owner
     CROSS JOIN LATERAL (SELECT version, kind FROM {revisions} w WHERE w.owner = i.owner AND w.id = i.id ORDER BY w.version DESC LIMIT 1) v
     WHERE i.id = ANY(${wanted}::text[]) AND ${scopeCondition(scope, 's', parameters)} ORDER BY i.num`,
    parameters.values,
  )
  return rows.map((row) => {
    const id = decodeName(row.id as string)
    return {
      id,
      hash: erasedId(session.salt, id),
      version: row.version as number,
      kind: row.kind as string,
      scope: row.scope as number,
      owner: row.owner as number,
      lastAt: row.last_at as number,
    }
  })
}

/** Takes the records, their past and their links away. @returns the places of the transactions that changed them, too */
async function dropRecords(query: Query, doomed: readonly Doomed[]) {
  const ids = doomed.map(({ id }) => encodeName(id))
  const values = [doomed.map(({ owner }) => owner), ids]
  const which = 'unnest($1::bigint[], $2::text[]) x(owner, id) WHERE t.owner = x.owner AND t.id = x.id'
  const places = await query(`SELECT DISTINCT t.place FROM {revisions} t, ${which}`, values)
  const links = await countDeleted(query, 'FROM {links} WHERE from_id = ANY($1::text[]) OR to_id = ANY($1::text[])', [
    ids,
  ])
  await query('DELETE FROM {link_log} WHERE from_id = ANY($1::text[]) OR to_id = ANY($1::text[])', [ids])
  const vectors = await countDeleted(query, `FROM {vectors} t USING ${which}`, values)
  const records = await countDeleted(query, `FROM {records} t USING ${which}`, values)
  const revisions = await countDeleted(query, `FROM {revisions} t USING ${which}`, values)
  await query(`DELETE FROM {mentions} t USING ${which}`, values)
  await query('DELETE FROM {ids} WHERE id = ANY($1::text[])', [ids])
  return { counts: { records, revisions, vectors, links }, places: places.map(({ place }) => place as number) }
}

/** Records that name erased ones. */
async function idsMentioning(query: Query, ids: readonly string[]): Promise<string[]> {
  const rows = await query(
    'SELECT DISTINCT id FROM {mentions} WHERE mentioned = ANY ($1::text[]) AND id <> ALL ($1::text[])',
    [ids.map(encodeName)],
  )
  return rows.map(({ id }) => decodeName(id as string))
}

/** Owners of the records who have neither a record nor a tombstone any more. */
async function findEmptied(query: Query, doomed: readonly Doomed[]): Promise<number[]> {
  const rows = await query(
    `SELECT o.id FROM {owners} o WHERE o.id = ANY($1::bigint[]) AND NOT EXISTS (
       SELECT FROM {scopes} s JOIN {ids} i ON i.scope = s.id WHERE s.owner = o.id)`,
    [[...new Set(doomed.map(({ owner }) => owner))]],
  )
  return rows.map((row) => row.id as number)
}

/** Labels that nothing needs any more: of scopes, and of the emptied owners. */
async function dropLabels(query: Query, doomed: readonly Doomed[], emptied: readonly number[]): Promise<void> {
  const scopes = [...new Set(doomed.map(({ scope }) => scope))]
  await query(
    `DELETE FROM {scopes} s WHERE (s.id = ANY($1::bigint[]) OR s.owner = ANY($2::bigint[]))
       AND NOT EXISTS (SELECT FROM {ids} i WHERE i.scope = s.id)
       AND NOT EXISTS (SELECT FROM {journal} j WHERE j.owner = s.owner AND j.scope = s.id)
       AND NOT EXISTS (SELECT FROM {used_keys} u WHERE u.owner = s.owner AND u.scope = s.id)`,
    [scopes, emptied],
  )
  await query('DELETE FROM {owners} WHERE id = ANY($1::bigint[])', [emptied])
}

async function leaveTombstones(
  query: Query,
  session: Session,
  doomed: readonly Doomed[],
  { tx, at }: { readonly tx: string; readonly at: number },
): Promise<void> {
  const rows = doomed.map(({ hash, version, kind }, number) => ({
    id: encodeName(hash),
    version: version + 1,
    number,
    kind,
  }))
  await query(
    `INSERT INTO {revisions} (owner, id, version, place, number, tx, at, op, kind, gone)
     SELECT 0, id, version, ${currentPlace('$2')}, number, $3, $4, 'erase', kind, true
     FROM json_to_recordset($1) AS x(id text, version bigint, number integer, kind text)`,
    [JSON.stringify(rows), session.base, encodeName(tx), at],
  )
}

/**
 * Alone in the store, as it touches records, chains and results of owners that it finds only while it works. Rows that went
 * are dead, and not overwritten: their bytes go with the server's next VACUUM, those in its write-ahead log and backups with
 * these.
 */
export function erase(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  ids: readonly string[],
  stamp: EraseStamp,
  beforeVisible?: BeforeVisible,
): Promise<EraseCounts> {
  const tx = stamp.tx ?? randomUUID()
  return land<EraseCounts>(session, {
    call: { ...call, long: true },
    id: tx,
    beforeVisible,
    async attempt(query, seal) {
      await query('SELECT pg_advisory_xact_lock($1)', [session.storeLock])
      const [store] = await query(`SELECT pg_advisory_xact_lock($1), ${identityColumns}`, [
        transactionLock(session, tx),
      ])
      refuseOther(session, store)
      const used = await query('SELECT 1 FROM {transactions} WHERE id = $1 LIMIT 1', [encodeName(tx)])
      if (used.length > 0) throw transactionConflict(tx, 'erase')
      const doomed = await findDoomed(query, session, scope, ids)
      if (doomed.length === 0) return nothing

      const erasedIds = doomed.map(({ id }) => id)
      const mentioning = await idsMentioning(query, erasedIds)
      await indexNoMore(query, session.form, erasedIds)
      const { counts, places } = await dropRecords(query, doomed)
      const touched = new Set(places)
      const emptied = await findEmptied(query, doomed)
      const erased = new Map(doomed.map(({ id, hash }) => [id, hash]))
      await scrubMentions(query, erased)
      await indexAgain(query, session.form, mentioning)
      const journal = await scrubJournal(query, new Set(erased.keys()), emptied, touched)
      const idempotency = await scrubTransactions(query, new Set(erased.keys()), emptied, touched)

      const at = doomed.reduce((latest, { lastAt }) => Math.max(latest, lastAt), stamp.at ?? 0)
      await appendTransaction(query, session, { id: tx, verb: 'erase' }, { owner: 0, at })
      await leaveTombstones(query, session, doomed, { tx, at })
      await updateOwners(query, [...new Set(doomed.map(({ owner }) => owner))], at)
      await dropLabels(query, doomed, emptied)
      return seal({ ...counts, journal, idempotency })
    },
  })
}
