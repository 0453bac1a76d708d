import type { Kind, MemoryRecord } from './record.ts'

/** How long records live from their creation, in milliseconds, by kind; `Infinity` is for ever. */
export interface Lifetimes {
  readonly byKind: ReadonlyMap<Kind, number>
  /** Of kinds that are not named. */
  readonly others: number
}

type Mortal = Pick<MemoryRecord, 'kind' | 'createdAt' | 'pinned'> & { readonly expiresAt?: string | undefined }

/**
 * Epoch milliseconds from which on the record is expired: its own `expiresAt`, or the end of its kind's lifetime if that
 * comes first. `Infinity` when it never is. A lifetime does not count for pinned records.
 */
export function expiryOf(record: Mortal, lifetimes?: Lifetimes): number {
  const own = record.expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(record.expiresAt)
  if (lifetimes === undefined || record.pinned) return own
  const lifetime = lifetimes.byKind.get(record.kind) ?? lifetimes.others
  return lifetime === Number.POSITIVE_INFINITY ? own : Math.min(own, Date.parse(record.createdAt) + lifetime)
}

/** True from the millisecond of its expiry on. */
export function isExpired(record: Mortal, now: number, lifetimes?: Lifetimes): boolean {
  return expiryOf(record, lifetimes) <= now
}

/** True when the record held in the world at that moment: validFrom <= at < validTo, open ends included. */
export function isValidAt(record: { readonly validFrom?: string; readonly validTo?: string }, at: number): boolean {
  return (
    (record.validFrom === undefined || Date.parse(record.validFrom) <= at) &&
    (record.validTo === undefined || at < Date.parse(record.validTo))
  )
}

/** The instant a record is about: its event time, else when it was made. */
export function momentOf(record: Pick<MemoryRecord, 'eventTime' | 'createdAt'>): number {
  return Date.parse(record.eventTime?.start ?? record.createdAt)
}
