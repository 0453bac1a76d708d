import { type Cursor, erasedId, type LoggedChange, type LoggedTransaction, type LogPage } from '../../contract/index.ts'
import {
  formatInstant,
  type Link,
  matchesScope,
  type Revision,
  type RevisionOp,
  type ScopeFilter,
} from '../../model/index.ts'
import { contentColumns, parseOrUndefined } from './codec.ts'
import { type Connection, readValue } from './connection.ts'
import { decodeUndamaged } from './content.ts'
import { readPosition, writeCursor } from './cursor.ts'
import type { SqliteRow } from './driver.ts'
import { contentOf } from './emptied.ts'
import { transactionOf, transactionRow, transactionRowOf, transactionVersion } from './schema.ts'
import type { Session } from './session.ts'
import type { Work } from './work.ts'

/** A page ends early after this many changes, so that it stays small whatever transactions hold. */
const maxChanges = 20_000
/** Rows read at once, at most. */
const maxChunk = 256

interface TransactionHead {
  readonly verb: string
  readonly actor?: string
  readonly reason?: string
}

function put(row: SqliteRow, session: Session): LoggedChange {
  return {
    type: 'put',
    op: row.op as RevisionOp,
    id: row.id as string,
    kind: row.kind as string,
    scope: session.scopes.byId(row.scope as number),
    version: row.version as number,
    hash: contentOf(row.record) === null ? null : (row.hash as string | null),
    stored: contentOf(row.record) === null ? null : decodeUndamaged(row, null),
  }
}

function removal(row: SqliteRow, session: Session): LoggedChange {
  const erased = row.op === 'erase'
  return {
    type: 'remove',
    op: row.op as 'delete' | 'erase' | 'undo',
    id: row.id as string,
    salt: erased ? session.salt : null,
    kind: row.kind as string,
    scope: row.scope === null ? null : session.scopes.byId(row.scope as number),
    version: row.version as number,
  }
}

/** A link from its columns. */
export function decodeLink(row: SqliteRow, body = row.body): Link {
  return {
    from: row.from_id as string,
    to: row.to_id as string,
    type: JSON.parse(row.type as string) as string,
    ...(JSON.parse(body as string) as Pick<Link, 'weight' | 'metadata'>),
  }
}

function linkChange(row: SqliteRow, session: Session): LoggedChange {
  const scope = session.scopes.byId(row.scope as number)
  const previous = row.previous === null ? null : decodeLink(row, row.previous)
  return row.body === null
    ? { type: 'unlink', link: previous as Link, scope }
    : { type: 'link', link: decodeLink(row), previous, scope }
}

const columns = `SELECT v.rev, v.id, v.version, v.op, v.gone, v.scope, v.kind, v.at, v.head, v.result, ${contentColumns} FROM log v`

function decodeTransaction(row: SqliteRow, session: Session, changes: readonly LoggedChange[]): LoggedTransaction {
  const id = row.id as string
  const head = JSON.parse(row.head as string) as TransactionHead
  const result = parseOrUndefined<NonNullable<LoggedTransaction['result']>>(row.result)
  return {
    id,
    cursor: writeCursor(session.identity, transactionOf(row.rev as number), id),
    at: row.at as number,
    changes,
    ...head,
    ...(result === undefined ? {} : { result }),
  }
}

/** Whole transactions from their rows in order, those left out that an erase took out of the log. */
function decodeRows(db: Connection, session: Session, rows: readonly SqliteRow[]): LoggedTransaction[] {
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined) return []
  const links = db
    .sql(
      'SELECT change, from_id, to_id, type, body, previous, scope FROM link_log WHERE change > ? AND change < ? ORDER BY change',
    )
    .all(first.rev as number, transactionRow(transactionOf(last.rev as number) + 1))
  const found: LoggedTransaction[] = []
  let nextLink = 0
  for (let i = 0; i < rows.length; ) {
    const head = rows[i++] as SqliteRow
    const end = transactionRow(transactionOf(head.rev as number) + 1)
    const changes: LoggedChange[] = []
    for (;;) {
      const [row, link] = [rows[i], links[nextLink]]
      const rowAt = row === undefined ? end : (row.rev as number)
      const linkAt = link === undefined ? end : (link.change as number)
      if (rowAt >= end && linkAt >= end) break
      if (rowAt < linkAt) {
        changes.push(
          (row as SqliteRow).gone === 1 ? removal(row as SqliteRow, session) : put(row as SqliteRow, session),
        )
        i++
      } else {
        changes.push(linkChange(link as SqliteRow, session))
        nextLink++
      }
    }
    if (head.gone === 0 && head.version === transactionVersion) found.push(decodeTransaction(head, session, changes))
  }
  return found
}

