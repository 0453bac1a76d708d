import { describe, expect, it } from 'vitest'
import type { EventTime } from '../model/index.ts'
import { eventPeriod, isIn, longestReach } from './event-period.ts'

const createdAt = '2020-01-01T00:00:00.000Z'
const period = (eventTime?: EventTime) => {
  const { from, until } = eventPeriod({ createdAt, ...(eventTime ? { eventTime } : {}) })
  return [from, until].map((at) => new Date(at).toISOString().replace(':00.000Z', ''))
}

describe('the period of an event', () => {
  it('[EPI-3] is the unit that it is known to, in its own zone', () => {
    const start = '2026-05-08T21:34:56.000Z'
    const berlin = { start, zone: 'Europe/Berlin' }
    expect(period({ ...berlin, granularity: 'minute' })).toEqual(['2026-05-08T21:34', '2026-05-08T21:35'])
    expect(period({ ...berlin, granularity: 'hour' })).toEqual(['2026-05-08T21:00', '2026-05-08T22:00'])
    expect(period({ ...berlin, granularity: 'day' })).toEqual(['2026-05-07T22:00', '2026-05-08T22:00'])
    expect(period({ start, granularity: 'day' })).toEqual(['2026-05-08T00:00', '2026-05-09T00:00'])
    expect(period({ start, zone: '+05:30', granularity: 'day' })).toEqual(['2026-05-08T18:30', '2026-05-09T18:30'])
    expect(period({ ...berlin, granularity: 'week' })).toEqual(['2026-05-03T22:00', '2026-05-10T22:00'])
    expect(period({ ...berlin, granularity: 'month' })).toEqual(['2026-04-30T22:00', '2026-05-31T22:00'])
    expect(period({ ...berlin, granularity: 'season' })).toEqual(['2026-02-28T23:00', '2026-05-31T22:00'])
    expect(period({ start: '2026-01-15T00:00:00.000Z', granularity: 'season' })).toEqual([
      '2025-12-01T00:00',
      '2026-03-01T00:00',
    ])
    expect(period({ ...berlin, granularity: 'year' })).toEqual(['2025-12-31T23:00', '2026-12-31T23:00'])
    expect(period({ ...berlin, granularity: 'decade' })).toEqual(['2019-12-31T23:00', '2029-12-31T23:00'])
  })

  it('[EPI-3] is the instant, or reaches to the end of the unit of its end', () => {
    expect(period()).toEqual(['2020-01-01T00:00', '2020-01-01T00:00'])
    const long = { start: '2026-05-08T10:00:00.000Z', end: '2026-05-10T12:00:00.000Z' }
    expect(period(long)).toEqual(['2026-05-08T10:00', '2026-05-10T12:00'])
    expect(period({ ...long, granularity: 'day' })).toEqual(['2026-05-08T00:00', '2026-05-11T00:00'])
  })

  it('[EPI-3] days are as long as they are where the clocks change', () => {
    const day = (start: string, zone: string) => period({ start, zone, granularity: 'day' })
    expect(day('2026-03-29T12:00:00.000Z', 'Europe/Berlin')).toEqual(['2026-03-28T23:00', '2026-03-29T22:00'])
    expect(day('2026-10-25T12:00:00.000Z', 'Europe/Berlin')).toEqual(['2026-10-24T22:00', '2026-10-25T23:00'])
    // There the day has no midnight: it begins at one o'clock.
    expect(day('2018-11-04T12:00:00.000Z', 'America/Sao_Paulo')).toEqual(['2018-11-04T03:00', '2018-11-05T02:00'])
    // And here midnight comes twice.
    expect(day('2018-02-17T12:00:00.000Z', 'America/Sao_Paulo')).toEqual(['2018-02-17T02:00', '2018-02-18T03:00'])
    expect(period({ start: '0050-06-01T00:00:00.000Z', granularity: 'year' })).toEqual([
      '0050-01-01T00:00',
      '0051-01-01T00:00',
    ])
  })

  it('[EPI-3] lies in a window when some of it does', () => {
    expect([
      isIn({ from: 5, until: 5 }, 5, 6),
      isIn({ from: 5, until: 5 }, 4, 5),
      isIn({ from: 5, until: 5 }, 6, 7),
    ]).toEqual([true, false, false])
    const long = { from: 5, until: 9 }
    expect([isIn(long, 0, 5), isIn(long, 0, 6), isIn(long, 8, 9), isIn(long, 9, 10), isIn(long, 6, 7)]).toEqual([
      false,
      true,
      true,
      false,
      true,
    ])
    const month = eventPeriod({ createdAt, eventTime: { start: createdAt, granularity: 'month', zone: '-12:00' } })
    expect(month.until - month.from).toBeLessThan(longestReach)
  })
})
