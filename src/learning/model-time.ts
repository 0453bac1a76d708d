import {
  type EventTime,
  formatInstant,
  type Granularity,
  instantOfWall,
  parseInstant,
  wallTime,
} from '../model/index.ts'

/** A date or time as models write it, with an offset or without: a year, a month, a day, or a time of day. */
export const modelTime =
  /^\d{4}(?:-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?)?)?$/

interface Known {
  readonly instant: string
  readonly granularity: Granularity
}

const lengths: Readonly<Record<number, Granularity>> = { 4: 'year', 7: 'month', 10: 'day' }

/** The instant at which it begins in a zone. Null for a date that there is not. */
function begins(text: string, zone: string): Known | null {
  const given = text.replace(' ', 'T')
  const granularity = lengths[given.length] ?? 'minute'
  const full = `${given}-01-01`.slice(0, 10)
  const date = given.length < 10 ? (given.length === 4 ? full : `${given}-01`) : given.slice(0, 10)
  const [, time = '00:00', offset] = /T(\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/.exec(given) ?? []
  try {
    const checked = parseInstant(`${date}T${time}${offset ?? 'Z'}`, 'time')
    if (offset !== undefined) return { instant: formatInstant(checked), granularity }
    const [year, month, day] = date.split('-').map(Number) as [number, number, number]
    const [hour, minute] = time.split(':').map(Number) as [number, number]
    return { instant: formatInstant(instantOfWall(wallTime(year, month, day, hour, minute), zone)), granularity }
  } catch {
    return null
  }
}

/** An event at a time that a model wrote, in the zone of who said it. Null for a date that there is not. */
export function eventTimeOf(text: string, zone: string): EventTime | null {
  const known = begins(text, zone)
  return known && { start: known.instant, zone, granularity: known.granularity }
}

/** The instant at which a time that a model wrote begins. Null for a date that there is not. */
export function instantOf(text: string, zone: string): string | null {
  return begins(text, zone)?.instant ?? null
}
