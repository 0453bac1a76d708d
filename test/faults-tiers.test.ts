import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { MemoryStore, StoreChange } from '../src/contract/index.ts'
import { allScopes, within } from '../src/model/index.ts'
import { memory } from '../src/stores/memory/index.ts'
import { postgres } from '../src/stores/postgres/index.ts'
import { redis } from '../src/stores/redis/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { type TieredOptions, tiered } from '../src/stores/tiered/index.ts'
import { put, transaction } from '../src/testing/index.ts'
import { remote } from './fixtures/away.ts'
import { checkFailures, checkLedger, workDuring } from './fixtures/fault-ledger.ts'
import { type NetworkProxy, startProxy } from './fixtures/proxy.ts'
import { rawRedis } from './fixtures/redis-keys.ts'
import { freshName, privateServer, redisUrl } from './fixtures/servers.ts'
import { testFile } from './fixtures/stores.ts'

// Two tiers of real servers, one of which fails in the middle of writes and reads.

const shared = await redisUrl()
const hotServer = await privateServer('redis')
const coldServer = await privateServer('postgres')

const patience = { timeout: 240_000 }
const closings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

async function opened<T extends MemoryStore>(store: T): Promise<T> {
  await store.open()
  closings.push(() => store.close())
  return store
}

/** Over a file of its own, unless another store is given. */
function over(url: string, parts: Partial<TieredOptions> = {}, prefix = freshName()) {
  const hot = redis({ url, prefix, ttlMs: 60_000, connectTimeoutMs: 500, commandTimeoutMs: 500 })
  return opened(tiered({ hot, cold: sqlite({ path: testFile() }), ...parts }))
}

async function network(url: string): Promise<NetworkProxy> {
  const proxy = await startProxy(url)
  closings.push(() => proxy.close())
  return proxy
}

async function admin(url: string) {
  const raw = await rawRedis(url)
  closings.push(() => raw.close())
  return raw
}

async function tiersOf(store: MemoryStore): Promise<readonly string[]> {
  const health = await store.health!()
  return [health.status, ...health.tiers.map(({ role, status }) => `${role} ${status}`)]
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await wait(50)
}

const isWell = (store: MemoryStore) => until(async () => (await tiersOf(store))[0] === 'ok')
const session = { userId: 'ann', sessionId: 's1' }
const commit = (store: MemoryStore, changes: readonly StoreChange[]) =>
  store.commit(transaction({ id: freshName(), at: Date.now(), changes }))

/** So many memories of the session, a transaction each; their ids. */
async function remember(store: MemoryStore, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => freshName())
  await Promise.all(ids.map((id) => commit(store, [put({ id, scope: session, content: `Memory ${id}.` })])))
  return ids
}

async function idsIn(store: MemoryStore): Promise<string[]> {
  const { items } = await store.list(within(session), { order: 'oldest', limit: 1000 })
  return items.map(({ record }) => record.id).sort()
}

