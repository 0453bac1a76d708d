import { afterEach, describe, expect, it, vi } from 'vitest'
import type { HotTier } from '../src/contract/index.ts'
import { allScopes, within } from '../src/model/index.ts'
import { redis } from '../src/stores/redis/index.ts'
import { unitVector } from '../src/testing/index.ts'
import { hotRecord } from './fixtures/hot-records.ts'
import { freshName, redisUrl } from './fixtures/servers.ts'

// Cases of orchestrata, by their numbers: what its hot layer did, on a real Redis. Its scopes are agents, projects and sessions.

const url = await redisUrl('stack')
const all = allScopes()
const open: HotTier[] = []
afterEach(async () => {
  for (const tier of open.splice(0)) await tier.close()
})

async function hot(ttlMs?: number): Promise<HotTier> {
  const tier = redis({
    url: url as string,
    prefix: freshName(),
    ttlMs,
    commandTimeoutMs: 20_000,
    connectTimeoutMs: 20_000,
  })
  open.push(tier)
  await tier.open()
  return tier
}

const project = { appId: 'project' }
const agent = { ...project, agentId: 'writer' }
const session = (sessionId: string) => ({ ...agent, sessionId })

async function store(tier: HotTier, fields: Parameters<typeof hotRecord>[0], vector?: ReturnType<typeof unitVector>) {
  await tier.putIfNewer([{ stored: hotRecord(fields, vector) }])
}

async function found(tier: HotTier, query: object, scope = all): Promise<string[]> {
  return (await tier.search(scope, { limit: 100, ...query })).hits.map(({ stored: { record } }) => record.id).sort()
}

describe.skipIf(url === null)('orchestrata: the hot layer', () => {
  it('[RDS-30] orchestrata 11, 15, 18: what was stored is read from here; what is in neither layer is no error', async () => {
    const tier = await hot()
    await store(tier, { id: 'e1', content: 'client prefers French', scope: session('s1'), tags: ['pref'] })
    const [first, unknown] = await tier.get(all, ['e1', 'unknown'])
    expect(first).toMatchObject({
      state: 'hit',
      stored: { record: { content: 'client prefers French', tags: ['pref'] } },
    })
    expect(unknown).toMatchObject({ state: 'miss' })
  })

  it('[RDS-30] orchestrata 16, 25: what expires is a miss, and leaves no dangling member in its session', async () => {
    const tier = await hot(1500)
    await store(tier, { id: 'e1', scope: session('s1') })
    await vi.waitFor(async () => expect(await tier.get(all, ['e1'])).toMatchObject([{ state: 'miss' }]), {
      timeout: 15_000,
      interval: 50,
    })
    expect(await tier.session(session('s1'))).toEqual([])
    await store(tier, { id: 'e2', scope: session('s1') })
    expect((await tier.session(session('s1'))).map(({ id }) => id)).toEqual(['e2'])
  })

  it('[RDS-31] orchestrata 22, 23: tags and scopes filter', async () => {
    const tier = await hot()
    await store(tier, { id: 'e1', scope: agent, tags: ['a', 'b'] })
    await store(tier, { id: 'e2', scope: agent, tags: ['b'] })
    await store(tier, { id: 'e3', scope: { appId: 'other' }, tags: [] })
    expect(await found(tier, { tags: ['b'] })).toEqual(['e1', 'e2'])
    expect(await found(tier, { tags: ['a'] })).toEqual(['e1'])
    expect(await found(tier, {}, within({ appId: 'other' }))).toEqual(['e3'])
    expect(await found(tier, {}, within({ agentId: 'writer' }))).toEqual(['e1', 'e2'])
  })

  it('[RDS-31] orchestrata 24, 46: a session is enumerated exactly, and dropped alone', async () => {
    const tier = await hot()
    for (const id of ['a1', 'a2', 'a3']) await store(tier, { id, scope: session('s1') })
    await store(tier, { id: 'b1', scope: session('s2') })
    expect((await tier.session(session('s1'))).map(({ id }) => id)).toEqual(['a1', 'a2', 'a3'])
    expect(await tier.dropSession(session('s1'))).toBe(3)
    expect(await tier.session(session('s1'))).toEqual([])
    expect(await found(tier, {})).toEqual(['b1'])
  })

  it('[RDS-32] orchestrata 35, 36, 37: ranked by cosine with ties in one order, vectors of another model or length skipped and counted, no more than the limit', async () => {
    const tier = await hot()
    await store(tier, { id: 'tie 1', scope: agent }, unitVector([1, 1, 0]))
    await store(tier, { id: 'best', scope: agent }, unitVector([9, 1, 0]))
    await store(tier, { id: 'tie 2', scope: agent }, unitVector([1, 0, 1]))
    await store(tier, { id: 'other model', scope: agent }, unitVector([1, 0, 0], 'other'))
    await store(tier, { id: 'other length', scope: agent }, unitVector([1, 0]))
    for (let i = 0; i < 3; i++) await store(tier, { id: `plain ${i}`, scope: agent })
    const vector = { space: 'test', values: unitVector([1, 0, 0]).values }
    const { hits, skipped } = await tier.search(all, { vector, limit: 5 })
    const ids = hits.map(({ stored: { record } }) => record.id)
    expect([ids.slice(0, 3), skipped, ids.length]).toEqual([['best', 'tie 2', 'tie 1'], 2, 5])
    expect(hits.map(({ cosine }) => cosine === null)).toEqual([false, false, false, true, true])
    expect((await tier.search(all, { vector, limit: 5 })).hits.map(({ stored }) => stored.record.id)).toEqual(ids)
  })

  it('[RDS-10] orchestrata 61: an unreachable Redis is an error, never a silent success', async () => {
    const tier = redis({ url: 'redis://127.0.0.1:1', prefix: freshName() })
    open.push(tier)
    await tier.open()
    await expect(tier.putIfNewer([{ stored: hotRecord({ id: 'e1' }) }])).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    })
    expect((await tier.health()).status).toBe('down')
  })
})
