import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openModelCore } from '../../../test/fixtures/model-core.ts'
import type { GeneratedText, MemoryStore } from '../../contract/index.ts'
import { ModelError } from '../../errors/index.ts'
import { exactly, type Scope } from '../../model/index.ts'
import { type ScriptedAnswer, scripted } from '../../models/scripted/index.ts'
import { memory } from '../../stores/memory/index.ts'
import { sqlite } from '../../stores/sqlite/index.ts'
import { askModel, type ModelTask } from '../ask-model.ts'
import { openMemory } from '../open-memory.ts'
import { ledgerKind } from './ledger.ts'
import type { ModelLimits } from './limits.ts'

const ann = { userId: 'ann' }
const task: ModelTask<string> = {
  name: 'sum-up',
  system: 'Sum up.',
  messages: [{ role: 'user', content: 'Ann sings.' }],
  maxTokens: 100,
}
const told = (inputTokens: number, outputTokens: number, text = 'Ann sings.'): { generated: GeneratedText } => ({
  generated: { text, usage: { inputTokens, outputTokens } },
})

const closings: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

/** A core and an engine that shows usage, over one store that outlives both. */
async function open(script: Parameters<typeof scripted>[0], limits: ModelLimits = {}, store: MemoryStore = memory()) {
  let now = Date.UTC(2026, 11, 1, 12)
  const model = scripted(script)
  const opened = await openModelCore(model, limits, { store, clock: () => now })
  const reader = await openMemory({ store: { ...store, open: async () => {}, close: async () => {} }, embedder: false })
  closings.push(opened.close, () => reader.close())
  return {
    ...opened,
    model,
    reader,
    ask: (scope: Scope = ann, more: Partial<ModelTask<string>> = {}) =>
      askModel(opened.core, scope, { ...task, ...more }),
    usage: (scope: Scope = ann) => reader.usage({ scope }),
    tomorrow: () => {
      now += 86_400_000
    },
  }
}

const prices = { input: 2, output: 10 }

