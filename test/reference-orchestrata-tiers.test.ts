import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import type { HotTier, MemoryStore, StoredRecord } from '../src/contract/index.ts'
import { hashing } from '../src/embedders/hashing/index.ts'
import { type MemoryEngine, openMemory } from '../src/index.ts'
import { allScopes, exactly } from '../src/model/index.ts'
import { bolt } from '../src/stores/bolt/index.ts'
import { postgres } from '../src/stores/postgres/index.ts'
import { redis } from '../src/stores/redis/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { type TieredStore, tiered } from '../src/stores/tiered/index.ts'
import { type Remote, remote } from './fixtures/away.ts'
import { startProxy } from './fixtures/proxy.ts'
import { contents } from './fixtures/reference-stores.ts'
import { boltUrl, freshName, postgresUrl, redisUrl } from './fixtures/servers.ts'
import { testFile } from './fixtures/stores.ts'

// Cases of orchestrata, by their numbers: a hot layer on a real Redis in front of a durable one. Its scopes are a project and its agents.

const redisAt = await redisUrl()
const postgresAt = await postgresUrl()
const boltAt = await boltUrl()
// A graph server that has just started takes its time, with everything else on the same machine.
vi.setConfig({ testTimeout: 120_000 })

/** The durable layers, each with a function that makes stores over the same data. */
const colds: readonly (readonly [name: string, isThere: boolean, make: () => () => MemoryStore])[] = [
  [
    'sqlite',
    true,
    () => {
      const path = testFile()
      return () => sqlite({ path })
    },
  ],
  [
    'postgres',
    postgresAt !== null,
    () => {
      const schema = freshName()
      return () => postgres({ url: postgresAt ?? undefined, schema, poolSize: 3 })
    },
  ],
  [
    'bolt',
    boltAt !== null,
    () => {
      const namespace = freshName()
      return () => bolt({ url: boltAt ?? undefined, namespace })
    },
  ],
]

const project = { appId: 'project' }
const agent = { ...project, agentId: 'writer' }
const session = (sessionId: string) => ({ ...agent, sessionId })
const all = allScopes()

const opened: { close(): Promise<void> }[] = []
const close = async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
}
afterEach(close)
afterAll(close)

interface Layers {
  readonly memory: MemoryEngine
  readonly store: TieredStore
  readonly cold: Remote
  readonly hot: HotTier
}

async function open(
  makeCold: () => MemoryStore,
  mode: 'write-through' | 'session' = 'write-through',
  more: { readonly ttlMs?: number; readonly away?: boolean; readonly url?: string } = {},
): Promise<Layers> {
  const { ttlMs, away = false, url = redisAt ?? undefined } = more
  const cold = remote(makeCold())
  cold.away = away
  const hot = redis({ url, prefix: freshName(), ttlMs })
  const store = tiered({ hot, cold: cold.store, mode, behind: freshName(), staleMs: 500 })
  const memory = await openMemory({ store, embedder: hashing(), scope: agent })
  opened.push(memory)
  await memory.start()
  return { memory, store, cold, hot }
}

/** Every entry of the hot layer. */
async function entriesOf(hot: HotTier): Promise<StoredRecord[]> {
  const found: StoredRecord[] = []
  for await (const stored of hot.scan(all)) found.push(stored)
  return found
}

const countedIn = async ({ cold }: Layers) =>
  (await cold.store.stats(all, { now: Date.now() })).counts.reduce((sum, { count }) => sum + count, 0)

const unavailable = { code: 'BACKEND_UNAVAILABLE' }

