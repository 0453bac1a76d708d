import assert from 'node:assert/strict'
import { compareIds } from '../../contract/index.ts'
import { allScopes, within } from '../../model/index.ts'
import { put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.ts'
import { listAll } from '../expectations.ts'
import { searchWindow } from './search-window.ts'

const ann = { userId: 'ann' }
const dimensions = 16

/** Directions that look random and are the same in every run. */
function direction(seed: number): number[] {
  return Array.from({ length: dimensions }, (_, i) => Math.sin((seed + 1) * 12.9898 + i * 78.233))
}

async function galaxy({ commit, ids }: ConformanceContext, scope: object = ann): Promise<string[]> {
  const names = Array.from({ length: 50 }, () => ids())
  await commit(names.map((id, i) => put({ id, scope }, { vector: unitVector(direction(i % 40)) })))
  return names
}

function cosineOf(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] as number), 0)
}

export const vectorCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-VEC-1',
    title:
      'the nearest vectors of what the read sees come first, with their cosines; the count and the mean cosine are of all of them',
    needs: ['vectors'],
    async run(context) {
      const { store, facet } = context
      await galaxy(context)
      await galaxy(context, { userId: 'bob' })
      const query = unitVector(direction(3.5)).values
      const { hits, vectors, meanCosine } = await facet('vectors').nearest(within(ann), 'test', query, searchWindow())
      const expected = (await listAll(store, within(ann)))
        .map(({ record, vector }) => ({ id: record.id, cosine: cosineOf(vector?.values as Float32Array, query) }))
        .sort((a, b) => b.cosine - a.cosine || compareIds(a.id, b.id))
      assert.equal(vectors, 50)
      assert.deepEqual(hits.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort())
      const cosines = new Map(expected.map(({ id, cosine }) => [id, cosine]))
      for (const [i, { id, cosine }] of hits.entries()) {
        assert.ok(Math.abs(cosine - (cosines.get(id) ?? Number.NaN)) < 1e-5, `cosine of ${id}`)
        const before = hits[i - 1]
        assert.ok(
          before === undefined || before.cosine > cosine || (before.cosine === cosine && compareIds(before.id, id) < 0),
        )
      }
      const mean = expected.reduce((sum, { cosine }) => sum + cosine, 0) / 50
      assert.ok(Math.abs(meanCosine - mean) < 1e-5, 'mean cosine')
    },
  },
  {
    rule: 'STO-VEC-2',
    title: 'records without a vector in the space, zero vectors, and vectors of removed records are never found',
    needs: ['vectors'],
    async run({ store, facet, commit }) {
      const query = unitVector([1, 0]).values
      await commit([
        put({ id: 'near' }, { vector: unitVector([1, 1]) }),
        put({ id: 'opposite' }, { vector: unitVector([-1, 0]) }),
        put({ id: 'zero' }, { vector: unitVector([0, 0]) }),
        put({ id: 'other' }, { vector: unitVector([1, 0], 'other') }),
        put({ id: 'none' }),
        put({ id: 'gone' }, { vector: unitVector([1, 0]) }),
        put({ id: 'invalid', status: 'invalid' }, { vector: unitVector([1, 0]) }),
      ])
      await commit([{ type: 'remove', op: 'delete', id: 'gone' }])
      const find = async () =>
        (await facet('vectors').nearest(allScopes(), 'test', query, searchWindow())).hits.map(({ id }) => id)
      assert.deepEqual(await find(), ['near', 'opposite'])
      await store.derive([{ id: 'none', version: 1, vector: unitVector([1, 0]) }])
      assert.deepEqual(await find(), ['none', 'near', 'opposite'])
      await commit([put({ id: 'none' })])
      assert.deepEqual(await find(), ['near', 'opposite'])
      const { hits, vectors } = await facet('vectors').nearest(allScopes(), 'unknown', query, searchWindow())
      assert.deepEqual([hits, vectors], [[], 0])
    },
  },
  {
    rule: 'STO-VEC-3',
    title: 'only, kinds and limit narrow what is found, not what is counted; another scope changes nothing',
    needs: ['vectors'],
    async run(context) {
      const { facet } = context
      const names = await galaxy(context)
      const query = unitVector(direction(7)).values
      // As plain data: a store may look ids up only when they are asked for.
      const nearest = async (fields: Parameters<typeof searchWindow>[0]) => {
        const { hits, ...rest } = await facet('vectors').nearest(within(ann), 'test', query, searchWindow(fields))
        return { ...rest, hits: hits.map(({ id, cosine }) => ({ id, cosine })) }
      }
      const whole = await nearest({})
      const only = new Set(names.slice(10, 20))
      assert.deepEqual(await nearest({ only }), { ...whole, hits: whole.hits.filter(({ id }) => only.has(id)) })
      assert.deepEqual(await nearest({ limit: 4 }), { ...whole, hits: whole.hits.slice(0, 4) })
      assert.deepEqual((await nearest({ kinds: ['episodic'] })).hits, [])
      await galaxy(context, { userId: 'bob' })
      assert.deepEqual(await nearest({}), whole)
    },
  },
]
