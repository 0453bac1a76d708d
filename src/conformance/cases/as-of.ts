import assert from 'node:assert/strict'
import type { AsOf } from '../../contract/index.ts'
import { allScopes, exactly } from '../../model/index.ts'
import { put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.ts'
import { listIds } from '../expectations.ts'

const all = allScopes()

/** The two names of the present state, once the clock is moved on. */
async function now({ store, clock }: ConformanceContext): Promise<readonly [AsOf, AsOf]> {
  const { cursor } = await store.log(null, { limit: 10_000 })
  const time = clock()
  clock.advance(1)
  return [{ time }, { position: cursor }]
}

export const asOfCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-ASO-1',
    title: 'get shows the version of then, at a moment and at a position; what did not exist yet is null',
    async run(context) {
      const { store, commit, ids } = context
      const id = ids()
      const empty = await now(context)
      const vector = unitVector([1, 2])
      const { records } = await commit([put({ id, content: 'one' }, { vector })])
      const one = await now(context)
      await commit([put({ id, content: 'two', status: 'invalid' }, { op: 'invalidate' })])
      const two = await now(context)
      for (const asOf of empty) assert.deepEqual(await store.get(all, [id], { asOf }), [null])
      for (const asOf of one) {
        const [stored] = await store.get(all, [id], { asOf })
        assert.deepEqual([stored?.record, stored?.vector], [records[0], vector])
      }
      for (const asOf of two) assert.equal((await store.get(all, [id], { asOf }))[0]?.record.content, 'two')
    },
  },
  {
    rule: 'STO-ASO-2',
    title: 'list selects and orders by the values of then, page by page',
    async run(context) {
      const { store, commit, ids } = context
      const [a, b, c] = [ids(), ids(), ids()]
      await commit([
        put({ id: a, importance: 0.1, tags: ['x'] }),
        put({ id: b, importance: 0.2, key: 'k' }, { hash: 'h' }),
      ])
      const then = await now(context)
      await commit([
        put({ id: a, importance: 0.9, status: 'archived' }, { op: 'archive' }),
        put({ id: b, importance: 0.3, tags: ['x'] }),
        put({ id: c, importance: 1, key: 'k' }, { hash: 'h' }),
      ])
      for (const asOf of then) {
        assert.deepEqual(await listIds(store, all, { order: 'importance' }, { asOf, pageSize: 1 }), [b, a])
        assert.deepEqual(await listIds(store, all, { tags: ['x'] }, { asOf }), [a])
        assert.deepEqual(await listIds(store, all, { key: 'k' }, { asOf }), [b])
        assert.deepEqual(await listIds(store, all, { hash: 'h' }, { asOf }), [b])
        assert.deepEqual(await listIds(store, all, { statuses: ['archived'] }, { asOf }), [])
      }
      assert.deepEqual(await listIds(store, all, { order: 'importance' }, { pageSize: 1 }), [c, b])
    },
  },
  {
    rule: 'STO-ASO-3',
    title: 'links and counts are those of then',
    async run(context) {
      const { store, commit, ids } = context
      const [a, b] = [ids(), ids()]
      const link = { from: a, to: b, type: 'x', weight: 1, metadata: {} }
      await commit([put({ id: a }), put({ id: b, kind: 'episodic' })])
      const unlinked = await now(context)
      await commit([{ type: 'link', link }])
      const linked = await now(context)
      await commit([{ type: 'link', link: { ...link, weight: 0.5 } }, put({ id: ids() })])
      const heavier = await now(context)
      await commit([{ type: 'unlink', from: a, to: b, linkType: 'x' }])
      const after = await now(context)
      const weights = async (asOf: AsOf) => (await store.links(all, [b], { asOf })).map(({ weight }) => weight)
      for (const asOf of [...unlinked, ...after]) assert.deepEqual(await weights(asOf), [])
      for (const asOf of linked) assert.deepEqual(await weights(asOf), [1])
      for (const asOf of heavier) assert.deepEqual(await weights(asOf), [0.5])
      for (const asOf of linked) {
        const { counts } = await store.stats(all, { now: 0 }, { asOf })
        assert.deepEqual(counts.map(({ kind, count }) => [kind, count]).sort(), [
          ['episodic', 1],
          ['semantic', 1],
        ])
      }
    },
  },
  {
    rule: 'STO-ASO-4',
    title: 'what was removed since is not in the past either: no content, no count, no link',
    async run(context) {
      const { store, commit, ids } = context
      const [a, b] = [ids(), ids()]
      await commit([
        put({ id: a }),
        put({ id: b }),
        { type: 'link', link: { from: a, to: b, type: 'x', weight: 1, metadata: {} } },
      ])
      const then = await now(context)
      await commit([{ type: 'remove', op: 'delete', id: a }])
      const removed = await now(context)
      await commit([put({ id: a, content: 'back' })])
      for (const asOf of [...then, ...removed]) {
        assert.deepEqual(
          (await store.get(all, [a, b], { asOf })).map((stored) => stored?.record.id),
          [undefined, b],
        )
        assert.deepEqual(await listIds(store, all, {}, { asOf }), [b])
        assert.deepEqual(await store.links(all, [b], { asOf }), [])
        assert.deepEqual(
          (await store.stats(all, { now: 0 }, { asOf })).counts.map(({ count }) => count),
          [1],
        )
      }
      assert.deepEqual(await store.links(all, [a, b]), [])
    },
  },
  {
    rule: 'STO-ASO-5',
    title:
      'a moment includes all that was committed in that millisecond; a position tells transactions of one millisecond apart',
    async run({ store, commit, ids, clock }) {
      const [a, b] = [ids(), ids()]
      await commit([put({ id: a })])
      const { cursor } = await store.log(null)
      await commit([put({ id: b }), put({ id: a, content: 'again' })])
      assert.deepEqual((await listIds(store, all, {}, { asOf: { time: clock() } })).sort(), [a, b].sort())
      assert.deepEqual(await listIds(store, all, {}, { asOf: { position: cursor } }), [a])
      assert.equal((await store.get(all, [a], { asOf: { position: cursor } }))[0]?.record.version, 1)
      assert.deepEqual(await listIds(store, all, {}, { asOf: { time: clock() - 1 } }), [])
    },
  },
  {
    rule: 'STO-ASO-6',
    title: 'the past has access counts as they were put, and late vectors of that version',
    async run(context) {
      const { store, commit, add, clock } = context
      const { id } = await add()
      const then = await now(context)
      const vector = unitVector([3, 4])
      await store.derive([{ id, version: 1, vector }], [{ id, at: clock() }])
      await commit([put({ id, content: 'two' })])
      for (const asOf of then) {
        const [stored] = await store.get(exactly({ userId: 'ann' }), [id], { asOf })
        assert.equal(stored?.record.accessCount, 0)
        assert.deepEqual(stored?.vector, vector)
      }
    },
  },
]
