import { afterEach, describe, expect, it } from 'vitest'
import type { HotTier } from '../src/contract/index.ts'
import { allScopes, within } from '../src/model/index.ts'
import { type RedisOptions, redis } from '../src/stores/redis/index.ts'
import { unitVector } from '../src/testing/index.ts'
import { hotRecord } from './fixtures/hot-records.ts'
import { rawRedis } from './fixtures/redis-keys.ts'
import { freshName, privateServer, redisUrl } from './fixtures/servers.ts'
import { startTlsFront } from './fixtures/tls-front.ts'

// What lies on the server, and how it is spoken to.

const url = await redisUrl()
const all = allScopes()
const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

const patient = { commandTimeoutMs: 20_000, connectTimeoutMs: 20_000 }

async function tierOver(options: RedisOptions): Promise<HotTier> {
  const tier = redis({ ...patient, ...options })
  open.push(tier)
  await tier.open()
  return tier
}

/** Every method once, with something to do. */
async function useAll(tier: HotTier): Promise<void> {
  const scope = { appId: 'x', userId: 'ann', sessionId: 's' }
  const [missed] = await tier.get(all, ['a'])
  const lease = missed?.state === 'miss' ? missed.lease : ''
  await tier.putIfNewer([{ stored: hotRecord({ id: 'a', scope, tags: ['x'] }, unitVector([1, 2])), lease }])
  const [held = ''] = await tier.hold(['b'])
  await tier.remove([{ id: 'b', scope, version: 1, lease: held }])
  const [other = ''] = await tier.hold(['c'])
  await tier.release([{ id: 'c', lease: other }])
  await tier.touch([{ id: 'a', at: 1 }])
  await tier.search(within({ userId: 'ann' }), { limit: 5 })
  await tier.session(scope)
  for await (const _ of tier.scan(all)) await tier.evict(['unknown'])
  await tier.queue.push('waiting', 5)
  await tier.queue.peek(5)
  await tier.queue.size()
  await tier.health()
}

describe.skipIf(url === null)('what a hot tier keeps on Redis', () => {
  it('[RDS-4] entries are hashes with the vector as float32 beside the record, its space, version and lease; every key but the epoch and the queue expires, no later than is stated', async () => {
    const prefix = freshName()
    const ttlMs = 5000
    const tier = await tierOver({ url: url as string, prefix, ttlMs, leaseMs: 2000 })
    await useAll(tier)
    const raw = await rawRedis(url as string)
    open.push(raw)
    const keys = await raw.keys(`${prefix}:`)
    const lasting: string[] = []
    for (const key of keys) {
      const left = await raw.client.pTTL(key)
      if (left < 0) lasting.push(key)
      expect(left, key).toBeLessThanOrEqual(ttlMs + 2000)
    }
    expect(lasting).toEqual([`${prefix}:1:epoch`, `${prefix}:1:queue`])
    const entry = keys.find((key) => key.endsWith(':entry:a')) as string
    const fields = await raw.client.hGetAll(entry)
    expect(Object.keys(fields).sort()).toEqual(
      ['analysis', 'facts', 'lease', 'record', 'space', 'uses', 'used', 'vector', 'version'].sort(),
    )
    expect([fields.version, fields.space]).toEqual(['1', '"test"'])
    expect(await raw.client.hStrLen(entry, 'vector')).toBe(8)
    const tags = new Set(keys.flatMap((key) => /\{.*?\}/.exec(key)?.[0] ?? []))
    expect(tags.size).toBe(1)
  })

  it('[RDS-5] an entry that is taken away leaves its id nowhere; one that went by itself leaves none once its session is enumerated', async () => {
    const prefix = freshName()
    const tier = await tierOver({ url: url as string, prefix })
    const raw = await rawRedis(url as string)
    open.push(raw)
    const scope = { userId: 'ann', sessionId: 's' }
    await tier.putIfNewer(['a', 'b', 'c'].map((id) => ({ stored: hotRecord({ id, scope }) })))
    const keys = await raw.keys(`${prefix}:`)
    await raw.drop(keys.filter((key) => key.endsWith(':entry:a')))
    await tier.evict(['b'])
    expect((await tier.session(scope)).map(({ id }) => id)).toEqual(['c'])
    const index = keys.find((key) => key.includes(':session:')) as string
    expect(await raw.client.zRange(index, 0, -1)).toEqual(['c'])
    await tier.evict(['a', 'c'])
    expect((await raw.keys(`${prefix}:`)).filter((key) => /:(id|entry|session|all)\b/.test(key))).toEqual([])
  })

  it('[RDS-6] what was written by somebody else where an entry should be is a miss', async () => {
    const prefix = freshName()
    const tier = await tierOver({ url: url as string, prefix })
    const raw = await rawRedis(url as string)
    open.push(raw)
    await tier.putIfNewer([{ stored: hotRecord({ id: 'a' }) }])
    const entry = (await raw.keys(`${prefix}:`)).find((key) => key.endsWith(':entry:a')) as string
    await raw.client.hSet(entry, 'record', '{"cut')
    expect(await tier.get(all, ['a'])).toMatchObject([{ state: 'miss' }])
    expect((await tier.search(all, { limit: 5 })).hits).toEqual([])
    expect(await tier.putIfNewer([{ stored: hotRecord({ id: 'a', version: 2 }) }])).toEqual([true])
    expect(await tier.get(all, ['a'])).toMatchObject([{ state: 'hit' }])
  })
})

const server = await privateServer('redis', 'debian')

describe.skipIf(server === null)('how a hot tier speaks to Redis', () => {
  const own = server as NonNullable<typeof server>

  it('[RDS-7] no command is newer than Redis 6.0', async () => {
    const raw = await rawRedis(own.url)
    open.push(raw)
    await raw.client.sendCommand(['CONFIG', 'RESETSTAT'])
    await useAll(await tierOver({ url: own.url, prefix: freshName() }))
    const stats = await raw.client.info('commandstats')
    const used = [...stats.matchAll(/^cmdstat_([^:]+):/gm)].map(([, name = '']) => name)
    expect(used.length).toBeGreaterThan(15)
    for (const name of used) {
      const [, facts] = (await raw.client.sendCommand(['COMMAND', 'DOCS', name])) as [string, string[]]
      const since = String(facts[facts.indexOf('since') + 1])
      const [major = 0, minor = 0] = since.split('.').map(Number)
      expect(major * 10 + minor, `${name} is of ${since}`).toBeLessThanOrEqual(60)
    }
    // Nor does it try one that this server does not know.
    expect(await raw.client.info('errorstats')).not.toContain('errorstat_ERR')
  })

  it('[RDS-8] rediss:// is spoken with TLS, and an unknown certificate is refused', async () => {
    const front = await startTlsFront(own.url)
    open.push(front)
    const secure = front.url.replace('redis:', 'rediss:')
    const tier = await tierOver({ url: secure, client: { socket: { ca: front.ca } } })
    expect(await tier.putIfNewer([{ stored: hotRecord({ id: 'a' }) }])).toEqual([true])
    const trusting = await tierOver({ url: secure })
    await expect(trusting.get(all, ['a'])).rejects.toMatchObject({
      code: 'BAD_CONFIG',
      details: { failure: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    })
  })
})
