import assert from 'node:assert/strict'
import type { SearchWindow } from '../../contract/index.ts'
import { allScopes, formatInstant, type Lifetimes, parseFilter, within } from '../../model/index.ts'
import { put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.ts'
import { listIds } from '../expectations.ts'
import { searchWindow } from './search-window.ts'

const ann = { userId: 'ann' }
const count = 40
const hour = 3_600_000

/** Forty records that differ in all that conditions look at. */
async function shelf({ commit }: ConformanceContext): Promise<void> {
  await commit(
    Array.from({ length: count }, (_, i) =>
      put(
        {
          id: `r${String(i).padStart(2, '0')}`,
          scope: i % 4 === 0 ? { userId: 'bob' } : ann,
          kind: i % 5 === 0 ? 'episodic' : 'semantic',
          content: `tea ${i % 3 === 0 ? 'milk' : 'cup'}`,
          tags: [i % 2 === 0 ? 'even' : 'odd', ...(i % 7 === 0 ? ['seven'] : [])],
          metadata: { n: i, city: ['Bremen', 'Kiel', 'Ulm'][i % 3] as string, deep: { list: [i % 3, 'x'] } },
          createdAt: formatInstant(i * hour),
          pinned: i === 3,
          ...(i % 6 === 0 ? { eventTime: { start: formatInstant((count + i) * hour) } } : {}),
          ...(i % 9 === 0 ? { validFrom: formatInstant(i * hour), validTo: formatInstant((i + 20) * hour) } : {}),
        },
        { vector: unitVector([1, i / count]) },
      ),
    ),
  )
}

const conditions: readonly NonNullable<SearchWindow['where']>[] = [
  { tags: ['even'] },
  { tags: ['even', 'seven'] },
  { tags: ['nothing'] },
  { filter: parseFilter({ city: 'Kiel' }) },
  { filter: parseFilter({ n: { gte: 10, lt: 25 }, NOT: { city: { icontains: 'BREM' } } }) },
  { filter: parseFilter({ OR: [{ 'deep.list': { contains: 2 } }, { 'record.importance': { gt: 2 } }] }) },
  { filter: parseFilter({ 'record.createdAt': { lt: formatInstant(5 * hour) } }) },
  { since: 10 * hour, until: 30 * hour },
  { since: 35 * hour },
  { validAt: 25 * hour },
  { tags: ['odd'], since: 3 * hour, filter: parseFilter({ city: { in: ['Ulm', 'Kiel'] } }) },
]

export const judgesCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-JDG-1',
    title:
      'the conditions of a window narrow what is found: nothing that they let through is missing, and what is counted stays',
    needs: ['text', 'vectors', 'judges'],
    async run(context) {
      await shelf(context)
      const { store, facet } = context
      const query = unitVector([1, 0]).values
      for (const scope of [within(ann), allScopes()]) {
        const text = await facet('text').match(scope, ['tea', 'milk'], searchWindow())
        const near = await facet('vectors').nearest(scope, 'test', query, searchWindow())
        for (const where of conditions) {
          const only = new Set(await listIds(store, scope, { ...where, order: 'oldest' }))
          const label = JSON.stringify(where)
          const narrowed = await facet('text').match(scope, ['tea', 'milk'], searchWindow({ where }))
          const found = narrowed.hits.filter(({ id }) => only.has(id)).map(({ id, score }) => ({ id, score }))
          const asked = text.hits.filter(({ id }) => only.has(id)).map(({ id, score }) => ({ id, score }))
          assert.deepEqual(found, asked, label)
          assert.deepEqual([narrowed.documents, ...narrowed.idfs], [text.documents, ...text.idfs], label)
          const closest = await facet('vectors').nearest(scope, 'test', query, searchWindow({ where }))
          const ids = (hits: typeof closest.hits) => hits.map(({ id }) => id).filter((id) => only.has(id))
          assert.deepEqual(ids(closest.hits), ids(near.hits), label)
          assert.deepEqual([closest.vectors, closest.meanCosine], [near.vectors, near.meanCosine], label)
        }
      }
    },
  },
  {
    rule: 'STO-JDG-2',
    title:
      'records that have outlived the lifetime of their kind are neither found nor counted, unless they are pinned',
    needs: ['text', 'vectors', 'turns', 'judges'],
    async run(context) {
      await shelf(context)
      const { store, facet } = context
      const lifetimes: Lifetimes = { byKind: new Map([['episodic', 4 * hour]]), others: 30 * hour }
      const query = unitVector([1, 0]).values
      for (const now of [0, 4 * hour, 33 * hour, 34 * hour, 200 * hour]) {
        const window = searchWindow({ now, lifetimes })
        const expected = await listIds(store, allScopes(), { now, lifetimes, order: 'oldest' })
        const { hits, documents } = await facet('text').match(allScopes(), ['tea'], window)
        assert.deepEqual(hits.map(({ id }) => id).sort(), [...expected].sort())
        assert.equal(documents, expected.length)
        const near = await facet('vectors').nearest(allScopes(), 'test', query, window)
        assert.deepEqual([near.hits.length, near.vectors], [expected.length, expected.length])
        const keyed = Array.from({ length: count }, (_, i) => `r${String(i).padStart(2, '0')}`)
        const { turns } = await facet('turns').describe(allScopes(), { keyed }, { terms: [] }, window)
        assert.deepEqual(turns.map(({ id }) => id).sort(), [...expected].sort())
      }
    },
  },
]
