import { describe, expect, it } from 'vitest'
import { embedderFrom } from '../src/embedders/index.ts'
import { type OpenMemoryOptions, openMemory } from '../src/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import { ann, found, listed, storeKinds } from './fixtures/reference-stores.ts'

const dayMs = 86_400_000
const bob = { userId: 'bob' }

describe.each(storeKinds)('agentmaker: forgetting, weights, keys and values on $name', ({ create }) => {
  const open = (options: Partial<OpenMemoryOptions> = {}) =>
    openMemory({ scope: ann, embedder: false, store: create()(), ...options } as OpenMemoryOptions)

  it('[STR-1] agentmaker 53: a kind may be found by words alone, whatever its vectors say', async () => {
    const embedder = embedderFrom((text) => (text === 'boat' || text === 'ship' ? [1, 0] : [0, 1]), {
      id: 'boats',
      dimensions: 2,
    })
    const memory = await open({ embedder, kinds: { note: { strategy: { rank: (_, from) => from.text() } } } })
    await memory.addMany(['ship', 'a boat house'].map((content) => ({ kind: 'note', content })))
    expect(await found(memory, 'boat', { mode: 'vector' })).toEqual(['ship'])
    expect(await found(memory, 'boat', { kinds: ['note'] })).toEqual(['a boat house'])
    await memory.close()
  })

  it('[KND-12] agentmaker 98, 100, 102: weights and half-life of the engine are what they are for a kind that says nothing', async () => {
    const clock = fixedClock()
    const memory = await open({
      clock,
      defaults: { weights: { recency: 2, importance: 0, reliability: 1 }, recencyHalfLifeHours: 72 },
      kinds: { entity: { weights: { importance: 3 } } },
    })
    await memory.add({ content: 'the harbour', importance: 0.8 })
    clock.advance(72 * 3_600_000)
    const [hit] = (await memory.search('harbour', { explain: true, touch: false })).results
    const { relevance = 0, factors } = hit?.explanation ?? {}
    expect(factors?.recency).toBeCloseTo(0.5, 10)
    expect(hit?.score).toBeCloseTo(relevance * (1 + 0.2 * 2 * 0) * (1 + 0.2 * 1 * 0.5), 10)
    const none = { recency: 0, importance: 0, reliability: 0 }
    const [plain] = (await memory.search('harbour', { explain: true, weights: none })).results
    expect(plain?.score).toBe(plain?.explanation?.relevance)
    await memory.close()
  })

  it('[KND-5] agentmaker 117: age goes by the making, not the changes, and needs a number of days', async () => {
    const clock = fixedClock()
    const memory = await open({ clock })
    const { record } = await memory.add('first')
    clock.advance(dayMs)
    await memory.add('second')
    clock.advance(1)
    await memory.update(record.id, { importance: 0.9 })
    for (const selection of [{}, { olderThanDays: 0 }, { olderThanDays: -1 }]) {
      await expect(memory.forget({ strategy: 'age', ...selection } as never)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
    }
    expect((await memory.forget({ strategy: 'age', olderThanDays: 1, mode: 'delete' })).ids).toEqual([record.id])
    expect(await listed(memory, { status: 'any' })).toEqual(['second'])
    expect(await found(memory, 'first', { status: 'any' })).toEqual([])
    await memory.close()
  })

  it('[KND-5] agentmaker 118, 119: capacity keeps the most important, of equals the newest; 0 keeps none', async () => {
    const clock = fixedClock()
    const memory = await open({ clock })
    await memory.add({ content: 'slight', importance: 0.3 })
    await memory.add({ content: 'weighty', importance: 0.9 })
    clock.advance(1)
    await memory.add({ content: 'weighty and newer', importance: 0.9 })
    await memory.forget({ strategy: 'capacity', keep: 2 })
    expect(await listed(memory)).toEqual(['weighty', 'weighty and newer'])
    await memory.forget({ strategy: 'capacity', keep: 1 })
    expect(await listed(memory)).toEqual(['weighty and newer'])
    for (const selection of [{}, { keep: -1 }, { keep: 1.5 }]) {
      await expect(memory.forget({ strategy: 'capacity', ...selection } as never)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
    }
    await memory.forget({ strategy: 'capacity', keep: 0 })
    expect(await listed(memory)).toEqual([])
    expect(await listed(memory, { status: 'archived' })).toHaveLength(3)
    await memory.close()
  })

  it('[KND-5] agentmaker 120: another strategy is refused with the three that there are; a preview takes nothing', async () => {
    const memory = await open()
    await memory.add({ content: 'slight', importance: 0.29 })
    await memory.add({ content: 'at the threshold', importance: 0.3 })
    await expect(memory.forget({ strategy: 'x' } as never)).rejects.toMatchObject({
      message: expect.stringMatching(/importance.*age.*capacity/),
    })
    expect((await memory.forget({ strategy: 'importance', dryRun: true })).ids).toHaveLength(1)
    expect(await listed(memory)).toHaveLength(2)
    await memory.forget({ strategy: 'importance' })
    expect(await listed(memory)).toEqual(['at the threshold'])
    await memory.close()
  })

  it('[KV-8] agentmaker 185, 186, 187, 188: keys are of one exact scope; without one nothing is read, put or deleted', async () => {
    const memory = await open({ scope: undefined })
    const place = ['place'] as const
    const calls = [
      () => memory.kv.put(place, 'k', 1),
      () => memory.kv.get(place, 'k'),
      () => memory.kv.delete(place, 'k'),
      () => memory.kv.list(place),
    ]
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' })
    const app = { appId: 'app' }
    const [annIn, bobIn] = [
      { ...app, ...ann },
      { ...app, ...bob },
    ]
    await memory.kv.put(place, 'k', 'Bremen', { scope: annIn })
    await memory.kv.put(place, 'k', 'Kiel', { scope: bobIn })
    const value = async (scope: object) => (await memory.kv.get(place, 'k', { scope }))?.value ?? null
    expect([await value(annIn), await value(bobIn), await value(app)]).toEqual(['Bremen', 'Kiel', null])
    await memory.kv.put(place, 'k', 'anywhere', { scope: app })
    expect([await value(annIn), await value(app)]).toEqual(['Bremen', 'anywhere'])
    expect((await memory.kv.delete(place, 'k', { scope: app })).deleted).toBe(1)
    expect([await value(annIn), await value(bobIn), await value(app)]).toEqual(['Bremen', 'Kiel', null])
    await memory.close()
  })

  it('[JSN-2] agentmaker 191: what is not JSON is no value', async () => {
    const memory = await open()
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, new Set([1]), new Date(), undefined]) {
      await expect(memory.kv.put(['v'], 'k', value as never)).rejects.toMatchObject({ name: 'InputError' })
    }
    expect(await memory.kv.get(['v'], 'k')).toBeNull()
    for (const value of [null, 0, '', false, [], {}, '今日は']) {
      await memory.kv.put(['v'], 'k', value)
      expect((await memory.kv.get(['v'], 'k'))?.value).toEqual(value)
    }
    await memory.close()
  })
})
