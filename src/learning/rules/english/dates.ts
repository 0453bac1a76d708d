import {
  type EventTime,
  formatInstant,
  type Granularity,
  instantOfWall,
  localTime,
  madeOnce,
  wallTime,
} from '../../../model/index.ts'
import { dateWords, monthNames, weekdayNames } from '../../../text/index.ts'
import type { Moment } from '../moment.ts'

const inMonths = monthNames.join('|').toLowerCase()
const months = `(?<month>${inMonths}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\.?`
const onWeekdays = weekdayNames.join('|').toLowerCase()
const weekdays = `(?<weekday>${onWeekdays}|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)`
const counts: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  'a couple of': 2,
}
const year = '(?:,? (?<year>(?:19|20)\\d\\d))'
const before = '(?:(?:on|by|this coming|the|from) )*'
const clock =
  '(?<clock> (?:at|around|@) (?:(?<hour>\\d{1,2})(?:[:.](?<minute>[0-5]\\d))? ?(?<half>am|pm|a\\.m\\.?|p\\.m\\.?)?(?! ?\\p{L}|\\d)|(?<noon>noon|midday)))?'

/** A time that is told in words, where it stands, and what it is. */
export interface Told {
  readonly start: number
  readonly end: number
  readonly eventTime: EventTime
}

type Groups = Readonly<Record<string, string | undefined>>
/** Wall time (as if in UTC) and how exact it is. */
type Wall = readonly [wall: number, granularity: Granularity]
interface Today {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly weekday: number
}
type Direction = 'future' | 'past'

const numberOf = (count: string): number => counts[count] ?? Number(count)
const monthOf = (name: string): number =>
  inMonths.split('|').findIndex((month) => month.startsWith(name.slice(0, 3))) + 1
const weekdayOf = (name: string): number => onWeekdays.split('|').findIndex((day) => day.startsWith(name.slice(0, 3)))

function dayOf({ day = '', month = '', year }: Groups, today: Today, direction: Direction): Wall | null {
  const [d, m] = [Number(day), monthOf(month)]
  if (d < 1 || d > new Date(Date.UTC(2000, m, 0)).getUTCDate()) return null
  return [wallTime(year === undefined ? yearOf(m, d, today, direction) : Number(year), m, d), 'day']
}

function yearOf(month: number, day: number, today: Today, direction: Direction): number {
  const over = month < today.month || (month === today.month && day < today.day)
  if (direction === 'future') return over ? today.year + 1 : today.year
  return over || (month === today.month && day === today.day) ? today.year : today.year - 1
}

/** Days from today to a weekday; the next week and the last one begin on Monday. */
function daysTo({ which, weekday = '' }: Groups, today: Today, direction: Direction): number {
  const [from, to] = [(today.weekday + 6) % 7, (weekdayOf(weekday) + 6) % 7]
  if (which === 'next') return 7 - from + to
  if (which === 'last') return to < from ? to - from : to - from - 7
  const ahead = (to - from + 7) % 7
  return direction === 'future' ? ahead || 7 : ahead === 0 ? -7 : ahead - 7
}

const relative: Readonly<Record<string, number>> = {
  today: 0,
  tonight: 0,
  'this morning': 0,
  'this afternoon': 0,
  'this evening': 0,
  tomorrow: 1,
  tmrw: 1,
  tomorow: 1,
  'the day after tomorrow': 2,
  yesterday: -1,
}

function period({ which = '', unit = '' }: Groups, { year, month, day, weekday }: Today): Wall | null {
  const step = which === 'next' || which === 'the coming' ? 1 : which === 'last' ? -1 : 0
  switch (unit) {
    case 'week':
      return [wallTime(year, month, day - ((weekday + 6) % 7) + 7 * step), 'week']
    case 'weekend': {
      const saturday = day - ((weekday + 6) % 7) + 5
      return [wallTime(year, month, saturday + 7 * step), 'day']
    }
    case 'month':
      return [wallTime(year, month + step), 'month']
    case 'year':
      return [wallTime(year + step, 1), 'year']
    default: {
      const first = { spring: 3, summer: 6, autumn: 9, fall: 9, winter: 12 }[unit]!
      return [wallTime(year + (step === 0 ? 0 : step), first), 'season']
    }
  }
}

