import assert from 'node:assert/strict'
import { allScopes } from '../../model/index.ts'
import { put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { everything, readLog, refuses } from '../expectations.ts'
import { everyMethod } from './every-method.ts'

const all = allScopes()

export const lifecycleCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-OPN-1',
    title: 'opening twice, also at the same time, is opening once',
    async run({ store, add }) {
      await store.close()
      await Promise.all([store.open(), store.open()])
      const record = await add()
      await store.open()
      assert.deepEqual((await store.get(all, [record.id]))[0]?.record, record)
    },
  },
  {
    rule: 'STO-OPN-2',
    title: 'after close every method rejects with ENGINE_CLOSED; closing twice is fine; opening again is allowed',
    async run(context) {
      const { store, add } = context
      await store.close()
      await store.close()
      for (const [name, call] of Object.entries(everyMethod(context, store))) {
        await refuses(call(), 'ENGINE_CLOSED').catch((cause: unknown) => {
          throw new Error(`${name} after close`, { cause })
        })
      }
      await store.open()
      const record = await add()
      assert.deepEqual((await store.get(all, [record.id]))[0]?.record, record)
    },
  },
  {
    rule: 'STO-OPN-3',
    title: 'close waits for the work in hand: every call made before it is answered',
    async run({ store, add, commit, ids, clock }) {
      const vector = unitVector([1, 2, 3])
      const { id } = await add({}, { vector })
      const work = Array.from({ length: 5 }, () => commit([put({ id: ids() })]))
      const window = { statuses: ['live' as const], now: clock(), limit: 5 }
      // A search may be several steps.
      const reads = [
        store.get(all, [id]),
        store.text?.match(all, ['tea'], window),
        store.vectors?.nearest(all, vector.space, vector.values, window),
        store.turns?.describe(all, { keyed: [id] }, { terms: ['tea'] }, window),
      ]
      const closed = store.close()
      const results = await Promise.all(work)
      await Promise.all(reads)
      await closed
      assert.equal(new Set(results.map(({ tx }) => tx)).size, 5)
    },
  },
  {
    rule: 'STO-OPN-4',
    title: 'after close and open everything committed is there: records, vectors, log, history, links, journal, keys',
    needs: ['durable'],
    async run({ store, commit, add, ids, clock }) {
      const scope = { userId: 'ann' }
      const first = await add({ content: 'before', scope }, { vector: unitVector([1, 2, 3]) })
      const second = await add({ scope })
      await commit(
        [
          put({ id: first.id, content: 'after', scope }, { op: 'update', vector: unitVector([3, 2, 1]) }),
          { type: 'link', link: { from: first.id, to: second.id, type: 'about', weight: 0.5, metadata: { a: 1 } } },
          { type: 'journal', line: { op: 'write', verb: 'update', ids: [first.id], scope } },
        ],
        { idempotency: { scope, key: 'k', digest: 'd', expiresAt: clock() + 1000 }, result: { id: first.id } },
      )
      await store.derive([], [{ id: second.id, at: clock() }])
      const before = await everything(store, [first.id, second.id])
      const vector = (await store.get(all, [first.id]))[0]?.vector
      const { cursor } = await readLog(store)

      await store.close()
      await store.open()
      assert.equal(await everything(store, [first.id, second.id]), before)
      assert.deepEqual((await store.get(all, [first.id]))[0]?.vector, vector)
      assert.deepEqual((await store.usedKey(scope, 'k', { now: clock() }))?.digest, 'd')
      const third = await commit([put({ id: ids(), scope })])
      assert.deepEqual(
        (await readLog(store, cursor)).entries.map((entry) => entry.id),
        [third.tx],
      )
    },
  },
  {
    rule: 'STO-OPN-5',
    title: 'the secret of a store is random, the same for every instance over its data, and no read shows it',
    async run({ store, add }) {
      const secret = await store.secret()
      assert.ok(secret.length >= 16)
      assert.deepEqual(await store.secret(), secret)
      secret.fill(0)
      assert.notDeepEqual(await store.secret(), secret)
      const { id } = await add({})
      const shown = await everything(store, [id])
      assert.ok(!shown.includes(Buffer.from(await store.secret()).toString()))
    },
  },
  {
    rule: 'STO-OPN-6',
    title: 'a store that tells its place tells the same one as another instance over its data',
    needs: ['shared'],
    async run({ store, add, openSecond }) {
      if (store.place === undefined) return
      const second = await openSecond()
      const place = await store.place()
      assert.ok(place !== '')
      assert.equal(await second.place?.(), place)
      await add()
      await store.close()
      await store.open()
      assert.equal(await store.place(), place)
    },
  },
  {
    rule: 'STO-OPN-7',
    title: 'opening while it closes opens it again after that, and calls made while it opens wait for it',
    async run({ store, add, commit, ids }) {
      const before = commit([put({ id: ids() })])
      const closed = store.close()
      const opened = store.open()
      const after = add({ content: 'after' })
      const done = await Promise.all([before, closed, opened, after])
      assert.equal((await store.get(all, [done[3].id]))[0]?.record.content, 'after')
      await store.close()
      await refuses(store.head(), 'ENGINE_CLOSED')
    },
  },
]
