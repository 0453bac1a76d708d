import {
  type CommitResult,
  idempotencyConflict,
  type Precondition,
  presenceConflict,
  type Transaction,
  transactionConflict,
  versionConflict,
} from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { type MemoryRecord, type Scope, scopeKey } from '../../model/index.ts'
import { applyChange } from './apply.ts'
import { jsonOrNull } from './codec.ts'
import { type Connection, readValue } from './connection.ts'
import { checkChanges, headsIn } from './heads.ts'
import { namesIn } from './names.ts'
import { changesPerTransaction } from './schema.ts'
import { dropPartsOf } from './snapshots.ts'
import type { Work } from './work.ts'

/** The unexpired use of an idempotency key. */
export function findUsedKey(
  db: Connection,
  scope: Scope,
  key: string,
  now: number,
): { readonly tx: string; readonly at: number; readonly digest: string } | null {
  const row = db
    .sql(
      'SELECT t.id, t.at, i.digest FROM idempotency i JOIN transactions t ON t.seq = i.tx WHERE i.scope = (SELECT id FROM scopes WHERE key = ?) AND i.key = ? AND i.expires_at > ?',
    )
    .get(scopeKey(scope), JSON.stringify(key), now)
  return row === undefined ? null : { tx: row.id as string, at: row.at as number, digest: row.digest as string }
}

function checkPrecondition(db: Connection, required: Precondition): void {
  if (required.type === 'version') {
    const version = readValue(db, 'SELECT version FROM records WHERE id = ?', required.id)
    if (version !== required.is) throw versionConflict(required.id)
    return
  }
  const rest =
    "scope = (SELECT id FROM scopes WHERE key = ?) AND kind = ? AND status = 'live' ORDER BY created_at, id LIMIT 1"
  const [text, value] =
    required.type === 'noKey'
      ? [`SELECT id FROM records INDEXED BY records_key WHERE key = ? AND ${rest}`, required.key]
      : [`SELECT id FROM records INDEXED BY records_hash WHERE hash = ? AND ${rest}`, required.hash]
  const id = readValue(db, text, value, scopeKey(required.scope), required.kind)
  if (id !== null) throw presenceConflict(required.type, id as string)
}

/** Who did what and why, as JSON: free text. */
export function encodeHead(head: Pick<Transaction, 'verb' | 'actor' | 'reason'>): string {
  return JSON.stringify({ verb: head.verb, actor: head.actor, reason: head.reason })
}

/** Adds a transaction to the log and sets its owners' clocks. */
export function appendTransaction(
  db: Connection,
  transaction: Pick<Transaction, 'id' | 'at' | 'verb' | 'actor' | 'reason' | 'result'>,
  owners: ReadonlySet<string>,
): { readonly seq: number; readonly at: number } {
  const clock = db.sql('SELECT last_at FROM owners WHERE key = ?')
  let at = transaction.at
  for (const owner of owners) at = Math.max(at, (clock.get(owner)?.last_at as number | undefined) ?? at)
  for (const owner of owners) {
    // Not an upsert: that would write the page of AUTOINCREMENT's counters too.
    const { changes } = db.sql('UPDATE owners SET last_at = ? WHERE key = ?').run(at, owner)
    if (changes === 0) db.sql('INSERT INTO owners (key, last_at) VALUES (?, ?)').run(owner, at)
  }
  const row = db
    .sql('INSERT INTO transactions (id, at, head, result) VALUES (?, ?, ?, ?) RETURNING seq')
    .get(transaction.id, at, encodeHead(transaction), jsonOrNull(transaction.result))
  return { seq: row?.seq as number, at }
}

export function refuseUsedTransaction(db: Connection, id: string): void {
  if (readValue(db, 'SELECT seq FROM transactions WHERE id = ?', id) !== null) throw transactionConflict(id)
}

function refuseTooMany(count: number): void {
  if (count < changesPerTransaction) return
  throw new InputError({
    code: 'LIMIT_OUT_OF_RANGE',
    message: `commit: ${count} changes in one transaction; the sqlite store takes fewer than ${changesPerTransaction}. Split it.`,
    details: { count, limit: changesPerTransaction - 1 },
  })
}

/** Expired keys stay for a day, so that a clock that was put right does not bring a forgotten one back to use. */
const expiredKeptMilliseconds = 86_400_000

function keepKey(db: Connection, seq: number, at: number, scope: number, used: Transaction['idempotency']): void {
  if (!used) return
  db.sql('DELETE FROM idempotency WHERE expires_at <= ?').run(at - expiredKeptMilliseconds)
  db.sql('INSERT OR REPLACE INTO idempotency (scope, key, digest, expires_at, tx) VALUES (?, ?, ?, ?, ?)').run(
    scope,
    JSON.stringify(used.key),
    used.digest,
    used.expiresAt,
    seq,
  )
}

export function* commit(db: Connection, salt: string, transaction: Transaction): Work<CommitResult> {
  const { id, idempotency, changes } = transaction
  if (idempotency) {
    const used = findUsedKey(db, idempotency.scope, idempotency.key, transaction.at)
    if (used && used.digest !== idempotency.digest) throw idempotencyConflict(used.tx)
    if (used) return { tx: used.tx, at: used.at, replayed: true, records: [] }
  }
  refuseTooMany(changes.length)
  refuseUsedTransaction(db, id)
  for (const required of transaction.requires) checkPrecondition(db, required)

  const heads = headsIn(db, salt)
  const owners = yield* checkChanges(heads, transaction)
  const { seq, at } = appendTransaction(db, transaction, owners)
  const names = namesIn(db)
  const context = { db, names, heads, tx: id, seq, at }
  const records: MemoryRecord[] = []
  dropPartsOf(
    db,
    changes.flatMap((change) => (change.type === 'remove' ? [change.id] : [])),
  )
  for (const [place, change] of changes.entries()) {
    const record = applyChange(context, change, place)
    if (record !== null) records.push(record)
    yield
  }
  if (idempotency) keepKey(db, seq, at, names.scope(idempotency.scope), idempotency)
  return { tx: id, at, replayed: false, records }
}
