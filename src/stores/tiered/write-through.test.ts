import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { remote } from '../../../test/fixtures/away.ts'
import { startProxy } from '../../../test/fixtures/proxy.ts'
import { rawRedis } from '../../../test/fixtures/redis-keys.ts'
import { freshName, redisUrl } from '../../../test/fixtures/servers.ts'
import { testFile } from '../../../test/fixtures/stores.ts'
import type { HotTier, MemoryStore, StoreDegradation } from '../../contract/index.ts'
import { allScopes, within } from '../../model/index.ts'
import { put, transaction, unitVector } from '../../testing/index.ts'
import { memory } from '../memory/index.ts'
import { redis } from '../redis/index.ts'
import { sqlite } from '../sqlite/index.ts'
import { type TieredOptions, type TieredStore, tiered } from './index.ts'
import { wordId } from './word.ts'

const url = (await redisUrl()) ?? ''
const all = allScopes()
const scope = { userId: 'ann' }
const staleMs = 200

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})

async function open(options: Partial<TieredOptions> & Pick<TieredOptions, 'cold'>): Promise<TieredStore> {
  const store = tiered({ hot: redis({ url, prefix: freshName() }), staleMs, ...options })
  opened.push(store)
  await store.open()
  return store
}

/** Processes over one cold store and one hot tier, each with a network of its own to either. */
async function processes(count: number) {
  const [path, prefix] = [testFile(), freshName()]
  return Promise.all(
    Array.from({ length: count }, async () => {
      const network = await startProxy(url)
      const cold = remote(sqlite({ path }))
      const hot = redis({ url: network.url, prefix })
      const store = await open({ hot, cold: cold.store })
      opened.push(network)
      return { store, cold, hot, network }
    }),
  )
}

let ids = 0
const fresh = () => `tx${++ids}`
const write = (store: MemoryStore, ...changes: Parameters<typeof transaction>[0]['changes']) =>
  store.commit(transaction({ id: fresh(), at: Date.now(), changes }))
const contentOf = async (store: MemoryStore, id: string) => (await store.get(all, [id]))[0]?.record.content ?? null
const readsOf = ({ asked }: ReturnType<typeof remote>) =>
  asked.filter(({ method, given }) => method === 'get' && !(given[1] as string[]).includes(wordId)).length

describe('tiered options', () => {
  it('[TIR-1] what can not be meant is BAD_CONFIG, and nothing is touched before open', () => {
    const hot = redis({ url: 'redis://127.0.0.1:1' })
    const refused = [{ hot }, { cold: memory() }, {}, { hot: memory(), cold: memory() }, { hot, cold: hot }]
    const bad: object[] = [{ mode: 'both' }, { maxWaiting: -1 }, { maxWaiting: 1.5 }, { staleMs: 99 }, { behind: '' }]
    for (const options of [...refused, ...bad.map((one) => ({ hot, cold: memory(), ...one }))]) {
      expect(() => tiered(options as TieredOptions), JSON.stringify(options)).toThrow(
        expect.objectContaining({ code: 'BAD_CONFIG' }),
      )
    }
    expect(tiered({ hot, cold: memory() }).name).toBe('tiered (redis over memory)')
  })
})