describe.skipIf(redisAt === null).each(colds)('orchestrata: Redis over %s', (_name, isThere, make) => {
  describe.skipIf(!isThere)('store and retrieve', () => {
    it('[TIR-2] orchestrata 11, 18: what is stored is in the hot layer, and read from there', async () => {
      const layers = await open(make())
      const { memory, hot, cold } = layers
      const { record } = await memory.add(
        { content: 'client prefers French', tags: ['pref'] },
        { scope: session('s1') },
      )
      expect(await hot.get(all, [record.id])).toMatchObject([{ state: 'hit', stored: { record } }])
      const before = cold.asked.length
      expect(await memory.get(record.id)).toEqual(record)
      expect(
        cold.asked.slice(before).filter(({ method, given }) => method === 'get' && given[1] === record.id),
      ).toEqual([])
    })

    it('[TIR-20] orchestrata 12: what a session stores is not counted in the durable layer before it is migrated', async () => {
      const layers = await open(make(), 'session')
      await layers.memory.add('client prefers French', { scope: session('s1') })
      expect(await countedIn(layers)).toBe(0)
      expect((await layers.memory.stats()).total).toBe(1)
    })

    it('[TIR-3] orchestrata 15: an id in neither layer is null', async () => {
      const { memory } = await open(make())
      expect(await memory.get('unknown')).toBeNull()
    })

    it('[TIR-22] orchestrata 16: what expires in the hot layer before a migration is not lost', async () => {
      const { memory, hot } = await open(make(), 'session', { ttlMs: 1000 })
      const { record } = await memory.add('client prefers French', { scope: session('s1') })
      await vi.waitFor(async () => expect(await hot.get(all, [record.id])).toMatchObject([{ state: 'miss' }]), 9000)
      expect((await memory.get(record.id))?.content).toBe('client prefers French')
      expect(contents((await memory.search('French')).results)).toEqual([record.content])
    })

    it.each(['write-through', 'session'] as const)(
      '[TIR-33] orchestrata 22, 23, 24, 25: tags, scopes and sessions filter in both layers alike, expired ones aside (%s)',
      async (mode) => {
        const { memory, hot } = await open(make(), mode)
        await memory.add({ content: 'e1', tags: ['a', 'b'] }, { scope: session('s1') })
        await memory.add({ content: 'e2', tags: ['b'] }, { scope: session('s1') })
        await memory.add({ content: 'e3' }, { scope: session('s1') })
        await memory.add({ content: 'e4' }, { scope: session('s2') })
        await memory.add({ content: 'p1' }, { scope: project })
        const ask = async () => ({
          b: contents((await memory.list({ tags: ['b'], order: 'oldest' })).records),
          a: contents((await memory.list({ tags: ['a'] })).records),
          agents: (await memory.stats({ scope: agent })).total,
          projects: (await memory.stats({ scope: project })).total,
          s1: contents((await memory.list({ scope: session('s1'), order: 'oldest' })).records),
        })
        const expected = { b: ['e1', 'e2'], a: ['e1'], agents: 4, projects: 5, s1: ['e1', 'e2', 'e3'] }
        expect(await ask()).toEqual(expected)
        expect((await hot.session(session('s1'))).map(({ content }) => content)).toEqual(['e1', 'e2', 'e3'])
        await memory.migrateToCold('s1')
        await hot.flushEpoch()
        expect(await ask()).toEqual(expected)
      },
    )
  })

  describe.skipIf(!isThere)('search', () => {
    it('[TIR-33] orchestrata 33, 34, 37: hot and cold entries are found, each once, and no more than the limit', async () => {
      const { memory } = await open(make(), 'session')
      await memory.add('invoice of March, paid', { scope: session('s1') })
      await memory.migrateToCold('s1')
      await memory.add('invoice of April, open', { scope: session('s2') })
      const found = async (limit = 10) => contents((await memory.search('invoice', { limit })).results)
      expect((await found()).sort()).toEqual(['invoice of April, open', 'invoice of March, paid'])
      expect(await found(1)).toHaveLength(1)
      await memory.migrateToCold('s2')
      expect(await found()).toHaveLength(2)
    })

    it('[TIR-10] orchestrata 38: with the durable layer down hot hits are found, and the result says that it is a part', async () => {
      const { memory, cold } = await open(make())
      await memory.add('invoice of March, paid', { scope: session('s1') })
      cold.away = true
      const { results, degraded } = await memory.search('invoice')
      expect(contents(results)).toEqual(['invoice of March, paid'])
      expect(degraded).toContainEqual(expect.objectContaining({ stage: 'cold', ...unavailable }))
    })
  })

  describe.skipIf(!isThere)('update and delete', () => {
    it('[TIR-7] orchestrata 41: an update is in both layers: when the hot one expires the new text is read', async () => {
      const { memory, hot, cold } = await open(make())
      const { record } = await memory.add('old text', { scope: session('s1') })
      await memory.update(record.id, { content: 'new text' })
      expect((await memory.get(record.id))?.content).toBe('new text')
      await hot.flushEpoch()
      expect((await memory.get(record.id))?.content).toBe('new text')
      const [kept] = await cold.store.get(all, [record.id])
      expect(kept?.vector?.space).toBe('hashing-256')
    })

    it.each(['write-through', 'session'] as const)(
      '[TIR-4] orchestrata 43: what is deleted is gone from both layers, and no search finds it (%s)',
      async (mode) => {
        const { memory, hot } = await open(make(), mode)
        const { record } = await memory.add('invoice of March, paid', { scope: session('s1') })
        await memory.delete(record.id)
        for (const expired of [false, true]) {
          if (expired) await hot.flushEpoch()
          expect(await memory.get(record.id)).toBeNull()
          expect((await memory.search('invoice')).results).toEqual([])
        }
        expect(await entriesOf(hot)).toEqual([])
      },
    )
  })

  describe.skipIf(!isThere)('migration and sessions', () => {
    async function filled() {
      const layers = await open(make(), 'session')
      const { memory } = layers
      for (const text of ['one', 'two', 'three']) await memory.add(text, { scope: session('s1') })
      for (const text of ['four', 'five']) await memory.add(text, { scope: session('s2') })
      return layers
    }

    it('[TIR-21] orchestrata 46, 47: exactly the entries of one session are moved and counted, and not again', async () => {
      const layers = await filled()
      expect(await layers.memory.migrateToCold('s1')).toMatchObject({ migrated: 3, remaining: 0 })
      expect(await countedIn(layers)).toBe(3)
      const { items } = await layers.cold.store.list(all, { order: 'oldest', limit: 9 })
      expect(contents(items.map(({ record }) => record))).toEqual(['one', 'two', 'three'])
      expect(await layers.memory.migrateToCold('s1')).toMatchObject({ migrated: 0, remaining: 0 })
      expect(await countedIn(layers)).toBe(3)
    })

    it('[TIR-24] orchestrata 49: a failure at the second of three leaves the rest where it was, says 1 of 3, and a retry finishes', async () => {
      const layers = await filled()
      const { memory, cold, hot } = layers
      let commits = 0
      cold.fails = (method) => method === 'commit' && ++commits > 1
      expect(await memory.migrateToCold('s1')).toMatchObject({ migrated: 1, remaining: 2 })
      expect((await hot.session(session('s1'))).map(({ content }) => content)).toEqual(['one', 'two', 'three'])
      cold.fails = () => false
      expect(contents((await memory.list({ scope: session('s1'), order: 'oldest' })).records)).toEqual([
        'one',
        'two',
        'three',
      ])
      expect(await memory.migrateToCold('s1')).toMatchObject({ migrated: 2, remaining: 0 })
      expect(await countedIn(layers)).toBe(3)
    })

    it('[TIR-24] orchestrata 50: with the durable layer out of reach a migration fails, and every entry is there', async () => {
      const { memory, cold, hot } = await filled()
      cold.away = true
      await expect(memory.migrateToCold('s1')).rejects.toMatchObject(unavailable)
      expect((await hot.session(session('s1'))).map(({ content }) => content)).toEqual(['one', 'two', 'three'])
      cold.away = false
      expect((await memory.stats({ scope: session('s1') })).total).toBe(3)
    })

    it('[TIR-21] orchestrata 51: a migrated entry has the id, content, scope, tags, session, times and vector that it had', async () => {
      const { memory, cold, hot } = await open(make(), 'session')
      const { record } = await memory.add(
        { content: 'client prefers French', tags: ['pref'] },
        { scope: session('s1') },
      )
      const [answer] = await hot.get(all, [record.id])
      await memory.migrateToCold('s1')
      const [kept] = await cold.store.get(exactly(session('s1')), [record.id])
      expect(answer).toMatchObject({ state: 'hit', stored: { record, vector: kept?.vector } })
      expect(kept?.record).toEqual(record)
    })

    it('[TIR-21] orchestrata 54: a session that is dropped from the hot layer stays in the durable one', async () => {
      const { memory, store, hot } = await filled()
      await memory.migrateToCold('s1')
      expect(await store.dropSession(session('s1'))).toBe(3)
      expect(await hot.session(session('s1'))).toEqual([])
      expect(contents((await memory.list({ scope: session('s1'), order: 'oldest' })).records)).toEqual([
        'one',
        'two',
        'three',
      ])
    })

    it('[TIR-33] orchestrata 55, 56: times and scopes select alike before and after a migration', async () => {
      const layers = await open(make(), 'session')
      const { memory } = layers
      for (const date of ['2026-01-15', '2026-03-15', '2026-04-01', '2026-02-01'])
        await memory.episodes.record(date, { eventTime: `${date}T00:00:00Z`, scope: session('s1') })
      await memory.add('of the project', { scope: project })
      const ask = async () => {
        const window = { since: '2026-02-01T00:00:00Z', until: '2026-04-01T00:00:00Z' }
        const { records } = await memory.episodes.timeline(window)
        return [
          contents(records),
          (await memory.stats({ scope: agent })).total,
          (await memory.stats({ scope: project })).total,
        ]
      }
      const expected = [['2026-02-01', '2026-03-15'], 4, 5]
      expect(await ask()).toEqual(expected)
      await memory.migrateToCold('s1')
      expect(await ask()).toEqual(expected)
      expect(await countedIn(layers)).toBe(5)
    })
  })

  describe.skipIf(!isThere)('degraded mode', () => {
    it('[TIR-28] orchestrata 57, 58, 60: opened without the durable layer a session stores and reads, and goes on when that is back', async () => {
      const makeCold = make()
      const first = makeCold()
      await first.open()
      await first.close()
      const layers = await open(makeCold, 'session', { away: true })
      const { memory, cold } = layers
      expect((await memory.health()).tiers).toMatchObject([
        { role: 'hot', status: 'ok' },
        { role: 'cold', status: 'down' },
      ])
      const added = await memory.add('client prefers French', { scope: session('s1') })
      expect(added).toMatchObject({ durable: false, degraded: [{ stage: 'cold' }] })
      expect((await memory.get(added.record.id))?.content).toBe('client prefers French')
      expect((await memory.search('French')).results).toHaveLength(1)
      cold.away = false
      expect(await memory.get('unknown')).toBeNull()
      expect((await memory.health()).status).toBe('ok')
      expect((await memory.search('French')).results).toHaveLength(1)
      expect(await memory.migrateToCold('s1')).toMatchObject({ migrated: 1, remaining: 0 })
      expect(await countedIn(layers)).toBe(1)
    })

    it('[TIR-12] orchestrata 61: with both layers out of reach nothing is taken for stored', async () => {
      const network = await startProxy(redisAt ?? '')
      const { memory, cold } = await open(make(), 'session', { url: network.url })
      opened.push(network)
      const { record } = await memory.add('before', { scope: session('s1') })
      await network.refuse()
      cold.away = true
      await expect(memory.add('client prefers French', { scope: session('s1') })).rejects.toMatchObject(unavailable)
      await expect(memory.get(record.id)).rejects.toMatchObject(unavailable)
      await expect(memory.search('French')).rejects.toMatchObject(unavailable)
      expect((await memory.health()).status).toBe('down')
      cold.away = false
      await network.restore()
      expect((await memory.list()).records).toHaveLength(1)
    })
  })
})

