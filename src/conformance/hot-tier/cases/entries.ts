import assert from 'node:assert/strict'
import { allScopes, type JsonObject } from '../../../model/index.ts'
import { unitVector } from '../../../testing/index.ts'
import { plain } from '../../expectations.ts'
import { leaseOf, scanIds, states } from '../expectations.ts'
import type { HotCase } from '../hot-case.ts'

const all = allScopes()
const scope = { userId: 'ann' }

/** Texts that trip up keys, scripts and encodings. */
const hostile = ['{a}b', 'a}b{', 'nul\u0000nul', '\ud800', '\ud801', '"quoted" \\ \n', '* ? [x]', '☃ 🎻', ' ']

export const hotEntryCases: readonly HotCase[] = [
  {
    rule: 'HOT-10',
    title:
      'what was put comes back whole, record, terms and vector, in the order of the ids; what is unknown is a miss',
    async run({ tier, write }) {
      const vector = { space: 'test', values: Float32Array.from([0.1, -0, 1e-40, 3.4e38, 1 / 3]) }
      const a = await write(
        {
          id: 'a',
          scope: { appId: 'x', userId: 'ann', agentId: 'g', sessionId: 's', namespace: ['n', 'm'] },
          content: 'Ann plays the cello. \u0000 \ud800 🎻',
          data: { nested: [1, null, { deep: true }] },
          key: 'instrument',
          tags: ['music', ''],
          metadata: { 'a.b': 1, empty: {} } as JsonObject,
          eventTime: { start: '2026-01-02T00:00:00.000Z', granularity: 'day' },
          lastAccessedAt: '2026-01-03T00:00:00.000Z',
          accessCount: 3,
          pinned: true,
          status: 'superseded',
          version: 12,
        },
        vector,
      )
      const b = await write({ id: 'b', scope })
      const [first, unknown, second, again] = await tier.get(all, ['b', 'unknown', 'a', 'b'])
      assert.deepEqual([first?.state, unknown?.state, second?.state, again?.state], ['hit', 'miss', 'hit', 'hit'])
      assert.ok(first?.state === 'hit' && second?.state === 'hit')
      assert.deepEqual(plain(first.stored), plain(b))
      assert.deepEqual(plain(second.stored.record), plain(a.record))
      assert.deepEqual(second.stored.analysis, a.analysis)
      assert.deepEqual(second.stored.vector, vector)
      assert.equal(first.stored.vector, null)
    },
  },
  {
    rule: 'HOT-11',
    title: 'ids, sessions and owners of any characters are kept apart',
    async run({ tier, write }) {
      for (const text of hostile)
        await write({ id: text, content: text, scope: { userId: text, sessionId: text }, tags: [text] })
      assert.deepEqual(
        await states(tier, hostile),
        hostile.map(() => 1),
      )
      assert.deepEqual(await scanIds(tier), [...hostile].sort())
      for (const text of hostile) {
        const found = await tier.session({ userId: text, sessionId: text })
        assert.deepEqual(
          found.map(({ id, content }) => [id, content]),
          [[text, text]],
        )
      }
    },
  },
  {
    rule: 'HOT-12',
    title: 'a newer version takes the place of an older one, never the reverse; of one version the later put wins',
    async run({ tier, write, stored }) {
      await write({ id: 'a', scope, version: 2, content: 'second' })
      const puts = async (version: number, content: string) =>
        tier.putIfNewer([{ stored: stored({ id: 'a', scope, version, content }) }])
      assert.deepEqual(await puts(1, 'first'), [false])
      assert.deepEqual(await states(tier, ['a']), [2])
      assert.deepEqual(await puts(2, 'second again'), [true])
      const [again] = await tier.get(all, ['a'])
      assert.ok(again?.state === 'hit' && again.stored.record.content === 'second again')
      assert.deepEqual(await puts(10, 'tenth'), [true])
      assert.deepEqual(await puts(9, 'ninth'), [false])
      assert.deepEqual(await states(tier, ['a']), [10])
    },
  },
  {
    rule: 'HOT-13',
    title:
      'a removed record is gone: no older version comes back, a newer one does, and scans and searches do not show it',
    async run({ tier, write, stored }) {
      await write({ id: 'a', scope, version: 2 })
      const [lease] = await tier.hold(['a'])
      await tier.remove([{ id: 'a', scope, version: 3, lease }])
      assert.deepEqual(await states(tier, ['a']), ['gone'])
      assert.deepEqual(await scanIds(tier), [])
      assert.deepEqual((await tier.search(all, { limit: 5 })).hits, [])
      for (const version of [2, 3]) {
        assert.deepEqual(await tier.putIfNewer([{ stored: stored({ id: 'a', scope, version }) }]), [false])
        assert.deepEqual(await states(tier, ['a']), ['gone'])
      }
      assert.deepEqual(await tier.putIfNewer([{ stored: stored({ id: 'a', scope, version: 4 }) }]), [true])
      await tier.remove([{ id: 'a', scope, version: 3 }])
      assert.deepEqual(await states(tier, ['a']), [4])
      await tier.remove([{ id: 'unknown', scope, version: 1 }])
      assert.deepEqual(await states(tier, ['unknown']), ['gone'])
    },
  },
  {
    rule: 'HOT-14',
    title: 'a thousand records are put, read, held and evicted in one call each',
    async run({ tier, stored }) {
      const ids = Array.from({ length: 1000 }, (_, i) => `r${String(i).padStart(4, '0')}`)
      const puts = ids.map((id, i) => ({ stored: stored({ id, scope: { userId: `u${i % 7}` } }, unitVector([1, i])) }))
      assert.deepEqual(
        await tier.putIfNewer(puts),
        ids.map(() => true),
      )
      assert.deepEqual(
        await states(tier, ids),
        ids.map(() => 1),
      )
      assert.deepEqual(await scanIds(tier), ids)
      const leases = await tier.hold(ids)
      assert.equal(new Set(leases).size, 1000)
      assert.deepEqual(
        await states(tier, ids),
        ids.map(() => 'miss'),
      )
      await tier.release(ids.map((id, i) => ({ id, lease: leases[i] as string })))
      await tier.evict(ids)
      assert.deepEqual(await scanIds(tier), [])
    },
  },
  {
    rule: 'HOT-15',
    title: 'uses of entries that are there are counted, the later time stays; others are left alone',
    async run({ tier, write }) {
      const at = Date.parse('2026-02-01T00:00:00Z')
      await write({ id: 'a', scope, accessCount: 4 })
      await write({ id: 'b', scope, lastAccessedAt: '2026-03-01T00:00:00.000Z' })
      await tier.touch([
        { id: 'a', at },
        { id: 'a', at: at - 5 },
        { id: 'b', at },
        { id: 'unknown', at },
      ])
      const [a, b] = await tier.get(all, ['a', 'b'])
      assert.ok(a?.state === 'hit' && b?.state === 'hit')
      assert.deepEqual([a.stored.record.accessCount, a.stored.record.lastAccessedAt], [6, '2026-02-01T00:00:00.000Z'])
      assert.deepEqual([b.stored.record.accessCount, b.stored.record.lastAccessedAt], [1, '2026-03-01T00:00:00.000Z'])
      assert.deepEqual([a.stored.record.version, ...(await states(tier, ['unknown']))], [1, 'miss'])
      await tier.evict(['a'])
      await tier.touch([{ id: 'a', at }])
      assert.equal(typeof (await leaseOf(tier, 'a')), 'string')
      assert.deepEqual(await scanIds(tier), ['b'])
    },
  },
  {
    rule: 'HOT-16',
    title: 'what was put and what comes back are their holders’ own: changing one changes nothing here',
    async run({ tier, write }) {
      const vector = unitVector([3, 4])
      const given = await write({ id: 'a', scope, tags: ['x'] }, vector)
      vector.values[0] = 9
      ;(given.record.tags as string[]).push('y')
      const [first] = await tier.get(all, ['a'])
      assert.ok(first?.state === 'hit')
      assert.deepEqual(first.stored.record.tags, ['x'])
      assert.deepEqual(first.stored.vector, unitVector([3, 4]))
      ;(first.stored.record.tags as string[]).push('z')
      const [second] = await tier.get(all, ['a'])
      assert.ok(second?.state === 'hit')
      assert.deepEqual(second.stored.record.tags, ['x'])
    },
  },
]
