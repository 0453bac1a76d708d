import assert from 'node:assert/strict'
import type { StoreStats } from '../../contract/index.ts'
import { allScopes, formatInstant, type Lifetimes, within } from '../../model/index.ts'
import { put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'

const rows = (stats: StoreStats) =>
  stats.counts.map(({ scope, kind, status, count }) => [scope.sessionId ?? '', kind, status, count].join(' ')).sort()

export const statsCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-STA-1',
    title: 'records are counted by scope, kind and status; removed and expired ones and reserved kinds are left out',
    async run({ store, commit, ids, clock }) {
      const [ann, session, gone] = [{ userId: 'ann' }, { userId: 'ann', sessionId: 's' }, ids()]
      const at = clock()
      await commit([
        put({ id: ids(), scope: ann }),
        put({ id: ids(), scope: ann }),
        put({ id: ids(), scope: ann, status: 'invalid' }),
        put({ id: ids(), scope: ann, kind: 'my kind' }),
        put({ id: ids(), scope: ann, kind: '_conflict' }),
        put({ id: ids(), scope: session }),
        put({ id: ids(), scope: session, expiresAt: formatInstant(at + 10) }),
        put({ id: ids(), scope: { userId: 'bob' } }),
        put({ id: gone, scope: ann }),
      ])
      await commit([{ type: 'remove', op: 'delete', id: gone }])
      const others = [' my kind live 1', ' semantic invalid 1', ' semantic live 2']
      assert.deepEqual(rows(await store.stats(within(ann), { now: at + 9 })), [...others, 's semantic live 2'])
      assert.deepEqual(rows(await store.stats(within(ann), { now: at + 10 })), [...others, 's semantic live 1'])
      assert.deepEqual(rows(await store.stats(within({ userId: 'nobody' }), { now: at })), [])
    },
  },
  {
    rule: 'STO-STA-4',
    title: 'what has outlived the lifetime of its kind is neither counted nor listed, pinned records aside',
    async run({ store, commit, ids, clock }) {
      const ann = { userId: 'ann' }
      const { at } = await commit([
        put({ id: ids(), scope: ann }),
        put({ id: ids(), scope: ann, kind: 'short' }),
        put({ id: ids(), scope: ann, kind: 'short', pinned: true }),
        put({ id: ids(), scope: ann, kind: "it's %" }),
      ])
      assert.ok(at >= clock() - 60_000)
      const forever = Number.POSITIVE_INFINITY
      const lifetimes = {
        byKind: new Map([
          ['short', 10],
          ['semantic', forever],
        ]),
        others: 20,
      }
      const seen = async (now: number, by: Lifetimes) => {
        const { items } = await store.list(within(ann), { now, lifetimes: by, order: 'oldest', limit: 10 })
        const counted = rows(await store.stats(within(ann), { now, lifetimes: by }))
        const total = counted.reduce((sum, row) => sum + Number(row.split(' ').at(-1)), 0)
        assert.equal(items.length, total)
        return counted
      }
      const others = [' semantic live 1']
      assert.deepEqual(await seen(at + 9, lifetimes), [" it's % live 1", ...others, ' short live 2'])
      assert.deepEqual(await seen(at + 10, lifetimes), [" it's % live 1", ...others, ' short live 1'])
      assert.deepEqual(await seen(at + 20, lifetimes), [...others, ' short live 1'])
      assert.deepEqual(await seen(at + 20, { byKind: new Map(), others: 20 }), [' short live 1'])
    },
  },
  {
    rule: 'STO-STA-2',
    title: 'vectors are counted by space and dimensions; the size is a number of bytes',
    async run({ store, commit, ids }) {
      const [a, b] = [ids(), ids()]
      await commit([
        put({ id: a }, { vector: unitVector([1, 2]) }),
        put({ id: b }, { vector: unitVector([2, 1]) }),
        put({ id: ids() }, { vector: unitVector([0, 0, 1], 'other') }),
        put({ id: ids() }),
      ])
      await commit([put({ id: b }), { type: 'remove', op: 'delete', id: a }])
      await store.derive([{ id: b, version: 2, vector: unitVector([1, 1]) }])
      const { spaces, sizeBytes } = await store.stats(allScopes(), { now: 0 })
      assert.deepEqual(
        [...spaces].sort((x, y) => x.dimensions - y.dimensions),
        [
          { space: 'test', dimensions: 2, count: 1 },
          { space: 'other', dimensions: 3, count: 1 },
        ],
      )
      assert.ok(Number.isInteger(sizeBytes) && sizeBytes > 0)
    },
  },
  {
    rule: 'STO-STA-3',
    title: 'vectorSpaces names space and dimensions of every vector, late ones included',
    async run({ store, commit, ids }) {
      const id = ids()
      assert.deepEqual(await store.vectorSpaces(), [])
      await commit([put({ id }), put({ id: ids() }, { vector: unitVector([1], 'other') })])
      assert.deepEqual(await store.vectorSpaces(), [{ space: 'other', dimensions: 1 }])
      await store.derive([{ id, version: 1, vector: unitVector([1]) }])
      await commit([put({ id: ids() }, { vector: unitVector([1, 0], 'other') })])
      const names = (await store.vectorSpaces()).map(({ space, dimensions }) => `${space} ${dimensions}`)
      assert.deepEqual(names.sort(), ['other 1', 'other 2', 'test 1'])
    },
  },
]
