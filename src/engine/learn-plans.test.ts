import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ann,
  day,
  episodesIn,
  everythingIn,
  learningStores,
  openLearning,
  start,
  user,
} from '../../test/fixtures/learning.ts'
import { fixedClock, sequentialIds } from '../testing/index.ts'
import type { LearnInput, LearnOptions, MemoryEngine } from './index.ts'

/** What waits to be decided, with all that speaks for it. */
async function waitingIn(memory: MemoryEngine): Promise<readonly unknown[]> {
  const { conflicts } = await memory.conflicts.list()
  return conflicts.map(({ first, second, why, evidence }) => [first.content, second.content, why, evidence])
}

const saying = fc.constantFrom(
  ...['Bonn', 'Kiel', 'Rome'].flatMap((city) => [`I live in ${city}.`, `I moved to ${city} last month.`]),
  ...['tea', 'jazz'].flatMap((what) => [`I like ${what}.`, `I no longer like ${what}.`]),
  'I no longer live in Kiel.',
  'I work at Acme.',
  'I quit my job at Acme.',
  'My sister is called Ida. She lives in Rome.',
)
const turn = fc.record(
  {
    role: fc.constantFrom('user' as const, 'user' as const, 'user' as const, 'assistant' as const, 'tool' as const),
    content: saying,
    at: fc.integer({ min: 1, max: 400 }).map((days) => new Date(start - days * day).toISOString()),
  },
  { requiredKeys: ['role', 'content'] },
)

it('[LRN-3] any conversations, by any policy: the plan applied leaves what learn leaves, each message is accounted for, undo takes it back', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(turn, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('newest' as const, 'evidence' as const, 'trusted' as const, 'ask' as const),
      async (conversations, onConflict) => {
        const clock = fixedClock(start)
        const openOne = async () => (await openLearning({ clock })).memory
        const [learning, applying] = [await openOne(), await openOne()]
        const txs: string[] = []
        for (const messages of conversations) {
          clock.advance(1000)
          const { plan, ignored, tx } = await learning.learn(messages, { onConflict })
          const told = [...plan.steps.flatMap(({ evidence }) => evidence), ...ignored].map(({ message }) => message)
          expect(new Set(told)).toEqual(new Set(messages.map((_, i) => `messages[${i}]`)))
          await applying.apply(
            JSON.parse(JSON.stringify((await applying.learn(messages, { onConflict, dryRun: true })).plan)),
          )
          const [left, waiting] = [await everythingIn(learning), await waitingIn(learning)]
          expect([await everythingIn(applying), await waitingIn(applying)]).toEqual([left, waiting])
          if (tx !== undefined) txs.push(tx)
        }
        expect((await learning.verify()).ok).toBe(true)
        for (const tx of txs.reverse()) await learning.undo(tx)
        expect([await everythingIn(learning), await waitingIn(learning)]).toEqual([[], []])
      },
    ),
    { numRuns: 25 },
  )
})

