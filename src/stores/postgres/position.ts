import { type Cursor, cursorTag, decodeParts, encodeParts, invalidCursor } from '../../contract/index.ts'
import type { Query } from './database.ts'
import type { Row } from './driver.ts'
import { identityColumns, refuseOther } from './made-anew.ts'
import { decodeName } from './names.ts'
import type { Parameters } from './parameters.ts'
import type { Session } from './session.ts'

/** What had been committed at some moment: everything up to a place in the log, but what was still under way then. */
export interface Position {
  /** 0: before the first transaction. */
  readonly place: number
  /** Places below that were under way, ascending. */
  readonly missing: readonly number[]
  /** Of the transaction at the place. */
  readonly tx: string
}

export const start: Position = { place: 0, missing: [], tx: '' }

export function writeCursor({ identity }: Session, { place, missing, tx }: Position): Cursor {
  return encodeParts([identity, place, cursorTag(tx), ...missing])
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** @throws InputError INVALID_CURSOR for a cursor of another store */
function decodeCursor({ identity }: Session, cursor: Cursor): Position {
  const [of, place, tag, ...missing] = decodeParts(cursor)
  if (of !== identity || !isPlace(place) || typeof tag !== 'string' || !missing.every(isPlace)) throw invalidCursor()
  return { place, missing, tx: tag }
}

/** @throws InputError INVALID_CURSOR for a cursor of another store, or of another past of this one */
export async function readCursor(query: Query, session: Session, cursor: Cursor): Promise<Position> {
  const position = decodeCursor(session, cursor)
  if (position.place === 0) return position
  const rows = await query('SELECT id FROM {transactions} WHERE place = $1', [position.place])
  if (!rows.some(({ id }) => cursorTag(id as string) === position.tx)) throw invalidCursor()
  return position
}

/** True of what had been committed: a condition on a column of places. */
export function before({ place, missing }: Position, column: string, parameters: Parameters): string {
  const upTo = `${column} <= ${parameters.add(place)}`
  return missing.length === 0 ? upTo : `(${upTo} AND ${column} <> ALL(${parameters.add(missing)}::bigint[]))`
}

/** What is being written while a snapshot is read. */
export interface UnderWay {
  /** Of the next transaction that will begin. */
  readonly next: number
  /** Places of the store's transactions under way, ascending. */
  readonly places: readonly number[]
  /** Some of them ended right after, and may be strangers' just as well. */
  readonly isUnsure: boolean
}

/**
 * Transactions of others on the server hold a transaction's lock, and not the store's. Whatever is in the snapshot as under
 * way and is not certain to be a stranger's counts as the store's: it may have been committed since the snapshot was taken.
 *
 * Sound because a commit takes the store's lock before the server numbers it, and because at its end a transaction lets go
 * of its own lock before it lets go of the store's.
 */
const underWayText = `WITH locks AS MATERIALIZED (
    SELECT locktype, virtualtransaction, transactionid::text::bigint AS number, classid, objid, objsubid
    FROM pg_locks WHERE granted AND locktype IN ('transactionid', 'advisory')
  ), holders AS (
    SELECT number, EXISTS (
      SELECT FROM locks s WHERE s.locktype = 'advisory' AND s.virtualtransaction = l.virtualtransaction
        AND s.classid = (($1::bigint >> 32) & 4294967295)::text::oid AND s.objid = ($1::bigint & 4294967295)::text::oid AND s.objsubid = 1) AS own
    FROM locks l WHERE locktype = 'transactionid'
  ), running AS (
    SELECT x::text::bigint AS x FROM pg_snapshot_xip(pg_current_snapshot()) x
  )
  SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next,
    (SELECT coalesce(json_agg(x ORDER BY x), '[]')::text FROM running
      WHERE (x & 4294967295) NOT IN (SELECT number FROM holders WHERE NOT own)) AS running,
    EXISTS (SELECT FROM running WHERE (x & 4294967295) NOT IN (SELECT number FROM holders)) AS ended, ${identityColumns}`

function decodeUnderWay(session: Session, row: Row): UnderWay {
  refuseOther(session, row)
  const { base } = session
  const running = JSON.parse(row.running as string) as number[]
  const places = running.map((number) => base + number)
  return { next: base + (row.next as number), places, isUnsure: row.ended === true }
}

/** In a transaction of mode `snapshot`, as it speaks of what its other statements see. */
export async function readUnderWay(query: Query, session: Session): Promise<UnderWay> {
  const [row] = (await query(underWayText, [session.storeLock], 'steady')) as readonly [Row]
  return decodeUnderWay(session, row)
}

const endText = `SELECT u.*, l.place, l.id FROM (${underWayText}) u
  LEFT JOIN (SELECT place, id FROM {transactions} ORDER BY place DESC LIMIT 1) l ON true`

/** The end of the log: one statement, so it is of one moment. Places under way below the last one are those that a reader of now has not seen. */
export async function readEnd(query: Query, session: Session): Promise<Position> {
  const [row] = (await query(endText, [session.storeLock], 'steady')) as readonly [Row]
  const { places } = decodeUnderWay(session, row)
  if (row.place === null) return start
  const place = row.place as number
  return { place, missing: places.filter((running) => running < place), tx: decodeName(row.id as string) }
}
