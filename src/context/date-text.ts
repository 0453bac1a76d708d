import { type EventTime, type LocalTime, localTime } from '../model/index.ts'

const two = (value: number): string => String(value).padStart(2, '0')

function yearText(year: number): string {
  return `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}`
}

function dayText({ year, month, day }: LocalTime): string {
  return `${yearText(year)}-${two(month)}-${two(day)}`
}

/** A calendar day that many days later. */
function daysLater({ year, month, day, hour, minute }: LocalTime, days: number): LocalTime {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day + days)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate(), hour, minute }
}

/** A moment as exactly as it is known, and never relative to now. */
function momentText(
  start: string,
  granularity: EventTime['granularity'],
  reader: string,
  own: string | undefined,
): string {
  const at = Date.parse(start)
  // A day is a day where it was, wherever it is read.
  const local = localTime(at, own ?? reader)
  const month = (time: LocalTime) => `${yearText(time.year)}-${two(time.month)}`
  switch (granularity) {
    case 'decade':
      return `${yearText(local.year - (local.year % 10))} to ${yearText(local.year - (local.year % 10) + 9)}`
    case 'year':
      return yearText(local.year)
    case 'season': {
      // December begins the winter of the year after.
      const first = { ...local, month: local.month - (local.month % 3) || 12 }
      if (local.month < 3) first.year--
      const last =
        first.month === 12 ? { ...first, year: first.year + 1, month: 2 } : { ...first, month: first.month + 2 }
      return `${month(first)} to ${month(last)}`
    }
    case 'month':
      return month(local)
    case 'week': {
      const monday = daysLater(local, -dayOfWeek(local))
      return `${dayText(monday)} to ${dayText(daysLater(monday, 6))}`
    }
    case 'day':
      return dayText(local)
    default: {
      const read = localTime(at, reader)
      return `${dayText(read)} ${two(read.hour)}:${two(read.minute)}`
    }
  }
}

/** Days since Monday. */
function dayOfWeek({ year, month, day }: LocalTime): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return (date.getUTCDay() + 6) % 7
}

/** When something happened, in the reader's zone; days and more in their own. */
export function eventText({ start, end, granularity, zone }: EventTime, reader: string): string {
  const from = momentText(start, granularity, reader, zone)
  if (end === undefined || from.includes(' to ')) return from
  const until = momentText(end, granularity, reader, zone)
  return until === from ? from : `${from} to ${until}`
}

/** From when and until when something holds, as days in the reader's zone. */
export function validityText(
  { validFrom, validTo }: { readonly validFrom?: string | undefined; readonly validTo?: string | undefined },
  reader: string,
): string | undefined {
  const [from, until] = [validFrom, validTo].map((time) =>
    time === undefined ? undefined : dayText(localTime(Date.parse(time), reader)),
  )
  if (from === undefined) return until === undefined ? undefined : `until ${until}`
  return until === undefined ? `from ${from}` : `${from} to ${until}`
}
