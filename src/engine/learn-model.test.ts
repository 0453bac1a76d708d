import { describe, expect, it } from 'vitest'
import { day, everythingIn, factsIn, learningStores, openLearning, start, user } from '../../test/fixtures/learning.ts'
import type { MemoryStore } from '../contract/index.ts'
import { type ScriptedAnswer, scripted } from '../models/scripted/index.ts'
import { memory as memoryStore } from '../stores/memory/index.ts'
import { fixedClock } from '../testing/index.ts'
import type { LearnOptions, MessageInput } from './index.ts'

/** A fact as a good model gives it. */
const fact = (content: string, attribute: string, value: string, turn: number, quote: string, more: object = {}) => ({
  content,
  kind: 'semantic',
  subject: 'user',
  attribute,
  value,
  effect: 'asserts',
  when: null,
  from: null,
  to: null,
  importance: 0.5,
  confidence: 0.9,
  evidence: [{ turn, quote }],
  ...more,
})

const facts = (...all: readonly object[]) => ({ facts: all as never })
const decisions = (...all: readonly object[]) => ({ decisions: all as never })

async function openWith(answers: readonly ScriptedAnswer[], more: Parameters<typeof openLearning>[0] = {}) {
  const model = scripted(answers)
  const opened = await openLearning({ model, modelLimits: { retryDelayMs: 0 }, ...more })
  return { ...opened, model }
}

/** The lines of a frame of what a model was asked. */
function framed(content: string, tag: string): readonly unknown[] {
  const inner = content.split(`<${tag}>\n`)[1]?.split(`\n</${tag}>`)[0] ?? ''
  return inner.split('\n').map((line) => JSON.parse(line))
}

const violin = fact('The user plays the violin', 'plays', 'the violin', 1, 'I play the violin')

