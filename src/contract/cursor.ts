import { InputError } from '../errors/index.ts'
import type { Cursor } from './reading.ts'

const prefix = 'p'

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
  if (!(position >= 0 && position <= last) || encodeCursor(position) !== cursor) {
    throw new InputError({
      code: 'INVALID_CURSOR',
      message: 'cursor: not a position of this store. Use a cursor as this store gave it, or start anew without one.',
    })
  }
  return position
}
