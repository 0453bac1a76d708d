import { afterEach, describe, expect, it, vi } from 'vitest'
import type { HotTier } from '../src/contract/index.ts'
import { MnemeError } from '../src/errors/index.ts'
import { allScopes } from '../src/model/index.ts'
import { type RedisOptions, redis } from '../src/stores/redis/index.ts'
import { hotRecord } from './fixtures/hot-records.ts'
import { type NetworkProxy, startProxy } from './fixtures/proxy.ts'
import { rawRedis } from './fixtures/redis-keys.ts'
import { freshName, privateServer, redisUrl } from './fixtures/servers.ts'

// What a hot tier on Redis does when the server or the way to it fails: it says so soon, never with a password, and works again by itself.

const all = allScopes()
const url = await redisUrl()
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

async function tierOver(options: RedisOptions): Promise<HotTier> {
  // Two cores for everything: only where time is what is tested it is short.
  const tier = redis({ prefix: freshName(), commandTimeoutMs: 10_000, connectTimeoutMs: 10_000, ...options })
  open.push(tier)
  await tier.open()
  return tier
}

async function network(): Promise<NetworkProxy> {
  const proxy = await startProxy(url as string)
  open.push(proxy)
  return proxy
}

/** The error of a call that must fail, with nothing in it that must not be told. */
async function failureOf(work: Promise<unknown>): Promise<MnemeError> {
  const error = await work.then(
    () => expect.unreachable('the call should have failed'),
    (reason: unknown) => reason,
  )
  if (!MnemeError.is(error)) throw error
  const told = `${error.message} ${JSON.stringify(error)} ${String(error.cause)} ${error.stack}`
  expect(told).not.toContain(new URL(url as string).password)
  return error
}

/** Until the tier works again, by calls alone. */
function recovered(tier: HotTier): Promise<void> {
  return vi.waitFor(async () => expect((await tier.health()).status).toBe('ok'), { timeout: 20_000, interval: 50 })
}

const put = (tier: HotTier, id: string, version = 1) => tier.putIfNewer([{ stored: hotRecord({ id, version }) }])
const states = async (tier: HotTier, ids: readonly string[]) => (await tier.get(all, ids)).map(({ state }) => state)

