import assert from 'node:assert/strict'
import { compareIds, comparePositions, type ListOrder, type ListQuery, orderValue } from '../../contract/index.ts'
import { allScopes, formatInstant, type Status, statuses, within } from '../../model/index.ts'
import { plainAnalysis, put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.ts'
import { listAll, listIds } from '../expectations.ts'

const all = allScopes()
const orders: readonly ListOrder[] = ['newest', 'oldest', 'updated', 'importance', 'eventTime']

/** Forty records with ties in every order, ids in no order and beyond ASCII. */
async function crowd({ commit, clock }: ConformanceContext): Promise<string[]> {
  const start = clock()
  const time = (i: number, several: number) => formatInstant(start + (((i * 7) % several) - 2) * 1000)
  const ids = Array.from({ length: 40 }, (_, i) => `${['r', 'R', 'é', '\uff5e', '😀'][i % 5]}${(i * 17) % 40}`)
  await commit(
    ids.map((id, i) =>
      put({
        id,
        importance: ((i * 11) % 4) / 4,
        createdAt: time(i, 6),
        updatedAt: time(i + 3, 5),
        ...(i % 3 === 0 ? { eventTime: { start: time(i, 9) } } : {}),
      }),
    ),
  )
  return ids
}

type Placed = Partial<Parameters<typeof put>[0]>

/** Puts one record a name with these fields, and gives a way to ask which names a query finds. */
async function named(
  { store, commit }: ConformanceContext,
  records: Readonly<Record<string, Placed>>,
): Promise<(query: Partial<ListQuery>) => Promise<string>> {
  await commit(Object.entries(records).map(([id, fields]) => put({ id, ...fields })))
  return async (query) => (await listIds(store, all, query)).sort(compareIds).join(' ')
}

export const listCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-LST-1',
    title:
      'every order is by its value, greater first for newest, updated and importance, ties by id in the same direction',
    async run(context) {
      const ids = await crowd(context)
      for (const order of orders) {
        const found = await listAll(context.store, all, { order }, { pageSize: 1000 })
        assert.deepEqual(found.map(({ record }) => record.id).sort(), [...ids].sort(), order)
        const places = found.map(({ record }) => ({ value: orderValue(record, order), id: record.id }))
        for (const [i, place] of places.slice(1).entries()) {
          const previous = places[i] as typeof place
          assert.ok(comparePositions(previous, place, order) < 0, `${order}: ${previous.id} before ${place.id}`)
        }
      }
    },
  },
  {
    rule: 'STO-LST-2',
    title:
      'pages of any size follow each other without gap or repetition, in every order; more says whether there is more',
    async run(context) {
      const { store } = context
      await crowd(context)
      for (const order of orders) {
        const whole = await listIds(store, all, { order }, { pageSize: 1000 })
        for (const pageSize of [1, 3, 13, 39, 40, 41]) {
          assert.deepEqual(await listIds(store, all, { order }, { pageSize }), whole, `${order} by ${pageSize}`)
        }
      }
      assert.equal((await store.list(all, { order: 'newest', limit: 39 })).more, true)
      const last = await store.list(all, { order: 'newest', limit: 1000 })
      assert.deepEqual([last.items.length, last.more], [40, false])
      assert.deepEqual((await store.list(all, { order: 'newest', limit: 0 })).items, [])
    },
  },
  {
    rule: 'STO-LST-3',
    title: 'a page goes on from the place it was given, though the record of that place has changed or gone',
    async run(context) {
      const { store, commit } = context
      await crowd(context)
      for (const order of orders) {
        const whole = await listAll(store, all, { order })
        const place = whole[5]?.record ?? assert.fail()
        const after = { value: orderValue(place, order), id: place.id }
        await commit([{ type: 'remove', op: 'delete', id: place.id }])
        const rest = await listIds(store, all, { order, after }, { pageSize: 4 })
        assert.deepEqual(
          rest,
          whole.slice(6).map(({ record }) => record.id),
          order,
        )
      }
    },
  },
  {
    rule: 'STO-LST-4',
    title: 'kinds: those asked for, in any spelling; by default all but reserved ones',
    async run(context) {
      const find = await named(context, {
        a: {},
        b: { kind: 'episodic' },
        c: { kind: '_conflict' },
        d: { kind: 'My "kind" %' },
        e: { kind: '__proto__' },
      })
      assert.equal(await find({}), 'a b d')
      assert.equal(await find({ kinds: ['episodic', 'My "kind" %'] }), 'b d')
      assert.equal(await find({ kinds: ['_conflict'] }), 'c')
      assert.equal(await find({ kinds: ['__proto__', 'semantic', 'Semantic'] }), 'a e')
      assert.equal(await find({ kinds: [] }), '')
    },
  },
  {
    rule: 'STO-LST-5',
    title: 'statuses: live by default, those asked for, or any',
    async run(context) {
      const find = await named(context, Object.fromEntries(statuses.map((status) => [status, { status }])))
      assert.equal(await find({}), 'live')
      for (const status of statuses) assert.equal(await find({ statuses: [status] }), status)
      assert.equal(await find({ statuses: ['archived', 'invalid'] as Status[] }), 'archived invalid')
      assert.equal(await find({ statuses: 'any' }), [...statuses].sort().join(' '))
      assert.equal(await find({ statuses: [] }), '')
    },
  },
  {
    rule: 'STO-LST-6',
    title:
      'key and hash are compared exactly, keyed takes what has a key, pinned what is pinned; tags must all be there',
    async run(context) {
      const { store, commit, ids } = context
      const find = await named(context, {
        a: { key: 'k', tags: ['x', 'y'] },
        b: { key: 'K', tags: ['x'] },
        c: { key: 'k%', tags: ['X', '\ud800', 'x,y'] },
        d: { tags: ['__proto__', 'y'], pinned: true },
        e: { content: '{"pinned":true}', metadata: { pinned: true }, tags: ['z'] },
      })
      assert.equal(await find({ key: 'k' }), 'a')
      assert.equal(await find({ key: 'k%' }), 'c')
      assert.equal(await find({ key: '' }), '')
      assert.equal(await find({ keyed: true }), 'a b c')
      assert.equal(await find({ keyed: true, tags: ['y'] }), 'a')
      assert.equal(await find({ pinned: true }), 'd')
      assert.equal(await find({ pinned: true, tags: ['x'] }), '')
      assert.equal(await find({ tags: ['x'] }), 'a b')
      assert.equal(await find({ tags: ['y', 'x'] }), 'a')
      assert.equal(await find({ tags: ['\ud800'] }), 'c')
      assert.equal(await find({ tags: ['x', 'nothing'] }), '')
      assert.equal(await find({ tags: ['__proto__'] }), 'd')
      assert.equal(await find({ tags: [] }), 'a b c d e')
      const id = ids()
      await commit([put({ id }, { hash: 'h1' }), put({ id: ids() }, { hash: 'H1' })])
      assert.deepEqual(await listIds(store, all, { hash: 'h1' }), [id])
      await commit([put({ id }, { hash: 'h2' })])
      assert.deepEqual(await listIds(store, all, { hash: 'h1' }), [])
    },
  },
  {
    rule: 'STO-LST-7',
    title: 'since and until take in the first moment and leave out the last, on event time, else creation',
    async run(context) {
      const at = (milliseconds: number) => formatInstant(1_000_000 + milliseconds)
      const find = await named(context, {
        a: { createdAt: at(0) },
        b: { createdAt: at(10) },
        c: { createdAt: at(0), eventTime: { start: at(10), end: at(99) } },
        d: { createdAt: at(10), eventTime: { start: at(20) } },
      })
      assert.equal(await find({ since: 1_000_010 }), 'b c d')
      assert.equal(await find({ until: 1_000_010 }), 'a')
      assert.equal(await find({ since: 1_000_010, until: 1_000_020 }), 'b c')
      assert.equal(await find({ since: 1_000_011, until: 1_000_020 }), '')
      assert.equal(await find({ since: 1_000_020, until: 1_000_010 }), '')
    },
  },
  {
    rule: 'STO-LST-8',
    title: 'validAt: from the first moment of validity on, up to and without its end; open ends are open',
    async run(context) {
      const at = (milliseconds: number) => formatInstant(1_000_000 + milliseconds)
      const find = await named(context, {
        a: {},
        b: { validFrom: at(10) },
        c: { validTo: at(10) },
        d: { validFrom: at(5), validTo: at(15) },
        e: { validFrom: at(10), validTo: at(10) },
      })
      assert.equal(await find({ validAt: 1_000_009 }), 'a c d')
      assert.equal(await find({ validAt: 1_000_010 }), 'a b d')
      assert.equal(await find({ validAt: 1_000_015 }), 'a b')
      assert.equal(await find({}), 'a b c d e')
    },
  },
  {
    rule: 'STO-LST-9',
    title: 'with now, a record is out from the millisecond of its expiry on; without, expired ones are in',
    async run(context) {
      const expiresAt = formatInstant(1_000_000)
      const find = await named(context, { a: { expiresAt }, b: {} })
      assert.equal(await find({ now: 999_999 }), 'a b')
      assert.equal(await find({ now: 1_000_000 }), 'b')
      assert.equal(await find({}), 'a b')
      assert.equal((await context.store.get(all, ['a']))[0]?.record.id, 'a')
    },
  },
  {
    rule: 'STO-LST-10',
    title: 'withoutVector: records with index terms and without a vector in that space',
    async run({ store, commit, ids }) {
      const [none, other, there, wordless, zero] = [ids(), ids(), ids(), ids(), ids()]
      await commit([
        put({ id: none }),
        put({ id: other }, { vector: unitVector([1], 'other') }),
        put({ id: there }, { vector: unitVector([1]) }),
        put({ id: wordless }, { analysis: plainAnalysis('') }),
        put({ id: zero }, { vector: unitVector([0]) }),
      ])
      const find = async (space: string) => (await listIds(store, all, { withoutVector: space })).sort()
      assert.deepEqual(await find('test'), [none, other].sort())
      assert.deepEqual(await find('nowhere'), [none, other, there, zero].sort())
      await store.derive([{ id: none, version: 1, vector: unitVector([1]) }])
      assert.deepEqual(await find('test'), [other])
    },
  },
  {
    rule: 'STO-LST-11',
    title: 'all conditions of a query hold at once, within the scope',
    async run(context) {
      const { store, add, commit, ids } = context
      const scope = { userId: 'ann' }
      const match: Placed = { scope, kind: 'episodic', tags: ['t'], importance: 0.9, status: 'archived', key: 'k' }
      const { id } = await add(match)
      const spoilt: Placed[] = [
        { kind: 'semantic' },
        { tags: [] },
        { status: 'live' },
        { key: 'K' },
        { scope: { userId: 'bob' } },
      ]
      await commit(spoilt.map((fields) => put({ id: ids(), ...match, ...fields })))
      const query = { kinds: ['episodic'], tags: ['t'], statuses: ['archived'] as Status[], key: 'k' }
      assert.deepEqual(await listIds(store, within(scope), query), [id])
    },
  },
]
