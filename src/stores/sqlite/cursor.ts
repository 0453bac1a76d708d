import type { Cursor } from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { type Connection, readValue } from './connection.ts'
import { transactionRow } from './schema.ts'
import type { Session } from './session.ts'

/** Enough of a transaction's id to notice that a file was put back to an older state and went another way since. */
const tagLength = 12

/** The position right after a transaction; `seq` 0 is the start. */
export function writeCursor(identity: string, seq: number, tx: string): Cursor {
  return Buffer.from(JSON.stringify([identity, seq, tx.slice(-tagLength)])).toString('base64url')
}

function parse(cursor: unknown): readonly unknown[] {
  if (typeof cursor !== 'string') return []
  const bytes = Buffer.from(cursor, 'base64url')
  // Node passes over what is no base64.
  if (bytes.toString('base64url') !== cursor) return []
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

/** Orders two cursors of one file. @throws InputError INVALID_CURSOR */
export function compareCursors(a: Cursor, b: Cursor): number {
  const [first, second] = [parse(a)[1], parse(b)[1]]
  if (typeof first !== 'number' || typeof second !== 'number') throw invalidCursor()
  return first - second
}

function invalidCursor(): InputError {
  return new InputError({
    code: 'INVALID_CURSOR',
    message: 'cursor: not a position of this store. Use a cursor as this store gave it, or start anew without one.',
  })
}

/** The transaction number of a cursor. @throws InputError INVALID_CURSOR for a cursor of another file or past its end */
export function readPosition(db: Connection, session: Pick<Session, 'identity'>, cursor: Cursor): number {
  const [identity, seq, tag] = parse(cursor)
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
  return typeof id === 'string' && id.slice(-tagLength) === tag
}
