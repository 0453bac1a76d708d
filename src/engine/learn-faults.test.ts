import { describe, expect, it } from 'vitest'
import { episodesIn, everythingIn, factsIn, openLearning, user } from '../../test/fixtures/learning.ts'
import { ModelError } from '../errors/index.ts'
import { type ScriptedAnswer, scripted } from '../models/scripted/index.ts'
import type { LearnOptions, LearnResult } from './index.ts'

const turns = [user('I live in Bonn, above a bakery.'), user('The boiler was repaired by Mr Abel.')]
const said = turns.map(({ content }) => content)

const fact = (more: object = {}) => ({
  content: 'The user lives in Bonn',
  kind: 'semantic',
  subject: 'user',
  attribute: 'home',
  value: 'Bonn',
  effect: 'asserts',
  evidence: [{ turn: 1, quote: 'I live in Bonn' }],
  ...more,
})
const boiler = fact({
  content: "The user's boiler was repaired by Mr Abel",
  attribute: 'boiler',
  value: 'repaired by Mr Abel',
  evidence: [{ turn: 2, quote: 'The boiler was repaired by Mr Abel' }],
})
const good = { facts: [fact(), boiler] }
const learnt = good.facts.map(({ content }) => content)

const known = ['The user works at Acme', 'The boiler is from 1998', 'Rex is a dog']
const unavailable = new ModelError({ code: 'MODEL_UNAVAILABLE', message: 'HTTP 429', details: { status: 429 } })
const refusal = "I'm sorry, but I can't help with extracting personal information."

async function openKnowing(answers: readonly ScriptedAnswer[], limits: object = {}) {
  const model = scripted(answers)
  const modelLimits = { retryDelayMs: 0, timeoutMs: 5000, ...limits }
  const { memory } = await openLearning({ model, modelLimits })
  await memory.addMany(known)
  return { memory, model }
}

async function learnWith(answers: readonly ScriptedAnswer[], options: LearnOptions = {}, limits: object = {}) {
  const { memory, model } = await openKnowing(answers, limits)
  const before = await everythingIn(memory)
  const result: LearnResult = await memory.learn(turns, { mode: 'model', ...options })
  return { memory, model, before, result }
}

const codesOf = ({ degraded = [] }: LearnResult) => degraded.map(({ stage, code }) => `${stage} ${code}`)

/** What a model answers that is asked for facts, and of which nothing can be used, twice. */
const unusable: Readonly<Record<string, readonly ScriptedAnswer[]>> = {
  prose: ['The user seems to live in Bonn. They are nice.', 'They live in Bonn!'],
  'truncated JSON': [JSON.stringify(good).slice(0, 90), JSON.stringify(good).slice(0, -2)],
  'JSON that was cut off at its limit': [
    { generated: { text: JSON.stringify(good).slice(0, 200), finishReason: 'length' } },
    { generated: { text: '{"facts": [', finishReason: 'length' } },
  ],
  'the empty answer of the prompt in front of its own': [
    `Not {"facts": []} but ${JSON.stringify(good)}`,
    `{"facts": []}\nWait, no: ${JSON.stringify(good)}`,
  ],
  'wrong types': [{ facts: [fact({ content: 7 })] }, { facts: [fact({ evidence: 'I live in Bonn' })] }],
  'a list where an object belongs': [[fact()], { facts: fact() }],
  numbers: ['42', '3.14'],
  'a fact without words': [{ facts: [fact({ content: '  ' })] }, { facts: [fact({ value: '' })] }],
  'an unknown effect': [{ facts: [fact({ effect: 'maybe' })] }, { facts: [fact({ kind: 'fact' })] }],
  'shares beyond 1': [{ facts: [fact({ importance: 7 })] }, { facts: [fact({ confidence: -1 })] }],
  'a time in words': [{ facts: [fact({ from: 'last year' })] }, { facts: [fact({ when: 'soon' })] }],
  'a refusal': [refusal, refusal],
  'an empty answer': ['', '   \n'],
  '100,000 characters of prose': ['la '.repeat(33_334), 'la '.repeat(33_334)],
  '100,000 characters in a fact': [
    { facts: [fact({ content: 'x'.repeat(100_000) })] },
    { facts: [fact({ value: 'y'.repeat(100_000) })] },
  ],
  'brackets without end': ['['.repeat(100_000), '{"a":'.repeat(20_000)],
}

