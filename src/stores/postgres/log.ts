import { type Cursor, erasedId, type LoggedChange, type LoggedTransaction, type LogPage } from '../../contract/index.ts'
import {
  formatInstant,
  type Link,
  matchesScope,
  type Revision,
  type RevisionOp,
  type ScopeFilter,
  scopeFromKey,
} from '../../model/index.ts'
import { contentColumns, contentJoins, decodeStored } from './content.ts'
import type { Call, Query } from './database.ts'
import type { Row } from './driver.ts'
import { decodeName, encodeName } from './names.ts'
import { type Position, readCursor, readEnd, readUnderWay, start, writeCursor } from './position.ts'
import type { Session } from './session.ts'

/** A page ends early after this many changes, so that it stays small whatever transactions hold. */
const maxChanges = 20_000
/** Changes read at once. */
const chunk = 2000

interface TransactionHead {
  readonly verb: string
  readonly actor?: string
  readonly reason?: string
}

function put(row: Row): LoggedChange {
  return {
    type: 'put',
    op: row.op as RevisionOp,
    id: decodeName(row.id as string),
    kind: decodeName(row.kind as string),
    scope: scopeFromKey(row.scope_key as string),
    version: row.version as number,
    hash: row.hash === null ? null : decodeName(row.hash as string),
    stored: row.record === null ? null : decodeStored(row),
  }
}

function removal(row: Row, session: Session): LoggedChange {
  const isErased = row.op === 'erase'
  return {
    type: 'remove',
    op: row.op as 'delete' | 'erase' | 'undo',
    id: decodeName(row.id as string),
    salt: isErased ? session.salt : null,
    kind: decodeName(row.kind as string),
    scope: isErased ? null : scopeFromKey(row.scope_key as string),
    version: row.version as number,
  }
}

/** A link from its columns. */
export function decodeLink(row: Row, body = row.body): Link {
  return {
    from: decodeName(row.from_id as string),
    to: decodeName(row.to_id as string),
    type: JSON.parse(row.type as string) as string,
    ...(JSON.parse(body as string) as Pick<Link, 'weight' | 'metadata'>),
  }
}

function linkChange(row: Row): LoggedChange {
  const scope = scopeFromKey(row.scope_key as string)
  const previous = row.previous === null ? null : decodeLink(row, row.previous)
  return row.body === null
    ? { type: 'unlink', link: previous as Link, scope }
    : { type: 'link', link: decodeLink(row), previous, scope }
}

const revisionsText = `SELECT v.place, v.number, v.id, v.version, v.op, v.gone, v.kind, v.hash, s.key AS scope_key, ${contentColumns}
  FROM {revisions} v LEFT JOIN {scopes} s ON s.id = v.scope ${contentJoins}
  WHERE v.place = ANY($1::bigint[]) AND (v.place, v.number) > ($2, $3) ORDER BY v.place, v.number LIMIT ${chunk}`
const linksText = `SELECT l.place, l.number, l.from_id, l.to_id, l.type, l.body, l.previous, s.key AS scope_key
  FROM {link_log} l JOIN {scopes} s ON s.id = l.scope WHERE l.place = ANY($1::bigint[])`

interface Placed {
  readonly place: number
  readonly number: number
  readonly change: LoggedChange
}

/** Changes of transactions by place, in order; of the later ones none, when there are too many. @returns up to which place they are whole */
async function readChanges(
  query: Query,
  session: Session,
  places: readonly number[],
): Promise<{ readonly changes: ReadonlyMap<number, readonly LoggedChange[]>; readonly until: number }> {
  const found: Placed[] = []
  let until = places.at(-1) ?? 0
  const links = await query(linksText, [places])
  for (let after = [-1, -1]; ; ) {
    const rows = await query(revisionsText, [places, ...after])
    for (const row of rows) {
      const change = row.gone === true ? removal(row, session) : put(row)
      found.push({ place: row.place as number, number: row.number as number, change })
    }
    const last = found.at(-1)
    if (rows.length < chunk || last === undefined) break
    after = [last.place, last.number]
    const isWhole = last.place > (places[0] as number)
    if (isWhole && found.length > maxChanges) {
      until = places[places.indexOf(last.place) - 1] as number
      break
    }
  }
  for (const row of links)
    found.push({ place: row.place as number, number: row.number as number, change: linkChange(row) })
  found.sort((a, b) => a.place - b.place || a.number - b.number)
  const changes = new Map<number, LoggedChange[]>()
  for (const { place, change } of found) {
    const of = changes.get(place)
    if (of === undefined) changes.set(place, [change])
    else of.push(change)
  }
  return { changes, until }
}

function decodeTransaction(row: Row, cursor: Cursor, changes: readonly LoggedChange[]): LoggedTransaction {
  return {
    id: decodeName(row.id as string),
    cursor,
    at: row.at as number,
    changes,
    ...(JSON.parse(row.head as string) as TransactionHead),
    ...(row.result === null ? {} : { result: JSON.parse(row.result as string) }),
  }
}

/** Right after a transaction, for somebody who had read up to a position before. */
function positionAfter(row: Row, before: Position): Position {
  const place = row.place as number
  const tx = decodeName(row.id as string)
  if (place >= before.place) return { place, missing: [], tx }
  return { ...before, missing: before.missing.filter((missing) => missing > place) }
}

