import assert from 'node:assert/strict'
import type { HotQuery, HotTier } from '../../../contract/index.ts'
import { allScopes, parseFilter, within } from '../../../model/index.ts'
import { unitVector } from '../../../testing/index.ts'
import type { HotCase } from '../hot-case.ts'

const scope = { userId: 'ann' }

async function found(tier: HotTier, query: Partial<HotQuery>, filter = allScopes()) {
  const { hits, skipped } = await tier.search(filter, { limit: 10, ...query })
  return { ids: hits.map(({ stored: { record } }) => record.id), cosines: hits.map(({ cosine }) => cosine), skipped }
}

export const hotSearchCases: readonly HotCase[] = [
  {
    rule: 'HOT-60',
    title: 'without a vector the newest come first, of one moment in one order; no more than the limit',
    async run({ tier, write }) {
      const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
      await write({ id: 'a', scope, createdAt: at(1) })
      await write({ id: 'b', scope, createdAt: at(3), status: 'archived' })
      await write({ id: 'c', scope, createdAt: at(2) }, unitVector([1, 0]))
      await write({ id: 'd', scope, createdAt: at(2) })
      assert.deepEqual(await found(tier, {}), {
        ids: ['b', 'd', 'c', 'a'],
        cosines: [null, null, null, null],
        skipped: 0,
      })
      assert.deepEqual((await found(tier, { limit: 2 })).ids, ['b', 'd'])
      assert.deepEqual((await found(tier, {}, within({ userId: 'bob' }))).ids, [])
    },
  },
  {
    rule: 'HOT-61',
    title: 'tags must all be there, filters are judged as everywhere',
    async run({ tier, write }) {
      await write({ id: 'a', scope, tags: ['x', 'y'], metadata: { n: 1 } })
      await write({ id: 'b', scope, tags: ['y'], metadata: { n: 2 } })
      await write({ id: 'c', scope, metadata: { n: 3 } })
      const ids = async (query: Partial<HotQuery>) => (await found(tier, query)).ids.sort()
      assert.deepEqual(await ids({ tags: ['y'] }), ['a', 'b'])
      assert.deepEqual(await ids({ tags: ['x', 'y'] }), ['a'])
      assert.deepEqual(await ids({ tags: ['unknown'] }), [])
      assert.deepEqual(await ids({ filter: parseFilter({ n: { gte: 2 } }) }), ['b', 'c'])
      assert.deepEqual(await ids({ tags: ['y'], filter: parseFilter({ n: 2 }) }), ['b'])
    },
  },
  {
    rule: 'HOT-62',
    title:
      'with a vector the highest cosine comes first, ties in one order; vectors of another space or length are not compared but counted, and come last',
    async run({ tier, write }) {
      const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
      await write({ id: 'tie old', scope, createdAt: at(1) }, unitVector([1, 1]))
      await write({ id: 'best', scope, createdAt: at(1) }, unitVector([1, 0.1]))
      await write({ id: 'tie new', scope, createdAt: at(2) }, unitVector([1, 1]))
      await write({ id: 'opposite', scope, createdAt: at(9) }, unitVector([-1, 0]))
      await write({ id: 'other space', scope, createdAt: at(8) }, unitVector([1, 0], 'other'))
      await write({ id: 'other length', scope, createdAt: at(7) }, unitVector([1, 0, 0]))
      await write({ id: 'none', scope, createdAt: at(6) })
      await write({ id: 'empty', scope, createdAt: at(5) }, unitVector([0, 0]))
      const vector = { space: 'test', values: unitVector([1, 0]).values }
      const { ids, cosines, skipped } = await found(tier, { vector })
      assert.deepEqual(ids, ['best', 'tie new', 'tie old', 'empty', 'opposite', 'other space', 'other length', 'none'])
      assert.equal(skipped, 2)
      const expected = [0.9950372, Math.SQRT1_2, Math.SQRT1_2, 0, -1]
      for (const [i, cosine] of expected.entries()) assert.ok(Math.abs((cosines[i] ?? Number.NaN) - cosine) < 1e-6)
      assert.deepEqual(cosines.slice(5), [null, null, null])
      assert.deepEqual((await found(tier, { vector, limit: 2 })).ids, ['best', 'tie new'])
      assert.equal((await found(tier, { vector, limit: 1 })).skipped, 2)
    },
  },
]
