import assert from 'node:assert/strict'
import type { HotTier } from '../../../contract/index.ts'
import { allScopes } from '../../../model/index.ts'
import { put } from '../../../testing/index.ts'
import { refuses } from '../../expectations.ts'
import { states } from '../expectations.ts'
import type { HotCase } from '../hot-case.ts'

const all = allScopes()
const scope = { userId: 'ann' }

type Options = { readonly signal?: AbortSignal }

/** Every method but `open`, `close` and `health`, called plainly. */
function everyMethod(tier: HotTier, options: Options = {}): Readonly<Record<string, () => Promise<unknown>>> {
  return {
    get: () => tier.get(all, ['a'], options),
    putIfNewer: () => tier.putIfNewer([], options),
    remove: () => tier.remove([], options),
    hold: () => tier.hold(['a'], options),
    release: () => tier.release([], options),
    evict: () => tier.evict(['a'], options),
    touch: () => tier.touch([], options),
    search: () => tier.search(all, { limit: 1 }, options),
    session: () => tier.session(scope, options),
    dropSession: () => tier.dropSession(scope, options),
    scan: async () => {
      for await (const _ of tier.scan(all, options)) return
    },
    flushEpoch: () => tier.flushEpoch(options),
    push: () => tier.queue.push('x', 1, options),
    peek: () => tier.queue.peek(1, options),
    shift: () => tier.queue.shift('x', options),
    size: () => tier.queue.size(options),
  }
}

export const hotLifecycleCases: readonly HotCase[] = [
  {
    rule: 'HOT-1',
    title:
      'after close every method is refused with ENGINE_CLOSED and health says down; it can be opened again, and twice',
    async run({ tier, write }) {
      await write({ id: 'a', scope })
      await tier.open()
      assert.equal((await tier.health()).status, 'ok')
      await tier.close()
      await tier.close()
      for (const call of Object.values(everyMethod(tier))) await refuses(call(), 'ENGINE_CLOSED')
      const { status, role, reason } = await tier.health()
      assert.deepEqual([status, role, typeof reason], ['down', 'hot', 'string'])
      await tier.open()
      const [state] = await states(tier, ['a'])
      assert.ok(state === 1 || state === 'miss')
    },
  },
  {
    rule: 'HOT-2',
    title: 'a call whose signal is aborted rejects with its reason',
    async run({ tier }) {
      const reason = new Error('enough')
      for (const [name, call] of Object.entries(everyMethod(tier, { signal: AbortSignal.abort(reason) })))
        await assert.rejects(call(), (error) => error === reason, name)
      await assert.rejects(tier.open({ signal: AbortSignal.abort(reason) }), (error) => error === reason)
    },
  },
  {
    rule: 'HOT-3',
    title: 'tiers in front of different stores see nothing of each other',
    needs: ['shared'],
    async run({ tier, openSecond, write, stored }) {
      await write({ id: 'a', scope })
      await tier.queue.push('waiting', 10)
      const other = await openSecond({ behind: 'another store' })
      assert.deepEqual(await states(other, ['a']), ['miss'])
      assert.deepEqual((await other.search(all, { limit: 10 })).hits, [])
      assert.equal(await other.queue.size(), 0)
      assert.deepEqual(await other.putIfNewer([{ stored: stored({ id: 'a', scope, version: 7 }) }]), [true])
      await other.flushEpoch()
      assert.deepEqual(await states(tier, ['a']), [1])
      const same = await openSecond()
      assert.deepEqual(await states(same, ['a']), [1])
    },
  },
  {
    rule: 'HOT-4',
    title: 'what one instance does, another sees at once',
    needs: ['shared'],
    async run({ tier, openSecond, write }) {
      const second = await openSecond()
      await write({ id: 'a', scope })
      await write({ id: 'b', scope })
      assert.deepEqual(await states(second, ['a', 'b']), [1, 1])
      await second.evict(['a'])
      const [lease] = await second.hold(['b'])
      assert.deepEqual(await states(tier, ['a', 'b']), ['miss', 'miss'])
      await second.remove([{ id: 'b', scope: put({ id: 'b', scope }).record.scope, version: 2, lease }])
      assert.deepEqual(await states(tier, ['b']), ['gone'])
      await second.flushEpoch()
      assert.deepEqual(await states(tier, ['b']), ['miss'])
    },
  },
]
