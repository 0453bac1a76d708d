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
import { changesPerTransaction } from './schema.ts'
import type { Session } from './session.ts'
import type { Work } from './work.ts'

/** A page ends early after this many changes, so that it stays small whatever transactions hold. */
const maxChanges = 20_000

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
    stored: row.record === null ? null : decodeUndamaged(row, null),
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

/** The changes of one transaction in order. */
function changesOf(db: Connection, session: Session, seq: number): LoggedChange[] {
  const range = [seq * changesPerTransaction, (seq + 1) * changesPerTransaction - 1] as const
  const revisions = db
    .sql(
      `SELECT v.rev AS place, v.id, v.version, v.op, v.gone, v.scope, v.kind, ${contentColumns} FROM revisions v WHERE v.rev BETWEEN ? AND ? ORDER BY v.rev`,
    )
    .all(...range)
  const links = db
    .sql(
      'SELECT change AS place, from_id, to_id, type, body, previous, scope FROM link_log WHERE change BETWEEN ? AND ? ORDER BY change',
    )
    .all(...range)
  const changes = [
    ...revisions.map((row) => ({
      place: row.place as number,
      change: row.gone === 1 ? removal(row, session) : put(row, session),
    })),
    ...links.map((row) => ({ place: row.place as number, change: linkChange(row, session) })),
  ]
  if (revisions.length > 0 && links.length > 0) changes.sort((a, b) => a.place - b.place)
  return changes.map(({ change }) => change)
}

function decodeTransaction(row: SqliteRow, session: Session, changes: readonly LoggedChange[]): LoggedTransaction {
  const id = row.id as string
  const head = JSON.parse(row.head as string) as TransactionHead
  const result = parseOrUndefined<NonNullable<LoggedTransaction['result']>>(row.result)
  return {
    id,
    cursor: writeCursor(session.identity, row.seq as number, id),
    at: row.at as number,
    ...head,
    ...(result === undefined ? {} : { result }),
    changes,
  }
}

export function* log(db: Connection, session: Session, after: Cursor | null, limit: number): Work<LogPage> {
  const start = after === null ? 0 : readPosition(db, session, after)
  // Read before the entries: a vector that comes in between is announced again, not missed.
  const derived = readValue(db, "SELECT value FROM meta WHERE name = 'derived'") as string
  const rows = db
    .sql('SELECT seq, id, at, head, result FROM transactions WHERE seq > ? AND gone = 0 ORDER BY seq LIMIT ?')
    .all(start, limit)
  const entries: LoggedTransaction[] = []
  let count = 0
  for (const row of rows) {
    const changes = changesOf(db, session, row.seq as number)
    entries.push(decodeTransaction(row, session, changes))
    count += changes.length
    if (count > maxChanges) break
    yield
  }
  return { entries, cursor: entries.at(-1)?.cursor ?? after ?? writeCursor(session.identity, 0, ''), derived }
}

/** The position after the last transaction, also after one that an erase took out of the log. */
export function head(db: Connection, session: Session): Cursor {
  const row = db.sql('SELECT seq, id FROM transactions ORDER BY seq DESC LIMIT 1').get()
  return row === undefined
    ? writeCursor(session.identity, 0, '')
    : writeCursor(session.identity, row.seq as number, row.id as string)
}

export function transaction(db: Connection, session: Session, id: string): LoggedTransaction | null {
  const row = db.sql('SELECT seq, id, at, head, result FROM transactions WHERE id = ? AND gone = 0').get(id)
  return row?.id === id ? decodeTransaction(row, session, changesOf(db, session, row.seq as number)) : null
}

const revisionColumns = `SELECT v.id, v.version, v.op, v.scope, t.id AS tx, t.at, t.head, v.record FROM revisions v JOIN transactions t ON t.seq = v.rev / ${changesPerTransaction} WHERE v.id = ?`

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
    record: parseOrUndefined<NonNullable<Revision['record']>>(row.record) ?? null,
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