describe.skipIf(hotServer === null)('a hot tier that fails', () => {
  it('[SRV-10] one that ends and comes back empty, again and again, is missed by nobody', patience, async () => {
    const { url, kill, start } = hotServer!
    const store = await over(url)
    const ledger = await workDuring(store, 'tx', async () => {
      for (let round = 0; round < 2; round += 1) {
        await kill()
        expect(await tiersOf(store)).toEqual(['degraded', 'hot down', 'cold ok'])
        await wait(100)
        await start()
        await wait(100)
      }
    })
    expect(ledger.failures).toEqual([])
    await isWell(store)
    await checkLedger(store, ledger)
  })

  it('[SRV-11] a failing way to it costs time and nothing else', patience, async () => {
    const proxy = await network(hotServer!.url)
    const store = await over(proxy.url)
    const ledger = await workDuring(store, 'tx', async () => {
      const faults = [
        () => proxy.cut(),
        () => proxy.cutAfter(300, 'answers'),
        () => proxy.cutAfter(300, 'requests'),
        () => proxy.halfClose(),
        () => proxy.delay(30),
        () => proxy.hold(),
        () => proxy.refuse(),
      ]
      for (const fault of faults) {
        await fault()
        await wait(150)
        await proxy.restore()
        await wait(50)
      }
    })
    expect(ledger.failures).toEqual([])
    await isWell(store)
    await checkLedger(store, ledger)
  })

  it('[SRV-12] one that is full and evicts nothing is told as degraded, and all is written', patience, async () => {
    const { client } = await admin(hotServer!.url)
    const store = await over(hotServer!.url)
    await remember(store, 5)
    await client.configSet({ maxmemory: '1mb', 'maxmemory-policy': 'noeviction' })
    const ids = await remember(store, 20)
    expect((await store.get(allScopes(), ids)).every((stored) => stored !== null)).toBe(true)
    const health = await store.health!()
    expect(health.tiers[0]).toMatchObject({ role: 'hot', status: 'degraded', reason: expect.any(String) })
    await client.configSet({ maxmemory: '0' })
    await isWell(store)
    expect(await idsIn(store)).toHaveLength(25)
    expect(await store.verify()).toEqual([])
  })

  it('[SRV-13] one that evicts whatever it likes changes no answer', patience, async () => {
    const { client } = await admin(hotServer!.url)
    const store = await over(hotServer!.url)
    const used = Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1])
    await client.configSet({ maxmemory: String(used + 300_000), 'maxmemory-policy': 'allkeys-lru' })
    const evictedBefore = Number(/^evicted_keys:(\d+)/m.exec(await client.info('stats'))?.[1])
    const ids: string[] = []
    for (let round = 0; round < 12; round += 1) {
      const id = freshName()
      ids.push(id)
      await commit(store, [put({ id, scope: session, content: `${id} `.repeat(8000) })])
      await commit(store, [{ type: 'remove', op: 'delete', id: ids[Math.floor(round / 2)] as string }])
      const found = await store.get(allScopes(), ids)
      const gone = new Set(ids.slice(0, Math.floor(round / 2) + 1))
      expect(found.map((stored) => stored?.record.id ?? null)).toEqual(
        ids.map((each) => (gone.has(each) ? null : each)),
      )
    }
    expect(Number(/^evicted_keys:(\d+)/m.exec(await client.info('stats'))?.[1])).toBeGreaterThan(evictedBefore)
    await client.configSet({ maxmemory: '0', 'maxmemory-policy': 'noeviction' })
    expect(await store.verify()).toEqual([])
  })
})

describe.skipIf(shared === null)('migrations', () => {
  it('[SRV-14] what expires in the hot tier while it is migrated is not lost', patience, async () => {
    const prefix = freshName()
    const store = await over(shared!, { mode: 'session' }, prefix)
    const raw = await admin(shared!)
    const ids = await remember(store, 60)
    let isOver = false
    const expiring = (async () => {
      while (!isOver) {
        await raw.drop(await raw.keys(`${prefix}:`))
        await wait(1)
      }
    })()
    const moved = await store.migrateToCold!(session)
    isOver = true
    await expiring
    expect(moved).toEqual({ migrated: 60, remaining: 0 })
    expect(await idsIn(store)).toEqual(ids.sort())
    expect(await store.migrateToCold!(session)).toEqual({ migrated: 0, remaining: 0 })
    expect(await store.verify()).toEqual([])
  })

  it('[SRV-15] two at once move each memory once', patience, async () => {
    const [prefix, path] = [freshName(), testFile()]
    const stores = [
      await over(shared!, { mode: 'session', cold: sqlite({ path }) }, prefix),
      await over(shared!, { mode: 'session', cold: sqlite({ path }) }, prefix),
    ]
    const ids = (await Promise.all(stores.map((store) => remember(store, 40)))).flat()
    const moved = await Promise.all(stores.map((store) => store.migrateToCold!(session)))
    expect(moved.reduce((sum, { migrated }) => sum + migrated, 0)).toBe(80)
    for (const store of stores) {
      expect(await idsIn(store)).toEqual(ids.sort())
      expect((await store.get(allScopes(), ids)).map((stored) => stored?.record.version)).toEqual(ids.map(() => 1))
      expect(await store.verify()).toEqual([])
    }
  })
})