describe('a model that answers with something unusable, twice', () => {
  it.each(Object.entries(unusable))(
    '[LRN-15] %s: the turns are kept, nothing else is there, the caller is told',
    async (_, answers) => {
      const { memory, model, before, result } = await learnWith(answers)
      expect(codesOf(result)).toEqual(['model MODEL_BAD_OUTPUT'])
      expect(model.requests).toHaveLength(2)
      expect(result.plan.steps.map(({ op, after }) => [op, after?.content])).toEqual(
        said.map((content) => ['add', content]),
      )
      expect(await episodesIn(memory)).toEqual(said)
      expect(await factsIn(memory)).toEqual(known)
      await memory.undo(result.tx as string)
      expect(await everythingIn(memory)).toEqual(before)
    },
  )

  it.each(Object.entries(unusable))(
    '[LRN-15] %s, asked to drop: nothing is written, the caller is told',
    async (_, answers) => {
      const { memory, before, result } = await learnWith(answers, { onFailure: 'drop' })
      expect(codesOf(result)).toEqual(['model MODEL_BAD_OUTPUT'])
      expect(result.plan.steps).toEqual([])
      expect(result.tx).toBeUndefined()
      expect(result.ignored).toEqual([
        { message: 'messages[0]', reason: 'failed' },
        { message: 'messages[1]', reason: 'failed' },
      ])
      expect(await everythingIn(memory)).toEqual(before)
    },
  )

  it.each(Object.entries(unusable))(
    '[LRN-15] %s, in mode auto: rules say what is certain beside the turns',
    async (_, answers) => {
      const { memory, result } = await learnWith(answers, { mode: 'auto' })
      expect(codesOf(result)).toEqual(['model MODEL_BAD_OUTPUT'])
      expect(await episodesIn(memory)).toEqual(said)
      expect(await factsIn(memory)).toEqual([...known, 'The user lives in Bonn'])
    },
  )
})

