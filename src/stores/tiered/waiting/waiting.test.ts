import { afterEach, describe, expect, it, vi } from 'vitest'
import { remote } from '../../../../test/fixtures/away.ts'
import { startProxy } from '../../../../test/fixtures/proxy.ts'
import { freshName } from '../../../../test/fixtures/servers.ts'
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
} from '../../../../test/fixtures/session-tiers.ts'
import type { HotTier, MemoryStore, StoreChange, StoreDegradation } from '../../../contract/index.ts'
import { BackendError, ConflictError, InputError } from '../../../errors/index.ts'
import { allScopes, exactly, within } from '../../../model/index.ts'
import { put, transaction, unitVector } from '../../../testing/index.ts'
import { memory } from '../../memory/index.ts'
import { redis } from '../../redis/index.ts'
import { twinId } from '../staging/twin.ts'
import { asideKind } from './index.ts'

type PutChange = Extract<StoreChange, { readonly type: 'put' }>

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

  it('[TIR-28] what waits is in answers as well when the hot tier was emptied meanwhile, and goes once', async () => {
    const cold = remote(memory())
    const hot = redis({ url, prefix: freshName() })
    const { store } = await open({ cold: cold.store, hot })
    cold.away = true
    for (const id of ['a', 'b']) await add(store, id)
    const told = await store.get(all, ['a', 'b'])
    await hot.flushEpoch()
    expect((await listed(store)).sort()).toEqual(['a', 'b'])
    expect(await store.get(all, ['a', 'b', 'c'])).toEqual([...told, null])
    expect(await store.get(exactly({ userId: 'stranger' }), ['a'])).toEqual([null])
    cold.away = false
    expect(await store.get(all, ['a', 'b'])).toEqual(told)
    expect((await listed(store)).sort()).toEqual(['a', 'b'])
    expect(await feed(store)).toEqual([['a'], ['b']])
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

  /** A cold store that does not take what says `poison`, unless it is set aside. */
  function squeamish(refusal: () => Error) {
    const inner = memory()
    const cold = remote(inner)
    const commit = cold.store.commit
    cold.store.commit = async (given, options) => {
      const isPoison = ({ record }: PutChange) => record.content.includes('poison') && record.kind !== asideKind
      if (!cold.away && given.changes.some((change) => change.type === 'put' && isPoison(change))) throw refusal()
      return commit(given, options)
    }
    return { inner, cold }
  }
  const setAsideIn = async (store: MemoryStore, scope = within(s1)) => {
    const query = { kinds: [asideKind], statuses: 'any', order: 'oldest', limit: 9 } as const
    return (await store.list(scope, query)).items.map(({ record }) => record)
  }
  const toldOf = (lacks: readonly StoreDegradation[]) =>
    lacks.filter(({ stage, message }) => stage === 'cold' && message.includes('set aside'))

  it.each<[string, () => Error]>([
    ['CONFLICT', () => new ConflictError({ code: 'CONFLICT', message: 'no' })],
    ['INVALID_RECORD', () => new InputError({ code: 'INVALID_RECORD', message: 'no' })],
    ['BACKEND_FAILED', () => new BackendError({ code: 'BACKEND_FAILED', message: 'no' })],
  ])(
    '[TIR-38] what the cold store refuses for good (%s) is set aside, counted, told of and kept; the rest goes on',
    async (code, refusal) => {
      const { inner, cold } = squeamish(refusal)
      const hot = redis({ url, prefix: freshName() })
      const { store, lacks } = await open({ cold: cold.store, hot })
      cold.away = true
      for (const id of ['a', 'poison', 'b']) await add(store, id)
      await hot.queue.push('{"nobody": "understands"}', 9)
      await add(store, 'c')
      cold.away = false
      expect(await listed(store)).toEqual(['a', 'b', 'c'])
      expect(await store.get(all, ['poison'])).toEqual([null])
      expect(await hot.queue.size()).toBe(0)
      const health = await store.health()
      expect(health).toMatchObject({ status: 'degraded', tiers: [{}, { status: 'degraded', setAside: 2 }] })
      expect(health.tiers[1]?.reason).toContain(asideKind)
      const [kept] = await setAsideIn(store)
      expect(kept).toMatchObject({ scope: s1, data: { code } })
      expect(kept?.content).toContain('text of poison')
      expect(await setAsideIn(inner)).toEqual([kept])
      expect(await store.migrateToCold(s1)).toEqual({ migrated: 3, remaining: 0 })
      expect(await listed(inner)).toEqual(['a', 'b', 'c'])
      // Whoever opens it later is told as well.
      const later = await open({ cold: cold.store, hot })
      lacks.length = 0
      for (const one of [store, later.store]) await listed(one)
      for (const told of [lacks, later.lacks]) expect(toldOf(told)).toHaveLength(1)
    },
  )

  it('[TIR-38] a cold store that takes nothing at all has nothing set aside: all goes on waiting', async () => {
    const cold = remote(memory())
    const hot = redis({ url, prefix: freshName() })
    const { store, lacks } = await open({ cold: cold.store, hot })
    cold.away = true
    await add(store, 'a')
    cold.away = false
    const { commit } = cold.store
    cold.store.commit = () => Promise.reject(new BackendError({ code: 'BACKEND_FAILED', message: 'disk full' }))
    expect(await listed(store)).toEqual([])
    expect(lacks).toContainEqual(expect.objectContaining({ code: 'BACKEND_FAILED' }))
    expect(await hot.queue.size()).toBe(1)
    await expect(store.erase(all, ['a'])).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    cold.store.commit = commit
    expect(await listed(store)).toEqual(['a'])
    expect(await setAsideIn(store)).toEqual([])
  })

  it('[TIR-39] what is set aside goes with an erase of what it holds, the rest of it stays, and it goes with its scope', async () => {
    const { inner, cold } = squeamish(() => new ConflictError({ code: 'CONFLICT', message: 'no' }))
    const { store, lacks } = await open({ cold: cold.store })
    cold.away = true
    const line = { op: 'write', verb: 'add', ids: ['x', 'y'], scope: s1, actor: 'secret-actor' } as const
    await write(
      store,
      [
        put({ id: 'x', scope: s1, content: 'poison x' }),
        put({ id: 'y', scope: s1, content: 'poison y', supersedes: 'x' }, { vector: unitVector([1, 2]) }),
        { type: 'journal', line },
      ],
      { actor: 'secret-actor', result: { ids: ['x', 'y'] } },
    )
    await add(store, 'other poison', s2)
    cold.away = false
    // Nobody who does not see it takes it away.
    await store.erase(exactly(s2), ['x'])
    expect((await setAsideIn(store))[0]?.content).toContain('poison x')
    expect(await store.erase(all, ['x'])).toMatchObject({ records: 1 })
    const left = async () => JSON.stringify([await inner.log(null), await setAsideIn(inner, all)])
    expect(await left()).toContain('poison y')
    expect(await left()).not.toMatch(/poison x|secret-actor|"x"|\\"x\\"/)
    expect((await store.health()).tiers[1]).toMatchObject({ setAside: 2 })
    const inScope = (await setAsideIn(store)).map(({ id }) => id)
    expect(await store.erase(within(s1), inScope)).toMatchObject({ records: 1 })
    expect(await left()).not.toContain('poison y')
    await store.erase(all, ['other poison'])
    expect(await left()).not.toContain('poison')
    expect((await store.health()).status).toBe('ok')
    lacks.length = 0
    await listed(store)
    expect(lacks).toEqual([])
  })

  /** A hot tier whose answers to pushes are lost, so many of them. */
  function forgetful(times: number) {
    const hot = redis({ url, prefix: freshName() })
    let left = times
    const push: HotTier['queue']['push'] = async (entry, bound) => {
      const answer = await hot.queue.push(entry, bound)
      if (left-- <= 0) return answer
      const details = { outcome: 'unknown' }
      throw new BackendError({ code: 'BACKEND_UNAVAILABLE', message: 'the connection was lost', details })
    }
    return { ...hot, queue: { ...hot.queue, push } }
  }

  it.each([1000, 1])(
    '[TIR-40] of what was taken in by a hot tier whose answer was lost, the truth is told, and it is written once (room for %i)',
    async (maxWaiting) => {
      const cold = remote(memory())
      const hot = forgetful(1)
      const { store } = await open({ cold: cold.store, hot, maxWaiting })
      cold.away = true
      expect(await add(store, 'a')).toMatchObject({ durable: false, records: [{ id: 'a' }] })
      expect(await hot.queue.size()).toBe(Math.min(maxWaiting, 2))
      if (maxWaiting === 1) await expect(add(store, 'b')).rejects.toMatchObject({ details: { waiting: 1 } })
      cold.away = false
      expect(await listed(store)).toEqual(['a'])
      expect(await feed(store)).toEqual([['a']])
      expect(await hot.queue.size()).toBe(0)
      expect((await store.health()).status).toBe('ok')
    },
  )

  it('[TIR-40] where nobody can be asked the error says that the outcome is not known, and names the transaction', async () => {
    const cold = remote(memory())
    const { store } = await open({ cold: cold.store, hot: forgetful(99) })
    cold.away = true
    const given = transaction({ id: fresh(), at: Date.now(), changes: [put({ id: 'a', scope: s1 })] })
    const details = { operation: 'commit', tx: given.id, outcome: 'unknown' }
    await expect(store.commit(given)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', details })
    cold.away = false
    expect(await listed(store)).toEqual(['a'])
    expect((await store.transaction(given.id))?.id).toBe(given.id)
  })

  it('[TIR-40] nor is it told as refused for want of room, when another process may have brought it', async () => {
    const cold = remote(memory())
    const hot = forgetful(1)
    const push: HotTier['queue']['push'] = async (entry, bound) => {
      const pushed = hot.queue.push(entry, bound)
      await pushed.catch(() => undefined)
      if ((await hot.queue.shift(entry)) && cold.away) await hot.queue.push('{"of": "another"}', 9)
      return pushed
    }
    const { store } = await open({ cold: cold.store, hot: { ...hot, queue: { ...hot.queue, push } }, maxWaiting: 1 })
    cold.away = true
    await expect(add(store, 'a')).rejects.toMatchObject({ details: { outcome: 'unknown' } })
  })

  it('[TIR-8] a hot tier that goes away after the cold store did does not keep writes from that when it is back', async () => {
    const network = await startProxy(url)
    closeLater(network)
    const cold = remote(memory())
    const { store } = await open({ cold: cold.store, hot: redis({ url: network.url, prefix: freshName() }) })
    cold.away = true
    await add(store, 'a')
    await network.refuse()
    cold.away = false
    expect(await add(store, 'b')).not.toHaveProperty('durable')
    await network.restore()
    await vi.waitFor(async () => expect((await listed(store)).sort()).toEqual(['a', 'b']), { timeout: 9000 })
  })
})
