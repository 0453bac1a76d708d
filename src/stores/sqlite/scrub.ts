import { journalDigest, withoutErased, withoutReferences } from '../../contract/index.ts'
import type { MemoryRecord } from '../../model/index.ts'
import { mentionsOf } from './apply.ts'
import { decodeFacts, encodeFacts, jsonList } from './codec.ts'
import { encodeHead } from './commit.ts'
import { type Connection, readValue } from './connection.ts'
import { decodeEntry, journalColumns } from './journal.ts'
import { changeRow, transactionOf, transactionRow } from './schema.ts'
import type { Session } from './session.ts'
import type { Work } from './work.ts'

const inList = 'IN (SELECT value FROM json_each(?))'

/** Puts the hash in place of the id in every version of other records that name an erased one. */
export function* scrubMentions(db: Connection, hashes: ReadonlyMap<string, string>): Work<void> {
  const rows = db
    .sql(`SELECT rev, record, terms, facts FROM log WHERE rev IN (SELECT rev FROM mentions WHERE id ${inList})`)
    .all(jsonList([...hashes.keys()]))
  for (const row of rows) {
    const rev = row.rev as number
    const record = withoutReferences(JSON.parse(row.record as string) as MemoryRecord, hashes)
    const json = JSON.stringify(record)
    const { shape } = decodeFacts(row.facts as Uint8Array)
    db.sql('UPDATE log SET record = ?, facts = ? WHERE rev = ?').run(
      json,
      encodeFacts(json, row.terms as string, shape),
      rev,
    )
    db.sql('DELETE FROM mentions WHERE rev = ?').run(rev)
    for (const id of mentionsOf(record)) db.sql('INSERT INTO mentions (rev, id) VALUES (?, ?)').run(rev, id)
    yield
  }
}

/** Makes an owner's chain anew. @returns how many lines went or were cut */
function* rewriteChain(
  db: Connection,
  session: Session,
  owner: number,
  ids: ReadonlySet<string>,
  touched: Set<number>,
): Work<number> {
  const rows = db
    .sql(
      `SELECT j.tx AS transaction_row, ${journalColumns} FROM journal j JOIN log t ON t.rev = j.tx WHERE j.owner = ? ORDER BY j.seq`,
    )
    .all(owner)
  let changed = 0
  let seq = 0
  let digest = ''
  db.sql('DELETE FROM journal WHERE owner = ?').run(owner)
  for (const row of rows) {
    yield
    const entry = decodeEntry(row, session)
    const left = withoutErased(entry, ids)
    if (left !== entry) {
      changed++
      touched.add(transactionOf(row.transaction_row as number))
    }
    if (left === null) continue
    seq++
    digest = journalDigest(digest, { ...left, seq })
    const { op, verb, actor, reason } = left
    db.sql('INSERT INTO journal (owner, seq, tx, at, scope, line, ids, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(
      owner,
      seq,
      row.transaction_row as number,
      left.at,
      row.scope as number,
      JSON.stringify({ op, verb, actor, reason }),
      JSON.stringify(left.ids),
      digest,
    )
  }
  db.sql('UPDATE owners SET journal_seq = ?, journal_digest = ? WHERE id = ?').run(seq, digest, owner)
  return changed
}

/** Takes erased ids out of the journal. @returns how many lines went or were cut; adds their transactions to `touched` */
export function* scrubJournal(
  db: Connection,
  session: Session,
  list: string,
  emptied: ReadonlySet<number>,
  touched: Set<number>,
): Work<number> {
  let changed = 0
  for (const owner of emptied) {
    for (const row of db.sql('SELECT tx FROM journal WHERE owner = ?').all(owner))
      touched.add(transactionOf(row.tx as number))
    changed += db.sql('DELETE FROM journal WHERE owner = ?').run(owner).changes
  }
  const owners = db
    .sql(`SELECT DISTINCT owner FROM journal WHERE EXISTS (SELECT 1 FROM json_each(journal.ids) WHERE value ${inList})`)
    .all(list)
  const ids = new Set(JSON.parse(list) as string[])
  for (const row of owners) changed += yield* rewriteChain(db, session, row.owner as number, ids, touched)
  return changed
}

/** Transactions whose result names an erased id, as a value or as a key. */
function naming(db: Connection, list: string): number[] {
  return db
    .sql(
      `SELECT rev FROM log INDEXED BY log_result WHERE result IS NOT NULL AND EXISTS (SELECT 1 FROM json_tree(log.result) n WHERE n.atom ${inList} OR n.key ${inList})`,
    )
    .all(list, list)
    .map((row) => transactionOf(row.rev as number))
}

/** Leaves nothing of a transaction but its verb and what it did to other records; without that it leaves the log. */
function empty(db: Connection, seq: number): void {
  const row = transactionRow(seq)
  const { verb } = JSON.parse(readValue(db, 'SELECT head FROM log WHERE rev = ?', row) as string) as {
    verb: string
  }
  const range = [changeRow(seq, 0), transactionRow(seq + 1) - 1] as const
  const left = readValue(
    db,
    'SELECT EXISTS (SELECT 1 FROM log WHERE rev BETWEEN ? AND ?) OR EXISTS (SELECT 1 FROM link_log WHERE change BETWEEN ? AND ?)',
    ...range,
    ...range,
  )
  db.sql('UPDATE log SET head = ?, result = NULL, gone = ? WHERE rev = ?').run(
    encodeHead({ verb }),
    left === 1 ? 0 : 1,
    row,
  )
}

/** Empties transactions that had to do with erased records. @returns how many idempotency keys went */
export function* scrubTransactions(
  db: Connection,
  list: string,
  touched: Set<number>,
  emptied: ReadonlySet<number>,
): Work<number> {
  for (const seq of naming(db, list)) touched.add(seq)
  let keys = 0
  for (const seq of touched) {
    empty(db, seq)
    keys += db.sql('DELETE FROM idempotency WHERE tx = ?').run(transactionRow(seq)).changes
    yield
  }
  for (const owner of emptied) {
    keys += db.sql('DELETE FROM idempotency WHERE scope IN (SELECT id FROM scopes WHERE owner = ?)').run(owner).changes
  }
  return keys
}