describe.skipIf(url === '')('write-through', () => {
  it('[TIR-2] what was written is in both tiers; the hot one answers without a question to the cold one', async () => {
    const cold = remote(memory())
    const store = await open({ cold: cold.store })
    await write(store, put({ id: 'a', content: 'one' }, { vector: unitVector([1, 2]) }))
    expect((await cold.store.get(all, ['a']))[0]?.record.content).toBe('one')
    const before = readsOf(cold)
    expect((await store.get(all, ['a']))[0]).toMatchObject({ record: { content: 'one' }, vector: unitVector([1, 2]) })
    await write(store, put({ id: 'a', content: 'two' }))
    expect(await contentOf(store, 'a')).toBe('two')
    expect(readsOf(cold)).toBe(before)
  })

  it('[TIR-3] what the hot tier has lost comes from the cold one, and is in the hot one again', async () => {
    const [cold, hot] = [remote(memory()), redis({ url, prefix: freshName() })]
    const store = await open({ cold: cold.store, hot })
    await write(store, put({ id: 'a', content: 'one', scope }), put({ id: 'b', scope: { userId: 'bob' } }))
    await hot.flushEpoch()
    const before = readsOf(cold)
    expect(await store.get(within(scope), ['a', 'nobody', 'b'], { bare: true })).toMatchObject([
      { record: { content: 'one' } },
      null,
      null,
    ])
    expect(await contentOf(store, 'a')).toBe('one')
    expect(readsOf(cold)).toBe(before + 1)
  })

  it('[TIR-15] records that are read together are of one moment, though some are hot and some are not', async () => {
    const [one, two] = await processes(2)
    const [ids, both] = [['a', 'b'], (content: string) => ['a', 'b'].map((id) => put({ id, content }))]
    await write(one!.store, ...both('old'))
    await one!.hot.evict(['b'])
    // Between the answer of the hot tier and the question to the cold one another process writes both.
    const inner = one!.cold.store.get
    one!.cold.store.get = async (scope, asked, options) => {
      // The look for words of others comes in between at any time.
      if (!asked.includes('b')) return inner(scope, asked, options)
      one!.cold.store.get = inner
      await write(two!.store, ...both('new'))
      return inner(scope, asked, options)
    }
    const read = await one!.store.get(all, ids)
    expect(new Set(read.map((stored) => stored?.record.content))).toEqual(new Set(['new']))
  })

  it('[TIR-4] what is deleted or erased is gone from both, and no reader of before brings it back', async () => {
    const [one, two] = await processes(2)
    for (const id of ['a', 'b']) await write(one!.store, put({ id, content: 'secret' }))
    await one!.hot.flushEpoch()
    // A reader that has looked, and is not done when the record goes.
    const late = async (id: string, gone: () => Promise<unknown>) => {
      const [answer] = await two!.hot.get(all, [id])
      const [stored] = await two!.cold.store.get(all, [id])
      await gone()
      const lease = answer?.state === 'miss' ? answer.lease : ''
      expect(lease).not.toBe('')
      expect(await two!.hot.putIfNewer([{ stored: stored!, lease }])).toEqual([false])
      expect(await two!.store.get(all, [id])).toEqual([null])
    }
    await late('a', () => write(one!.store, { type: 'remove', op: 'delete', id: 'a' }))
    await late('b', () => one!.store.erase(all, ['b']))
  })

  it('[TIR-4] what a reader fills while a deletion begins does not stay in the hot tier either', async () => {
    const [cold, prefix] = [memory(), freshName()]
    const hot = redis({ url, prefix })
    const between = { ...hot, hold: (ids: readonly string[]) => fill().then(() => hot.hold(ids)) }
    const store = await open({ cold, hot: between, behind: 'x' })
    const fill = async () => {
      const [stored] = await cold.get(all, ['a'])
      const [answer] = await hot.get(all, ['a'])
      if (stored && answer?.state === 'miss') await hot.putIfNewer([{ stored, lease: answer.lease }])
    }
    await write(store, put({ id: 'a', content: 'secret' }))
    const raw = await rawRedis(url)
    opened.push(raw)
    const entries = async () => (await raw.keys(prefix)).filter((key) => key.includes(':entry:'))
    expect(await entries()).toHaveLength(1)
    await write(store, { type: 'remove', op: 'delete', id: 'a' })
    expect(await entries()).toEqual([])
  })

  it('[TIR-5] an erase takes entries that name what was erased as well', async () => {
    const [cold, hot] = [memory(), redis({ url, prefix: freshName() })]
    const store = await open({ cold, hot })
    await write(store, put({ id: 'old' }), put({ id: 'new', supersedes: 'old' }))
    expect((await store.get(all, ['new']))[0]?.record.supersedes).toBe('old')
    await store.erase(all, ['old'])
    expect((await store.get(all, ['new']))[0]?.record.supersedes).toMatch(/^erased:/)
    const held = []
    for await (const { record } of hot.scan(all)) held.push(record)
    expect(JSON.stringify(held)).not.toContain('"old"')
  })

  it('[TIR-5] an erase whose answer was lost is finished by the same call again, though its id is used by then', async () => {
    const inner: MemoryStore = memory()
    const cold = remote(inner)
    const store = await open({ cold: cold.store })
    await write(store, put({ id: 'old' }), put({ id: 'new', supersedes: 'old' }))
    cold.fails = (method) => method === 'erase'
    await inner.erase(all, ['old'], { tx: 'the-erase' })
    await expect(store.erase(all, ['old'], { tx: 'the-erase' })).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    cold.fails = () => false
    await expect(store.erase(all, ['old'], { tx: 'the-erase' })).rejects.toMatchObject({ code: 'CONFLICT' })
    expect((await store.get(all, ['new']))[0]?.record.supersedes).toMatch(/^erased:/)
  })

  it('[TIR-6] late vectors and uses show at once, whichever process they come from', async () => {
    const [one, two] = await processes(2)
    await write(one!.store, put({ id: 'a' }))
    expect((await two!.store.get(all, ['a']))[0]?.vector).toBeNull()
    await one!.store.derive([{ id: 'a', version: 1, vector: unitVector([3, 4]) }], [{ id: 'a', at: 5 }])
    for (const { store } of [one!, two!]) {
      expect((await store.get(all, ['a']))[0]).toMatchObject({ vector: unitVector([3, 4]), record: { accessCount: 1 } })
    }
    await two!.store.derive([], [{ id: 'a', at: 7 }])
    expect((await one!.store.get(all, ['a']))[0]?.record.accessCount).toBe(2)
    expect((await one!.cold.store.get(all, ['a']))[0]?.record.accessCount).toBe(2)
  })

  it('[TIR-7] a write that the hot tier could not be told of is seen at once here, and within staleMs elsewhere', async () => {
    const [one, two] = await processes(2)
    const lacks: StoreDegradation[] = []
    await one!.store.close()
    await one!.store.open({ onDegraded: (lack) => lacks.push(lack) })
    await write(one!.store, put({ id: 'a', content: 'old' }))
    expect(await contentOf(two!.store, 'a')).toBe('old')
    await one!.network.refuse()
    await write(one!.store, put({ id: 'a', content: 'new' }))
    expect(lacks).toContainEqual(expect.objectContaining({ stage: 'hot' }))
    expect(await contentOf(one!.store, 'a')).toBe('new')
    await wait(staleMs)
    expect(await contentOf(two!.store, 'a')).toBe('new')
    expect((await one!.store.health()).tiers[0]).toMatchObject({ role: 'hot', status: 'down' })
    await one!.network.restore()
    await vi.waitFor(async () => expect((await one!.store.health()).status).toBe('ok'), { timeout: 10_000 })
    await vi.waitFor(
      async () => {
        const now = readsOf(one!.cold)
        expect(await contentOf(one!.store, 'a')).toBe('new')
        expect(readsOf(one!.cold)).toBe(now)
      },
      { timeout: 10_000 },
    )
  })

  it('[TIR-8] a dead hot tier is no obstacle: opening, writing, reading, and it is used again when it is back', async () => {
    const network = await startProxy(url)
    opened.push(network)
    await network.refuse()
    const cold = remote(memory())
    const store = await open({ hot: redis({ url: network.url, prefix: freshName() }), cold: cold.store })
    await write(store, put({ id: 'a', content: 'one' }))
    expect(await contentOf(store, 'a')).toBe('one')
    expect((await store.health()).status).toBe('degraded')
    await network.restore()
    await vi.waitFor(
      async () => {
        const before = readsOf(cold)
        expect(await contentOf(store, 'a')).toBe('one')
        expect(readsOf(cold)).toBe(before)
      },
      { timeout: 10_000 },
    )
    expect((await store.health()).status).toBe('ok')
  })

  it('[TIR-9] with the cold store away a write fails and nothing of it is shown; what the hot tier holds is read', async () => {
    const [here] = await processes(1)
    const { store, cold } = here!
    await write(store, put({ id: 'a', content: 'one' }), put({ id: 'z', content: 'last' }))
    cold.away = true
    await expect(write(store, put({ id: 'a', content: 'two' }))).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    await expect(write(store, put({ id: 'z' }))).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    expect(await contentOf(store, 'z')).toBe('last')
    await expect(store.get(all, ['a', 'nobody'])).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    const down = await store.health()
    expect(down.status).toBe('down')
    expect(down.tiers[1]?.reason).toMatch(/[^.:]\. Writes fail, and only what the hot tier holds is read\.$/)
    cold.away = false
    expect(await store.get(all, ['a', 'b'])).toMatchObject([{ record: { content: 'one' } }, null])
    expect((await store.health()).status).toBe('ok')
  })

  it('[TIR-10] who listens is answered from the hot tier while the cold store is away, and told what is missing', async () => {
    const lacks: StoreDegradation[] = []
    const cold = remote(memory())
    const store = tiered({ hot: redis({ url, prefix: freshName() }), cold: cold.store, staleMs })
    opened.push(store)
    await store.open({ onDegraded: (lack) => lacks.push(lack) })
    await write(store, put({ id: 'a', scope, key: 'k', content: 'one' }), put({ id: 'b', scope: { userId: 'bob' } }))
    const { cursor, derived } = await store.log(null)
    cold.away = true
    const told = async <T>(work: Promise<T>): Promise<T> => {
      lacks.length = 0
      const answer = await work
      expect(lacks).toContainEqual(expect.objectContaining({ stage: 'cold', code: 'BACKEND_UNAVAILABLE' }))
      return answer
    }
    expect((await told(store.get(all, ['a', 'nobody'])))[1]).toBeNull()
    const page = await told(store.list(within(scope), { order: 'newest', limit: 5 }))
    expect(page.items.map(({ record }) => record.id)).toEqual(['a'])
    expect((await told(store.stats(all, { now: 0 }))).counts.reduce((sum, { count }) => sum + count, 0)).toBe(2)
    const claims = [{ type: 'key', scope, kind: 'semantic', value: 'k' }] as const
    expect((await told(store.holders(claims)))[0]?.record.id).toBe('a')
    const shown = await told(store.log(cursor))
    expect(shown.entries.flatMap(({ changes }) => changes)).toHaveLength(2)
    expect(shown.derived).toBe(derived)
    expect((await told(store.log(shown.cursor))).entries).toEqual([])
    await expect(store.list(all, { order: 'newest', limit: 5, hash: 'h' })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    })
    cold.away = false
    const next = await write(store, put({ id: 'c' }))
    expect((await store.log(shown.cursor)).entries.map(({ id }) => id)).toEqual([next.tx])
    const asOf = { position: shown.cursor }
    expect((await store.list(all, { order: 'oldest', limit: 9 }, { asOf })).items).toHaveLength(2)
  })

  it('[TIR-11] opened while the cold store is away it reads what is hot, and goes on when that is back', async () => {
    const [prefix, behind, inner] = [freshName(), 'main', memory()]
    const first = await open({ hot: redis({ url, prefix }), cold: inner, behind })
    await write(first, put({ id: 'a', content: 'one' }))
    const cold = remote(inner)
    cold.away = true
    const second = await open({ hot: redis({ url, prefix }), cold: cold.store, behind })
    expect(await contentOf(second, 'a')).toBe('one')
    await expect(write(second, put({ id: 'b' }))).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    cold.away = false
    await write(second, put({ id: 'b', content: 'two' }))
    expect(await contentOf(second, 'b')).toBe('two')
    expect(await contentOf(first, 'b')).toBe('two')
    // Without a name for what is behind, nothing hot is known to be of this store: it waits.
    cold.away = true
    const third = await open({ hot: redis({ url, prefix }), cold: cold.store })
    await expect(third.get(all, ['a'])).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    cold.away = false
    expect(await contentOf(third, 'a')).toBe('one')
  })

  it('[TIR-12] with both away opening fails and so does everything, and nothing is taken for written', async () => {
    const network = await startProxy(url)
    opened.push(network)
    const cold = remote(memory())
    const make = () => tiered({ hot: redis({ url: network.url, prefix: freshName() }), cold: cold.store, behind: 'x' })
    const store = make()
    opened.push(store)
    await store.open({ onDegraded: () => undefined })
    await network.refuse()
    cold.away = true
    await expect(make().open()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    const calls = [
      write(store, put({ id: 'a' })),
      store.list(all, { order: 'newest', limit: 1 }),
      store.log(null),
      store.stats(all, { now: 0 }),
      store.head(),
    ]
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    const { status, tiers } = await store.health()
    expect(status).toBe('down')
    expect(tiers[1]?.reason).toMatch(/ The hot tier is down too: nothing is read or written\.$/)
  })

  it('[TIR-13] tiers of different cold stores never meet, though they share a server and a prefix', async () => {
    const prefix = freshName()
    const [one, two] = [
      await open({ hot: redis({ url, prefix }), cold: memory() }),
      await open({ hot: redis({ url, prefix }), cold: memory() }),
    ]
    await write(one, put({ id: 'a', content: 'one' }))
    expect(await contentOf(two, 'a')).toBeNull()
    await write(two, put({ id: 'a', content: 'two' }))
    expect([await contentOf(one, 'a'), await contentOf(two, 'a')]).toEqual(['one', 'two'])
  })

  it('[TIR-14] a write whose fate is unknown leaves misses: what is read is what the cold store has', async () => {
    const inner: MemoryStore = memory()
    const cold = remote(inner)
    const hot: HotTier = redis({ url, prefix: freshName() })
    const store = await open({ cold: cold.store, hot })
    await write(store, put({ id: 'a', content: 'old' }))
    const change = transaction({ id: fresh(), at: Date.now(), changes: [put({ id: 'a', content: 'new' })] })
    // The answer is lost: it was written all the same.
    const lost = vi.fn((method: string) => method === 'commit')
    cold.fails = lost
    await inner.commit(change)
    await expect(store.commit(change)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    cold.fails = () => false
    expect(await contentOf(store, 'a')).toBe('new')
  })
})
