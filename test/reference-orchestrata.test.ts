import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { memoryContext, openMemory } from '../src/index.ts'
import { memory as memoryStore } from '../src/stores/memory/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import { contents, open, refusal } from './fixtures/reference-stores.ts'

// Cases of orchestrata, by their numbers: the life cycle, the memory of a run, and what every store holds. Its two layers come with theirs.

const folder = mkdtempSync(join(tmpdir(), 'mneme-orchestrata-'))
afterEach(() => vi.unstubAllEnvs())
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const project = { appId: 'project' }
const session = (sessionId: string) => ({ ...project, sessionId })

/** A store that counts how often it was opened and closed. */
function counted() {
  const inner = memoryStore()
  const counts = { opened: 0, closed: 0 }
  const store: typeof inner = {
    ...inner,
    open(options) {
      counts.opened++
      return inner.open(options)
    },
    close() {
      counts.closed++
      return inner.close()
    },
  }
  return { store, counts }
}

describe('orchestrata: the life cycle', () => {
  it('[LIF-8] orchestrata 1, 3: started once or several times, one store is open', async () => {
    const { store, counts } = counted()
    const memory = await openMemory({ store, scope: project, embedder: false })
    expect(counts).toEqual({ opened: 0, closed: 0 })
    await memory.start()
    await Promise.all([memory.start(), memory.start()])
    expect(counts).toEqual({ opened: 1, closed: 0 })
    await memory.close()
  })

  it('[LIF-8] orchestrata 4: stopping again, or before any start, is no error', async () => {
    const { store, counts } = counted()
    const memory = await openMemory({ store, scope: project, embedder: false })
    await memory.stop()
    expect(counts).toEqual({ opened: 0, closed: 0 })
    await memory.start()
    await Promise.all([memory.stop(), memory.stop()])
    await memory.stop()
    expect(counts).toEqual({ opened: 1, closed: 1 })
  })

  it('[LIF-8] orchestrata 5: after a stop, start and every call work again', async () => {
    const path = join(folder, 'again.db')
    const memory = await openMemory({ path, scope: project, embedder: false })
    const { record } = await memory.add('client prefers French')
    await memory.stop()
    await memory.start()
    expect(await memory.get(record.id)).toEqual(record)
    await memory.stop()
    expect(await memory.get(record.id)).toEqual(record)
    await memory.add('client pays late')
    expect((await memory.list()).records).toHaveLength(2)
    await memory.close()
    for (const call of [memory.start(), memory.add('x'), memory.health()])
      await expect(call).rejects.toMatchObject(refusal('ENGINE_CLOSED') as object)
    await memory.stop()
    await memory.close()
  })

  it('[LIF-8] orchestrata 6: a call before any start opens by itself', async () => {
    const { store, counts } = counted()
    const memory = await openMemory({ store, scope: project, embedder: false })
    await Promise.all([memory.add('one'), memory.add('two')])
    expect(counts).toEqual({ opened: 1, closed: 0 })
    await memory.close()
  })

  it('[LIF-8] after a stop that failed, start and every call work again', async () => {
    const { store } = counted()
    const failure = new Error('the store did not close')
    let fails = true
    const memory = await openMemory({
      store: { ...store, close: () => (fails ? Promise.reject(failure) : store.close()) },
      scope: project,
      embedder: false,
    })
    await memory.add('client prefers French')
    await expect(memory.stop()).rejects.toBe(failure)
    fails = false
    await memory.start()
    expect(contents((await memory.list()).records)).toEqual(['client prefers French'])
    await memory.close()
  })

  it('[LIF-1] orchestrata 7: a place in the environment is the default, and one that is given wins', async () => {
    vi.stubEnv('MNEME_STORE', `sqlite:${join(folder, 'environment.db')}`)
    const places = [undefined, join(folder, 'given.db')]
    for (const path of places) {
      const memory = await openMemory({ path, scope: project, embedder: false })
      await memory.add(`in ${path ?? 'the environment'}`)
      await memory.close()
    }
    vi.unstubAllEnvs()
    const found = places.map(async (path) => {
      const memory = await openMemory({ path: path ?? join(folder, 'environment.db'), scope: project, embedder: false })
      const { records } = await memory.list()
      await memory.close()
      return contents(records)
    })
    expect(await Promise.all(found)).toEqual([['in the environment'], [`in ${places[1]}`]])
  })

  it('[LIF-7] orchestrata 9: metadata has name, version, dimensions, counter and lifetimes at any time', async () => {
    const { store, counts } = counted()
    const memory = await openMemory({ store, scope: project, kinds: { episodic: { ttlDays: 30 } } })
    expect(memory.metadata).toMatchObject({
      name: 'mneme',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      embedder: { dimensions: 256 },
      tokenCounter: 'words',
      ttlDays: { episodic: 30 },
    })
    await memory.close()
    expect(memory.metadata.store).toBe('memory')
    expect(counts).toEqual({ opened: 0, closed: 0 })
  })
})

