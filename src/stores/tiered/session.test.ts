import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { remote } from '../../../test/fixtures/away.ts'
import { freshName } from '../../../test/fixtures/servers.ts'
import {
  add,
  closeAll,
  closeLater,
  counted,
  feed,
  fresh,
  listed,
  open,
  s1,
  s2,
  url,
  write,
} from '../../../test/fixtures/session-tiers.ts'
import { testFile } from '../../../test/fixtures/stores.ts'
import { erasedId, type MemoryStore, type StoreChange } from '../../contract/index.ts'
import { allScopes, exactly, within } from '../../model/index.ts'
import { put, transaction, unitVector } from '../../testing/index.ts'
import { memory } from '../memory/index.ts'
import { redis } from '../redis/index.ts'
import { sqlite } from '../sqlite/index.ts'
import { tiered } from './index.ts'
import { promotedKind, stagedKind, twinId } from './staging/twin.ts'

const all = allScopes()

afterEach(closeAll)

describe.skipIf(url === '')('session mode', () => {
  it('[TIR-20] what a session adds is in the cold log at once, neither listed nor counted there, and shown as if committed', async () => {
    const cold = memory()
    const { store } = await open({ cold })
    const { tx, records } = await write(
      store,
      [put({ id: 'a', scope: s1, key: 'k', data: { deep: [1] } }, { hash: 'h', vector: unitVector([1, 2]) })],
      { actor: 'bot', reason: 'said so', result: { id: 'a' } },
    )
    expect([await listed(cold), await counted(cold)]).toEqual([[], 0])
    expect((await cold.log(null)).entries).toHaveLength(1)
    const record = records[0]!
    expect(record).toMatchObject({ id: 'a', kind: 'semantic', version: 1, data: { deep: [1] }, key: 'k' })
    expect((await store.get(exactly(s1), ['a']))[0]).toMatchObject({ record, vector: unitVector([1, 2]) })
    expect([await listed(store), await counted(store)]).toEqual([['a'], 1])
    const [entry] = (await store.log(null)).entries
    expect(entry).toMatchObject({ id: tx, actor: 'bot', result: { id: 'a' } })
    expect(entry?.changes).toMatchObject([{ type: 'put', op: 'add', id: 'a', kind: 'semantic', stored: { record } }])
    expect(await store.transaction(tx)).toEqual(entry)
    expect(await store.revisions(all, 'a')).toMatchObject([{ id: 'a', tx, version: 1, reason: 'said so', record }])
    const claims = ['key', 'content'].map((type) => ({
      type,
      scope: s1,
      kind: 'semantic',
      value: type[0] === 'k' ? 'k' : 'h',
    }))
    expect(await store.holders(claims as never)).toMatchObject([{ record }, { record }])
    expect(await store.get(all, [twinId('a')])).toEqual([null])
    for (const kinds of [[stagedKind], [promotedKind]])
      expect((await store.list(all, { kinds, statuses: 'any', order: 'oldest', limit: 9 })).items).toEqual([])
  })

  it('[TIR-21] migration makes records of exactly one session, as they were, says how many, and again finds nothing to do', async () => {
    const cold = memory()
    const { store } = await open({ cold })
    for (const id of ['a', 'b', 'c']) await add(store, id, s1, { tags: ['t'] })
    for (const id of ['d', 'e']) await add(store, id, s2)
    await store.derive([{ id: 'a', version: 1, vector: unitVector([3, 4]) }], [{ id: 'b', at: 5 }])
    const before = await store.get(all, ['a', 'b', 'c'])
    expect(before.map((stored) => stored?.record.accessCount)).toEqual([0, 1, 0])
    expect(await store.migrateToCold(s1)).toEqual({ migrated: 3, remaining: 0 })
    expect([await listed(cold), await counted(cold)]).toEqual([['a', 'b', 'c'], 3])
    expect(await cold.get(all, ['a', 'b', 'c'])).toEqual(before)
    expect(await store.get(all, ['a', 'b', 'c'])).toEqual(before)
    expect(await store.migrateToCold(s1)).toEqual({ migrated: 0, remaining: 0 })
    expect(await listed(store)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(await counted(store)).toBe(5)
    expect(await store.dropSession(s1)).toBe(3)
    expect(await listed(store, s1)).toEqual(['a', 'b', 'c'])
  })

  it('[TIR-22] what the hot tier loses before a migration is read from the cold log, and is in the hot tier again', async () => {
    const cold = remote(memory())
    const hot = redis({ url, prefix: freshName(), ttlMs: 1000 })
    const { store } = await open({ cold: cold.store, hot })
    await add(store, 'a')
    const kept = await store.get(all, ['a'])
    await hot.flushEpoch()
    expect(await store.get(all, ['a'])).toEqual(kept)
    expect(await hot.get(all, ['a'])).toMatchObject([{ state: 'hit' }])
    // The time to live ends while the session still goes on.
    await vi.waitFor(async () => expect(await hot.get(all, ['a'])).toMatchObject([{ state: 'miss' }]), {
      timeout: 9000,
    })
    expect(await store.migrateToCold(s1)).toEqual({ migrated: 1, remaining: 0 })
    expect(await store.get(all, ['a'])).toEqual(kept)
  })

  it('[TIR-23] of migrations at once each record is made by one, and their counts add up', async () => {
    const path = testFile()
    const prefix = freshName()
    const processes = await Promise.all(
      [1, 2, 3].map(() => open({ cold: sqlite({ path }), hot: redis({ url, prefix }) })),
    )
    for (let i = 0; i < 10; i++) await add(processes[i % 3]!.store, `r${i}`)
    await write(processes[0]!.store, [put({ id: 'x', scope: s1 }), put({ id: 'y', scope: s1 })])
    const answers = await Promise.all(processes.map(({ store }) => store.migrateToCold(s1)))
    expect(answers.reduce((sum, { migrated }) => sum + migrated, 0)).toBe(12)
    for (const { store } of processes) {
      expect(await store.migrateToCold(s1)).toEqual({ migrated: 0, remaining: 0 })
      expect(await counted(store)).toBe(12)
      expect((await listed(store)).length).toBe(12)
      expect(await store.verify()).toEqual([])
    }
  })

  it('[TIR-24] a migration that is cut says how far it came, and a repetition finishes it', async () => {
    const cold = remote(memory())
    const { store, lacks } = await open({ cold: cold.store })
    for (const id of ['a', 'b', 'c']) await add(store, id)
    let commits = 0
    cold.fails = (method) => method === 'commit' && ++commits >= 2
    expect(await store.migrateToCold(s1)).toEqual({ migrated: 1, remaining: 2 })
    expect(lacks).toContainEqual(expect.objectContaining({ stage: 'cold', code: 'BACKEND_UNAVAILABLE' }))
    expect(await store.get(all, ['a', 'b', 'c'])).not.toContain(null)
    await expect(store.migrateToCold(s1)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' })
    cold.fails = () => false
    expect(await store.migrateToCold(s1)).toEqual({ migrated: 2, remaining: 0 })
    expect(await counted(cold.store)).toBe(3)
  })

  it('[TIR-25] a write that needs a staged record makes one of it first: updates, removals, links, preconditions', async () => {
    const cold = memory()
    const { store } = await open({ cold })
    for (const id of ['a', 'b', 'c', 'd', 'e']) await add(store, id)
    await write(store, [put({ id: 'a', scope: s1, content: 'new' }, { op: 'update' })])
    await write(store, [{ type: 'remove', op: 'delete', id: 'b' }])
    const link = { from: 'c', to: 'd', type: 'x', weight: 1, metadata: {} }
    await write(store, [{ type: 'link', link }])
    await write(store, [], { requires: [{ type: 'version', id: 'e', is: 1 }] })
    await expect(
      write(store, [put({ id: 'e', scope: s1 })], { requires: [{ type: 'version', id: 'e', is: null }] }),
    ).rejects.toMatchObject({ code: 'VERSION_CONFLICT', details: { id: 'e' } })
    expect(await listed(cold)).toEqual(['a', 'c', 'd', 'e'])
    expect((await store.revisions(all, 'a')).map(({ version, record }) => [version, record?.content])).toEqual([
      [1, 'text of a'],
      [2, 'new'],
    ])
    expect((await store.revisions(all, 'b')).map(({ op, record }) => [op, record])).toEqual([
      ['add', null],
      ['delete', null],
    ])
    expect(await store.links(all, ['c'])).toEqual([link])
    // An id that was there once goes on with its versions, in the scope it belongs to.
    await expect(add(store, 'b', s2)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect((await add(store, 'b')).records[0]?.version).toBe(3)
  })

  it('[TIR-26] a transaction, the past, the log and its feed are the same before and after a migration, which changes nothing there', async () => {
    const { store } = await open({ cold: memory() })
    const { tx } = await add(store, 'a')
    const before = await store.transaction(tx)
    const { cursor } = await store.log(null)
    const past = { asOf: { position: cursor } }
    await store.migrateToCold(s1)
    expect(await store.transaction(tx)).toEqual(before)
    expect((await store.revisions(all, 'a')).map((revision) => revision.tx)).toEqual([tx])
    expect(await feed(store)).toEqual([['a'], []])
    const [, promotion] = (await store.log(null)).entries
    expect(promotion).toMatchObject({ verb: 'migrate', changes: [] })
    expect(await store.transaction(promotion?.id ?? '')).toEqual(promotion)
    // The past of before the migration is the same after it.
    expect((await store.get(all, ['a'], past))[0]?.record.version).toBe(1)
    expect((await store.list(all, { order: 'oldest', limit: 9 }, past)).items).toHaveLength(1)
    expect((await store.stats(all, { now: 0 }, past)).counts).toHaveLength(1)
  })

  it.each(['before', 'after'])(
    '[TIR-27] an erase %s migration leaves nothing of a staged record anywhere',
    async (when) => {
      const cold = memory()
      const hot = redis({ url, prefix: freshName() })
      const { store } = await open({ cold, hot })
      const idempotency = { scope: s1, key: 'secret-key', digest: 'd', expiresAt: Date.now() + 9999 }
      const line = { op: 'write', verb: 'add', ids: ['secret'], scope: s1, actor: 'secret-actor' } as const
      await write(
        store,
        [
          put({ id: 'secret', scope: s1, content: 'secret-text', key: 'secret-k' }, { vector: unitVector([1]) }),
          { type: 'journal', line },
        ],
        { idempotency, actor: 'secret-actor', result: { id: 'secret' } },
      )
      await add(store, 'kept')
      if (when === 'after') await store.migrateToCold(s1)
      const counts = await store.erase(all, ['secret'])
      expect(counts).toEqual({ records: 1, revisions: 1, vectors: 1, links: 0, journal: 1, idempotency: 1 })
      const left = [await cold.log(null), await cold.list(all, { kinds: [stagedKind], order: 'oldest', limit: 9 })]
      const texts = [JSON.stringify(left), JSON.stringify(await cold.journal(all, { limit: 9 }))]
      for await (const stored of hot.scan(all)) texts.push(JSON.stringify(stored))
      expect(texts.join()).not.toContain('secret')
      expect(await store.get(all, ['secret'])).toEqual([null])
      const [erased] = (await store.log(null)).entries.flatMap(({ changes }) =>
        changes.filter(({ type }) => type === 'remove'),
      )
      if (erased?.type !== 'remove' || erased.salt === null) throw new Error('no erase in the log')
      expect(erased.id).toBe(erasedId(erased.salt, 'secret'))
      expect(await listed(store)).toEqual(['kept'])
    },
  )

  it('[TIR-32] processes that add to one session see each other at once, and one of them gets a key', async () => {
    const [path, prefix] = [testFile(), freshName()]
    const processes = await Promise.all([1, 2].map(() => open({ cold: sqlite({ path }), hot: redis({ url, prefix }) })))
    for (let round = 0; round < 5; round++) {
      const key = `k${round}`
      const requires = [{ type: 'noKey', scope: s1, kind: 'semantic', key }]
      const made = await Promise.allSettled(
        processes.map(({ store }) => write(store, [put({ id: fresh(), scope: s1, key })], { requires })),
      )
      expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const lost = made.find((each) => each.status === 'rejected')
      expect(lost?.reason).toMatchObject({ code: 'CONFLICT', details: { precondition: 'noKey' } })
    }
    expect(await listed(processes[0]!.store)).toEqual(await listed(processes[1]!.store))
    expect(await counted(processes[1]!.store)).toBe(5)
  })

  it('[TIR-35] an index that has no staged records, of who opens the cold store itself, is never taken over', async () => {
    const path = testFile()
    const cold = sqlite({ path })
    const { store } = await open({ cold: sqlite({ path }) })
    await add(store, 'a')
    await cold.open()
    closeLater(cold)
    const name = 'search/test'
    const { generation } = await cold.snapshots!.state(name)
    const part = { key: 'head', span: null, chunks: [new Uint8Array([1])] }
    expect(await cold.snapshots!.write(name, { generation, parts: [part] })).toBe(true)
    expect((await store.snapshots!.state(name)).keys).toEqual([])
    expect(await store.snapshots!.write(name, { generation, parts: [{ ...part, key: 'staged' }] })).toBe(true)
    expect((await store.snapshots!.state(name)).keys).toEqual(['staged'])
    expect((await cold.snapshots!.state(name)).keys).toEqual(['head'])
  })

  it('[TIR-36] a vector that comes while a record is made of a staged one is not lost', async () => {
    const cold = remote(memory())
    const { store } = await open({ cold: cold.store })
    await add(store, 'a')
    const late = { id: 'a', version: 1, vector: unitVector([3, 4]) }
    let isLate = false
    const inner = cold.store.commit
    cold.store.commit = async (given, options) => {
      // Between the look at the twin and the commit that makes the record.
      if (given.verb === 'migrate' && !isLate) {
        isLate = true
        await store.derive([late])
      }
      return inner(given, options)
    }
    const twice = tiered({ hot: redis({ url, prefix: freshName() }), cold: cold.store, mode: 'session' })
    await twice.open()
    expect(await twice.migrateToCold(s1)).toEqual({ migrated: 1, remaining: 0 })
    expect(isLate).toBe(true)
    expect((await store.get(all, ['a']))[0]?.vector).toEqual(late.vector)
    expect((await cold.store.get(all, ['a']))[0]?.vector).toEqual(late.vector)
  })

  it('[TIR-36] nor does the hot tier keep a copy without it, though somebody read the record in between', async () => {
    const cold = remote(memory())
    const hot = redis({ url, prefix: freshName() })
    const { store } = await open({ cold: cold.store, hot })
    await add(store, 'a')
    const late = { id: 'a', version: 1, vector: unitVector([3, 4]) }
    const inner = cold.store.commit
    cold.store.commit = async (given, options) => {
      if (given.verb !== 'migrate') return inner(given, options)
      await store.derive([late])
      const result = await inner(given, options)
      expect((await store.get(all, ['a']))[0]?.vector).toBeNull()
      expect(await hot.get(all, ['a'])).toMatchObject([{ state: 'hit' }])
      return result
    }
    const twice = await open({ cold: cold.store, hot })
    expect(await twice.store.migrateToCold(s1)).toEqual({ migrated: 1, remaining: 0 })
    for (const one of [store, twice.store]) expect((await one.get(all, ['a']))[0]?.vector).toEqual(late.vector)
  })

  it('[TIR-33] whatever is written and read, migrated or not, is answered as a store without tiers answers it', async () => {
    const scopes = [s1, s2, { ...s1, namespace: ['n'] }, { userId: 'ann' }]
    const names = ['a', 'b', 'c', 'd']
    const step = fc.record({
      what: fc.constantFrom('add', 'add', 'add', 'update', 'remove', 'touch', 'vector', 'migrate', 'evict'),
      id: fc.constantFrom(...names),
      scope: fc.constantFrom(...scopes),
      key: fc.option(fc.constantFrom('k', 'l'), { nil: undefined }),
      kind: fc.constantFrom('semantic', 'episodic', 'kv'),
      importance: fc.constantFrom(0.1, 0.5),
      until: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const hot = redis({ url, prefix: freshName() })
        const tieredStore = tiered({ hot, cold: memory(), mode: 'session' })
        const plain = memory()
        const both = [tieredStore, plain] as const
        await Promise.all(both.map((store) => store.open()))
        const same = async (ask: (store: MemoryStore) => Promise<unknown>) => {
          const [one, other] = await Promise.all(
            both.map((store) => ask(store).catch((error: { code: string }) => ({ failed: error.code }))),
          )
          expect(one).toEqual(other)
        }
        let at = 1_767_225_600_000
        try {
          for (const { what, id, scope, key, kind, importance, until } of steps) {
            at += 1
            const tx = fresh()
            const expiresAt = until === undefined ? {} : { expiresAt: new Date(at + until).toISOString() }
            const record = {
              id,
              scope,
              kind,
              importance,
              content: `${what} ${at}`,
              ...(key ? { key } : {}),
              ...expiresAt,
            }
            const changes: StoreChange[] =
              what === 'remove'
                ? [{ type: 'remove', op: 'delete', id }]
                : [put(record, { hash: `${kind} ${importance}` })]
            if (what === 'migrate') await tieredStore.migrateToCold({ userId: 'ann', sessionId: 's1' })
            else if (what === 'evict') await hot.flushEpoch()
            else if (what === 'touch') await same((store) => store.derive([], [{ id, at }]))
            else if (what === 'vector')
              await same((store) => store.derive([{ id, version: 1, vector: unitVector([at % 7, 1]) }]))
            else await same(async (store) => (await store.commit(transaction({ id: tx, at, changes }))).records)
            await same((store) => store.get(within(scope), names))
            await same(async (store) => await store.vectorsOf(names))
          }
          for (const order of ['newest', 'oldest', 'updated', 'importance', 'eventTime'] as const) {
            await same(async (store) => {
              const items = []
              let after: { value: number; id: string } | undefined
              for (let more = true; more; ) {
                const page = await store.list(all, { order, limit: 2, after, statuses: 'any', now: at })
                items.push(...page.items)
                const last = page.items.at(-1)?.record
                more = page.more && last !== undefined
                const value =
                  last &&
                  (order === 'importance'
                    ? last.importance
                    : Date.parse(order === 'updated' ? last.updatedAt : last.createdAt))
                after = last && { value: value as number, id: last.id }
              }
              return items
            })
          }
          const { counts: _ignored } = await plain.stats(all, { now: at })
          const stats = async (store: MemoryStore) => {
            const { counts, spaces } = await store.stats(all, { now: at })
            return [counts.map((each) => JSON.stringify(each)).sort(), spaces]
          }
          await same(stats)
          for (const id of names)
            await same(async (store) => (await store.revisions(all, id)).map((each) => ({ ...each })))
          await same((store) => store.list(all, { order: 'oldest', limit: 9, key: 'k', kinds: ['kv'] }))
          const claims = scopes.flatMap((scope) => [
            { type: 'key', scope, kind: 'kv', value: 'k' } as const,
            { type: 'content', scope, kind: 'semantic', value: 'semantic 0.5' } as const,
          ])
          await same((store) => store.holders(claims))
        } finally {
          await Promise.all(both.map((store) => store.close()))
        }
      }),
      Number(process.env.MNEME_FUZZ_RUNS ?? 0) > 0 ? {} : { numRuns: 15 },
    )
  }, 120_000)
})
