import { type MemoryRecord, momentOf } from '../model/index.ts'
import type { ListOrder, ListPosition } from './reading.ts'

const descending: ReadonlySet<ListOrder> = new Set(['newest', 'updated', 'importance'])

/** What an ordered list sorts a record by: epoch milliseconds, or the importance. */
export function orderValue(
  record: Pick<MemoryRecord, 'createdAt' | 'updatedAt' | 'importance' | 'eventTime'>,
  order: ListOrder,
): number {
  if (order === 'importance') return record.importance
  if (order === 'updated') return Date.parse(record.updatedAt)
  return order === 'eventTime' ? momentOf(record) : Date.parse(record.createdAt)
}

/** True where greater values come first. */
export function isDescending(order: ListOrder): boolean {
  return descending.has(order)
}

/** In UTF-8, surrogates (beyond the basic plane) sort above all else; in UTF-16 they lie below U+E000. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit >= 0xe000 ? unit - 0x0800 : unit + 0x2000
}

/** Orders ids by code point, which is the byte order of UTF-8: what every store's index has. */
export function compareIds(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = a.charCodeAt(i) - b.charCodeAt(i)
    if (difference !== 0) return rank(a.charCodeAt(i)) - rank(b.charCodeAt(i))
  }
  return a.length - b.length
}

/** Below 0 when `a` comes before `b` in a list of that order; 0 only for one place. */
export function comparePositions(a: ListPosition, b: ListPosition, order: ListOrder): number {
  const ascending = a.value === b.value ? compareIds(a.id, b.id) : a.value - b.value
  return isDescending(order) ? -ascending : ascending
}
