import { InputError } from '../errors/index.ts'

/** A moment as the clocks of a zone show it. */
export interface LocalTime {
  readonly year: number
  /** 1 to 12 */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
}

/** What a clock and a calendar in the zone show, by default in UTC. @throws InputError INVALID_TIME for a zone nobody knows */
export function localTime(at: number, zone = 'UTC'): LocalTime {
  const offset = fixedOffset(zone)
  return offset === undefined ? inZone(at, zone) : inUtc(at + offset * 60_000)
}

/** Minutes east of UTC. */
function fixedOffset(zone: string): number | undefined {
  if (zone === 'UTC' || zone === 'Z') return 0
  const match = /^([+-])(\d\d):?(\d\d)$/.exec(zone)
  if (match === null) return undefined
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]))
}

function inUtc(at: number): LocalTime {
  const date = new Date(at)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
  }
}

function inZone(at: number, zone: string): LocalTime {
  const parts = new Map(
    formatter(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type)!
  return { year: part('year'), month: part('month'), day: part('day'), hour: part('hour'), minute: part('minute') }
}

// Costly to make. There are only some hundred zones, so the map stays small.
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone)
  if (known !== undefined) return known
  try {
    const made = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
    formatters.set(zone, made)
    return made
  } catch (cause) {
    throw new InputError({
      code: 'INVALID_TIME',
      message: 'A record\'s time zone is not known here. Give an IANA name such as "Europe/Berlin" or an offset.',
      cause,
    })
  }
}

const dayMs = 86_400_000

/** A date and time of day as if it were in UTC: what zones are counted from. Months from 1; what is too much carries over. */
export function wallTime(year: number, month: number, day = 1, hour = 0, minute = 0): number {
  const date = new Date(0)
  // Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day)
  return date.setUTCHours(hour, minute)
}

function wallOf(at: number, zone: string | undefined): number {
  const { year, month, day, hour, minute } = localTime(at, zone)
  return wallTime(year, month, day, hour, minute)
}

/** The first instant at which the clocks of a zone show a wall time, or are past it where they skip it. */
export function instantOfWall(wall: number, zone?: string): number {
  // A day before and a day after: where the clocks change in between, both offsets are there to choose from.
  const [before, after] = [wall - dayMs, wall + dayMs].map((at) => wall - (wallOf(at, zone) - at)) as [number, number]
  const earlier = Math.min(before, after)
  return wallOf(earlier, zone) === wall ? earlier : Math.max(before, after)
}