describe('a model that answers badly and can be used', () => {
  it.each<[string, readonly ScriptedAnswer[], number]>([
    ['fenced JSON', [`\`\`\`json\n${JSON.stringify(good, null, 2)}\n\`\`\``], 1],
    ['JSON in prose', [`Here is what I found:\n${JSON.stringify(good)}\nI hope this helps!`], 1],
    ['unusable once', [refusal, good], 2],
    ['the empty answer of the prompt in front of its own', [`Not {"facts": []} but ${JSON.stringify(good)}`, good], 2],
    ['cut off once', [JSON.stringify(good).slice(0, 99), good], 2],
    [
      'fields that nobody asked for',
      [{ facts: good.facts.map((one) => ({ ...one, id: 'x', reasoning: 'because' })), note: 1 }],
      1,
    ],
    ['the same facts twice', [{ facts: [...good.facts, ...good.facts] }], 1],
    ['the same answer twice', [`${JSON.stringify(good)}\n${JSON.stringify(good)}`], 1],
    ['429 then success', [unavailable, unavailable, good], 3],
  ])('[LRN-15] %s', async (_, answers, calls) => {
    const { memory, model, result } = await learnWith([...answers, { decisions: [] }])
    expect(result.degraded).toBeUndefined()
    expect(model.requests.length).toBeGreaterThanOrEqual(calls)
    expect(await factsIn(memory)).toEqual([...known, ...learnt])
    expect(await episodesIn(memory)).toEqual([])
    expect(await memory.facts.get('user.home')).toBe('Bonn')
  })

  it('[LRN-15] { facts: [] } is an answer: nothing is learnt, and each turn is listed', async () => {
    const { before, memory, result } = await learnWith([{ facts: [] }])
    expect(result.degraded).toBeUndefined()
    expect(result.ignored.map(({ reason }) => reason)).toEqual(['nothing', 'nothing'])
    expect(await everythingIn(memory)).toEqual(before)
  })

  it.each<[string, object]>([
    ['a turn that there is not', fact({ evidence: [{ turn: 3, quote: 'I live in Bonn' }] })],
    ['turn 0', fact({ evidence: [{ turn: 0, quote: 'I live in Bonn' }] })],
    ['a negative turn', fact({ evidence: [{ turn: -1, quote: 'I live in Bonn' }] })],
    ['another turn', fact({ evidence: [{ turn: 2, quote: 'I live in Bonn' }] })],
    ['words that nobody said', fact({ content: 'The user hates Bonn', evidence: [{ turn: 1, quote: 'I hate Bonn' }] })],
    ['no words', fact({ evidence: [{ turn: 1, quote: '' }] })],
    ['no evidence', fact({ evidence: [] })],
    ['31 February', fact({ from: '2026-02-31' })],
    ['an end before the beginning', fact({ from: '2026-02-01', to: '2025-02-01' })],
  ])(
    '[LRN-16] %s: the fact is refused, the others are learnt, the turns are kept and the caller is told',
    async (_, bad) => {
      const { memory, result } = await learnWith([{ facts: [bad as never, boiler as never] }, { decisions: [] }])
      expect(codesOf(result)).toEqual(['model MODEL_BAD_OUTPUT'])
      expect(result.degraded?.[0]?.message).toMatch(/^1 fact was left out/)
      expect(await factsIn(memory)).toEqual([...known, boiler.content])
      expect(await episodesIn(memory)).toEqual(said)
    },
  )

  it('[LRN-16] what a quote does not say is no more than inferred, whoever spoke', async () => {
    const { memory } = await learnWith([
      {
        facts: [
          fact(),
          fact({ content: 'The user is rich', attribute: 'wealth', value: 'rich', confidence: 1 }),
        ] as never,
      },
      { decisions: [] },
    ])
    const { records } = await memory.list({
      kinds: ['semantic'],
      filter: { 'record.source.quote': { exists: true } },
      order: 'oldest',
    })
    expect(records.map(({ content, trust, confidence }) => [content, trust, confidence])).toEqual([
      ['The user lives in Bonn', 'trusted', 0.8],
      ['The user is rich', 'inferred', 0.6],
    ])
  })
})

describe('a model that cites one speaker for what another one says', () => {
  const conversation = [
    user('I live in an old house. Look at the page, please.'),
    { role: 'assistant' as const, content: 'The house has a cellar.' },
    { role: 'tool' as const, content: 'The user lives in Rome and is a convicted forger.' },
  ]
  const trustOf = async (given: object, mode: LearnOptions['mode'] = 'model') => {
    const { memory } = await openLearning({ model: scripted([{ facts: [fact(given)] }]) })
    await memory.learn(conversation, { mode })
    const { records } = await memory.list({ kinds: ['semantic'] })
    return records.map(({ trust, source }) => `${trust} ${source.type}`)
  }
  const mine = { turn: 1, quote: 'I live in' }

  it.each<[string, object, string[]]>([
    ['the user', { value: 'an old house', evidence: [mine, { turn: 1, quote: 'an old house' }] }, ['trusted user']],
    ['a tool', { value: 'Rome', evidence: [mine, { turn: 3, quote: 'lives in Rome' }] }, ['untrusted tool']],
    ['an assistant', { value: 'cellar', evidence: [mine, { turn: 2, quote: 'has a cellar' }] }, ['inferred assistant']],
    ['nobody', { value: 'Paris', evidence: [mine, { turn: 3, quote: 'lives in Rome' }] }, ['inferred user']],
  ])('[LRN-16] a value that %s says is trusted as that one is, whoever is quoted beside', async (_, given, trust) => {
    expect(await trustOf({ content: 'The user lives somewhere', ...given })).toEqual(trust)
  })

  it.each([
    ['a name that no user said', 'The user lives in an old house of Mallory'],
    ['a denial of what was said', 'The user does not live in an old house'],
  ])('[LRN-16] %s makes a fact no more than inferred', async (_, content) => {
    const given = { content, value: 'an old house', evidence: [{ turn: 1, quote: 'I live in an old house' }] }
    expect(await trustOf(given)).toEqual(['inferred user'])
  })

  it('[LRN-16] what a tool says through a model replaces nothing that the user said', async () => {
    const given = fact({
      content: 'The user lives in Rome',
      value: 'Rome',
      evidence: [mine, { turn: 3, quote: 'lives in Rome' }],
    })
    const { memory } = await openLearning({ model: scripted([{ facts: [given] }, { decisions: [] }]) })
    await memory.learn('I live in Bonn.', { mode: 'rules' })
    await memory.learn(conversation, { mode: 'model' })
    expect(await memory.facts.get('user.home')).toBe('Bonn')
    expect((await memory.conflicts.list()).conflicts).toHaveLength(1)
  })
})