describe('learn with a model', () => {
  it('[LRN-18] it is asked once for all turns: who said what and when, today and the zone, by numbers and never by ids', async () => {
    const { memory, model } = await openWith([facts()])
    const { record } = await memory.add('Something known')
    await memory.learn(
      [
        { role: 'system', content: 'You are a helpful assistant.' },
        user('Hi!'),
        user('I play the </turns> violin', { name: 'Ann', at: '2026-05-01T10:00:00+02:00', zone: 'Europe/Berlin' }),
        { role: 'assistant', content: 'For how long?' },
      ],
      { instructions: 'Note instruments.' },
    )
    expect(model.requests).toHaveLength(1)
    const [{ system, messages, schema }] = model.requests as [(typeof model.requests)[number]]
    expect(system).toMatch(/long-term memory[\s\S]*The application adds:\nNote instruments\.$/)
    expect(schema).toMatchObject({ type: 'object', required: ['facts'] })
    const content = messages[0]?.content as string
    expect(framed(content, 'now')).toEqual([{ now: '2026-05-01T12:00:00.000Z', zone: 'Europe/Berlin' }])
    expect(framed(content, 'turns')).toEqual([
      {
        turn: 1,
        role: 'user',
        name: 'Ann',
        at: '2026-05-01T08:00:00.000Z',
        zone: 'Europe/Berlin',
        text: 'I play the </turns> violin',
      },
      { turn: 2, role: 'assistant', at: '2026-05-01T08:00:00.000Z', text: 'For how long?' },
    ])
    expect(content).not.toContain(record.id)
  })

  it('[LRN-18] nothing to learn from is no call', async () => {
    const { memory, model } = await openWith([])
    const { ignored, degraded } = await memory.learn([user('Hi!'), user('Thanks!')])
    expect([ignored.length, degraded, model.requests.length]).toEqual([2, undefined, 0])
  })

  it('[LRN-20] facts have their key, value, times, importance, words and speaker; the plan names the prompt', async () => {
    const { memory } = await openWith([
      facts(
        fact('Ann lives in Bonn', 'home', 'Bonn', 1, 'live in  Bonn', {
          subject: 'Ann',
          from: '2025-03',
          importance: 0.8,
        }),
        fact('Ann likes tea', 'likes', 'tea', 1, 'tea', { subject: 'the user' }),
        fact('Ann flies to Rome on 3 June 2026', 'plan', 'Rome', 2, 'to Rome on 3 June', {
          kind: 'episodic',
          when: '2026-06-03',
        }),
        fact("Ann's doctor is Dr Weiss", 'doctor', 'Dr Weiss', 3, 'Dr Weiss', { subject: 'Ann' }),
      ),
    ])
    const { plan } = await memory.learn([
      user('I live in\nBonn since March 2025, and I like tea.', {
        name: 'Ann',
        at: '2026-05-01T10:00:00Z',
        zone: 'Europe/Berlin',
      }),
      user('I fly to Rome on 3 June', { name: 'Ann', at: '2026-05-01T10:01:00Z', zone: 'Europe/Berlin' }),
      { role: 'assistant', content: 'I will tell Dr Weiss.' },
    ])
    expect(plan.steps.map(({ reason }) => reason)).toEqual(Array(4).fill('new (learn.extract@1)'))
    expect(plan.steps[0]?.evidence).toEqual([{ message: 'messages[0]', quote: 'live in\nBonn' }])
    expect(plan.steps.map(({ after }) => after)).toMatchObject([
      {
        key: 'user.home',
        data: 'Bonn',
        importance: 0.8,
        confidence: 0.9,
        trust: 'trusted',
        source: { type: 'user', actor: 'Ann', quote: 'live in\nBonn' },
        validFrom: '2025-02-28T23:00:00.000Z',
      },
      { data: { subject: 'user', attribute: 'likes', value: 'tea' }, validFrom: '2026-05-01T10:00:00.000Z' },
      {
        kind: 'episodic',
        eventTime: { start: '2026-06-02T22:00:00.000Z', zone: 'Europe/Berlin', granularity: 'day' },
        data: { subject: 'user', attribute: 'plan', value: 'Rome' },
      },
      { source: { type: 'assistant' }, trust: 'inferred' },
    ])
    expect(plan.steps[1]?.after).not.toHaveProperty('key')
    expect(await memory.facts.get('user.home')).toBe('Bonn')
  })

  it('[LRN-7] it sees the old memory that is alike, not the fresh ones that are not; what is like nothing is not asked about', async () => {
    const { memory, model, clock } = await openWith([
      facts(violin),
      decisions({ fact: 1, op: 'noop', memory: 1 }),
      facts(fact('The user owns a kayak', 'owns', 'a kayak', 1, 'I own a kayak')),
    ])
    const { record } = await memory.add({ content: 'The user has been playing the violin since 1999', importance: 0 })
    clock.advance(700 * day)
    await memory.addMany(
      Array.from({ length: 60 }, (_, i) => ({ content: `Fresh and important note ${i}`, importance: 1 })),
    )
    const { plan } = await memory.learn('I play the violin', { similar: 3 })
    const content = model.requests[1]?.messages[0]?.content as string
    expect(framed(content, 'memories')).toEqual([
      { memory: 1, content: 'The user has been playing the violin since 1999', since: '2026-05-01T12:00:00.000Z' },
    ])
    expect(framed(content, 'facts')).toEqual([{ fact: 1, content: 'The user plays the violin', similar: [1] }])
    expect(content).not.toContain(record.id)
    expect(plan.steps.map(({ op, before, reason }) => [op, before?.id, reason])).toEqual([
      ['noop', record.id, 'known in other words, says learn.decide@1 (learn.extract@1)'],
    ])
    await memory.learn('I own a kayak')
    expect(model.requests).toHaveLength(3)
  })

  const piano = 'The user plays the piano'
  it.each<[string, string | null, readonly (readonly [string, string])[]]>([
    ['add', null, [['add', violin.content]]],
    ['noop', null, [['noop', piano]]],
    ['update', 'live', [['update', violin.content]]],
    [
      'supersede',
      'superseded',
      [
        ['supersede', piano],
        ['supersede', violin.content],
      ],
    ],
    [
      'invalidate',
      'invalid',
      [
        ['invalidate', piano],
        ['add', violin.content],
      ],
    ],
    ['conflict', 'live', [['conflict', violin.content]]],
  ])('[LRN-20] %s, as the model decided', async (op, status, steps) => {
    const { memory } = await openWith([facts(violin), decisions({ fact: 1, op, memory: op === 'add' ? null : 1 })])
    const { record } = await memory.add(piano)
    const { plan, degraded } = await memory.learn('I play the violin')
    expect(degraded).toBeUndefined()
    expect(plan.steps.map((step) => [step.op, (step.after ?? step.before)?.content])).toEqual(steps)
    expect((await memory.get(record.id))?.status).toBe(status ?? 'live')
    expect((await memory.list({ status: 'quarantined' })).records).toHaveLength(op === 'conflict' ? 1 : 0)
  })

  it('[LRN-17] whatever the model decides, a tool does not change what the user said', async () => {
    for (const op of ['update', 'supersede', 'invalidate']) {
      const { memory } = await openWith([facts(violin), decisions({ fact: 1, op, memory: 1 })])
      await memory.add(piano)
      const { plan } = await memory.learn([{ role: 'tool', content: 'I play the violin' }])
      expect(plan.steps.map((step) => step.op)).toEqual(['conflict'])
      expect(await factsIn(memory)).toEqual([piano])
    }
  })

  it('[LRN-17] a contradiction that is heard twice in a call is one, with both passages', async () => {
    const home = (turn: number, quote: string) => fact('The user lives in Kiel', 'home', 'Kiel', turn, quote)
    const { memory } = await openWith([facts(home(1, 'I live in Kiel'), home(2, 'moved to Kiel')), decisions()])
    await memory.facts.set('user.home', 'Bonn')
    const { plan, ignored } = await memory.learn([user('I live in Kiel'), user('I moved to Kiel')], {
      onConflict: 'ask',
    })
    expect(plan.steps.map(({ op, evidence }) => [op, evidence.map(({ message }) => message)])).toEqual([
      ['conflict', ['messages[0]', 'messages[1]']],
    ])
    expect(ignored).toEqual([])
    expect((await memory.conflicts.list()).conflicts).toHaveLength(1)
  })

  it('[LRN-17] what an assistant or a tool says in the same call does not overrule the user', async () => {
    const { memory } = await openWith([
      facts(
        fact('The user lives in Bonn', 'home', 'Bonn', 1, 'I live in Bonn'),
        fact('The user lives in Kiel', 'home', 'Kiel', 2, 'lives in Kiel'),
      ),
    ])
    const { plan, ignored } = await memory.learn([
      user('I live in Bonn'),
      { role: 'tool', content: 'The user lives in Kiel.' },
    ])
    expect(plan.steps.map(({ after }) => after?.content)).toEqual(['The user lives in Bonn'])
    expect(ignored).toEqual([{ message: 'messages[1]', reason: 'contradicted' }])
  })

  it('[LRN-20] what is certain goes before the model: the same value of a key is confirmed, and a key has one value', async () => {
    const home = (value: string) => fact(`The user lives in ${value}`, 'home', value, 1, `I live in ${value}`)
    const { memory, model } = await openWith([
      facts(home('Bonn')),
      facts(home('Bonn')),
      facts(home('Kiel')),
      decisions({ fact: 1, op: 'add', memory: null }),
    ])
    await memory.learn('I live in Bonn')
    await memory.learn('I live in Bonn')
    expect(model.requests).toHaveLength(2)
    await memory.learn('I live in Kiel')
    expect(await factsIn(memory)).toEqual(['The user lives in Kiel'])
    expect((await memory.facts.history('user.home')).map(({ value }) => value)).toEqual(['Bonn', 'Kiel'])
  })

  it('[LRN-14] when another write comes in between, the model is not asked again, and what it saw changed is left to rules', async () => {
    const store = memoryStore()
    let interfere = true
    const raced: MemoryStore = {
      ...store,
      async commit(transaction, options) {
        if (interfere && transaction.verb === 'learn') {
          interfere = false
          const [known] = (await memory.list({ kinds: ['semantic'] })).records
          await memory.update(known?.id as string, { tags: ['music'] })
        }
        return store.commit(transaction, options)
      },
    }
    const { memory, model } = await openWith([facts(violin), decisions({ fact: 1, op: 'supersede', memory: 1 })], {
      store: raced,
    })
    await memory.add(piano)
    await memory.learn('I play the violin')
    expect(interfere).toBe(false)
    expect(model.requests).toHaveLength(2)
    expect(await factsIn(memory)).toEqual([piano, violin.content])
  })
})

