import assert from 'node:assert/strict'
import { compareIds } from '../../contract/index.ts'
import { allScopes, type Filter, parseFilter } from '../../model/index.ts'
import { put } from '../../testing/index.ts'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.ts'
import { listIds } from '../expectations.ts'

const all = allScopes()

const metadata: Readonly<Record<string, unknown>> = {
  a: { n: 1, s: 'Bremen', list: ['x', 1], nested: { city: 'Kiel' } },
  b: { n: 2, s: 'bremen', list: [], nested: { city: null }, 'dotted.key': 'dot' },
  c: { n: '2', s: '', nested: 'flat', flag: true },
  d: { n: null, flag: false, object: { y: [1, { z: 2 }], x: 1 } },
  e: {},
  f: JSON.parse('{"__proto__":"own","constructor":{"name":1},"n":-0.5,"s":"10 % _ \\" \' \\u0000"}'),
}

/** Filters and the records they let through. */
const expectations: readonly (readonly [filter: Filter, names: string])[] = [
  [{}, 'a b c d e f'],
  [{ n: 1 }, 'a'],
  [{ n: { eq: '2' } }, 'c'],
  [{ n: null }, 'd'],
  [{ n: { ne: 2 } }, 'a c d e f'],
  [{ n: { ne: null } }, 'a b c e f'],
  [{ n: { gt: 1 } }, 'b'],
  [{ n: { gte: 1 } }, 'a b'],
  [{ n: { lt: 1 } }, 'f'],
  [{ n: { lte: 1, gt: -1 } }, 'a f'],
  [{ n: { gt: '1' } }, 'c'],
  [{ s: { gt: 'C' } }, 'b'],
  [{ n: { in: [1, '2', null] } }, 'a c d'],
  [{ n: { in: [] } }, ''],
  [{ n: { nin: [1, 2] } }, 'c d e f'],
  [{ list: { contains: 'x' } }, 'a'],
  [{ list: { contains: '1' } }, ''],
  [{ list: [] }, 'b'],
  [{ s: { contains: 'rem' } }, 'a b'],
  [{ s: { contains: '%' } }, 'f'],
  [{ s: { contains: '_' } }, 'f'],
  [{ s: { icontains: 'BREM' } }, 'a b'],
  [{ list: { icontains: 'X' } }, 'a'],
  [{ s: { startsWith: 'Bre' } }, 'a'],
  [{ s: { startsWith: '' } }, 'a b c f'],
  [{ s: { contains: '\u0000' } }, 'f'],
  [{ n: { exists: true } }, 'a b c d f'],
  [{ n: { exists: false } }, 'e'],
  [{ 'nested.city': 'Kiel' }, 'a'],
  [{ 'nested.city': null }, 'b'],
  [{ 'nested.city': { exists: true } }, 'a b'],
  [{ 'nested.city': { ne: 'Kiel' } }, 'b c d e f'],
  [{ 'dotted.key': 'dot' }, 'b'],
  [{ ['__proto__']: { exists: true } }, 'f'],
  [JSON.parse('{"__proto__":"own"}'), 'f'],
  [{ constructor: { exists: true } }, 'f'],
  [{ 'constructor.name': 1 }, 'f'],
  [{ toString: { exists: true } }, ''],
  [{ flag: true }, 'c'],
  [{ flag: { ne: true } }, 'a b d e f'],
  [{ object: { eq: { x: 1, y: [1, { z: 2 }] } } }, 'd'],
  [{ AND: [{ n: { exists: true } }, { s: { exists: true } }] }, 'a b c f'],
  [{ OR: [{ n: 1 }, { s: 'bremen' }, { flag: false }] }, 'a b d'],
  [{ NOT: { s: { exists: true } } }, 'd e'],
  [{ NOT: [{ n: 1 }, { n: 2 }] }, 'c d e f'],
  [{ AND: [{ NOT: { n: { gt: 0 } } }, { OR: [{ flag: true }, { n: { lt: 0 } }] }], s: { exists: true } }, 'c f'],
  [{ OR: [] }, ''],
  [{ AND: [] }, 'a b c d e f'],
  [{ $or: [{ n: { $eq: 1 } }] }, 'a'],
  [{ 'record.importance': { gte: 0.5 } }, 'a'],
  [{ 'record.id': { in: ['b', 'c'] } }, 'b c'],
  [{ 'record.source.actor': 'Ann' }, 'c'],
  [{ 'record.tags': { contains: 't' } }, 'd'],
  [{ 'record.createdAt': { lt: '2020-01-01T02:00:00+02:00' } }, ''],
  [{ 'record.createdAt': { lte: '2020-01-01T02:00:00+02:00' } }, 'e'],
  [{ 'record.scope.userId': 'ann', 'record.data.v': { exists: true } }, 'f'],
]

async function settle({ commit }: ConformanceContext): Promise<void> {
  const beside: Readonly<Record<string, object>> = {
    a: { importance: 0.5 },
    c: { source: { type: 'user', actor: 'Ann' } },
    d: { tags: ['t'] },
    e: { createdAt: '2020-01-01T00:00:00.000Z' },
    f: { data: { v: null } },
  }
  await commit(
    Object.entries(metadata).map(([id, fields]) =>
      put({ id, importance: 0.25, metadata: fields as never, ...beside[id] }),
    ),
  )
}

export const filterCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-FLT-1',
    title: 'no record that a filter lets through is missing: every operator, connective, path and type',
    async run(context) {
      await settle(context)
      for (const [filter, names] of expectations) {
        const found = (await listIds(context.store, all, { filter: parseFilter(filter) })).sort(compareIds)
        assert.equal(found.join(' '), names, JSON.stringify(filter))
      }
    },
  },
  {
    rule: 'STO-FLT-2',
    title: 'one match among two thousand others is found, in every order and page by page',
    async run({ store, commit, ids }) {
      const others = Array.from({ length: 2000 }, (_, i) =>
        put({ id: ids(), importance: (i % 100) / 100, tags: ['many'], metadata: { n: i, rare: false } }),
      )
      const id = ids()
      const needle = put({ id, importance: 0.5, tags: ['many', 'one'], metadata: { n: 1000, rare: true } })
      await commit([...others.slice(0, 1000), needle, ...others.slice(1000)])
      const filter = parseFilter({ rare: true })
      for (const order of ['newest', 'oldest', 'updated', 'importance', 'eventTime'] as const) {
        assert.deepEqual(await listIds(store, all, { filter, order }, { pageSize: 10 }), [id])
        assert.deepEqual(await listIds(store, all, { tags: ['one'], order }, { pageSize: 500 }), [id])
      }
      const twice = parseFilter({ n: 1000, 'record.tags': { contains: 'many' } })
      assert.equal((await listIds(store, all, { filter: twice }, { pageSize: 3 })).length, 2)
    },
  },
]
