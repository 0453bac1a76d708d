import assert from 'node:assert/strict'
import { allScopes } from '../../../model/index.ts'
import { eventually, scanIds, states } from '../expectations.ts'
import type { HotCase } from '../hot-case.ts'

const scope = { userId: 'ann', sessionId: 's' }

export const hotExpiryCases: readonly HotCase[] = [
  {
    rule: 'HOT-30',
    title: 'an entry ends with its time to live: no read shows it, nothing of it is left in its session',
    options: { ttlMs: 1000 },
    async run({ tier, write }) {
      await write({ id: 'a', scope })
      await tier.remove([{ id: 'b', scope, version: 1 }])
      await eventually('the end of an entry', async () =>
        (await states(tier, ['a', 'b'])).every((one) => one === 'miss'),
      )
      assert.deepEqual(await tier.session(scope), [])
      assert.deepEqual(await scanIds(tier), [])
      assert.deepEqual((await tier.search(allScopes(), { limit: 5 })).hits, [])
      assert.equal(await tier.dropSession(scope), 0)
      await write({ id: 'a', scope })
      assert.deepEqual(await scanIds(tier), ['a'])
    },
  },
  {
    rule: 'HOT-31',
    title: 'an entry never outlives its record, and an expired record is not kept',
    async run({ tier, stored, write }) {
      const expired = stored({ id: 'a', scope, expiresAt: new Date(Date.now() - 1).toISOString() })
      const [lease] = await tier.hold(['a'])
      assert.deepEqual(await tier.putIfNewer([{ stored: expired }]), [false])
      assert.deepEqual(await tier.putIfNewer([{ stored: expired, lease }]), [false])
      assert.deepEqual(await states(tier, ['a']), ['miss'])
      await write({ id: 'b', scope, expiresAt: new Date(Date.now() + 1500).toISOString() })
      await write({ id: 'c', scope })
      await eventually('the end of a record', async () => (await states(tier, ['b']))[0] === 'miss')
      assert.deepEqual(await scanIds(tier), ['c'])
    },
  },
]
