import { randomUUID } from 'node:crypto'
import { type EraseCounts, type EraseStamp, erasedId } from '../../contract/index.ts'
import { ownerKey, type ScopeFilter, scopeFromKey } from '../../model/index.ts'
import { jsonList, lateOr } from './codec.ts'
import { appendTransaction, refuseUsedTransaction } from './commit.ts'
import { type Connection, readValue } from './connection.ts'
import { hasContent } from './emptied.ts'
import { recordsOf } from './remove.ts'
import { changeRow, changesPerTransaction, lastVersionOf } from './schema.ts'
import { scrubJournal, scrubMentions, scrubTransactions } from './scrub.ts'
import type { Session } from './session.ts'
import { clearChunks, dropPartsOf } from './snapshots.ts'
import type { Work } from './work.ts'

/** A record or tombstone that is erased. */
interface Doomed {
  readonly id: string
  readonly hash: string
  readonly version: number
  readonly kind: string
  readonly scope: number
  readonly owner: number
  readonly ownerKey: string
}

const nothing: EraseCounts = { records: 0, revisions: 0, vectors: 0, links: 0, journal: 0, idempotency: 0 }

function* findDoomed(db: Connection, session: Session, scope: ScopeFilter, ids: readonly string[]): Work<Doomed[]> {
  const visible = session.scopes.visible(scope)
  const select = db.sql(
    `SELECT v.id, v.version, v.kind, v.scope, s.owner, s.key FROM log v JOIN scopes s ON s.id = v.scope WHERE v.rev = ${lastVersionOf('?')}`,
  )
  const doomed: Doomed[] = []
  for (const id of new Set(ids)) {
    yield
    const row = select.get(id)
    if (row?.id !== id || (visible !== null && !visible.has(row.scope as number))) continue
    doomed.push({
      id,
      hash: erasedId(session.salt, id),
      version: row.version as number,
      kind: row.kind as string,
      scope: row.scope as number,
      owner: row.owner as number,
      ownerKey: ownerKey(scopeFromKey(row.key as string)),
    })
  }
  return doomed
}

const inList = 'IN (SELECT value FROM json_each(?))'
const ofRecords = `id ${inList} AND version > 0`
const ofEnds = `from_id ${inList} OR to_id ${inList}`

/** Takes the records, their past and their links away. */
function dropRecords(db: Connection, list: string): Pick<EraseCounts, 'records' | 'revisions' | 'vectors' | 'links'> {
  const vectors = readValue(
    db,
    `SELECT count(*) FROM log v WHERE ${hasContent('v.record')} AND ${lateOr('vector')} IS NOT NULL AND ${ofRecords}`,
    list,
  )
  const run = (text: string, ...values: string[]) => db.sql(text).run(...values).changes
  const links = run(`DELETE FROM links WHERE ${ofEnds}`, list, list)
  run(`DELETE FROM link_log WHERE ${ofEnds}`, list, list)
  const records = run(`DELETE FROM records WHERE ${recordsOf}`, list)
  run(`DELETE FROM late_vectors WHERE rev IN (SELECT rev FROM log WHERE ${ofRecords})`, list)
  run(`DELETE FROM mentions WHERE rev IN (SELECT rev FROM log WHERE ${ofRecords})`, list)
  const revisions = run(`DELETE FROM log WHERE ${ofRecords}`, list)
  return { records, revisions, vectors: vectors as number, links }
}

/** Transactions that changed the records. */
function transactionsOf(db: Connection, list: string): Set<number> {
  const rows = db.sql(`SELECT DISTINCT rev / ${changesPerTransaction} AS seq FROM log WHERE ${ofRecords}`).all(list)
  return new Set(rows.map((row) => row.seq as number))
}

/** True when an owner has a record or a tombstone yet. */
function hasAny(db: Connection, owner: number): boolean {
  const scopes = 'SELECT id FROM scopes WHERE owner = ?'
  // Of the two only the log has to be searched from end to end.
  return ['records', 'log'].some(
    (table) => db.sql(`SELECT 1 FROM ${table} WHERE scope IN (${scopes}) LIMIT 1`).get(owner) !== undefined,
  )
}

/** Owners of the records who have neither a record nor a tombstone any more. */
function emptied(db: Connection, doomed: readonly Doomed[]): Set<number> {
  const owners = new Set(doomed.map(({ owner }) => owner))
  return new Set([...owners].filter((owner) => !hasAny(db, owner)))
}

/** Labels that nothing needs any more: of scopes, and of the emptied owners. */
function dropLabels(db: Connection, doomed: readonly Doomed[], owners: ReadonlySet<number>): void {
  const used = ['records', 'log', 'link_log', 'journal', 'idempotency']
    .map((table) => `NOT EXISTS (SELECT 1 FROM ${table} x WHERE x.scope = scopes.id)`)
    .join(' AND ')
  db.sql(`DELETE FROM scopes WHERE (id ${inList} OR owner ${inList}) AND ${used}`).run(
    jsonList([...new Set(doomed.map(({ scope }) => scope))]),
    jsonList([...owners]),
  )
  for (const owner of owners) db.sql('DELETE FROM owners WHERE id = ?').run(owner)
}

function leaveTombstones(db: Connection, doomed: readonly Doomed[], seq: number): void {
  const insert = db.sql("INSERT INTO log (rev, id, version, op, gone, kind) VALUES (?, ?, ?, 'erase', 1, ?)")
  doomed.forEach(({ hash, version, kind }, place) => {
    insert.run(changeRow(seq, place), hash, version + 1, kind)
  })
}

/**
 * Rewrites the past. What was written is zeroed in the file's pages (`secure_delete`), but copies of it can linger in
 * unused parts of pages and in the WAL until `scrubFile`, which the mark in `meta` asks for.
 */
export function* erase(
  db: Connection,
  session: Session,
  scope: ScopeFilter,
  ids: readonly string[],
  stamp: EraseStamp,
): Work<EraseCounts> {
  const id = stamp.tx ?? randomUUID()
  refuseUsedTransaction(db, id, 'erase')
  const doomed = yield* findDoomed(db, session, scope, ids)
  if (doomed.length === 0) return nothing
  const list = jsonList(doomed.map(({ id }) => id))
  const hashes = new Map(doomed.map(({ id, hash }) => [id, hash]))

  dropPartsOf(
    db,
    doomed.map(({ id }) => id),
  )
  yield* clearChunks(db)
  const touched = transactionsOf(db, list)
  const counts = dropRecords(db, list)
  const empty = emptied(db, doomed)
  yield* scrubMentions(db, hashes)
  const journal = yield* scrubJournal(db, session, list, empty, touched)
  const idempotency = yield* scrubTransactions(db, list, touched, empty)

  const { known } = session
  // Chains have other ends now.
  known.forget()
  const owners = new Set(doomed.map(({ ownerKey }) => ownerKey))
  const { seq } = appendTransaction(db, known, { id, at: stamp.at ?? 0, verb: 'erase' }, owners)
  known.save()
  leaveTombstones(db, doomed, seq)
  dropLabels(db, doomed, empty)
  db.sql("UPDATE meta SET value = '1' WHERE name IN ('erased', 'scrub')").run()
  known.forget()
  return { ...counts, journal, idempotency }
}
