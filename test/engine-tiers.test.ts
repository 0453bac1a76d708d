import { afterEach, describe, expect, it } from 'vitest'
import { openMemory } from '../src/index.ts'
import { allScopes } from '../src/model/index.ts'
import { redis } from '../src/stores/redis/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { type TieredOptions, tiered } from '../src/stores/tiered/index.ts'
import { remote } from './fixtures/away.ts'
import { startProxy } from './fixtures/proxy.ts'
import { contents } from './fixtures/reference-stores.ts'
import { freshName, redisUrl } from './fixtures/servers.ts'
import { testFile } from './fixtures/stores.ts'

// An engine over a hot tier on a real Redis and a durable store, each of which may be away; the numbers are those of orchestrata's cases.

const url = (await redisUrl()) ?? ''
const session = { userId: 'ann', sessionId: 's1' }

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})

/** An engine with both tiers behind networks of their own; `behind` names the durable one, so that it may be away at the beginning. */
async function layered({
  away = false,
  path = testFile(),
  prefix = freshName(),
  mode = 'write-through' as TieredOptions['mode'],
  password = new URL(url).password,
} = {}) {
  const network = await startProxy(url)
  const address = new URL(network.url)
  address.password = password
  const cold = remote(sqlite({ path }))
  cold.away = away
  const hot = redis({ url: address.href, prefix, connectTimeoutMs: 300, commandTimeoutMs: 300 })
  const store = tiered({ hot, cold: cold.store, behind: path, staleMs: 200, mode })
  const memory = await openMemory({ store, scope: session, embedder: false })
  opened.push(network, memory)
  return { memory, store, cold, network, path, prefix }
}

const stagesOf = (answer: { degraded?: readonly { stage: string }[] }) =>
  (answer.degraded ?? []).map(({ stage }) => stage)