describe('orchestrata: the vectors of both layers', () => {
  const embed = (texts: readonly string[]) => hashing().embed(texts, { purpose: 'document' })
  const cosine = ([a, b]: readonly Float32Array[]) => a!.reduce((sum, value, i) => sum + value * b![i]!, 0)

  it('[EMB-5] orchestrata 27, 29, 31, 32, 39: defined for nothing, the same in every process, repeated words count, their order does not', async () => {
    const [empty] = await embed([''])
    expect([...(empty ?? [])].every((value) => value === 0)).toBe(true)
    expect(cosine(await embed(['', 'a']))).toBe(0)
    expect(cosine(await embed(['a a b', 'a b']))).toBeCloseTo(0.9487, 4)
    expect(cosine(await embed(['the client prefers French', 'French prefers the client']))).toBeCloseTo(1, 6)
    // Numbers of another process, written down.
    const [words] = await embed(['budget client dupont'])
    const places = [...(words ?? [])].flatMap((value, i) => (value === 0 ? [] : [[i, Math.sign(value)]]))
    expect(places).toEqual([
      [85, 1],
      [86, 1],
      [138, 1],
    ])
    // Of two dozen words some share a place: what they add cancels on average, and no text is taken for another by it.
    const many = Array.from({ length: 24 }, (_, i) => `word${i}`).join(' ')
    expect(Math.abs(cosine(await embed([many, 'budget client dupont'])))).toBeLessThan(0.5)
  })
})
