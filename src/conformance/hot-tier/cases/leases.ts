import assert from 'node:assert/strict'
import { allScopes } from '../../../model/index.ts'
import { eventually, leaseOf, scanIds, states } from '../expectations.ts'
import type { HotCase } from '../hot-case.ts'

const scope = { userId: 'ann' }

export const hotLeaseCases: readonly HotCase[] = [
  {
    rule: 'HOT-20',
    title: 'a reader that missed fills with its lease; after an eviction, a hold or a flush that lease fills nothing',
    async run({ tier, stored, write }) {
      const put = (id: string, lease: string, version = 1) =>
        tier.putIfNewer([{ stored: stored({ id, scope, version }), lease }])
      const lease = await leaseOf(tier, 'a')
      assert.notEqual(lease, '')
      assert.deepEqual(await put('a', lease), [true])
      assert.deepEqual(await states(tier, ['a']), [1])
      // Two readers that missed together fill alike.
      assert.deepEqual(await put('a', lease), [true])

      await tier.evict(['a'])
      assert.deepEqual(await put('a', lease), [false])
      assert.deepEqual(await states(tier, ['a']), ['miss'])

      const beforeWrite = await leaseOf(tier, 'b')
      await write({ id: 'b', scope, version: 2 })
      await tier.evict(['b'])
      assert.deepEqual(await put('b', beforeWrite), [false])

      const beforeFlush = await leaseOf(tier, 'c')
      await tier.flushEpoch()
      assert.deepEqual(await put('c', beforeFlush), [false])
      assert.deepEqual(await put('d', beforeFlush), [false])
      assert.deepEqual(await states(tier, ['a', 'b', 'c', 'd']), ['miss', 'miss', 'miss', 'miss'])
    },
  },
  {
    rule: 'HOT-21',
    title: 'what a writer holds is a miss that nobody else can fill, until it puts',
    async run({ tier, stored, write }) {
      await write({ id: 'a', scope, content: 'before' })
      const [mine] = await tier.hold(['a'])
      assert.deepEqual(await states(tier, ['a']), ['miss'])
      assert.deepEqual(await scanIds(tier), [])
      assert.equal(await leaseOf(tier, 'a'), '')
      const late = stored({ id: 'a', scope, content: 'before' })
      for (const lease of ['', undefined]) assert.deepEqual(await tier.putIfNewer([{ stored: late, lease }]), [false])
      await tier.evict(['a'])
      assert.equal(await leaseOf(tier, 'a'), '')
      assert.deepEqual(await tier.putIfNewer([{ stored: stored({ id: 'a', scope, version: 2 }), lease: mine }]), [true])
      assert.deepEqual(await states(tier, ['a']), [2])
      // The lease was for one put.
      assert.deepEqual(await tier.putIfNewer([{ stored: stored({ id: 'a', scope, version: 3 }), lease: mine }]), [
        false,
      ])
    },
  },
  {
    rule: 'HOT-22',
    title: 'of writers that held an id at the same time none puts; when all are done it can be filled again',
    async run({ tier, stored }) {
      const [first] = await tier.hold(['a'])
      const [second] = await tier.hold(['a'])
      assert.notEqual(first, second)
      const put = (version: number, lease: string | undefined) =>
        tier.putIfNewer([{ stored: stored({ id: 'a', scope, version }), lease }])
      assert.deepEqual(await put(1, second), [false])
      assert.equal(await leaseOf(tier, 'a'), '')
      assert.deepEqual(await put(2, first), [false])
      const lease = await leaseOf(tier, 'a')
      assert.notEqual(lease, '')
      assert.deepEqual(await put(2, lease), [true])
      // With three, one of which gives up.
      const [x, y, z] = [await tier.hold(['a']), await tier.hold(['a']), await tier.hold(['a'])].flat()
      await tier.release([{ id: 'a', lease: y as string }])
      assert.deepEqual(await put(3, z), [false])
      assert.equal(await leaseOf(tier, 'a'), '')
      await tier.remove([{ id: 'a', scope, version: 4, lease: x }])
      assert.deepEqual(await states(tier, ['a']), ['miss'])
      assert.notEqual(await leaseOf(tier, 'a'), '')
    },
  },
  {
    rule: 'HOT-23',
    title:
      'a lease given back unused leaves a miss that can be filled; a tombstone needs a lease that holds, like a put',
    async run({ tier, stored, write }) {
      await write({ id: 'a', scope })
      const [mine] = await tier.hold(['a'])
      await tier.release([{ id: 'a', lease: mine as string }])
      assert.deepEqual(await states(tier, ['a']), ['miss'])
      assert.deepEqual(await tier.putIfNewer([{ stored: stored({ id: 'a', scope, version: 2 }), lease: mine }]), [
        false,
      ])
      const lease = await leaseOf(tier, 'a')
      assert.deepEqual(await tier.putIfNewer([{ stored: stored({ id: 'a', scope }), lease }]), [true])
      await tier.evict(['a'])
      await tier.remove([{ id: 'a', scope, version: 5, lease }])
      assert.deepEqual(await states(tier, ['a']), ['miss'])
    },
  },
  {
    rule: 'HOT-24',
    title:
      'a hold that nobody gives back ends by itself; who puts with it after that takes away what others filled meanwhile',
    options: { leaseMs: 1000 },
    async run({ tier, stored }) {
      const [late] = await tier.hold(['a'])
      let lease = ''
      await eventually('the end of a hold', async () => {
        lease = await leaseOf(tier, 'a')
        return lease !== ''
      })
      assert.deepEqual(await tier.putIfNewer([{ stored: stored({ id: 'a', scope }), lease }]), [true])
      assert.deepEqual(await tier.putIfNewer([{ stored: stored({ id: 'a', scope, version: 2 }), lease: late }]), [
        false,
      ])
      assert.deepEqual(await states(tier, ['a']), ['miss'])
    },
  },
  {
    rule: 'HOT-25',
    title: 'after a flush every entry and every tombstone is a miss, in every read, and new ones are kept',
    async run({ tier, write }) {
      await write({ id: 'a', scope: { userId: 'ann', sessionId: 's' }, version: 9 })
      await tier.remove([{ id: 'b', scope, version: 1 }])
      const [held] = await tier.hold(['c'])
      await tier.flushEpoch()
      assert.deepEqual(await states(tier, ['a', 'b', 'c']), ['miss', 'miss', 'miss'])
      assert.deepEqual(await scanIds(tier), [])
      assert.deepEqual(await tier.session({ userId: 'ann', sessionId: 's' }), [])
      assert.equal(await tier.dropSession({ userId: 'ann', sessionId: 's' }), 0)
      await tier.release([{ id: 'c', lease: held as string }])
      // Not even an older version is in the way.
      await write({ id: 'a', scope, version: 2 })
      assert.deepEqual(await states(tier, ['a']), [2])
    },
  },
  {
    rule: 'HOT-26',
    title: 'when the server lost everything, no lease of before fills anything',
    needs: ['loss'],
    async run({ tier, stored, write, loseAll }) {
      await write({ id: 'a', scope })
      const [lease, [held]] = [await leaseOf(tier, 'b'), await tier.hold(['c'])]
      await loseAll()
      assert.deepEqual(await states(tier, ['a', 'b', 'c']), ['miss', 'miss', 'miss'])
      assert.deepEqual(
        await tier.putIfNewer([
          { stored: stored({ id: 'b', scope }), lease },
          { stored: stored({ id: 'c', scope }), lease: held },
        ]),
        [false, false],
      )
      assert.deepEqual(await scanIds(tier), [])
      assert.deepEqual((await tier.search(allScopes(), { limit: 1 })).hits, [])
      await write({ id: 'a', scope })
      assert.deepEqual(await scanIds(tier), ['a'])
    },
  },
]
