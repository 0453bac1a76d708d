import { type Granularity, instantOfWall, localTime, type MemoryRecord, wallTime } from '../model/index.ts'

/** Epoch milliseconds: from the first moment to before the last one; for an instant they are the same. */
export interface Period {
  readonly from: number
  readonly until: number
}

const dayMs = 86_400_000

/**
 * How far before a window, and how far after it, an event may begin and still be looked at: a month, and what zones add.
 * No store knows where events end, so that each of those between has to be read.
 */
export const longestReach = 32 * dayMs

/** Wall times of the beginning of the unit that a moment lies in, and of the next unit. */
function unitAround(at: number, zone: string | undefined, unit: Exclude<Granularity, 'instant'>): [number, number] {
  const { year, month, day, hour, minute } = localTime(at, zone)
  switch (unit) {
    case 'minute':
      return [wallTime(year, month, day, hour, minute), wallTime(year, month, day, hour, minute + 1)]
    case 'hour':
      return [wallTime(year, month, day, hour), wallTime(year, month, day, hour + 1)]
    case 'day':
      return [wallTime(year, month, day), wallTime(year, month, day + 1)]
    case 'week': {
      // Monday first.
      const monday = day - ((new Date(wallTime(year, month, day)).getUTCDay() + 6) % 7)
      return [wallTime(year, month, monday), wallTime(year, month, monday + 7)]
    }
    case 'month':
      return [wallTime(year, month), wallTime(year, month + 1)]
    case 'season': {
      // March to May and so on: December begins the winter of the year after.
      const first = month - (month % 3)
      return [wallTime(year, first), wallTime(year, first + 3)]
    }
    case 'year':
      return [wallTime(year, 1), wallTime(year + 1, 1)]
    case 'decade':
      return [wallTime(year - (year % 10), 1), wallTime(year - (year % 10) + 10, 1)]
  }
}

/** The time that an event may have taken: as exact as it is known, in its own zone. A day is the whole day there. */
export function eventPeriod({ eventTime, createdAt }: Pick<MemoryRecord, 'eventTime' | 'createdAt'>): Period {
  const start = Date.parse(eventTime?.start ?? createdAt)
  const end = eventTime?.end === undefined ? start : Date.parse(eventTime.end)
  const { granularity = 'instant', zone } = eventTime ?? {}
  if (granularity === 'instant') return { from: start, until: end }
  return {
    from: instantOfWall(unitAround(start, zone, granularity)[0], zone),
    until: instantOfWall(unitAround(end, zone, granularity)[1], zone),
  }
}

/** True when some of the period lies in `[since, until)`. */
export function isIn({ from, until }: Period, since: number, before: number): boolean {
  return from < before && (from >= since || until > since)
}