describe('orchestrata: the memory of a run', () => {
  it('[CTX-1] orchestrata 77: code in a run recalls from the engine of the run, without a parameter', async () => {
    const [first, second] = [await open(), await open()]
    await first.add('from the first', { scope: session('s1') })
    await second.add('from the second', { scope: session('s1') })
    const recall = async () => {
      await setImmediate()
      return contents((await memoryContext.current()?.search('from the'))?.results ?? [])
    }
    const runs = [first, second].map((engine) => memoryContext.run({ engine, scope: session('s1') }, recall))
    expect(await Promise.all(runs)).toEqual([['from the first'], ['from the second']])
    expect(await recall()).toEqual([])
  })

  it('[CTX-2] orchestrata 80: after a run that failed the next one does not see its memory', async () => {
    const engine = await open()
    const failing = memoryContext.run({ engine, scope: session('s1') }, async () => {
      await setImmediate()
      throw new Error('the run broke')
    })
    await expect(failing).rejects.toThrow('the run broke')
    expect(memoryContext.current()).toBeNull()
    await memoryContext.run({ engine, scope: session('s2') }, async () => {
      expect(memoryContext.current()?.scope).toEqual(session('s2'))
    })
  })
})

describe('orchestrata: what every store holds', () => {
  it('[REC-1] orchestrata 15, 20: an unknown id is null, and an empty content is refused', async () => {
    const memory = await open()
    expect(await memory.get('unknown')).toBeNull()
    await expect(memory.add('')).rejects.toMatchObject(refusal('INVALID_RECORD') as object)
  })

  it('[RED-22] orchestrata 22: tags narrow: b finds both, a the one', async () => {
    const memory = await open()
    await memory.add({ content: 'e1', tags: ['a', 'b'] })
    await memory.add({ content: 'e2', tags: ['b'] })
    const tagged = async (tag: string) => contents((await memory.list({ tags: [tag], order: 'oldest' })).records)
    expect([await tagged('b'), await tagged('a')]).toEqual([['e1', 'e2'], ['e1']])
  })

  it('[SCO-2] orchestrata 23, 24, 56: scopes and sessions are listed and counted apart', async () => {
    const memory = await open()
    for (const text of ['one', 'two', 'three']) await memory.add(text, { scope: session('s1') })
    await memory.add('four', { scope: session('s2') })
    const in1 = await memory.list({ scope: session('s1'), order: 'oldest' })
    expect(contents(in1.records)).toEqual(['one', 'two', 'three'])
    const counts = [session('s1'), session('s2'), project].map(async (scope) => (await memory.stats({ scope })).total)
    expect(await Promise.all(counts)).toEqual([3, 1, 4])
  })

  it('[TIM-5] orchestrata 25: what has expired is not enumerated with its session', async () => {
    const clock = fixedClock()
    const memory = await open({ clock })
    await memory.episodes.record('short', { expiresIn: 1000, scope: session('s1') })
    await memory.episodes.record('long', { scope: session('s1') })
    clock.advance(1000)
    const { records } = await memory.episodes.timeline({ session: 's1', scope: project })
    expect(contents(records)).toEqual(['long'])
  })

  it('[EPI-3] orchestrata 55: of January and March, February to April finds March; the beginning is in, the end is not', async () => {
    const memory = await open()
    for (const date of ['2026-01-15', '2026-03-15', '2026-04-01', '2026-02-01'])
      await memory.episodes.record(date, { eventTime: `${date}T00:00:00Z` })
    const window = { since: '2026-02-01T00:00:00Z', until: '2026-04-01T00:00:00Z' }
    expect(contents((await memory.episodes.timeline(window)).records)).toEqual(['2026-02-01', '2026-03-15'])
    const listed = await memory.list({ ...window, order: 'eventTime' })
    expect(contents(listed.records)).toEqual(['2026-02-01', '2026-03-15'])
  })

  it('[SEA-22] orchestrata 37: of eight candidates the five best', async () => {
    const memory = await open()
    await memory.addMany(Array.from({ length: 8 }, (_, i) => `invoice number ${i}`))
    expect((await memory.search('invoice', { limit: 5 })).results).toHaveLength(5)
  })
})