describe('the ledger', () => {
  it('[LED-1] calls, tokens and money are added up by exact scope and day, the latest day first', async () => {
    const { ask, usage, reader, tomorrow } = await open([told(100, 10), told(200, 20), told(1, 1), told(5, 5)], {
      prices,
    })
    expect((await ask()).usage).toEqual({ calls: 1, inputTokens: 100, outputTokens: 10, estimated: 0, cost: 0.0003 })
    await ask()
    await ask({ userId: 'ann', sessionId: 's1' })
    tomorrow()
    await ask()
    const { days, total, model, perDay } = await usage()
    expect(days).toMatchObject([
      { day: '2026-12-02', scope: ann, calls: 1, inputTokens: 5, outputTokens: 5 },
      { day: '2026-12-01', calls: 2, inputTokens: 300, outputTokens: 30, estimated: 0, reserved: 0 },
      { day: '2026-12-01', scope: { sessionId: 's1' }, calls: 1 },
    ])
    expect(days[1]!.cost).toBeCloseTo(0.0009, 10)
    expect(total).toMatchObject({ calls: 4, inputTokens: 306, outputTokens: 36 })
    expect({ model, perDay }).toEqual({ model: null, perDay: null })
    expect((await reader.usage({ scope: ann, since: '2026-12-02T08:00:00Z' })).days).toHaveLength(1)
    expect((await reader.usage({ scope: { userId: 'ben' } })).days).toEqual([])
    expect((await reader.usage({ allScopes: true })).days).toHaveLength(3)
  })

  it('[LED-1] a server that claims tokens without end does not make the books forget', async () => {
    const most = Number.MAX_SAFE_INTEGER
    const { ask, usage } = await open([told(most, most), told(most, 1), told(1, most)])
    for (let i = 0; i < 3; i++) await ask()
    expect((await usage()).days).toMatchObject([{ calls: 3, inputTokens: most, outputTokens: most }])
  })

  it('[LED-1] what a model does not tell is estimated by words, and said to be; the repair is counted too', async () => {
    const { ask, usage } = await open(['Ann sings in a choir.', 'prose', { n: 1 }])
    const { usage: first } = await ask()
    expect(first).toMatchObject({ calls: 1, estimated: 1 })
    expect(first.inputTokens).toBeGreaterThan(3)
    expect(first.outputTokens).toBeGreaterThan(4)
    const { usage: repaired } = await ask(ann, { schema: z.strictObject({ n: z.number() }) as never })
    expect(repaired).toMatchObject({ calls: 2, estimated: 2 })
    expect((await usage()).total).toMatchObject({ calls: 3, estimated: 3 })
  })

  it('[LED-1] attempts that were begun count, those that never were do not', async () => {
    const away = new ModelError({ code: 'MODEL_UNAVAILABLE', message: 'ECONNREFUSED' })
    const broken = new ModelError({ code: 'MODEL_UNAVAILABLE', message: 'hung up', details: { hasBegun: true } })
    const { ask, usage } = await open([away, broken, told(7, 2), away, away, away])
    expect((await ask()).usage).toMatchObject({ calls: 2, estimated: 1, outputTokens: 102 })
    expect(await ask()).toMatchObject({ ok: false, usage: { calls: 0 } })
    expect((await usage()).total).toMatchObject({ calls: 2, estimated: 1, reserved: 0 })
  })

  it('[LED-1] a call that the caller gives up counts as it may have gone on', async () => {
    const controller = new AbortController()
    const { ask, usage, core } = await open(
      () => {
        controller.abort(new Error('enough'))
        return new Promise<string>(() => undefined)
      },
      { perDay: { tokens: 10_000 } },
    )
    await expect(ask(ann, { signal: controller.signal })).rejects.toThrow('enough')
    await core.settled()
    expect((await usage()).total).toMatchObject({ calls: 1, estimated: 1, outputTokens: 100, reserved: 0 })
  })

  it('[LED-2] a call that could go beyond the tokens of a day is not made, for this scope and day', async () => {
    const { ask, model, tomorrow, usage } = await open(() => told(20, 100), { perDay: { tokens: 300 } })
    expect(await ask()).toMatchObject({ ok: true })
    expect(await ask()).toMatchObject({ ok: true })
    expect(await ask()).toMatchObject({
      ok: false,
      degraded: { stage: 'model', code: 'QUOTA_EXCEEDED', message: expect.stringContaining('300 tokens a day') },
      usage: { calls: 0 },
    })
    expect(model.requests).toHaveLength(2)
    expect(await ask({ userId: 'ben' })).toMatchObject({ ok: true })
    expect((await usage()).total).toMatchObject({ calls: 2, inputTokens: 40, outputTokens: 200, reserved: 0 })
    tomorrow()
    expect(await ask()).toMatchObject({ ok: true })
  })

  it('[LED-2] nor one that could go beyond the money of a day; a limit of 0 asks nothing', async () => {
    const { ask, model } = await open(() => told(20, 100), { prices, perDay: { cost: 0.0025 } })
    expect(await ask()).toMatchObject({ ok: true, usage: { cost: 0.00104 } })
    expect(await ask()).toMatchObject({ ok: true })
    expect(await ask()).toMatchObject({ ok: false, degraded: { code: 'QUOTA_EXCEEDED' } })
    expect(model.requests).toHaveLength(2)
    const none = await open(() => told(1, 1), { prices, perDay: { cost: 0 } })
    expect(await none.ask()).toMatchObject({ ok: false, degraded: { code: 'QUOTA_EXCEEDED' } })
  })

  it('[LED-2] the repair and further attempts are held to it too', async () => {
    const { ask, model } = await open(['prose', 'prose'], { perDay: { tokens: 300 } })
    const outcome = await ask(ann, { schema: z.strictObject({ n: z.number() }) as never, maxTokens: 200 })
    expect(outcome).toMatchObject({ ok: false, degraded: { code: 'QUOTA_EXCEEDED' }, usage: { calls: 1 } })
    expect(model.requests).toHaveLength(1)
  })

  it('[LED-2] calls at once, and engines that share a file, never go beyond together', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-ledger-'))
    closings.push(() => rm(folder, { recursive: true, force: true }))
    const path = join(folder, 'memory.db')
    const limits = { perDay: { tokens: 2_000 } }
    const slow = (): ScriptedAnswer => ({ delayMs: 2, answer: told(20, 100) })
    const sides = await Promise.all(
      [0, 1].map(() => openModelCore(scripted(slow), limits, { store: sqlite({ path }) })),
    )
    closings.push(...sides.map(({ close }) => close))
    const outcomes = await Promise.all(
      sides.flatMap(({ core }) => Array.from({ length: 12 }, () => askModel(core, ann, task))),
    )
    const answered = outcomes.filter(({ ok }) => ok).length
    const refused = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.degraded.code]))
    expect(new Set(refused)).toEqual(new Set(['QUOTA_EXCEEDED']))
    expect(answered).toBeGreaterThanOrEqual(2_000 / 140 - 1)
    expect(120 * answered).toBeLessThanOrEqual(2_000)
    const [day, ...others] = await sides[0]!.core.store
      .list(exactly(ann), {
        kinds: [ledgerKind],
        order: 'oldest',
        limit: 10,
      })
      .then(({ items }) => items)
    expect(others).toEqual([])
    expect(day!.record.data).toMatchObject({ calls: answered, inputTokens: 20 * answered, reserved: {} })
    expect(await sides[1]!.core.store.verify()).toEqual([])
  })

  it('[LED-2] when the day is used up, learn goes by rules and says so', async () => {
    const model = scripted([{ facts: [] }])
    const memory = await openMemory({ path: ':memory:', scope: ann, model, modelLimits: { perDay: { tokens: 10 } } })
    closings.push(() => memory.close())
    const { plan, degraded } = await memory.learn([{ role: 'user', content: 'I live in Bonn.' }])
    expect(degraded).toMatchObject([{ stage: 'model', code: 'QUOTA_EXCEEDED' }])
    expect(plan.steps.map(({ after }) => after?.key)).toContain('user.home')
    expect(model.requests).toEqual([])
    expect(await memory.facts.get('user.home')).toBe('Bonn')
  })

  it('[LED-3] a call is cut to what it may take: a shorter answer, or none asked for', async () => {
    const { ask, model } = await open(() => told(1, 1), { perCall: { tokens: 150 } })
    expect(await ask()).toMatchObject({ ok: true })
    expect(model.requests[0]!.maxTokens).toBeLessThan(150)
    expect(model.requests[0]!.maxTokens).toBeGreaterThanOrEqual(64)
    const long = { messages: [{ role: 'user' as const, content: 'word '.repeat(200) }] }
    expect(await ask(ann, long)).toMatchObject({ ok: false, degraded: { code: 'QUOTA_EXCEEDED' } })
    expect(model.requests).toHaveLength(1)
  })

  it('[LED-4] the ledger is never listed, searched, counted, exported or told of as a change', async () => {
    const { ask, reader } = await open(() => told(1, 1))
    await reader.add('Ann sings alto', { scope: ann })
    await ask()
    await ask()
    const { usage: _usage, ...verbs } = reader
    expect((await verbs.list({ scope: ann, status: 'any' })).records).toHaveLength(1)
    expect((await verbs.search('language models took 2026-12-01', { scope: ann })).results).toEqual([])
    expect(await verbs.stats({ scope: ann })).toMatchObject({ total: 1, byKind: { semantic: 1 }, pending: 0 })
    expect((await verbs.changes({ scope: ann })).changes).toHaveLength(1)
    expect((await verbs.journal({ scope: ann })).entries).toHaveLength(1)
    expect(await verbs.verify()).toMatchObject({ ok: true })
    let lines = ''
    for await (const line of verbs.export({ scope: ann })) lines += line
    expect(lines).not.toContain('_ledger')
    expect(lines).toContain('Ann sings alto')
  })

  it('[LED-4] it is erased with the scope', async () => {
    const store = memory()
    const { ask, usage } = await open(() => told(1, 1), {}, store)
    await ask()
    const { items } = await store.list(exactly(ann), { kinds: [ledgerKind], order: 'oldest', limit: 10 })
    await store.erase(
      exactly(ann),
      items.map(({ record }) => record.id),
    )
    expect((await usage()).days).toEqual([])
    expect(await ask()).toMatchObject({ ok: true })
    expect((await usage()).total).toMatchObject({ calls: 1 })
  })

  it('[LED-5] an answer stays an answer when what it took can not be written down; the logger hears of it', async () => {
    const store = memory()
    const warned: unknown[] = []
    const failing: MemoryStore = { ...store, commit: () => Promise.reject(new Error('disk full')) }
    const { core, close } = await openModelCore(
      scripted([told(1, 1)]),
      {},
      {
        store: failing,
        logger: { warn: (message) => warned.push(message) },
      },
    )
    closings.push(close)
    expect(await askModel(core, ann, task)).toMatchObject({ ok: true, value: 'Ann sings.' })
    expect(warned).toEqual(['what a language model took was not written down'])
  })
})
