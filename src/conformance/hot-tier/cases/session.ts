import assert from 'node:assert/strict'
import { scanIds, states } from '../expectations.ts'
import type { HotCase } from '../hot-case.ts'

const ann = { userId: 'ann', sessionId: 's1' }

export const hotSessionCases: readonly HotCase[] = [
  {
    rule: 'HOT-50',
    title:
      'a session is enumerated exactly, finer scopes with it, oldest first; others of its owner and other owners are not',
    async run({ tier, write }) {
      const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
      await write({ id: 'c', scope: ann, createdAt: at(2) })
      await write({ id: 'b', scope: { ...ann, agentId: 'g' }, createdAt: at(3) })
      await write({ id: 'a', scope: { ...ann, namespace: ['n'] }, createdAt: at(2) })
      await write({ id: 'other session', scope: { ...ann, sessionId: 's2' } })
      await write({ id: 'no session', scope: { userId: 'ann' } })
      await write({ id: 'other owner', scope: { ...ann, userId: 'bob' } })
      await write({ id: 'other application', scope: { ...ann, appId: 'x' } })
      const ids = async (scope: typeof ann) => (await tier.session(scope)).map(({ id }) => id)
      assert.deepEqual(await ids(ann), ['a', 'c', 'b'])
      assert.deepEqual(await ids({ ...ann, agentId: 'g' } as typeof ann), ['b'])
      assert.deepEqual(await ids({ ...ann, sessionId: 'unknown' }), [])
      const [lease] = await tier.hold(['a'])
      await tier.evict(['c'])
      assert.deepEqual(await ids(ann), ['b'])
      await tier.remove([{ id: 'a', scope: { ...ann, namespace: ['n'] }, version: 2, lease }])
      assert.deepEqual(await ids(ann), ['b'])
    },
  },
  {
    rule: 'HOT-51',
    title: 'a session that is dropped is gone from here, counted, and nothing else with it',
    async run({ tier, write }) {
      await write({ id: 'a', scope: ann })
      await write({ id: 'b', scope: { ...ann, agentId: 'g' } })
      await write({ id: 'other session', scope: { ...ann, sessionId: 's2' } })
      await write({ id: 'other owner', scope: { ...ann, userId: 'bob' } })
      assert.equal(await tier.dropSession(ann), 2)
      assert.deepEqual(await states(tier, ['a', 'b']), ['miss', 'miss'])
      assert.deepEqual(await tier.session(ann), [])
      assert.deepEqual(await scanIds(tier), ['other owner', 'other session'])
      assert.equal(await tier.dropSession(ann), 0)
    },
  },
]
