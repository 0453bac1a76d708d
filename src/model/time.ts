import { InputError } from '../errors/index.ts'

/** How precisely an event time is known. */
export const granularities = ['instant', 'minute', 'hour', 'day', 'week', 'month', 'season', 'year', 'decade'] as const
export type Granularity = (typeof granularities)[number]

/** When something happened in the world: a start, perhaps an end, the zone it was lived in, and how precise it is. */
export interface EventTime {
  readonly start: string
  readonly end?: string
  /** IANA name or fixed offset (`+02:00`); taken from the offset of `start` when absent. */
  readonly zone?: string
  /** @default 'instant' */
  readonly granularity?: Granularity
}

const isoInstant = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})$/
/** No place on Earth is farther from UTC than 14 hours. */
const fixedOffset = /^[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00)$/
const firstInstant = Date.parse('0000-01-01T00:00:00Z')
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

function invalid(path: string, why: string): InputError {
  return new InputError({
    code: 'INVALID_TIME',
    message: `${path}: ${why}. Give an ISO 8601 time with an offset, such as 2026-05-08T13:56:00Z.`,
    details: { path },
  })
}

/**
 * Epoch milliseconds of an ISO 8601 time with an offset (TIM-1).
 * @throws InputError INVALID_TIME for a naive time, an impossible date or anything else: a guess would be wrong somewhere.
 */
export function parseInstant(value: unknown, path: string): number {
  if (typeof value !== 'string') throw invalid(path, 'a time must be a string')
  const match = isoInstant.exec(value)
  if (!match) {
    const naive = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?$/.test(value)
    throw invalid(path, naive ? 'the time has no offset' : 'not an ISO 8601 time')
  }
  const [, year, month, day, hour, minute, second = '0'] = match.map((part) => part ?? undefined)
  const parts = [Number(month), Number(day), Number(hour), Number(minute), Number(second)] as const
  // Year 2000 on: Date.UTC takes the years 0 to 99 for 1900 to 1999, and the calendar repeats every 400 years.
  const daysInMonth = new Date(Date.UTC(2000 + (Number(year) % 400), parts[0], 0)).getUTCDate()
  const offset = match[8] as string
  if (parts[0] < 1 || parts[0] > 12 || parts[1] < 1 || parts[1] > daysInMonth) throw invalid(path, 'no such date')
  if (parts[2] > 23 || parts[3] > 59 || parts[4] > 59) throw invalid(path, 'no such time of day')
  if (offset !== 'Z' && !fixedOffset.test(offset)) throw invalid(path, 'no such offset')
  const milliseconds = Date.parse(value)
  // Outside of it the time in UTC has no four-digit year, so it could not be written and read again.
  if (!(milliseconds >= firstInstant && milliseconds <= lastInstant))
    throw invalid(path, 'outside of the years 0 to 9999')
  return milliseconds
}

/** The one written form of an instant: ISO 8601 in UTC with milliseconds and `Z`. */
export function formatInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** Same instant, written the one way. @throws InputError INVALID_TIME */
export function normaliseInstant(value: unknown, path: string): string {
  return formatInstant(parseInstant(value, path))
}

/** Zones that were found good: asking the platform costs more than all the rest of a record. */
const knownZones = new Set<string>()
const maxKnownZones = 1000

function isZoneName(value: string): boolean {
  if (knownZones.has(value)) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    if (knownZones.size < maxKnownZones) knownZones.add(value)
    return true
  } catch {
    return false
  }
}

/** An IANA zone name or a fixed offset, as given. @throws InputError INVALID_TIME for a zone nobody knows. */
export function parseZone(value: string, path: string): string {
  if (fixedOffset.test(value) || value === 'Z') return value === 'Z' ? 'UTC' : value
  // Offsets spelt otherwise (+02, +0200) are known to some platforms only.
  if (!/^[+-]/.test(value) && isZoneName(value)) return value
  throw new InputError({
    code: 'INVALID_TIME',
    message: `${path}: unknown time zone. Give an IANA name such as Europe/Berlin, or a fixed offset such as +02:00.`,
    details: { path },
  })
}

/** Checks and normalises an event time; the zone is kept, from the offset of `start` if not named. */
export function parseEventTime(value: EventTime, path: string): EventTime {
  const start = parseInstant(value.start, `${path}.start`)
  const end = value.end === undefined ? undefined : parseInstant(value.end, `${path}.end`)
  if (end !== undefined && end < start) throw invalid(`${path}.end`, 'the end lies before the start')
  const offset = value.start.slice(-6)
  const zone =
    value.zone === undefined ? (fixedOffset.test(offset) ? offset : undefined) : parseZone(value.zone, `${path}.zone`)
  return {
    start: formatInstant(start),
    ...(end === undefined ? {} : { end: formatInstant(end) }),
    ...(zone === undefined ? {} : { zone }),
    ...(value.granularity === undefined ? {} : { granularity: value.granularity }),
  }
}