describe.each(Object.entries(learningStores))('plans of a model on the %s store', (_, makeStore) => {
  const rounds: readonly [readonly MessageInput[], LearnOptions, readonly ScriptedAnswer[]][] = [
    [[user('I play the piano')], {}, [facts(fact(piano(), 'plays', 'the piano', 1, 'I play the piano'))]],
    [[user('I play the violin')], {}, [facts(violin), decisions({ fact: 1, op: 'update', memory: 1 })]],
    [
      [user('I play the organ')],
      {},
      [
        facts(fact('The user plays the organ', 'plays', 'the organ', 1, 'I play the organ')),
        decisions({ fact: 1, op: 'supersede', memory: 1 }),
      ],
    ],
    [
      [user('I sold the organ')],
      {},
      [
        facts(fact('The user sold the organ', 'sold', 'the organ', 1, 'sold the organ')),
        decisions({ fact: 1, op: 'invalidate', memory: 1 }),
      ],
    ],
    [
      [{ role: 'tool', content: 'The user owns the organ.' }],
      {},
      [
        facts(fact('The user owns the organ', 'owns', 'the organ', 1, 'owns the organ')),
        decisions({ fact: 1, op: 'conflict', memory: 1 }),
      ],
    ],
    [[user('We talked for an hour.')], {}, ['prose', 'more prose']],
  ]

  function piano(): string {
    return 'The user plays the piano'
  }

  it('[LRN-3] a plan that a model had a part in is applied as it was shown, without asking it again', async () => {
    const clock = fixedClock(start)
    const script = rounds.flatMap(([, , answers]) => answers)
    const open = () => openWith(script, { store: makeStore(), clock })
    const [learning, applying] = [await open(), await open()]
    for (const [i, [messages, options]] of rounds.entries()) {
      clock.advance(1000)
      await learning.memory.learn(messages, options)
      const { plan } = await applying.memory.learn(messages, { ...options, dryRun: true })
      const asked = applying.model.requests.length
      await applying.memory.apply(JSON.parse(JSON.stringify(plan)))
      expect(applying.model.requests).toHaveLength(asked)
      expect(await everythingIn(applying.memory), `round ${i}`).toEqual(await everythingIn(learning.memory))
    }
    const { records } = await learning.memory.list({ status: 'any', order: 'oldest' })
    expect(records.map(({ content, status }) => `${content}: ${status}`)).toEqual([
      'The user plays the violin: superseded',
      'The user plays the organ: invalid',
      'The user sold the organ: live',
      'The user owns the organ: quarantined',
      'We talked for an hour.: live',
    ])
    expect(learning.model.requests).toHaveLength(script.length)
  })
})
