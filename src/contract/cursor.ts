import { InputError } from '../errors/index.ts'
import type { Cursor } from './reading.ts'

const prefix = 'p'

/** What is no cursor of a store. */
export function invalidCursor(): InputError {
  return new InputError({
    code: 'INVALID_CURSOR',
    message: 'cursor: not a position of this store. Use a cursor as this store gave it, or start anew without one.',
  })
}

/** The cursor of a log position: 0 is before the first transaction. For stores that number their transactions. */
export function encodeCursor(position: number): Cursor {
  return prefix + position.toString(36)
}

/**
 * The position a cursor stands for.
 * @param last the last position of the log: a cursor beyond it was made by another store
 * @throws InputError INVALID_CURSOR
 */
export function decodeCursor(cursor: Cursor, last: number): number {
  const position = typeof cursor === 'string' ? Number.parseInt(cursor.slice(prefix.length), 36) : Number.NaN
  if (!(position >= 0 && position <= last) || encodeCursor(position) !== cursor) throw invalidCursor()
  return position
}

/** A cursor of several values, the first of which tells whose it is. For stores that tell theirs from those of others. */
export function encodeParts(parts: readonly (string | number)[]): Cursor {
  return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** The values in such a cursor, which are for the store to check; none in what is no such cursor. */
export function decodeParts(cursor: unknown): readonly unknown[] {
  if (typeof cursor !== 'string') return []
  const bytes = Buffer.from(cursor, 'base64url')
  // Node passes over what is no base64.
  if (bytes.toString('base64url') !== cursor) return []
  try {
    const parts: unknown = JSON.parse(bytes.toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

/** Enough of a transaction's id to notice that a store was put back to an older state and went another way since. */
export function cursorTag(tx: string): string {
  return tx.slice(-12)
}
