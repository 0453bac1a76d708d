import { afterEach, describe, expect, it, vi } from 'vitest'
import { remote } from '../../../test/fixtures/away.ts'
import { startProxy } from '../../../test/fixtures/proxy.ts'
import { freshName } from '../../../test/fixtures/servers.ts'
import {
  add,
  closeAll,
  closeLater,
  feed,
  fresh,
  listed,
  open,
  s1,
  s2,
  url,
  write,
} from '../../../test/fixtures/session-tiers.ts'
import { allScopes } from '../../model/index.ts'
import { put, transaction } from '../../testing/index.ts'
import { memory } from '../memory/index.ts'
import { redis } from '../redis/index.ts'
import { twinId } from './staging/twin.ts'

const all = allScopes()

afterEach(closeAll)

describe.skipIf(url === '')('what waits for the cold store', () => {
  it('[TIR-28] while the cold store is away what sessions add waits, told as not durable, up to a bound; in order it goes when that is back', async () => {
    const cold = remote(memory())
    const hot = redis({ url, prefix: freshName() })
    const { store, lacks } = await open({ cold: cold.store, hot, maxWaiting: 3 })
    cold.away = true
    for (const id of ['a', 'b', 'c']) expect(await add(store, id)).toMatchObject({ durable: false, replayed: false })
    expect(lacks).toContainEqual(expect.objectContaining({ stage: 'cold' }))
    await expect(add(store, 'd')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', details: { waiting: 3 } })
    expect((await store.get(all, ['a', 'c'])).map((stored) => stored?.record.content)).toEqual([
      'text of a',
      'text of c',
    ])
    expect((await listed(store)).sort()).toEqual(['a', 'b', 'c'])
    const health = await store.health()
    expect([health.status, health.tiers[0]?.waiting]).toEqual(['down', 3])
    const told = await store.get(all, ['a', 'b', 'c'])
    cold.away = false
    expect(await listed(store)).toEqual(['a', 'b', 'c'])
    expect(await store.get(all, ['a', 'b', 'c'])).toEqual(told)
    expect(await hot.queue.size()).toBe(0)
    expect(await feed(store)).toEqual([['a'], ['b'], ['c']])
    expect(await add(store, 'd')).not.toHaveProperty('durable')
    expect((await store.health()).status).toBe('ok')
    expect(await store.migrateToCold(s1)).toEqual({ migrated: 4, remaining: 0 })
  })

  it('[TIR-29] what waits outlives the process, and goes without a call when the cold store is back', async () => {
    const cold = remote(memory())
    const prefix = freshName()
    const { store } = await open({ cold: cold.store, hot: redis({ url, prefix }), behind: 'x' })
    cold.away = true
    await add(store, 'a')
    await store.close()
    const inner = remote(memory())
    const hot = redis({ url, prefix })
    inner.away = true
    await open({ cold: inner.store, hot, behind: 'x' })
    expect(await hot.queue.size()).toBe(1)
    inner.away = false
    await vi.waitFor(async () => expect(await hot.queue.size()).toBe(0), { timeout: 9000 })
    expect(await feed(inner.store)).toEqual([[twinId('a')]])
  })

  it('[TIR-30] what is more than a plain addition to a session is refused while the cold store is away', async () => {
    const cold = remote(memory())
    const { store } = await open({ cold: cold.store })
    await add(store, 'a')
    cold.away = true
    const refused = [
      () => add(store, 'b', { userId: 'ann' }),
      () => write(store, [put({ id: 'c', scope: s1 }), put({ id: 'd', scope: s2 })]),
      () => write(store, [{ type: 'remove', op: 'delete', id: 'a' }]),
      () => write(store, [put({ id: 'a', scope: s1 })], { requires: [{ type: 'version', id: 'a', is: 1 }] }),
      () => store.erase(all, ['a']),
      () => store.migrateToCold(s1),
    ]
    for (const call of refused) await expect(call()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    expect((await store.get(all, ['a']))[0]?.record.content).toBe('text of a')
  })

  it('[TIR-31] what was taken in is kept whatever it meets: the same call, a key, an id, an answer that was lost', async () => {
    const inner = memory()
    const cold = remote(inner)
    const { store } = await open({ cold: cold.store })
    const keyed = (id: string) => [put({ id, scope: s1, key: 'k', content: id })]
    const noKey = { type: 'noKey', scope: s1, kind: 'semantic', key: 'k' } as const
    const idempotency = { scope: s1, key: 'call', digest: 'd', expiresAt: Date.now() + 99_999 }
    await write(store, keyed('first'), { requires: [noKey] })
    await write(store, [put({ id: 'called', scope: s1 })], { idempotency })
    await add(store, 'taken', s2)
    cold.away = true
    await write(store, keyed('second'), { requires: [noKey] })
    await write(store, [put({ id: 'again', scope: s1 })], { idempotency })
    await write(store, [put({ id: 'taken', scope: s1, content: 'of s1' })])
    const lost = transaction({ id: fresh(), at: Date.now(), changes: [put({ id: 'lost', scope: s1 })] })
    await store.commit(lost)
    cold.away = false
    const listedNow = await store.list(all, { order: 'oldest', limit: 99 })
    const contents = listedNow.items.map(({ record }) => record.content)
    expect(contents).toEqual(expect.arrayContaining(['first', 'second', 'of s1', 'text of taken']))
    const ids = listedNow.items.map(({ record }) => record.id)
    expect(ids).toEqual(expect.arrayContaining(['called', 'lost']))
    expect(ids).not.toContain('again')
    // Of the call that was made before, the hot tier goes on to tell nothing that the cold store never had.
    expect(await store.get(all, ['again'])).toEqual([null])
    await expect(store.commit(lost)).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('[TIR-34] what waits is not passed by an erase, and where it can not be read the answer says so', async () => {
    const network = await startProxy(url)
    closeLater(network)
    const [cold, prefix] = [memory(), freshName()]
    const far = remote(cold)
    const there = await open({ cold: far.store, hot: redis({ url, prefix }), behind: 'x' })
    const near = remote(cold)
    const here = await open({ cold: near.store, hot: redis({ url: network.url, prefix }), behind: 'x' })
    far.away = true
    near.away = true
    await add(there.store, 'a')
    await network.refuse()
    near.away = false
    await vi.waitFor(
      async () => {
        expect(await listed(here.store)).toEqual([])
        expect(here.lacks).toContainEqual(expect.objectContaining({ stage: 'hot' }))
      },
      { timeout: 9000 },
    )
    await expect(here.store.erase(all, ['a'])).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    await network.restore()
    const erased = () => here.store.erase(all, ['a'])
    await vi.waitFor(async () => expect(await erased()).toMatchObject({ records: 1, revisions: 1 }), { timeout: 9000 })
    expect(await listed(here.store)).toEqual([])
    expect(JSON.stringify(await cold.log(null))).not.toContain('text of a')
  })
})