describe.skipIf(url === null)('a Redis that fails', () => {
  it('[RDS-10] a server that is down at open is no error of open; calls fail with BACKEND_UNAVAILABLE until it is back', async () => {
    const proxy = await network()
    await proxy.refuse()
    const tier = await tierOver({ url: proxy.url })
    const error = await failureOf(tier.get(all, ['a']))
    expect([error.code, error.retryable]).toEqual(['BACKEND_UNAVAILABLE', true])
    expect((await failureOf(tier.flushEpoch())).code).toBe('BACKEND_UNAVAILABLE')
    const health = await tier.health()
    expect(health).toMatchObject({ role: 'hot', status: 'down', reason: expect.stringContaining('redis') })
    expect(JSON.stringify(health)).not.toContain(new URL(proxy.url).password)
    await proxy.restore()
    await recovered(tier)
    expect(await put(tier, 'a')).toEqual([true])
  })

  it('[RDS-11] a server that does not answer is given up after the time stated, at open too; then the same tier works again', async () => {
    const proxy = await network()
    const tier = await tierOver({ url: proxy.url, commandTimeoutMs: 1000, connectTimeoutMs: 1000 })
    await put(tier, 'a')
    proxy.hold()
    const error = await failureOf(tier.get(all, ['a']))
    expect([error.code, error.details.failure]).toEqual(['BACKEND_TIMEOUT', 'TIMEOUT'])
    // The next ones meet a connection that says nothing, or the memory of it.
    for (let i = 0; i < 3; i++)
      expect(['BACKEND_TIMEOUT', 'BACKEND_UNAVAILABLE']).toContain((await failureOf(tier.get(all, ['a']))).code)
    const silent = await tierOver({ url: proxy.url, commandTimeoutMs: 1000, connectTimeoutMs: 1000 })
    expect((await silent.health()).status).toBe('down')
    await proxy.restore()
    await recovered(tier)
    await recovered(silent)
    expect(await states(tier, ['a'])).toEqual(['hit'])
  })

  it('[RDS-12] a connection that is cut, or half closed, in the middle of calls fails those, and the next ones work', async () => {
    const proxy = await network()
    const tier = await tierOver({ url: proxy.url })
    await put(tier, 'a')
    for (const fail of [() => proxy.cut(), () => proxy.halfClose(), () => proxy.cutAfter(40, 'answers')]) {
      proxy.delay(20)
      const calls = Array.from({ length: 5 }, () => tier.get(all, ['a']))
      const failures = calls.map(failureOf)
      fail()
      for (const failure of failures) expect((await failure).code).toBe('BACKEND_UNAVAILABLE')
      await proxy.restore()
      await recovered(tier)
      expect(await states(tier, ['a'])).toEqual(['hit'])
    }
  })

  it('[RDS-13] a refused password is BAD_CONFIG and said in words, without it', async () => {
    const wrong = new URL(url as string)
    wrong.password = 'not-the-password'
    const tier = await tierOver({ url: wrong.href })
    const error = await failureOf(tier.get(all, ['a']))
    expect([error.code, error.message]).toEqual([
      'BAD_CONFIG',
      expect.stringContaining('refuses this user or password'),
    ])
    expect(`${error.message} ${error.stack} ${JSON.stringify(await tier.health())}`).not.toContain('not-the-password')
  })

  it('[RDS-14] close waits for the calls in hand', async () => {
    const proxy = await network()
    const tier = await tierOver({ url: proxy.url })
    proxy.delay(30)
    const putting = put(tier, 'a')
    await tier.close()
    expect(await putting).toEqual([true])
    await vi.waitFor(() => expect(proxy.connections()).toBe(0))
  })
})

const server = await privateServer('redis', 'debian')