describe.each(Object.entries(learningStores))('plans of learn on the %s store', (_, makeStore) => {
  const conversations: readonly [LearnInput, LearnOptions?][] = [
    ['My name is Ann and I live in Bonn'],
    [[user('I live in Bonn', { at: '2026-01-01T10:00:00Z' }), user('I moved to Kiel', { at: '2026-01-02T10:00:00Z' })]],
    [[user('I have a dog named Rex'), user('I work at Acme'), user('I no longer work at Acme')]],
    ['I moved to Rome', { onConflict: 'ask' }],
    [[{ role: 'assistant', content: 'You have a dog named Rex. The vet opens at nine.' }]],
    ['I have a dog named Rex. I work at Initech.'],
    ['I no longer work at Initech. I no longer work at Acme.'],
    [[user('Hello!'), user('I moved to Oslo', { at: '2026-06-01T10:00:00Z' })], { mode: 'verbatim' }],
    [[user('I moved to Oslo', { at: '2026-06-01T10:00:00Z' }), user('I live in Oslo')]],
    ['I live in Oslo', { scope: { ...ann, sessionId: 's' } }],
    ['I like jazz.'],
    [[user('I no longer like jazz.'), user('I like jazz.')]],
    ['I live in Rome.', { onConflict: 'ask' }],
    ['I moved to Rome.', { onConflict: 'ask' }],
    [[user('I moved to Rome last month.'), user('Rome is where I live. I live in Rome now.')], { onConflict: 'ask' }],
  ]

  it('[LRN-3] the plan of a dry run, written as JSON and applied, leaves what learn itself leaves; undo takes both back', async () => {
    const clock = fixedClock(start)
    const openOne = async () => (await openLearning({ store: makeStore(), clock })).memory
    const [learning, applying] = [await openOne(), await openOne()]
    const txs: [string | undefined, string | undefined, object][] = []
    for (const [i, [messages, options = {}]] of conversations.entries()) {
      clock.advance(1000)
      const { tx } = await learning.learn(messages, options)
      const dry = await applying.learn(messages, { ...options, dryRun: true })
      expect(dry.tx).toBeUndefined()
      expect(dry.results).toBeUndefined()
      const plan = JSON.parse(JSON.stringify(dry.plan))
      expect(plan).toEqual(dry.plan)
      const scope = options.scope ? { scope: options.scope } : {}
      const applied = await applying.apply(plan, scope)
      txs.push([tx, applied.tx, scope])
      expect(await everythingIn(applying), `conversation ${i}`).toEqual(await everythingIn(learning))
      expect(await waitingIn(applying), `conversation ${i}`).toEqual(await waitingIn(learning))
    }
    for (const [a, b, scope] of txs.reverse()) {
      clock.advance(1000)
      if (a) await learning.undo(a, scope)
      if (b) await applying.undo(b, scope)
      expect(await everythingIn(applying)).toEqual(await everythingIn(learning))
    }
    expect((await learning.list({ status: 'any' })).records).toEqual([])
  })

  it('[LRN-3] a plan whose records changed meanwhile is VERSION_CONFLICT, and writes nothing', async () => {
    const { memory } = await openLearning({ store: makeStore(), ids: sequentialIds() })
    await memory.learn('I live in Bonn')
    const { plan } = await memory.learn('I moved to Kiel', { dryRun: true })
    await memory.learn('I moved to Rome')
    const known = await everythingIn(memory)
    await expect(memory.apply(plan)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' })
    expect(await everythingIn(memory)).toEqual(known)
    expect(await episodesIn(memory)).toEqual(['I live in Bonn', 'I moved to Rome'])
  })

  it('[LRN-3] what has expired gives up its key and its place, for learn as for its plan', async () => {
    const clock = fixedClock(start)
    const openOne = async () => (await openLearning({ store: makeStore(), clock })).memory
    const [learning, applying] = [await openOne(), await openOne()]
    const expiresAt = new Date(start + 1000).toISOString()
    for (const memory of [learning, applying]) {
      await memory.add({ key: 'user.home', content: 'The user lives in Kiel', data: 'Kiel', expiresAt })
      await memory.add({ content: "The user's sister is Eva", expiresAt })
      await memory.add({ content: 'The bakery closes at six.', expiresAt })
    }
    clock.advance(2000)
    const messages = [
      user('I live in Bonn. My sister is called Eva.'),
      { role: 'assistant' as const, content: 'The bakery closes at six.' },
    ]
    const { ignored } = await learning.learn(messages)
    expect(ignored).toEqual([])
    await applying.apply((await applying.learn(messages, { dryRun: true })).plan)
    expect(await everythingIn(applying)).toEqual(await everythingIn(learning))
    expect(await learning.facts.get('user.home')).toBe('Bonn')
    expect((await learning.list({ kinds: ['semantic'] })).records.map(({ content }) => content).sort()).toEqual([
      'The user lives in Bonn',
      "The user's sister is Eva",
    ])
  })
})
