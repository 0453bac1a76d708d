import { randomUUID } from 'node:crypto'
import { type EraseCounts, type EraseStamp, erasedId } from '../../contract/index.ts'
import { ownerKey, type ScopeFilter, scopeFromKey } from '../../model/index.ts'
import { jsonList } from './codec.ts'
import { appendTransaction, refuseUsedTransaction } from './commit.ts'
import { type Connection, readValue } from './connection.ts'
import { changesPerTransaction } from './schema.ts'
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
  readonly owner: number
  readonly ownerKey: string
}

const nothing: EraseCounts = { records: 0, revisions: 0, vectors: 0, links: 0, journal: 0, idempotency: 0 }

function* findDoomed(db: Connection, session: Session, scope: ScopeFilter, ids: readonly string[]): Work<Doomed[]> {
  const visible = session.scopes.visible(scope)
  const select = db.sql(
    'SELECT v.id, v.version, v.kind, v.scope, s.owner, s.key FROM revisions v JOIN scopes s ON s.id = v.scope WHERE v.id = ? ORDER BY v.version DESC LIMIT 1',
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
      owner: row.owner as number,
      ownerKey: ownerKey(scopeFromKey(row.key as string)),
    })
  }
  return doomed
}

const inList = 'IN (SELECT value FROM json_each(?))'
const ofEnds = `from_id ${inList} OR to_id ${inList}`

/** Takes the records, their past and their links away. */
function dropRecords(db: Connection, list: string): Pick<EraseCounts, 'records' | 'revisions' | 'vectors' | 'links'> {
  const vectors = readValue(db, `SELECT count(*) FROM revisions WHERE vector IS NOT NULL AND id ${inList}`, list)
  const run = (text: string, ...values: string[]) => db.sql(text).run(...values).changes
  const links = run(`DELETE FROM links WHERE ${ofEnds}`, list, list)
  run(`DELETE FROM link_log WHERE ${ofEnds}`, list, list)
  const records = run(`DELETE FROM records WHERE id ${inList}`, list)
  run(`DELETE FROM mentions WHERE rev IN (SELECT rev FROM revisions WHERE id ${inList})`, list)
  const revisions = run(`DELETE FROM revisions WHERE id ${inList}`, list)
  return { records, revisions, vectors: vectors as number, links }
}

/** Transactions that changed the records. */
function transactionsOf(db: Connection, list: string): Set<number> {
  const rows = db
    .sql(`SELECT DISTINCT rev / ${changesPerTransaction} AS seq FROM revisions WHERE id ${inList}`)
    .all(list)
  return new Set(rows.map((row) => row.seq as number))
}

/** Owners of the records who have neither a record nor a tombstone any more. */
function emptied(db: Connection, doomed: readonly Doomed[]): Map<number, string> {
  const owners = new Map(doomed.map(({ owner, ownerKey }) => [owner, ownerKey]))
  const left = db.sql(
    'SELECT 1 FROM scopes s WHERE s.owner = ? AND EXISTS (SELECT 1 FROM revisions v WHERE v.scope = s.id) LIMIT 1',
  )
  return new Map([...owners].filter(([owner]) => left.get(owner) === undefined))
}

/** Labels that nothing needs any more: of scopes, and of the emptied owners. */
function dropLabels(db: Connection, owners: Iterable<number>): void {
  const used = ['revisions', 'records', 'link_log', 'journal', 'idempotency']
    .map((table) => `NOT EXISTS (SELECT 1 FROM ${table} x WHERE x.scope = scopes.id)`)
    .join(' AND ')
  db.sql(`DELETE FROM scopes WHERE ${used}`).run()
  for (const owner of owners) db.sql('DELETE FROM owners WHERE id = ?').run(owner)
}

function leaveTombstones(db: Connection, doomed: readonly Doomed[], seq: number): void {
  const insert = db.sql(
    "INSERT INTO revisions (rev, id, version, op, gone, scope, kind) VALUES (?, ?, ?, 'erase', 1, NULL, ?)",
  )
  doomed.forEach(({ hash, version, kind }, place) => {
    insert.run(seq * changesPerTransaction + place, hash, version + 1, kind)
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
  const doomed = yield* findDoomed(db, session, scope, ids)
  if (doomed.length === 0) return nothing
  const list = jsonList(doomed.map(({ id }) => id))
  const hashes = new Map(doomed.map(({ id, hash }) => [id, hash]))
  const id = stamp.tx ?? randomUUID()
  refuseUsedTransaction(db, id)

  dropPartsOf(
    db,
    doomed.map(({ id }) => id),
  )
  yield* clearChunks(db)
  const touched = transactionsOf(db, list)
  const counts = dropRecords(db, list)
  const empty = emptied(db, doomed)
  yield* scrubMentions(db, hashes)
  const journal = yield* scrubJournal(db, session, list, new Set(empty.keys()), touched)
  const idempotency = yield* scrubTransactions(db, list, touched, new Set(empty.keys()))

  const owners = new Set(doomed.map(({ ownerKey }) => ownerKey))
  const { seq } = appendTransaction(db, session.known, { id, at: stamp.at ?? 0, verb: 'erase' }, owners)
  leaveTombstones(db, doomed, seq)
  dropLabels(db, empty.keys())
  db.sql("UPDATE meta SET value = '1' WHERE name IN ('erased', 'scrub')").run()
  session.known.forget()
  return { ...counts, journal, idempotency }
}
