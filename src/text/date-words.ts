import { InputError } from '../errors/index.ts'
import { localTime } from '../model/index.ts'
import { monthNames } from './calendar-names.ts'

/** A moment, where it is told, and how exactly it is known. */
export interface When {
  /** An ISO 8601 instant with `Z` or an offset. */
  readonly start: string
  /** An IANA time zone or a fixed offset such as `+02:00`. @default UTC */
  readonly zone?: string | undefined
  /** `day`, `month` and `year` leave out what is finer; everything else shows the minute. */
  readonly granularity?: string | undefined
}

/**
 * Local date and time in English words: `1:56 pm on 8 May, 2023`, `8 May, 2023`, `May, 2023` or `2023` (SPEC TXT-11).
 * @throws InputError INVALID_TIME when `start` is no instant or `zone` is unknown
 */
export function dateWords(when: When): string {
  const local = localTime(instant(when.start), when.zone)
  const month = monthNames[local.month - 1]!
  switch (when.granularity) {
    case 'year':
      return `${local.year}`
    case 'month':
      return `${month}, ${local.year}`
    case 'day':
      return `${local.day} ${month}, ${local.year}`
    default: {
      const clock = `${local.hour % 12 || 12}:${String(local.minute).padStart(2, '0')} ${local.hour < 12 ? 'am' : 'pm'}`
      return `${clock} on ${local.day} ${month}, ${local.year}`
    }
  }
}

function instant(start: string): number {
  // Without an offset Date.parse would read it in the zone of the machine.
  const at = /T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(start) ? Date.parse(start) : Number.NaN
  if (Number.isNaN(at)) {
    throw new InputError({
      code: 'INVALID_TIME',
      message: 'A record\'s time is not an ISO 8601 instant. Give it with "Z" or an offset such as "+02:00".',
    })
  }
  return at
}