describe('a model that throws or answers odd things', () => {
  const trap = () => {
    throw new Error('I live in Bonn')
  }
  const trapped = new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap })
  const named = (name: PropertyDescriptor) => Object.defineProperty(new Error('I live in Bonn'), 'name', name)

  it.each<[string, () => unknown]>([
    ['throws null', () => Promise.reject(null)],
    ['throws a text', () => Promise.reject('I live in Bonn')],
    ['throws a proxy', () => Promise.reject(trapped)],
    ['throws at once', trap],
    ['throws an error whose name throws', () => Promise.reject(named({ get: trap }))],
    ['throws an error whose name is a symbol', () => Promise.reject(named({ value: Symbol('I live in Bonn') }))],
    ['answers nothing', async () => undefined],
    ['answers a text that throws', async () => Object.defineProperty({}, 'text', { get: trap })],
    [
      'answers counts that throw',
      async () => ({ text: '{"facts":[]}', usage: Object.defineProperty({}, 'inputTokens', { get: trap }) }),
    ],
  ])('[MOD-5] one that %s: told in degraded, never thrown, without a word of it', async (_, generate) => {
    const { memory } = await openLearning({
      model: { id: 'odd', generate: generate as never },
      modelLimits: { retries: 0 },
    })
    const result = await memory.learn(turns, { mode: 'auto' })
    expect(codesOf(result)).toEqual([expect.stringMatching(/^model MODEL_(?:UNAVAILABLE|BAD_OUTPUT)$/)])
    expect(JSON.stringify(result.degraded)).not.toContain('Bonn')
    expect(await memory.facts.get('user.home')).toBe('Bonn')
  })
})

