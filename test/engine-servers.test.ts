import { afterEach, describe, expect, it, vi } from 'vitest'
import { storeFromSpec } from '../src/engine/index.ts'
import { openMemory } from '../src/index.ts'
import { cli } from './fixtures/cli.ts'
import { startProxy } from './fixtures/proxy.ts'
import { contents } from './fixtures/reference-stores.ts'
import { boltUrl, freshName, postgresUrl, redisUrl } from './fixtures/servers.ts'
import { testFile } from './fixtures/stores.ts'

// What names a store in the environment or on the command line, with the servers themselves.

const [postgres, redis, graph] = await Promise.all([postgresUrl(), redisUrl(), boltUrl()])
const ann = ['--user', 'ann']

afterEach(() => vi.unstubAllEnvs())

/** The address with a parameter that keeps to a part of the server. */
function own(url: string | null, name: string): string {
  const parted = new URL(url ?? 'x://x')
  parted.searchParams.set(name, freshName())
  return parted.href
}

/** Writes through the library, reads on the command line, both by the environment alone. */
async function roundTrip(
  env: Readonly<Record<string, string>>,
): Promise<{ store: string; found: string; tiers: number }> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const memory = await openMemory({ scope: { userId: 'ann' }, embedder: false })
  await memory.add('Ann plays the cello')
  const { tiers, status } = await memory.health()
  expect(status).toBe('ok')
  await memory.close()
  const listed = await cli(['list', ...ann, '-o', 'json'], { env })
  expect(listed).toMatchObject({ exit: 0 })
  const { records } = JSON.parse(listed.out) as { records: { content: string }[] }
  const health = await cli(['health'], { env })
  expect(health).toMatchObject({ exit: 0, out: expect.stringMatching(/^ok /) })
  return { store: memory.metadata.store, found: contents(records as never).join(), tiers: tiers.length }
}

describe.skipIf(postgres === null)('PostgreSQL', () => {
  it('[LIF-1] is named by the environment and on the command line, and a schema of it by the address', async () => {
    const url = own(postgres, 'schema')
    const found = 'Ann plays the cello'
    const env = { MNEME_STORE: 'postgres', MNEME_POSTGRES_URL: url }
    expect(await roundTrip(env)).toEqual({ store: 'postgres', found, tiers: 1 })
    const typed = await cli(['search', 'cello', ...ann, '--store', url, '-o', 'json'])
    expect(JSON.parse(typed.out)).toMatchObject({ results: [{ content: found }] })
    const elsewhere = await cli(['list', ...ann, '--store', own(postgres, 'schema'), '-o', 'json'])
    expect(JSON.parse(elsewhere.out)).toEqual({ records: [] })
  })

  it('[LIF-13] that can not be reached ends a command with 6, health too, and nothing shows its password', async () => {
    const gone = 'postgres://ann:hunter2@127.0.0.1:1/memory'
    for (const argv of [['list', ...ann], ['health'], ['doctor']]) {
      const { exit, out, err } = await cli([...argv, '--store', gone])
      expect(exit, argv[0]).toBe(argv[0] === 'doctor' ? 5 : 6)
      expect(out + err, argv[0]).not.toContain('hunter2')
    }
  })
})

describe.skipIf(graph === null)('Neo4j', () => {
  it('[LIF-1] is named by the environment, by itself and behind a hot tier, and a namespace of it by the address', async () => {
    const found = 'Ann plays the cello'
    const env = { MNEME_STORE: 'bolt', MNEME_BOLT_URL: own(graph, 'namespace') }
    expect(await roundTrip(env)).toEqual({ store: 'bolt', found, tiers: 1 })
    if (redis === null) return
    const layered = {
      MNEME_STORE: 'tiered:bolt',
      MNEME_BOLT_URL: own(graph, 'namespace'),
      MNEME_REDIS_URL: own(redis, 'prefix'),
    }
    expect(await roundTrip(layered)).toEqual({ store: 'tiered (redis over bolt)', found, tiers: 2 })
  })
})

describe.skipIf(postgres === null)('an engine whose server goes away', () => {
  it('[LIF-16] fails its calls, is down, and works again by itself; it can be stopped and closed at any time', async () => {
    const network = await startProxy(own(postgres, 'schema'))
    const store = await storeFromSpec(network.url, {})
    const memory = await openMemory({ store, scope: { userId: 'ann' }, embedder: false })
    await memory.add('Ann plays the cello')
    await network.refuse()
    const away = { code: expect.stringMatching(/^BACKEND_(UNAVAILABLE|TIMEOUT)$/), retryable: true }
    await expect(memory.add('Ann sings')).rejects.toMatchObject(away)
    await expect(memory.search('cello')).rejects.toMatchObject(away)
    expect(await memory.health()).toMatchObject({ status: 'down', tiers: [{ status: 'down' }] })
    await network.restore()
    expect(await memory.health()).toMatchObject({ status: 'ok' })
    expect(contents((await memory.search('cello')).results)).toEqual(['Ann plays the cello'])
    await network.refuse()
    await memory.stop()
    await expect(memory.list()).rejects.toMatchObject(away)
    await network.restore()
    expect((await memory.list()).records).toHaveLength(1)
    await network.refuse()
    await memory.close()
    await expect(memory.list()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' })
    await network.close()
  })
})

describe.skipIf(redis === null)('a hot tier before a file', () => {
  it('[LIF-1] is named by the environment, and a part of the server by the address', async () => {
    const env = { MNEME_STORE: `tiered:sqlite:${testFile()}`, MNEME_REDIS_URL: own(redis, 'prefix') }
    expect(await roundTrip(env)).toEqual({
      store: 'tiered (redis over sqlite)',
      found: 'Ann plays the cello',
      tiers: 2,
    })
  })
})