function away({ count = '', unit = '', ago }: Groups, { year, month, day }: Today): Wall {
  const steps = (ago === undefined ? 1 : -1) * numberOf(count)
  switch (unit.replace(/s$/, '')) {
    case 'day':
      return [wallTime(year, month, day + steps), 'day']
    case 'week':
      return [wallTime(year, month, day + 7 * steps), 'week']
    case 'month':
      return [wallTime(year, month + steps), 'month']
    default:
      return [wallTime(year + steps, 1), 'year']
  }
}

interface Form {
  readonly pattern: RegExp
  readonly read: (groups: Groups, today: Today, direction: Direction) => Wall | null
}

const form = (source: string, read: Form['read']): Form => ({
  pattern: new RegExp(`(?<![\\p{L}\\p{N}])${source}${clock}(?![\\p{L}\\p{N}])`, 'iu'),
  read,
})

const forms = madeOnce((): readonly Form[] => [
  form('(?:on )?(?<year>20\\d\\d)-(?<number>\\d\\d)-(?<day>\\d\\d)', ({ year, number, day }) => [
    wallTime(Number(year), Number(number), Number(day)),
    'day',
  ]),
  // Days before months; where the two could be the other way round nothing is read.
  form('(?:on )?(?<day>\\d{1,2})[./](?<number>\\d{1,2})[./](?<year>20\\d\\d)', ({ day, number, year }) =>
    Number(day) > 12 && Number(day) <= 31 && Number(number) <= 12
      ? [wallTime(Number(year), Number(number), Number(day)), 'day']
      : null,
  ),
  form(
    `${before}(?:${onWeekdays.replaceAll('|', ',? |')},? )?(?:the )?(?<day>\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${months}${year}?`,
    dayOf,
  ),
  form(
    `${before}(?:${onWeekdays.replaceAll('|', ',? |')},? )?${months} (?:the )?(?<day>\\d{1,2})(?:st|nd|rd|th)?(?!:)${year}?`,
    dayOf,
  ),
  form(
    `(?:in|next|this|last|since|during|early|late|mid|by) (?:early |late |mid-?)?${months}(?:${year}| (?<year2>20\\d\\d))?`,
    ({ month = '', year, year2 }, today, direction) => {
      const m = monthOf(month.toLowerCase())
      const y = year ?? year2
      const [given] = [y === undefined ? undefined : Number(y)]
      const near =
        direction === 'future'
          ? m < today.month
            ? today.year + 1
            : today.year
          : m > today.month
            ? today.year - 1
            : today.year
      return [wallTime(given ?? near, m), 'month']
    },
  ),
  form(
    '(?<word>the day after tomorrow|tomorrow|tmrw|tomorow|today|tonight|yesterday|this (?:morning|afternoon|evening))(?: (?:morning|afternoon|evening|night))?',
    ({ word = '' }, { year, month, day }) => [wallTime(year, month, day + relative[word.toLowerCase()]!), 'day'],
  ),
  form(
    `(?:on )?(?:(?<which>next|this|last|this coming|coming) )?${weekdays}(?: (?:morning|afternoon|evening|night))?`,
    (groups, today, direction) => [
      wallTime(today.year, today.month, today.day + daysTo(groups, today, direction)),
      'day',
    ],
  ),
  form(
    '(?:in |on |at |over |during )?(?:the )?(?<which>next|this|last|the coming) (?<unit>weekend|week|month|year|spring|summer|autumn|fall|winter)',
    period,
  ),
  form(
    "in (?<count>a couple of|an?|one|two|three|four|five|six|seven|eight|nine|ten|\\d{1,2}) (?<unit>days?|weeks?|months?|years?)(?:' time| time)?",
    away,
  ),
  form(
    '(?<count>a couple of|an?|one|two|three|four|five|six|seven|eight|nine|ten|\\d{1,2}) (?<unit>days?|weeks?|months?|years?) (?<ago>ago)',
    away,
  ),
  form('(?:in|since|back in) (?<year>(?:19|20)\\d\\d)', ({ year }) => [wallTime(Number(year), 1), 'year']),
  form('(?:on|at|for|over) (?:christmas)(?: day)?', (_, { year }) => [wallTime(year, 12, 25), 'day']),
])

