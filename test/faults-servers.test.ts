import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { MemoryStore } from '../src/contract/index.ts'
import type { MnemeError } from '../src/errors/index.ts'
import { allScopes } from '../src/model/index.ts'
import { bolt } from '../src/stores/bolt/index.ts'
import { postgres } from '../src/stores/postgres/index.ts'
import { put, transaction } from '../src/testing/index.ts'
import { checkFailures, checkLedger, workDuring } from './fixtures/fault-ledger.ts'
import { type NetworkProxy, startProxy } from './fixtures/proxy.ts'
import { boltUrl, freshName, type PrivateServer, postgresUrl, privateServer } from './fixtures/servers.ts'

// Real servers that end and come back, and networks that fail, in the middle of writes and reads.

interface Target {
  readonly name: string
  /** Of a server that all tests share. */
  readonly url: string | null
  readonly own: PrivateServer | null
  /** Whether its clean end differs from a crash. */
  readonly endsCleanly: boolean
  /** A time-out does not tell how far a write came. */
  readonly timesOutBlindly: boolean
  /** Waits so long for an answer, where it can be told. */
  store(url: string, timeoutMs?: number): MemoryStore
}

const targets: readonly Target[] = [
  {
    name: 'postgres',
    url: await postgresUrl(),
    own: await privateServer('postgres'),
    endsCleanly: true,
    timesOutBlindly: false,
    store: (url, timeoutMs = 30_000) => postgres({ url, schema: freshName(), timeoutMs, poolSize: 6 }),
  },
  {
    name: 'bolt',
    url: await boltUrl(),
    own: await privateServer('neo4j'),
    // An end in order takes it over ten seconds.
    endsCleanly: false,
    timesOutBlindly: true,
    store: (url, timeoutMs = 30_000) => bolt({ url, namespace: freshName(), timeoutMs, maxConnections: 6 }),
  },
]

// A graph server takes up to a minute to come back; `npm run soak` waits for it.
const every = process.env.MNEME_EVERY_CASE === '1'
const patience = { timeout: 240_000 }
const closings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close()
})

async function opened(store: MemoryStore): Promise<MemoryStore> {
  await store.open()
  closings.push(() => store.close())
  return store
}

async function network(url: string): Promise<NetworkProxy> {
  const proxy = await startProxy(url)
  closings.push(() => proxy.close())
  return proxy
}

const statusOf = async (store: MemoryStore) => (await store.health?.())?.status

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await wait(50)
}

/** One record under an id of its own; gives the id of the transaction. */
async function write(store: MemoryStore): Promise<string> {
  const id = freshName()
  await store.commit(transaction({ id, at: Date.now(), changes: [put({ id })] }))
  return id
}

