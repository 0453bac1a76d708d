import { describe, expect, it } from 'vitest'
import type { MemoryStore, StoreDegradation } from '../contract/index.ts'
import { memory as memoryStore } from '../stores/memory/index.ts'
import { openMemory } from './index.ts'

const ann = { userId: 'ann' }
const hot: StoreDegradation = { stage: 'hot', code: 'BACKEND_UNAVAILABLE', message: 'slower: the hot tier is away' }
const cold: StoreDegradation = { stage: 'cold', code: 'BACKEND_UNAVAILABLE', message: 'what it keeps is left out' }

interface State {
  lack: StoreDegradation | null
  durable: boolean | undefined
  /** Only where this is in the scope that is asked. */
  only: string
}

/** A store of two layers, as somebody may write one, with what one of them can't do at present. */
function layered() {
  const state: State = { lack: null, durable: undefined, only: '' }
  const inner = memoryStore()
  let tell: ((degradation: StoreDegradation) => void) | undefined
  /** After a turn of its own, as behind a network. */
  const lacking = async <T>(answer: Promise<T>, asked: unknown = ''): Promise<T> => {
    await new Promise(setImmediate)
    if (state.lack && JSON.stringify(asked).includes(state.only)) tell?.(state.lack)
    return answer
  }
  const store: MemoryStore = {
    ...inner,
    open(options) {
      tell = options?.onDegraded
      return inner.open(options)
    },
    get: (...call) => lacking(inner.get(...call)),
    list: (...call) => lacking(inner.list(...call)),
    holders: (...call) => lacking(inner.holders(...call)),
    stats: (...call) => lacking(inner.stats(...call), call[0]),
    revisions: (...call) => lacking(inner.revisions(...call)),
    async commit(...call) {
      const result = await inner.commit(...call)
      return state.durable === undefined ? result : { ...result, durable: state.durable }
    },
    health: async () => ({ status: state.lack ? 'degraded' : 'ok', tiers: [] }),
  }
  return { store, state }
}

async function open() {
  const { store, state } = layered()
  const memory = await openMemory({ store, scope: ann })
  return { memory, state }
}

async function linesOf(stream: AsyncIterable<string>): Promise<number> {
  let lines = 0
  for await (const _line of stream) lines++
  return lines
}

describe('an answer that lacks something', () => {
  it('[LIF-9] says so, each thing once, beside what it says anyway', async () => {
    const { memory, state } = await open()
    const { record } = await memory.add('Ann plays the cello', { dedupe: false })
    state.lack = hot
    const answers = {
      search: await memory.search('cello'),
      list: await memory.list(),
      context: await memory.context('cello'),
      stats: await memory.stats(),
      update: await memory.update(record.id, { importance: 1 }),
      learn: await memory.learn('I live in Bonn.'),
      addMany: await memory.addMany(['Ann sings', 'Ann dances']),
    }
    for (const [name, { degraded }] of Object.entries(answers)) expect(degraded, name).toEqual([hot])
    state.lack = null
    expect((await memory.search('cello')).degraded).toBeUndefined()
  })

  it('[LIF-9] is that of its own call, however many run at once', async () => {
    const { memory, state } = await open()
    state.lack = hot
    state.only = 'bob'
    const names = Array.from({ length: 20 }, (_, i) => (i % 3 === 0 ? 'bob' : 'ann'))
    const answers = await Promise.all(names.map((userId) => memory.stats({ scope: { userId } })))
    expect(answers.map(({ degraded }) => degraded)).toEqual(names.map((name) => (name === 'bob' ? [hot] : undefined)))
  })

  it('[LIF-9] is told to whichever engine asked, of several that were given one store', async () => {
    const { store, state } = layered()
    const engines = await Promise.all(['ann', 'bob'].map((userId) => openMemory({ store, scope: { userId } })))
    for (const engine of engines) await engine.list()
    Object.assign(state, { lack: cold, only: 'bob' })
    const stats = await Promise.all(engines.map((engine) => engine.stats()))
    expect(stats.map(({ degraded }) => degraded)).toEqual([undefined, [cold]])
    state.only = ''
    for (const engine of engines) {
      expect((await engine.list()).degraded).toEqual([cold])
      await expect(engine.get('x')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    }
    for (const engine of engines) await engine.close()
  })

  it('[LIF-9] leaves what was kept as it is', async () => {
    const { memory, state } = await open()
    const { record } = await memory.add('Ann plays the cello', { dedupe: false })
    await memory.facts.set('colours', { degraded: ['blue'] })
    state.lack = hot
    expect(await memory.get(record.id)).toEqual(record)
    expect(await memory.facts.get('colours')).toEqual({ degraded: ['blue'] })
    expect(await memory.getMany([record.id])).toHaveLength(1)
  })

  it('[LIF-10] is a failure where it has no place to say so', async () => {
    const { memory, state } = await open()
    const { record } = await memory.add('Ann plays the cello', { dedupe: false })
    state.lack = cold
    const missing = { code: 'BACKEND_UNAVAILABLE', message: expect.stringContaining(cold.message) }
    await expect(memory.get('unknown')).rejects.toMatchObject(missing)
    await expect(memory.facts.get('unknown')).rejects.toMatchObject(missing)
    await expect(memory.update('unknown', { importance: 1 })).rejects.toMatchObject(missing)
    await expect(memory.delete('unknown')).rejects.toMatchObject(missing)
    await expect(memory.deleteMany({ filter: { project: 'unknown' } })).rejects.toMatchObject(missing)
    await expect(memory.history(record.id)).rejects.toMatchObject(missing)
    await expect(linesOf(memory.export())).rejects.toMatchObject(missing)
    expect(await memory.get(record.id)).toEqual(record)
    state.lack = hot
    expect(await memory.get('unknown')).toBeNull()
    expect(await linesOf(memory.export())).toBeGreaterThan(1)
  })
})

describe('a write that is not durable yet', () => {
  it('[LIF-11] says so, whatever was written, and others say nothing', async () => {
    const { memory, state } = await open()
    const { record } = await memory.add('Ann plays the cello')
    const other = await memory.add('Ann sings')
    state.durable = false
    const answers = {
      add: await memory.add('Ann dances'),
      addMany: await memory.addMany(['Ann paints']),
      update: await memory.update(record.id, { importance: 1 }),
      supersede: await memory.supersede(other.record.id, 'Ann sings alto'),
      link: await memory.link(record.id, other.record.id, { type: 'with' }),
      facts: await memory.facts.set('home', 'Kiel'),
      kv: await memory.kv.put(['settings'], 'theme', 'dark'),
      learn: await memory.learn('I live in Bonn.'),
      deleteMany: await memory.deleteMany({ filter: {}, kinds: ['kv'] }),
      delete: await memory.delete(record.id),
    }
    for (const [name, answer] of Object.entries(answers)) expect(answer, name).toHaveProperty('durable', false)
    expect(await memory.add('Ann cooks', { dryRun: true })).not.toHaveProperty('durable')
    state.durable = true
    expect(await memory.add('Ann reads')).not.toHaveProperty('durable')
    state.durable = undefined
    expect(await memory.add('Ann writes')).not.toHaveProperty('durable')
  })
})