describe.skipIf(shared === null)('what waits in a hot tier that fails', () => {
  it(
    '[SRV-21] of a transaction whose answer is lost it is told that it waits, or that nobody knows; it is written once',
    patience,
    async () => {
      const proxy = await network(shared!)
      const cold = remote(memory())
      const hot = redis({ url: proxy.url, prefix: freshName(), connectTimeoutMs: 500, commandTimeoutMs: 500 })
      let isCut = false
      const push: typeof hot.queue.push = (entry, bound) => {
        if (isCut) proxy.cutAfter(1, 'answers')
        isCut = false
        return hot.queue.push(entry, bound)
      }
      const store = await over(proxy.url, {
        mode: 'session',
        cold: cold.store,
        hot: { ...hot, queue: { ...hot.queue, push } },
      })
      cold.away = true
      const add = (id: string) => commit(store, [put({ id, scope: session })])
      await add('before')
      isCut = true
      const waits = add('waits')
      await until(async () => !isCut)
      await wait(30)
      await proxy.restore()
      expect((await waits).durable).toBe(false)
      isCut = true
      const failure = await add('unknown').catch((error: unknown) => error)
      const details = { outcome: 'unknown', tx: expect.any(String) }
      expect(failure).toMatchObject({ code: 'BACKEND_UNAVAILABLE', details })
      await proxy.restore()
      cold.away = false
      await isWell(store)
      await until(async () => (await idsIn(store)).length === 3)
      expect(await idsIn(store)).toEqual(['before', 'unknown', 'waits'])
      const { entries } = await store.log(null)
      expect(entries.flatMap(({ changes }) => changes)).toHaveLength(3)
      expect(await store.migrateToCold!(session)).toEqual({ migrated: 3, remaining: 0 })
    },
  )
})

describe.skipIf(shared === null || coldServer === null)('a durable tier that fails', () => {
  const cold = () => postgres({ url: coldServer!.url, schema: freshName(), poolSize: 6 })

  it(
    '[SRV-16] written through, nothing that was acknowledged is lost, and the rest is told as failed',
    patience,
    async () => {
      const store = await over(shared!, { cold: cold() })
      const ledger = await workDuring(store, 'tx', async () => {
        await coldServer!.kill()
        await until(async () => (await tiersOf(store)).includes('cold down'))
        await wait(300)
        await coldServer!.start()
      })
      expect(ledger.failures.length).toBeGreaterThan(0)
      await isWell(store)
      await checkLedger(store, ledger)
      checkFailures(ledger.failures, new URL(coldServer!.url).password)
    },
  )

  it(
    '[SRV-17] by session, what is added meanwhile is taken in as not durable, and is durable when it is back',
    patience,
    async () => {
      const store = await over(shared!, { mode: 'session', cold: cold() })
      const ids = await remember(store, 5)
      await coldServer!.kill()
      const id = freshName()
      const answer = await commit(store, [put({ id, scope: session })])
      expect(answer.durable).toBe(false)
      expect(await tiersOf(store)).toEqual(['degraded', expect.stringMatching(/^hot/), 'cold down'])
      const health = await store.health!()
      expect(health.tiers[0]).toMatchObject({ waiting: 1 })
      await coldServer!.start()
      await isWell(store)
      expect(await idsIn(store)).toEqual([...ids, id].sort())
      expect(await store.migrateToCold!(session)).toEqual({ migrated: 6, remaining: 0 })
      expect(await store.verify()).toEqual([])
    },
  )
})
