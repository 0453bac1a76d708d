import { type Cursor, cursorTag, decodeParts, encodeParts, invalidCursor } from '../../contract/index.ts'
import { type Connection, readValue } from './connection.ts'
import { transactionRow } from './schema.ts'
import type { Session } from './session.ts'

/** The position right after a transaction; `seq` 0 is the start. */
export function writeCursor(identity: string, seq: number, tx: string): Cursor {
  return encodeParts([identity, seq, cursorTag(tx)])
}

/** Orders two cursors of one file. @throws InputError INVALID_CURSOR */
export function compareCursors(a: Cursor, b: Cursor): number {
  const [first, second] = [decodeParts(a)[1], decodeParts(b)[1]]
  if (typeof first !== 'number' || typeof second !== 'number') throw invalidCursor()
  return first - second
}

/** The transaction number of a cursor. @throws InputError INVALID_CURSOR for a cursor of another file or past its end */
export function readPosition(db: Connection, session: Pick<Session, 'identity'>, cursor: Cursor): number {
  const [identity, seq, tag] = decodeParts(cursor)
  const valid =
    identity === session.identity &&
    typeof seq === 'number' &&
    Number.isSafeInteger(seq) &&
    seq >= 0 &&
    typeof tag === 'string' &&
    isPosition(db, seq, tag)
  if (!valid) throw invalidCursor()
  return seq
}

function isPosition(db: Connection, seq: number, tag: string): boolean {
  if (seq === 0) return tag === ''
  const id = readValue(db, 'SELECT id FROM log WHERE rev = ?', transactionRow(seq))
  return typeof id === 'string' && cursorTag(id) === tag
}