async function readDerived(query: Query): Promise<string> {
  const [row] = await query('SELECT sum(count)::text AS derived FROM {derived}')
  return row?.derived as string
}

const transactionColumns = 'place, id, at, gone, head, result'

interface Looked {
  /** More entries may be there. */
  readonly isUnsure: boolean
}

/**
 * Entries below the oldest of the store's transactions under way: above, one may still come to stand between two that are
 * there.
 */
function readPage(session: Session, call: Call, after: Cursor | null, limit: number): Promise<LogPage & Looked> {
  return session.database.transaction(call, 'snapshot', async (query) => {
    const reading = after === null ? Promise.resolve(start) : readCursor(query, session, after)
    // Read with the entries: a vector that comes in between is announced again, not missed.
    const [from, underWay, derived] = await Promise.all([reading, readUnderWay(query, session), readDerived(query)])
    const horizon = Math.min(underWay.next, ...underWay.places)
    const rows = await query(
      `SELECT ${transactionColumns} FROM {transactions} WHERE (place > $1 OR place = ANY($2::bigint[])) AND place < $3 AND NOT gone ORDER BY place LIMIT $4`,
      [from.place, from.missing, horizon, Math.max(0, limit)],
    )
    const { changes, until } =
      rows.length === 0
        ? { changes: new Map(), until: 0 }
        : await readChanges(
            query,
            session,
            rows.map(({ place }) => place as number),
          )
    let position = from
    const entries: LoggedTransaction[] = []
    for (const row of rows) {
      const place = row.place as number
      if (place > until) break
      position = positionAfter(row, position)
      entries.push(decodeTransaction(row, writeCursor(session, position), changes.get(place) ?? []))
    }
    const cursor = entries.at(-1)?.cursor ?? after ?? writeCursor(session, start)
    return { entries, cursor, derived, isUnsure: underWay.isUnsure && entries.length < limit }
  })
}

/** A transaction that ended while it was looked for, be it a stranger's, holds nothing back: by the next look it is over. */
const mostLooks = 5

export async function log(session: Session, call: Call, after: Cursor | null, limit: number): Promise<LogPage> {
  for (let look = 1; ; look++) {
    const { isUnsure, ...page } = await readPage(session, call, after, limit)
    if (!isUnsure || look === mostLooks) return page
  }
}

export function head(session: Session, call: Call): Promise<Cursor> {
  return session.database.transaction(call, 'read', async (query) =>
    writeCursor(session, await readEnd(query, session)),
  )
}

export function findTransaction(session: Session, call: Call, id: string): Promise<LoggedTransaction | null> {
  return session.database.transaction(call, 'read', async (query) => {
    const [row] = await query(`SELECT ${transactionColumns} FROM {transactions} WHERE id = $1 AND NOT gone`, [
      encodeName(id),
    ])
    if (row === undefined) return null
    const place = row.place as number
    const { changes } = await readChanges(query, session, [place])
    const position = { place, missing: [], tx: decodeName(row.id as string) }
    return decodeTransaction(row, writeCursor(session, position), changes.get(place) ?? [])
  })
}

const revisionText =
  'SELECT v.id, v.version, v.place, v.tx, v.at, v.op, v.record, s.key AS scope_key FROM {revisions} v LEFT JOIN {scopes} s ON s.id = v.scope'

/** @param head of its transaction, as JSON */
function decodeRevision(row: Row, head: string | undefined): Revision {
  const { actor, reason } = (head === undefined ? {} : JSON.parse(head)) as Partial<TransactionHead>
  return {
    id: decodeName(row.id as string),
    version: row.version as number,
    tx: decodeName(row.tx as string),
    at: formatInstant(row.at as number),
    op: row.op as RevisionOp,
    ...(actor === undefined ? {} : { actor }),
    ...(reason === undefined ? {} : { reason }),
    record: row.record === null ? null : JSON.parse(row.record as string),
  }
}

export function revisions(session: Session, call: Call, scope: ScopeFilter, id: string): Promise<Revision[]> {
  return session.database.transaction(call, 'snapshot', async (query, beyond) => {
    const hash = encodeName(erasedId(session.salt, id))
    const own = 'v.owner = (SELECT owner FROM {ids} WHERE id = $1) AND v.id = $1'
    const [erased, heads, rows] = await Promise.all([
      beyond(`${revisionText} WHERE v.owner = 0 AND v.id = $1 ORDER BY v.version DESC LIMIT 1`, [hash]),
      beyond(
        `SELECT t.place, t.head FROM {revisions} v JOIN {transactions} t ON t.place = v.place WHERE (${own}) OR (v.owner = 0 AND v.id = $2)`,
        [encodeName(id), hash],
      ),
      query(`${revisionText} WHERE ${own} ORDER BY v.version`, [encodeName(id)]),
    ])
    const isVisible = rows.length > 0 && matchesScope(scope, scopeFromKey(rows[0]?.scope_key as string))
    const headOf = new Map(heads.map((row) => [row.place, row.head as string]))
    return [...erased, ...(isVisible ? rows : [])].map((row) => decodeRevision(row, headOf.get(row.place)))
  })
}
