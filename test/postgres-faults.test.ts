import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import type { MemoryStore, StoreChange, Transaction } from '../src/contract/index.ts'
import { allScopes } from '../src/model/index.ts'
import { put, transaction } from '../src/testing/index.ts'
import { holdablePostgres, holdCommit, holdErase } from './fixtures/held-postgres.ts'
import { type NetworkProxy, startProxy } from './fixtures/proxy.ts'
import { freshName, postgresUrl } from './fixtures/servers.ts'

const url = await postgresUrl()

const all = allScopes()
const at = Date.parse('2026-01-01T00:00:00Z')
let count = 0
const change = (id: string, userId = 'ann'): StoreChange => put({ id, scope: { userId } })
const tx = (changes: readonly StoreChange[]): Transaction => transaction({ id: `tx${++count}`, at, changes })
const idsIn = async (store: MemoryStore) => (await store.log(null)).entries.map(({ id }) => id)

const proxies: NetworkProxy[] = []
afterAll(async () => {
  for (const proxy of proxies) await proxy.close()
})

async function behindProxy(work: (store: MemoryStore, proxy: NetworkProxy) => Promise<void>) {
  const proxy = await startProxy(url as string)
  proxies.push(proxy)
  const store = holdablePostgres({ url: proxy.url, schema: freshName(), poolSize: 3 })
  await store.open()
  try {
    await work(store, proxy)
  } finally {
    await proxy.restore()
    await store.close()
  }
}

describe.skipIf(url === null)('the PostgreSQL store on a failing network', () => {
  it('[PGS-15] a commit whose answer is lost is looked up: it is answered as committed, and is there once', async () => {
    await behindProxy(async (store, proxy) => {
      await store.commit(tx([change('first')]))
      for (let round = 0; round < 4; round++) {
        const wanted = tx([change(`a${round}`), change(`b${round}`)])
        const held = await holdCommit(store, wanted)
        // The request to commit arrives, its answer does not.
        proxy.cutAfter(1, 'answers')
        const answer = held.release()
        while (proxy.connections() > 0) await wait(1)
        await proxy.restore()
        const { records, replayed, tx: id } = await answer
        expect([id, replayed, records.map((record) => record.id)]).toEqual([
          wanted.id,
          false,
          [`a${round}`, `b${round}`],
        ])
        expect((await idsIn(store)).filter((each) => each === wanted.id)).toHaveLength(1)
        expect((await store.get(all, [`a${round}`]))[0]?.record.version).toBe(1)
      }
      expect(await store.verify()).toEqual([])
    })
  })

  it('[PGS-15] an erase whose answer is lost is looked up as well: it counts what went, and is in the log once', async () => {
    await behindProxy(async (store, proxy) => {
      await store.commit(tx([change('a'), change('b'), change('c')]))
      const lost = await holdErase(store, 'lost', ['a'])
      proxy.cutAfter(1, 'answers')
      const answer = lost.release()
      while (proxy.connections() > 0) await wait(1)
      await proxy.restore()
      expect(await answer).toMatchObject({ records: 1, revisions: 1 })
      const cut = await holdErase(store, 'cut', ['b'])
      proxy.cut()
      expect(await cut.release()).toMatchObject({ records: 1, revisions: 1 })
      expect((await idsIn(store)).filter((id) => !id.startsWith('tx'))).toEqual(['lost', 'cut'])
      // Connections that died while nobody looked are no obstacle either.
      proxy.cut()
      expect(await store.erase(all, ['c'])).toMatchObject({ records: 1 })
      expect(await store.get(all, ['a', 'b', 'c'])).toEqual([null, null, null])
      expect(await store.verify()).toEqual([])
    })
  })

  it('[PGS-15] cut before it is asked to commit, a commit is made anew, once', async () => {
    await behindProxy(async (store, proxy) => {
      const wanted = tx([change('a')])
      const held = await holdCommit(store, wanted)
      proxy.cut()
      await held.release()
      expect(await idsIn(store)).toEqual([wanted.id])
      expect((await store.get(all, ['a']))[0]?.record.version).toBe(1)
    })
  })

  it('[PGS-16] connections that died while nobody looked cost no call; refused ones are BACKEND_UNAVAILABLE until the server is back', async () => {
    await behindProxy(async (store, proxy) => {
      await Promise.all([1, 2, 3].map((n) => store.commit(tx([change(`a${n}`, `u${n}`)]))))
      proxy.cut()
      expect((await store.get(all, ['a1']))[0]?.record.id).toBe('a1')
      proxy.cut()
      await store.commit(tx([change('b')]))
      await proxy.refuse()
      await expect(store.commit(tx([change('c')]))).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
      await expect(store.head()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', retryable: true })
      expect(await store.health?.()).toMatchObject({ status: 'down', tiers: [{ name: 'postgres', status: 'down' }] })
      await proxy.restore()
      expect(await store.get(all, ['c'])).toEqual([null])
      await store.commit(tx([change('c')]))
      expect(await store.health?.()).toMatchObject({ status: 'ok' })
    })
  })
})