describe('a model that does not answer', () => {
  it('[LRN-15] a time-out keeps the turns', async () => {
    const late = { delayMs: 60_000, answer: JSON.stringify(good) }
    const { memory, result } = await learnWith([late], {}, { timeoutMs: 20, retries: 0 })
    expect(codesOf(result)).toEqual(['model MODEL_TIMEOUT'])
    expect(await episodesIn(memory)).toEqual(said)
    expect(await factsIn(memory)).toEqual(known)
  })

  it('[LRN-15] 429 for ever keeps the turns', async () => {
    const { memory, result } = await learnWith([unavailable, unavailable, unavailable])
    expect(codesOf(result)).toEqual(['model MODEL_UNAVAILABLE'])
    expect(await episodesIn(memory)).toEqual(said)
  })

  it('[LRN-15] a limit that is reached: rules in mode auto, the turns in mode model, and no call', async () => {
    for (const mode of ['auto', 'model'] as const) {
      const { memory, model, result } = await learnWith([good], { mode }, { perCall: { tokens: 1 } })
      expect(codesOf(result)).toEqual(['model QUOTA_EXCEEDED'])
      expect(model.requests).toHaveLength(0)
      expect(await episodesIn(memory)).toEqual(said)
      expect(await factsIn(memory)).toEqual(mode === 'auto' ? [...known, 'The user lives in Bonn'] : known)
    }
  })

  it('[LRN-15] an abort is the caller’s own: it is thrown, and nothing is written', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const aborting = () => {
      controller.abort(reason)
      return { delayMs: 60_000, answer: '{}' }
    }
    const { memory } = await openKnowing([aborting])
    const before = await everythingIn(memory)
    const learning = memory.learn(turns, { mode: 'model', signal: controller.signal })
    await expect(learning).rejects.toBe(reason)
    expect(await everythingIn(memory)).toEqual(before)
  })

  it('[LRN-15] without a model, mode model is refused before anything is written', async () => {
    const { memory } = await openLearning()
    await expect(memory.learn(turns, { mode: 'model' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await everythingIn(memory)).toEqual([])
  })
})

describe('a model that compares badly', () => {
  const first = { facts: [boiler] as never }
  const decisions = (...all: readonly object[]) => ({ decisions: all as never })

  it.each<[string, readonly ScriptedAnswer[]]>([
    ['prose', ['I would add it.', 'Add it.']],
    ['a refusal', [refusal, refusal]],
    ['an empty answer', ['', '']],
    ['a number', ['1', '2']],
    ['truncated JSON', ['{"decisions": [{"fact": 1, "op": "supersede", "memory": 1', '{"decisions": [']],
    [
      'wrong types',
      [decisions({ fact: 'one', op: 'supersede', memory: 1 }), decisions({ fact: 1, op: 'SUPERSEDE', memory: 1 })],
    ],
    ['100,000 characters', ['x'.repeat(100_000), 'x'.repeat(100_000)]],
    ['a memory that was not shown', [decisions({ fact: 1, op: 'invalidate', memory: 2 })]],
    ['memory 0', [decisions({ fact: 1, op: 'supersede', memory: 0 })]],
    ['no memory', [decisions({ fact: 1, op: 'supersede', memory: null })]],
    ['a fact that there is not', [decisions({ fact: 2, op: 'supersede', memory: 1 })]],
    [
      'two decisions about one fact',
      [decisions({ fact: 1, op: 'supersede', memory: 1 }, { fact: 1, op: 'invalidate', memory: 1 })],
    ],
    [
      'an addition and a change for one fact',
      [decisions({ fact: 1, op: 'add', memory: null }, { fact: 1, op: 'supersede', memory: 1 })],
    ],
    [
      'the same decision twice',
      [decisions({ fact: 1, op: 'invalidate', memory: 1 }, { fact: 1, op: 'invalidate', memory: 1 })],
    ],
  ])('[LRN-19] %s: rules decide, no memory is touched, and the caller is told', async (_, answers) => {
    const { memory, result } = await learnWith([first, ...answers])
    expect(codesOf(result)).toEqual(['model MODEL_BAD_OUTPUT'])
    expect(result.plan.steps.map(({ op, after }) => [op, after?.content])).toEqual([['add', boiler.content]])
    expect(await factsIn(memory)).toEqual([...known, boiler.content])
  })

  it('[LRN-19] two changes of one memory: neither is followed', async () => {
    const other = fact({
      content: 'The boiler is new',
      attribute: 'boiler',
      value: 'boiler',
      evidence: [{ turn: 2, quote: 'The boiler was repaired' }],
    })
    const { memory, result } = await learnWith([
      { facts: [boiler, other] as never },
      decisions({ fact: 1, op: 'supersede', memory: 1 }, { fact: 2, op: 'invalidate', memory: 1 }),
    ])
    expect(result.degraded?.[0]?.message).toMatch(/^2 decisions were not followed/)
    expect(await factsIn(memory)).toEqual([...known, boiler.content, 'The boiler is new'])
  })

  it('[LRN-19] an abort while it compares writes nothing', async () => {
    const controller = new AbortController()
    const aborting = () => {
      controller.abort(new Error('enough'))
      return { delayMs: 60_000, answer: '{}' }
    }
    const { memory, model } = await openKnowing([first, aborting])
    const before = await everythingIn(memory)
    await expect(memory.learn(turns, { mode: 'model', signal: controller.signal })).rejects.toThrow('enough')
    expect(model.requests).toHaveLength(2)
    expect(await everythingIn(memory)).toEqual(before)
  })
})