describe.each(targets)('faults of $name', ({ url, own, endsCleanly, timesOutBlindly, store: make }) => {
  const secret = new URL(url ?? 'none:').password

  it.skipIf(own === null || !(endsCleanly || every))(
    '[SRV-2] what was acknowledged survives its end and return',
    { timeout: 600_000 },
    async () => {
      const { kill, start, restart } = own!
      const store = await opened(make(own!.url))
      const ledger = await workDuring(store, 'tx', async () => {
        await kill()
        expect(await statusOf(store)).toBe('down')
        await wait(300)
        await start()
        await until(async () => (await statusOf(store)) === 'ok')
        if (endsCleanly) await restart()
      })
      expect(ledger.failures.length).toBeGreaterThan(0)
      await checkLedger(store, ledger)
      checkFailures(ledger.failures, new URL(own!.url).password)
      expect(await statusOf(store)).toBe('ok')
    },
  )

  it.skipIf(url === null)('[SRV-3] a server that is away at open can be there later', patience, async () => {
    const proxy = await network(url!)
    await proxy.refuse()
    const store = make(proxy.url)
    const failure: unknown = await store.open().catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    checkFailures([failure], secret)
    await proxy.restore()
    await opened(store)
    await write(store)
    expect(await statusOf(store)).toBe('ok')
  })

  it.skipIf(url === null)('[SRV-4] a slow network changes nothing but the time', patience, async () => {
    const proxy = await network(url!)
    const store = await opened(make(proxy.url))
    const ledger = await workDuring(store, 'tx', async () => {
      proxy.delay(20)
      await wait(500)
      await proxy.restore()
    })
    expect(ledger.failures).toEqual([])
    await checkLedger(store, ledger)
  })

  it.skipIf(url === null)(
    '[SRV-5] connections that are cut, again and again, lose and double nothing',
    patience,
    async () => {
      const proxy = await network(url!)
      const store = await opened(make(proxy.url))
      const ledger = await workDuring(store, 'tx', async () => {
        for (let round = 0; round < 8; round += 1) {
          // In turn: all at once, in an answer, in a request.
          if (round % 3 === 0) proxy.cut()
          else proxy.cutAfter(400 * round, round % 3 === 1 ? 'answers' : 'requests')
          await wait(100)
          await proxy.restore()
          await wait(100)
        }
      })
      await checkLedger(store, ledger)
      checkFailures(ledger.failures, secret)
    },
  )

  it.skipIf(url === null)('[SRV-6] a commit whose answer is lost is looked up', patience, async () => {
    const proxy = await network(url!)
    const store = await opened(make(proxy.url))
    await write(store)
    for (const bytes of [0, 1, 20, 60, 150, 400]) {
      const id = freshName()
      proxy.cutAfter(bytes, 'answers')
      const work = store.commit(transaction({ id, at: Date.now(), changes: [put({ id })] }))
      const told = await work.then(
        () => 'acknowledged',
        (error: unknown) => {
          checkFailures([error], secret)
          return 'failed'
        },
      )
      await proxy.restore()
      const there = (await store.transaction(id)) !== null
      // Failed and there would be allowed only where nobody could ask.
      expect({ bytes, there }).toEqual({ bytes, there: told === 'acknowledged' })
    }
  })

  it.skipIf(url === null || !timesOutBlindly)(
    '[SRV-6] a commit or an erase of which nobody can tell how it ended says so, and names the transaction',
    patience,
    async () => {
      const proxy = await network(url!)
      const store = await opened(make(proxy.url, 3000))
      const before = await write(store)
      for (const work of [
        (id: string) => store.commit(transaction({ id, at: Date.now(), changes: [put({ id })] })),
        (id: string) => store.erase(allScopes(), [before], { tx: id }),
      ]) {
        const id = freshName()
        proxy.hold()
        const failure: unknown = await work(id).catch((error: unknown) => error)
        checkFailures([failure], secret)
        expect(failure).toMatchObject({ details: { outcome: 'unknown', tx: id }, message: expect.stringContaining(id) })
        const read: unknown = await store.transaction(before).catch((error: unknown) => error)
        expect((read as MnemeError).details).not.toHaveProperty('outcome')
        await proxy.restore()
        await until(async () => (await statusOf(store)) === 'ok')
      }
    },
  )

  it.skipIf(url === null)(
    '[SRV-7] a network that carries nothing is a time-out, and is over when it carries again',
    patience,
    async () => {
      const proxy = await network(url!)
      const store = await opened(make(proxy.url, 3000))
      const before = await write(store)
      proxy.hold()
      const outcomes = await Promise.allSettled([
        write(store),
        store.transaction(before),
        store.head(),
        store.erase(allScopes(), [freshName()]),
        store.verify(),
      ])
      const failures = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : outcome))
      checkFailures(failures, secret)
      expect(await statusOf(store)).toBe('down')
      await proxy.restore()
      await until(async () => (await statusOf(store)) === 'ok')
      expect(await store.transaction(await write(store))).not.toBeNull()
      expect(await store.transaction(before)).not.toBeNull()
    },
  )

  it.skipIf(url === null)('[SRV-8] a half-closed connection is given up', patience, async () => {
    const proxy = await network(url!)
    const store = await opened(make(proxy.url))
    const ledger = await workDuring(store, 'tx', async () => {
      for (let round = 0; round < 3; round += 1) {
        proxy.halfClose()
        await wait(150)
      }
    })
    await checkLedger(store, ledger)
    checkFailures(ledger.failures, secret)
  })

  it.skipIf(url === null)('[SRV-9] refused connections are told as such, without the password', patience, async () => {
    const proxy = await network(url!)
    const store = await opened(make(proxy.url))
    const before = await write(store)
    await proxy.refuse()
    for (const call of [
      () => write(store),
      () => store.transaction(before),
      () => store.head(),
      () => store.verify(),
    ]) {
      const failure: unknown = await call().catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
      checkFailures([failure], secret)
    }
    const health = await store.health?.()
    expect(health?.status).toBe('down')
    expect(JSON.stringify(health)).not.toContain(secret)
    await proxy.restore()
    await until(async () => (await statusOf(store)) === 'ok')
    await write(store)
  })
})
