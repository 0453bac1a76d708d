import { expect, test } from 'vitest'
import { InputError } from '../errors/index.ts'
import { dateWords, denseText, lexicalText, terms } from './index.ts'

const start = '2023-05-08T13:56:00Z'

test('[TXT-11] lexical text is date, actor and content; dense text has no date', () => {
  expect(lexicalText({ content: 'I moved', actor: 'Ann', when: { start } })).toBe(
    '[1:56 pm on 8 May, 2023] Ann: I moved',
  )
  expect(lexicalText({ content: 'I moved', when: { start } })).toBe('[1:56 pm on 8 May, 2023] I moved')
  expect(lexicalText({ content: 'I moved', actor: 'Ann' })).toBe('Ann: I moved')
  expect(lexicalText({ content: 'I moved' })).toBe('I moved')
  expect(denseText({ content: 'I moved', actor: 'Ann' })).toBe('Ann: I moved')
  expect(denseText({ content: 'I moved', actor: '' })).toBe('I moved')
  expect(terms(lexicalText({ content: 'x', when: { start } }))).toEqual([
    '1',
    '56',
    'pm',
    'on',
    '8',
    'mai',
    '2023',
    'x',
  ])
})

test('[TXT-11] the date is local to the zone and as exact as it is known', () => {
  const cases: [zone: string | undefined, granularity: string | undefined, words: string][] = [
    [undefined, undefined, '1:56 pm on 8 May, 2023'],
    ['UTC', 'instant', '1:56 pm on 8 May, 2023'],
    ['Europe/Berlin', 'instant', '3:56 pm on 8 May, 2023'],
    ['Pacific/Auckland', 'day', '9 May, 2023'],
    ['+02:00', undefined, '3:56 pm on 8 May, 2023'],
    ['-14:00', undefined, '11:56 pm on 7 May, 2023'],
    ['+05:30', 'day', '8 May, 2023'],
    ['Asia/Kolkata', 'month', 'May, 2023'],
    ['America/New_York', 'year', '2023'],
  ]
  for (const [zone, granularity, expected] of cases) expect(dateWords({ start, zone, granularity })).toBe(expected)
  expect(dateWords({ start: '2022-12-31T23:00:00Z', zone: 'Europe/Berlin' })).toBe('12:00 am on 1 January, 2023')
  expect(dateWords({ start: '2023-07-01T12:05:00+02:00', zone: 'Europe/Berlin' })).toBe('12:05 pm on 1 July, 2023')
})

test('[TXT-11] a naive time and an unknown zone are refused, not read in the zone of the machine', () => {
  for (const bad of ['2023-05-08T13:56:00', '2023-05-08', 'yesterday', '2023-13-40T00:00:00Z', '']) {
    expect(() => dateWords({ start: bad })).toThrow(InputError)
  }
  expect(() => dateWords({ start, zone: 'Mars/Olympus' })).toThrow(expect.objectContaining({ code: 'INVALID_TIME' }))
})