function rowsOf(db: Connection, seq: number): readonly SqliteRow[] {
  return db
    .sql(`${columns} WHERE v.rev >= ? AND v.rev < ? ORDER BY v.rev`)
    .all(transactionRow(seq), transactionRow(seq + 1))
}

/** Rows of the next whole transactions, some hundred at a time. */
function nextRows(db: Connection, after: number, chunk: number): readonly SqliteRow[] {
  const rows = db.sql(`${columns} WHERE v.rev >= ? ORDER BY v.rev LIMIT ?`).all(transactionRow(after + 1), chunk)
  if (rows.length < chunk) return rows
  const last = transactionOf(rows.at(-1)?.rev as number)
  const whole = rows.filter((row) => (row.rev as number) < transactionRow(last))
  return whole.length > 0 ? whole : rowsOf(db, last)
}

/** What is known of the end of the log while nothing is written. */
export interface LogEnd {
  /** Tells whether anything was committed since. */
  readonly moment: string
  readonly head: Cursor
  readonly derived: string
}

function readHead(db: Connection, session: Session): Cursor {
  const row = db.sql(`SELECT rev, id FROM log WHERE rev = ${transactionRowOf('(SELECT max(rev) FROM log)')}`).get()
  return row === undefined
    ? writeCursor(session.identity, 0, '')
    : writeCursor(session.identity, transactionOf(row.rev as number), row.id as string)
}

function readDerived(db: Connection): string {
  return readValue(db, "SELECT value FROM meta WHERE name = 'derived'") as string
}

/** Every search asks for it, mostly with no commit in between. SQLite's own number moves with commits of other connections. */
function endOf(session: Session): LogEnd {
  const { reader } = session
  const moment = `${readValue(reader, 'PRAGMA data_version')} ${session.begun}`
  if (session.end?.moment !== moment) {
    session.end = { moment, head: readHead(reader, session), derived: readDerived(reader) }
  }
  return session.end
}

export function* log(db: Connection, session: Session, after: Cursor | null, limit: number): Work<LogPage> {
  if (after !== null) {
    const { head, derived } = endOf(session)
    if (after === head) return { entries: [], cursor: after, derived }
  }
  let seq = after === null ? 0 : readPosition(db, session, after)
  // Read before the entries: a vector that comes in between is announced again, not missed.
  const derived = readDerived(db)
  const chunk = Math.min(maxChunk, Math.max(4, limit * 2))
  const entries: LoggedTransaction[] = []
  for (let count = 0; entries.length < limit && count <= maxChanges; ) {
    const rows = nextRows(db, seq, chunk)
    if (rows.length === 0) break
    seq = transactionOf(rows.at(-1)?.rev as number)
    for (const entry of decodeRows(db, session, rows)) {
      if (entries.length >= limit || count > maxChanges) break
      entries.push(entry)
      count += entry.changes.length
    }
    yield
  }
  return { entries, cursor: entries.at(-1)?.cursor ?? after ?? writeCursor(session.identity, 0, ''), derived }
}

/** The position after the last transaction, also after one that an erase took out of the log. */
export function head(session: Session): Cursor {
  return endOf(session).head
}

export function transaction(db: Connection, session: Session, id: string): LoggedTransaction | null {
  const row = db.sql('SELECT rev, id FROM log WHERE id = ? AND version = ? AND gone = 0').get(id, transactionVersion)
  if (row?.id !== id) return null
  return decodeRows(db, session, rowsOf(db, transactionOf(row.rev as number)))[0] ?? null
}

const revisionColumns = `SELECT v.id, v.version, v.op, v.scope, t.id AS tx, t.at, t.head, v.record FROM log v JOIN log t ON t.rev = ${transactionRowOf('v.rev')} WHERE v.id = ? AND v.version > 0`

function decodeRevision(row: SqliteRow): Revision {
  const { actor, reason } = JSON.parse(row.head as string) as TransactionHead
  return {
    id: row.id as string,
    version: row.version as number,
    tx: row.tx as string,
    at: formatInstant(row.at as number),
    op: row.op as RevisionOp,
    ...(actor === undefined ? {} : { actor }),
    ...(reason === undefined ? {} : { reason }),
    record: parseOrUndefined<NonNullable<Revision['record']>>(contentOf(row.record)) ?? null,
  }
}

export function revisions(db: Connection, session: Session, scope: ScopeFilter, id: string): Revision[] {
  const erased = db.sql(`${revisionColumns} ORDER BY v.version DESC LIMIT 1`).get(erasedId(session.salt, id))
  const rows = db.sql(`${revisionColumns} AND v.scope IS NOT NULL ORDER BY v.version`).all(id)
  const first = rows[0]
  const visible =
    first !== undefined && first.id === id && matchesScope(scope, session.scopes.byId(first.scope as number))
  return [...(erased ? [erased] : []), ...(visible ? rows : [])].map(decodeRevision)
}