/** The first time told in a text, as it was at the moment of speaking; null for none, and where it could be one of two. */
export function readWhen(text: string, { at, zone }: Moment, direction: Direction): Told | null {
  const { year, month, day } = localTime(at, zone)
  const today = { year, month, day, weekday: new Date(wallTime(year, month, day)).getUTCDay() }
  let best: (Told & { readonly pattern: RegExp }) | null = null
  for (const { pattern, read } of forms()) {
    const match = pattern.exec(text)
    if (match === null) continue
    const groups = lowered(match.groups!)
    const wall = read(groups, today, direction)
    if (wall === null) continue
    const start = match.index
    const end = start + match[0].length
    if (best !== null && (start > best.start || (start === best.start && end <= best.end))) continue
    // A wider form may already hold this one.
    if (best !== null && start < best.start && end < best.start) continue
    best = { start, end, eventTime: eventTimeOf(wall, groups, zone), pattern }
  }
  return best
}

const lowered = (groups: Groups): Groups =>
  Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, value?.toLowerCase()]))

function eventTimeOf([wall, granularity]: Wall, { hour, minute, half, noon }: Groups, zone: string): EventTime {
  const time = granularity === 'day' ? timeOfDay(hour, minute, half, noon) : null
  if (time === null) return { start: formatInstant(instantOfWall(wall, zone)), zone, granularity }
  return { start: formatInstant(instantOfWall(wall + time * 60_000, zone)), zone, granularity: 'minute' }
}

/** Minutes after midnight; null where morning and afternoon are not told apart. */
function timeOfDay(hour?: string, minute = '0', half?: string, noon?: string): number | null {
  if (noon !== undefined) return 12 * 60
  if (hour === undefined) return null
  const h = Number(hour)
  if (half === undefined) return h >= 13 && h < 24 ? h * 60 + Number(minute) : null
  return h < 1 || h > 12 ? null : ((h % 12) + (half.startsWith('p') ? 12 : 0)) * 60 + Number(minute)
}

const clockOnly = madeOnce(() => new RegExp(clock.replace(/\?$/, ''), 'iu'))

/** The same day at the time of day that is told elsewhere in the text, and the text without it. */
export function withClock(text: string, eventTime: EventTime, zone: string): { text: string; eventTime: EventTime } {
  const match = eventTime.granularity === 'day' ? clockOnly().exec(` ${text}`) : null
  if (match === null) return { text, eventTime }
  const { hour, minute, half, noon } = lowered(match.groups!)
  const time = timeOfDay(hour, minute, half, noon)
  if (time === null) return { text, eventTime }
  const { year, month, day } = localTime(Date.parse(eventTime.start), zone)
  const start = formatInstant(instantOfWall(wallTime(year, month, day) + time * 60_000, zone))
  return { text: ` ${text}`.replace(match[0], '').trim(), eventTime: { start, zone, granularity: 'minute' } }
}

/** `3 June, 2026`. */
export function whenWords({ start, zone, granularity }: EventTime): string {
  if (granularity === 'week') return `in the week of ${dateWords({ start, zone, granularity: 'day' })}`
  return dateWords({ start, zone, granularity: granularity === 'season' ? 'month' : granularity })
}

/** The text without the time in it. */
export const withoutTime = (text: string, { start, end }: Told): string =>
  `${text.slice(0, start).trimEnd()} ${text.slice(end).trimStart()}`
    .replace(/\s+([,.])/g, '$1')
    .replace(/^[\s,]+|[\s,]+$/g, '')
