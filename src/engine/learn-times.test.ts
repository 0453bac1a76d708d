import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { day, everythingIn, factsIn, openLearning, start, user } from '../../test/fixtures/learning.ts'
import { scripted } from '../models/scripted/index.ts'
import { fixedClock } from '../testing/index.ts'

const lastMay = '2025-05-10T10:00:00Z'

const home = (value: string, more: object = {}) => ({
  content: `The user lives in ${value}`,
  kind: 'semantic',
  subject: 'user',
  attribute: 'home',
  value,
  effect: 'asserts',
  evidence: [{ turn: 1, quote: `I live in ${value}` }],
  ...more,
})

describe('when messages were said', () => {
  it.each([
    ['before a dated one', [user('I live in Kiel.'), user('I moved to Bonn.', { at: lastMay })]],
    ['after a dated one', [user('I live in Kiel.', { at: lastMay }), user('I moved to Bonn.')]],
    [
      'between dated ones',
      [user('Hm.', { at: lastMay }), user('I live in Kiel.'), user('I moved to Bonn.', { at: '2025-06-01T10:00:00Z' })],
    ],
  ])('[LRN-21] a message without a time %s never counts as said now', async (_, messages) => {
    const { memory } = await openLearning()
    await memory.learn(messages)
    expect(await memory.facts.get('user.home')).toBe('Bonn')
    await memory.learn([user('I live in Rome.', { at: '2025-12-01T10:00:00Z' })])
    expect(await memory.facts.get('user.home')).toBe('Rome')
    const { records } = await memory.list({ kinds: ['episodic'] })
    expect(records.every(({ eventTime }) => eventTime?.start.startsWith('2025-'))).toBe(true)
  })

  it('[LRN-21] beside what is known from then on, what was said without a time long ago is old', async () => {
    const { memory } = await openLearning()
    await memory.learn([user('I live in Rome.', { at: '2026-04-01T10:00:00Z' })])
    await memory.learn([user('I live in Kiel.'), user('I like tea.', { at: lastMay })])
    expect(await memory.facts.get('user.home')).toBe('Rome')
  })

  it.each([
    ['I moved to Bonn on Monday.', 'Bonn'],
    ['I moved to Bonn last year.', 'Bonn'],
    ['I have lived in Bonn since 2019.', 'Bonn'],
  ])('[LRN-8] what is said later wins, whatever time it speaks of: %s', async (said, now) => {
    for (const messages of [
      [user('I live in Kiel.', { at: '2026-04-28T10:00:00Z' }), user(said, { at: '2026-04-30T10:00:00Z' })],
    ]) {
      const together = await openLearning()
      await together.memory.learn(messages)
      expect(await together.memory.facts.get('user.home')).toBe(now)
      const apart = await openLearning()
      for (const message of messages) await apart.memory.learn([message])
      expect(await apart.memory.facts.get('user.home')).toBe(now)
    }
    const undated = await openLearning()
    await undated.memory.learn('I live in Kiel.')
    undated.clock.advance(1000)
    await undated.memory.learn(said)
    expect(await undated.memory.facts.get('user.home')).toBe(now)
  })

  it('[LRN-21] where no message has a time, all are said now', async () => {
    const { memory } = await openLearning()
    await memory.learn([user('I live in Rome.', { at: '2026-04-01T10:00:00Z' })])
    await memory.learn([user('I live in Kiel.'), user('I like tea.')])
    expect(await memory.facts.get('user.home')).toBe('Kiel')
  })

  it('[LRN-21] a conversation that goes on, of which only some messages have times, keeps each turn once', async () => {
    const { memory } = await openLearning()
    const all = [
      user('I live in Kiel.', { at: lastMay }),
      { role: 'assistant' as const, content: 'Kiel has a fine harbour museum.' },
      user('I moved to Bonn.', { at: '2025-06-01T10:00:00Z' }),
      { role: 'assistant' as const, content: 'Beethoven was born there.' },
    ]
    for (let most = 1; most <= all.length; most++) await memory.learn(all.slice(0, most))
    const once = await everythingIn(memory)
    expect(await factsIn(memory)).toEqual(['The user lives in Bonn'])
    expect((await memory.list({ kinds: ['episodic'] })).records).toHaveLength(4)
    expect((await memory.learn(all)).tx).toBeUndefined()
    expect(await everythingIn(memory)).toEqual(once)
  })

  it('[LRN-9] messages out of order: of one key what was said last is known, whatever the order, and again changes nothing', async () => {
    const cities = ['Kiel', 'Bonn', 'Rome', 'Oslo']
    const said = cities.map((city, i) =>
      user(`I live in ${city}.`, { at: new Date(start - (9 - i) * day).toISOString() }),
    )
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(said, { minLength: 4 }), async (messages) => {
        const { memory } = await openLearning()
        await memory.learn(messages)
        expect(await factsIn(memory)).toEqual(['The user lives in Oslo'])
        const known = await everythingIn(memory)
        expect((await memory.learn(messages)).tx).toBeUndefined()
        expect(await everythingIn(memory)).toEqual(known)
      }),
      { numRuns: 12 },
    )
  })

  it('[LRN-22] a wrong clock locks nothing: what is dated later than now was said now at the latest', async () => {
    const { memory } = await openLearning()
    await memory.learn([user('I live in Kiel.', { at: '2030-01-01T00:00:00Z' })])
    await memory.learn('I live in Bonn.')
    expect(await memory.facts.get('user.home')).toBe('Bonn')
  })

  it.each([
    ['not true yet', { from: '9999-12-31' }],
    ['true once', { from: '2001-01-01', to: '2002-01-01' }],
  ])('[LRN-22] what is %s takes no key, even a free one', async (why, times) => {
    const model = scripted([{ facts: [home('Bonn', times)] }])
    const { memory } = await openLearning({ model, clock: fixedClock(start) })
    const { plan } = await memory.learn('I live in Bonn, above a bakery.')
    expect(plan.steps.map(({ reason }) => reason)).toEqual([`${why} (learn.extract@1)`])
    expect(await memory.facts.get('user.home')).toBeNull()
    await memory.learn('I live in Kiel.', { mode: 'rules' })
    expect(await memory.facts.get('user.home')).toBe('Kiel')
  })
})
