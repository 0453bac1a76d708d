import type { MemoryRecord } from './record.ts'

/** True from the millisecond of `expiresAt` on. */
export function isExpired(record: { readonly expiresAt?: string }, now: number): boolean {
  return record.expiresAt !== undefined && Date.parse(record.expiresAt) <= now
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
