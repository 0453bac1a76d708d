import {
  type Claim,
  type CommitResult,
  checkPlaceInJournal,
  idempotencyConflict,
  type Precondition,
  presenceConflict,
  type Transaction,
  transactionConflict,
  versionConflict,
} from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { ownerKey, type Scope, scopeKey } from '../../model/index.ts'
import { applyChanges } from './apply.ts'
import { findHolder, mayBeHeld } from './claims.ts'
import { jsonOrNull } from './codec.ts'
import { type Connection, readValue } from './connection.ts'
import { checkChanges, type Heads, headsIn, idsOf } from './heads.ts'
import type { Known } from './known.ts'
import { changesPerTransaction, transactionRow, transactionVersion } from './schema.ts'
import type { Session } from './session.ts'
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
      'SELECT t.id, t.at, i.digest FROM idempotency i JOIN log t ON t.rev = i.tx WHERE i.scope = (SELECT id FROM scopes WHERE key = ?) AND i.key = ? AND i.expires_at > ?',
    )
    .get(scopeKey(scope), JSON.stringify(key), now)
  return row === undefined ? null : { tx: row.id as string, at: row.at as number, digest: row.digest as string }
}

function claimOf(required: Exclude<Precondition, { readonly type: 'version' }>): Claim {
  const { scope, kind } = required
  return required.type === 'noKey'
    ? { type: 'key', scope, kind, value: required.key }
    : { type: 'content', scope, kind, value: required.hash }
}

/** In order, so that of several that fail the first is named. */
function* checkPreconditions(db: Connection, heads: Heads, requires: readonly Precondition[]): Work<void> {
  const claims: Claim[] = []
  for (const required of requires) if (required.type !== 'version') claims.push(claimOf(required))
  const held = yield* mayBeHeld(db, claims)
  let place = 0
  for (const required of requires) {
    yield
    if (required.type === 'version') {
      const head = heads.get(required.id)
      if ((head?.present ? head.version : null) !== required.is) throw versionConflict(required.id)
      continue
    }
    const claim = claims[place] as Claim
    const holder = held.has(place++) ? findHolder(db, claim) : undefined
    if (holder) throw presenceConflict(required.type, holder.id as string)
  }
}

/** Who did what and why, as JSON: free text. */
export function encodeHead(head: Pick<Transaction, 'verb' | 'actor' | 'reason'>): string {
  return JSON.stringify({ verb: head.verb, actor: head.actor, reason: head.reason })
}

export function refuseUsedTransaction(db: Connection, id: string, operation: 'commit' | 'erase' = 'commit'): void {
  if (readValue(db, 'SELECT rev FROM log WHERE id = ? AND version = ?', id, transactionVersion) !== null)
    throw transactionConflict(id, operation)
}

/** Adds a transaction to the log and, unless it is gone, sets its owners' clocks, which are to be saved. @throws ConflictError for a used id, before anything is written */
export function appendTransaction(
  db: Connection,
  known: Known,
  transaction: Pick<Transaction, 'id' | 'at' | 'verb' | 'actor' | 'reason' | 'result' | 'gone'>,
  owners: ReadonlySet<string>,
): { readonly seq: number; readonly at: number } {
  const isGone = transaction.gone !== undefined
  let at = transaction.at
  if (!isGone) {
    refuseUsedTransaction(db, transaction.id)
    for (const owner of owners) at = Math.max(at, known.lastAt(owner) ?? at)
  }
  const seq = known.nextSeq()
  db.sql('INSERT INTO log (rev, id, version, gone, at, head, result) VALUES (?, ?, ?, ?, ?, ?, ?)').run(
    transactionRow(seq),
    transaction.id,
    transactionVersion,
    Number(isGone),
    at,
    encodeHead(transaction),
    jsonOrNull(transaction.result),
  )
  if (!isGone) for (const owner of owners) known.setLastAt(owner, at)
  return { seq, at }
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
    transactionRow(seq),
  )
}

/** What fewer changes are about is looked up one by one. */
const fewest = 4

function* idsIn({ requires, changes }: Transaction): Iterable<string> {
  for (const required of requires) if (required.type === 'version') yield required.id
  for (const change of changes) yield* idsOf(change)
}

/** @returns the keys of the owners whose commit it is */
function* checkAll(db: Connection, heads: Heads, transaction: Transaction): Work<Set<string>> {
  const { requires, changes } = transaction
  if (changes.length >= fewest) yield* heads.prepare(idsIn(transaction))
  try {
    yield* checkPreconditions(db, heads, requires)
    return yield* checkChanges(heads, transaction)
  } catch (error) {
    // One that was written before is refused as such, and not for what it did itself.
    refuseUsedTransaction(db, transaction.id)
    throw error
  }
}

/** What is known of a transaction that may be written. */
interface Checked {
  readonly heads: Heads
  /** Keys of the owners whose commit it is. */
  readonly owners: ReadonlySet<string>
}

/** Writes nothing. @returns the earlier answer when the idempotency key was used before */
export function* checkTransaction(
  db: Connection,
  { known, salt }: Session,
  transaction: Transaction,
): Work<CommitResult | Checked> {
  const { idempotency, changes, gone } = transaction
  const [first] = changes
  if (gone && first?.type === 'journal') {
    const owner = ownerKey(first.line.scope)
    checkPlaceInJournal(gone, known.owner(owner).chainEnd.seq)
    return { heads: headsIn(db, known, salt), owners: new Set([owner]) }
  }
  if (idempotency) {
    const used = findUsedKey(db, idempotency.scope, idempotency.key, transaction.at)
    if (used && used.digest !== idempotency.digest) throw idempotencyConflict(used.tx)
    if (used) return { tx: used.tx, at: used.at, replayed: true, records: [] }
  }
  refuseTooMany(changes.length)
  const heads = headsIn(db, known, salt)
  return { heads, owners: yield* checkAll(db, heads, transaction) }
}

/** Writes a transaction after its check, with no other write in between. */
export function* writeTransaction(
  db: Connection,
  { known }: Session,
  transaction: Transaction,
  checked: CommitResult | Checked,
): Work<CommitResult> {
  if ('replayed' in checked) return checked
  const { id, idempotency, changes } = transaction
  const { heads, owners } = checked
  const { seq, at } = appendTransaction(db, known, transaction, owners)
  dropPartsOf(
    db,
    changes.flatMap((change) => (change.type === 'remove' ? [change.id] : [])),
    heads,
  )
  const records = yield* applyChanges({ db, known, heads, tx: id, seq, at }, changes)
  if (idempotency) keepKey(db, seq, at, known.scope(idempotency.scope), idempotency)
  known.save()
  return { tx: id, at, replayed: false, records }
}

export function* commit(db: Connection, session: Session, transaction: Transaction): Work<CommitResult> {
  return yield* writeTransaction(db, session, transaction, yield* checkTransaction(db, session, transaction))
}