describe.skipIf(server === null)('a Redis that loses, keeps or refuses', () => {
  const own = server as NonNullable<typeof server>

  it('[RDS-15] after a restart the same tier works again, scripts and all', async () => {
    const tier = await tierOver({ url: own.url })
    await put(tier, 'a')
    await own.kill()
    expect((await tier.health()).status).toBe('down')
    await own.start()
    await recovered(tier)
    expect(await states(tier, ['a'])).toEqual(['miss'])
    expect(await put(tier, 'a')).toEqual([true])
    expect(await states(tier, ['a'])).toEqual(['hit'])
  })

  it('[RDS-16] a server that comes back with an old copy of its data gives nothing of it, and no lease of before fills', async () => {
    const tier = await tierOver({ url: own.url })
    await put(tier, 'a', 1)
    const [missed] = await tier.get(all, ['b'])
    const raw = await rawRedis(own.url)
    await raw.client.sendCommand(['SAVE'])
    await raw.close()
    const [lease] = await tier.hold(['a'])
    await tier.putIfNewer([{ stored: hotRecord({ id: 'a', version: 2 }), lease }])
    await own.kill()
    await own.start()
    await recovered(tier)
    const after = await rawRedis(own.url)
    expect(await after.client.dbSize()).toBeGreaterThan(0)
    await after.close()
    expect(await states(tier, ['a'])).toEqual(['miss'])
    const late = missed?.state === 'miss' ? missed.lease : ''
    expect(late).not.toBe('')
    expect(await tier.putIfNewer([{ stored: hotRecord({ id: 'b' }), lease: late }])).toEqual([false])
    expect(await put(tier, 'a', 1)).toEqual([true])
    expect((await tier.get(all, ['a']))[0]).toMatchObject({ state: 'hit', stored: { record: { version: 1 } } })
  })

  it('[RDS-17] a full server that evicts nothing: puts fail with BACKEND_FAILED in words, reads miss without a lease, evictions and holds still work, health says so', async () => {
    const tier = await tierOver({ url: own.url })
    const raw = await rawRedis(own.url)
    open.push(raw)
    await put(tier, 'a')
    await put(tier, 'b')
    await put(tier, 'c')
    await raw.client.configSet({ 'maxmemory-policy': 'noeviction', maxmemory: '1' })
    try {
      const error = await failureOf(put(tier, 'd'))
      expect([error.code, error.details.failure]).toEqual(['BACKEND_FAILED', 'OOM'])
      expect(error.message).toContain('full')
      expect((await failureOf(tier.queue.push('waiting', 10))).details.failure).toBe('OOM')
      expect(await tier.health()).toMatchObject({ status: 'degraded', reason: expect.stringContaining('full') })
      expect(await tier.get(all, ['a', 'unknown'])).toMatchObject([{ state: 'hit' }, { state: 'miss', lease: '' }])
      await tier.evict(['a'])
      expect(await tier.hold(['b'])).toEqual([''])
      expect(await states(tier, ['a', 'b', 'c'])).toEqual(['miss', 'miss', 'hit'])
      await tier.release([{ id: 'b', lease: '' }])
      await tier.flushEpoch()
      expect(await tier.get(all, ['c'])).toEqual([{ state: 'miss', lease: '' }])
    } finally {
      await raw.client.configSet({ maxmemory: '0' })
    }
    expect(await states(tier, ['a', 'b', 'c'])).toEqual(['miss', 'miss', 'miss'])
    expect(await put(tier, 'd')).toEqual([true])
    expect((await tier.health()).status).toBe('ok')
  })

  it('[RDS-18] a full server that evicts goes on taking entries, and what is left is right', async () => {
    const tier = await tierOver({ url: own.url })
    const raw = await rawRedis(own.url)
    open.push(raw)
    const numberOf = async (section: string, name: string) =>
      Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(await raw.client.info(section))?.[1])
    const ids = Array.from({ length: 1500 }, (_, i) => `r${i}`)
    const parts = Array.from({ length: ids.length / 100 }, (_, i) => ids.slice(i * 100, (i + 1) * 100))
    const fill = async (part: readonly string[], version: number) => {
      const leases = await tier.hold(part)
      await tier.putIfNewer(
        part.map((id, i) => ({ stored: hotRecord({ id, version, content: 'x'.repeat(500) }), lease: leases[i] })),
      )
    }
    const read = async () => {
      const hits = []
      // In parts: what waits to be sent counts as memory, too, and evicts.
      for (const part of parts) hits.push(...(await tier.get(all, part)).filter(({ state }) => state === 'hit'))
      return hits
    }
    for (const policy of ['allkeys-random', 'volatile-ttl'] as const) {
      // What earlier entries take would be evicted instead.
      await raw.client.flushAll()
      const [used, before] = [await numberOf('memory', 'used_memory'), await numberOf('stats', 'evicted_keys')]
      await raw.client.configSet({ 'maxmemory-policy': policy, maxmemory: String(used + 1_500_000) })
      for (const version of [1, 2]) for (const part of parts) await fill(part, version)
      expect(await numberOf('stats', 'evicted_keys'), policy).toBeGreaterThan(before)
      let hits = await read()
      // The epoch may have been the last that was evicted, and every entry of before with it.
      for (let again = 0; hits.length === 0 && again < 5; again++) {
        for (const part of parts) await fill(part, 2)
        hits = await read()
      }
      expect(hits.length, policy).toBeGreaterThan(0)
      expect(hits.length, policy).toBeLessThan(ids.length)
      for (const answer of hits) expect(answer).toMatchObject({ stored: { record: { version: 2 } } })
      for await (const { record } of tier.scan(all)) expect(record.version).toBe(2)
      await raw.client.configSet({ 'maxmemory-policy': 'noeviction', maxmemory: '0' })
      await tier.flushEpoch()
    }
  })
})