describe.skipIf(url === '')('an engine over two tiers', () => {
  it('[LIF-4] orchestrata 8: both up is ok, with a line for each; the hot one down degraded; the durable one down', async () => {
    const { memory, cold, network } = await layered()
    expect(await memory.health()).toMatchObject({
      status: 'ok',
      tiers: [
        { name: 'redis', role: 'hot', status: 'ok', latencyMs: expect.any(Number) },
        { role: 'cold', status: 'ok' },
      ],
      metadata: { storeSettings: { mode: 'write-through', hot: 'redis', hotTtlMs: 3_600_000 } },
    })
    await network.refuse()
    const slower = await memory.health()
    expect(slower).toMatchObject({ status: 'degraded', tiers: [{ role: 'hot', status: 'down' }, { status: 'ok' }] })
    expect(slower.tiers[0]?.reason).toBeTruthy()
    await network.restore()
    cold.away = true
    expect(await memory.health()).toMatchObject({ status: 'down', tiers: [{ role: 'hot' }, { status: 'down' }] })
    cold.away = false
    await expect.poll(async () => (await memory.health()).status).toBe('ok')
  })

  it('[LIF-9] orchestrata 61: with the hot tier down every call is answered by the durable one, and says so', async () => {
    const { memory, network } = await layered()
    const { record } = await memory.add('client prefers French')
    await network.refuse()
    const added = await memory.add('client pays late')
    expect(stagesOf(added)).toEqual(['hot'])
    expect(added).not.toHaveProperty('durable')
    const found = await memory.search('client')
    expect(contents(found.results).sort()).toEqual(['client pays late', 'client prefers French'])
    expect(await memory.get(record.id)).toMatchObject({ content: 'client prefers French' })
    await network.restore()
    await expect.poll(async () => stagesOf(await memory.search('client'))).toEqual([])
  })

  it('[LIF-9] a hot tier that lets nobody in is named with the reason, by writes and reads', async () => {
    for (const mode of ['write-through', 'session'] as const) {
      const { memory, store } = await layered({ mode, password: 'hunter2' })
      const told = [await memory.add('client prefers French'), await memory.search('client'), await memory.stats()]
      for (const { degraded = [] } of mode === 'session' ? told : told.slice(0, 2)) {
        expect(degraded).toMatchObject([{ stage: 'hot', code: 'BAD_CONFIG' }])
        expect(degraded[0]?.message).toMatch(/refuses this user or password\. Check them in the URL\.$/)
        expect(degraded[0]?.message).not.toMatch(/hunter2|127\.0\.0\.1|missing|in the answer/)
      }
      // What waits there would come after it.
      const said = expect.stringMatching(/Nothing was erased.*refuses this user or password/)
      if (mode === 'session') await expect(store.erase(allScopes(), ['a'])).rejects.toMatchObject({ message: said })
    }
  })

  it('[LIF-9] without the hot tier a list is whole where nothing waits there, and says what it may lack where something can', async () => {
    const { memory, network } = await layered()
    const { memory: session, network: other } = await layered({ mode: 'session' })
    for (const each of [memory, session]) await each.add('client prefers French')
    for (const each of [network, other]) await each.refuse()
    expect(stagesOf(await memory.list())).toEqual([])
    await expect.poll(async () => stagesOf(await session.list())).toEqual(['hot'])
    for (const each of [memory, session]) expect((await each.list()).records).toHaveLength(1)
  })

  it('[LIF-9] with the durable one down what is said is true of writes as well', async () => {
    const { memory, cold } = await layered({ mode: 'session' })
    cold.away = true
    const { degraded = [] } = await memory.add('client pays late')
    expect(degraded).toMatchObject([{ stage: 'cold', message: expect.stringMatching(/sqlite store: out of reach\.$/) }])
    expect(JSON.stringify(degraded)).not.toMatch(/missing|in the answer/)
  })

  it('[LIF-9] orchestrata 38: with the durable one down a search is answered by the hot tier, as a part', async () => {
    const { memory, cold } = await layered()
    const { record } = await memory.add('invoice of March')
    cold.away = true
    const found = await memory.search('invoice')
    expect(contents(found.results)).toEqual(['invoice of March'])
    expect(stagesOf(found)).toEqual(['cold'])
    expect(stagesOf(await memory.list())).toEqual(['cold'])
    // Of what was found in the hot tier nothing is missing; of what was not, nobody knows.
    expect(await memory.get(record.id)).toMatchObject({ content: 'invoice of March' })
    const unknown = { code: 'BACKEND_UNAVAILABLE' }
    await expect(memory.get('unknown')).rejects.toMatchObject(unknown)
    await expect(memory.update('unknown', { importance: 1 })).rejects.toMatchObject(unknown)
    await expect(memory.add('invoice of April')).rejects.toMatchObject(unknown)
    await expect(memory.changes()).rejects.toMatchObject(unknown)
    await expect(memory.export()[Symbol.asyncIterator]().next()).rejects.toMatchObject(unknown)
    cold.away = false
    expect(stagesOf(await memory.search('invoice'))).toEqual([])
    expect(await memory.get('unknown')).toBeNull()
    await memory.add('invoice of April')
    expect((await memory.list()).records).toHaveLength(2)
  })

  it('[LIF-15] orchestrata 57, 58, 60: opened while the durable one is down it reads what is hot, and goes on without a restart', async () => {
    const { memory: before, path, prefix } = await layered()
    const { record } = await before.add('client prefers French')
    const { memory, cold } = await layered({ away: true, path, prefix })
    await memory.start()
    expect(await memory.get(record.id)).toMatchObject({ content: 'client prefers French' })
    expect(contents((await memory.search('French')).results)).toEqual(['client prefers French'])
    cold.away = false
    expect(await memory.health()).toMatchObject({ status: 'ok' })
    await memory.add('client pays late')
    expect(contents((await memory.list({ order: 'oldest' })).records)).toHaveLength(2)
    expect(stagesOf(await memory.list())).toEqual([])
  })

  it('[LIF-11] session mode: what is added while the durable one is down is not durable, and is when it is back', async () => {
    const { memory, cold } = await layered({ mode: 'session' })
    expect(await memory.add('client prefers French')).not.toHaveProperty('durable')
    cold.away = true
    const added = await memory.add('client pays late')
    expect(added).toMatchObject({ outcome: 'added', durable: false })
    expect(await memory.get(added.record.id)).toMatchObject({ content: 'client pays late' })
    expect(await memory.health()).toMatchObject({ status: 'degraded', tiers: [{ role: 'hot' }, { status: 'down' }] })
    expect(await memory.learn('I live in Bonn.')).toMatchObject({ durable: false })
    cold.away = false
    await expect.poll(async () => (await memory.health()).status, { timeout: 10_000 }).toBe('ok')
    expect(await memory.add('client sends flowers')).not.toHaveProperty('durable')
    expect(contents((await memory.list({ order: 'oldest' })).records)).toContain('client pays late')
  })

  it('[LIF-12] orchestrata 46, 47, 50: a session is moved, again with nothing to move, and not while the durable one is down', async () => {
    const { memory, cold } = await layered({ mode: 'session' })
    for (const text of ['one', 'two', 'three']) await memory.add(text)
    for (const text of ['four', 'five']) await memory.add(text, { scope: { ...session, sessionId: 's2' } })
    cold.away = true
    await expect(memory.migrateToCold('s1')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    cold.away = false
    expect(await memory.migrateToCold('s1')).toEqual({ migrated: 3, remaining: 0 })
    expect(await memory.migrateToCold('s1')).toEqual({ migrated: 0, remaining: 0 })
    const view = memory.scoped({ userId: 'ann' })
    expect(await view.migrateToCold('s2')).toEqual({ migrated: 2, remaining: 0 })
    const { records } = await view.list({ order: 'oldest' })
    expect(contents(records)).toEqual(['one', 'two', 'three', 'four', 'five'])
  })

  it('[LIF-12] a session of which all is durable is moved without anything to move', async () => {
    const { memory } = await layered()
    await memory.add('client prefers French')
    expect(await memory.migrateToCold('s1')).toEqual({ migrated: 0, remaining: 0 })
    expect((await memory.list()).records).toHaveLength(1)
  })
})
