import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../test/fixtures/reference-runs.ts'
import { formatInstant, normaliseInstant, parseEventTime, parseInstant, parseZone } from './index.ts'

const refused = expect.objectContaining({ code: 'INVALID_TIME' })
const first = Date.UTC(2000, 0, 1) - 146_097 * 5 * 86_400_000
const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const two = (value: number): string => String(value).padStart(2, '0')

/** The wall clock time of an instant at an offset, written by hand. */
function written(instant: number, offsetMinutes: number): string {
  const local = new Date(instant + offsetMinutes * 60_000).toISOString().slice(0, -1)
  const minutes = Math.abs(offsetMinutes)
  return `${local}${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

describe('instants', () => {
  it('[TIM-1] an offset shifts the clock and not the instant', () => {
    const day = 86_400_000
    fc.assert(
      fc.property(
        fc.integer({ min: first + day, max: last - day }),
        fc.integer({ min: -840, max: 840 }),
        (at, offset) => {
          expect(parseInstant(written(at, offset), 'at')).toBe(at)
          expect(normaliseInstant(written(at, offset), 'at')).toBe(new Date(at).toISOString())
        },
      ),
      runs(3000),
    )
  })

  it('[TIM-1] what is written is read again, to the millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: first, max: last }), (at) => {
        expect(parseInstant(formatInstant(at), 'at')).toBe(at)
        expect(formatInstant(at)).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
      }),
    )
  })

  it('[TIM-1] forms of one instant', () => {
    const at = Date.UTC(2026, 4, 8, 11, 56)
    const forms = [
      ...['2026-05-08T11:56:00.000Z', '2026-05-08T11:56:00Z', '2026-05-08T11:56Z', '2026-05-08T11:56:00.000000000Z'],
      ...['2026-05-08T13:56:00+02:00', '2026-05-09T01:56:00+14:00', '2026-05-08T11:56:00-00:00'],
      ...['2026-05-08T17:26:00+05:30', '2026-05-07T23:56:00-12:00', '2026-05-08T17:41:00+05:45'],
    ]
    for (const form of forms) expect(parseInstant(form, 'at'), form).toBe(at)
    expect(parseInstant('2026-05-08T11:56:00.5Z', 'at')).toBe(at + 500)
  })

  it('[TIM-1] leap days exist in leap years only', () => {
    for (const year of ['2024', '2000', '1600', '0000', '0004', '2400']) {
      expect(formatInstant(parseInstant(`${year}-02-29T00:00:00Z`, 'at'))).toBe(`${year}-02-29T00:00:00.000Z`)
    }
    for (const year of ['2023', '1900', '2100', '0100', '0001']) {
      expect(() => parseInstant(`${year}-02-29T00:00:00Z`, 'at'), year).toThrowError(refused)
    }
  })

  it('[TIM-2] a time without an offset is refused and told so', () => {
    for (const naive of ['2026-05-08', '2026-05-08T11:56', '2026-05-08T11:56:00', '2026-05-08 11:56:00.123']) {
      expect(() => parseInstant(naive, 'memory.validFrom')).toThrowError(
        expect.objectContaining({
          code: 'INVALID_TIME',
          message: expect.stringMatching(/^memory\.validFrom: .*no offset/),
        }),
      )
    }
  })

  it('[TIM-2] impossible and foreign times are refused, never rolled over', () => {
    const impossible = [
      ...['2026-02-30', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-00'].map((day) => `${day}T00:00:00Z`),
      ...['24:00:00', '23:60:00', '23:59:60', '25:00:00'].map((time) => `2026-05-08T${time}Z`),
      ...['+14:01', '+15:00', '-23:59', '+05:60', '+2:00', '+0200', '+02', ' +02:00'].map(
        (offset) => `2026-05-08T11:56:00${offset}`,
      ),
      ...['0000-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01', '10000-01-01T00:00:00Z', '+002026-05-08T11:56:00Z'],
      ...[
        '',
        ' ',
        'now',
        'today',
        '2026',
        '2026-05',
        '08/05/2026',
        '1778241360',
        '2026-W19-5T00:00Z',
        '2026-128T00:00Z',
      ],
      ...[
        '2026-05-08T11:56:00,5Z',
        '2026-05-08T11:56:00.Z',
        '2026-05-08T11Z',
        '2026-05-08t11:56:00z',
        ' 2026-05-08T11:56:00Z',
      ],
      ...['２０２６-05-08T11:56:00Z', '2026-05-08T11:56:00.0000000000Z', '2026-05-08T11:56:00Z\n'],
    ]
    for (const value of impossible) expect(() => parseInstant(value, 'at'), value).toThrowError(refused)
    for (const value of [1_778_241_360_000, new Date(), null, undefined, {}, ['2026-05-08T11:56:00Z'], Number.NaN]) {
      expect(() => parseInstant(value, 'at')).toThrowError(refused)
    }
  })

  it('[TIM-2] no string makes it throw anything else or answer NaN, and none is repeated', () => {
    const nearly = fc
      .tuple(fc.constant('2026-05-08T11:56:00'), fc.string({ maxLength: 8 }))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(fc.string(), nearly), (value) => {
        try {
          expect(Number.isInteger(parseInstant(value, 'at'))).toBe(true)
        } catch (error) {
          expect(error).toEqual(refused)
          if (value.trim().length > 3) expect((error as Error).message).not.toContain(value)
        }
      }),
      runs(2000),
    )
  })
})

describe('event times', () => {
  const start = '2026-05-08T13:56:00+02:00'

  it('[TIM-3] the zone is the one named, else the offset it was written with', () => {
    expect(parseEventTime({ start }, 'at')).toEqual({ start: '2026-05-08T11:56:00.000Z', zone: '+02:00' })
    expect(parseEventTime({ start, zone: 'Europe/Berlin' }, 'at').zone).toBe('Europe/Berlin')
    expect(parseEventTime({ start, zone: 'Z' }, 'at').zone).toBe('UTC')
    expect(parseEventTime({ start: '2026-05-08T11:56:00Z' }, 'at')).toEqual({ start: '2026-05-08T11:56:00.000Z' })
  })

  it('[TIM-3] a zone that nobody knows is refused', () => {
    for (const zone of ['Europe/Atlantis', '', ' ', '+2', '+02', '+0200', '+25:00', '+14:30', 'Berlin']) {
      expect(() => parseZone(zone, 'at.zone'), zone).toThrowError(
        expect.objectContaining({ code: 'INVALID_TIME', message: expect.stringMatching(/^at\.zone:/) }),
      )
    }
    for (const zone of ['Europe/Berlin', 'Asia/Kolkata', 'UTC', '+14:00', '-12:00', '+05:45']) {
      expect(parseZone(zone, 'at.zone')).toBe(zone)
    }
  })

  it('[TIM-4] an end may not lie before its start; both keep their instant', () => {
    const end = '2026-05-08T12:56:00+01:00'
    expect(parseEventTime({ start, end, granularity: 'day' }, 'at')).toEqual({
      start: '2026-05-08T11:56:00.000Z',
      end: '2026-05-08T11:56:00.000Z',
      zone: '+02:00',
      granularity: 'day',
    })
    expect(() => parseEventTime({ start, end: '2026-05-08T13:55:59+02:00' }, 'at')).toThrowError(
      expect.objectContaining({ code: 'INVALID_TIME', details: { path: 'at.end' } }),
    )
    expect(() => parseEventTime({ start: '2026-05-08' }, 'at')).toThrowError(refused)
  })
})
