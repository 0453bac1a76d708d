import assert from 'node:assert/strict'
import { allScopes } from '../../model/index.ts'
import { put } from '../../testing/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { listIds, plain, race, readLog, refuses } from '../expectations.ts'

const all = allScopes()
const scope = { userId: 'ann' }

export const idempotencyCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-IDM-1',
    title:
      'a key used before with the same digest writes nothing and gives the earlier transaction, before preconditions are looked at',
    async run({ store, commit, ids, clock }) {
      const idempotency = { scope, key: 'k', digest: 'd', expiresAt: clock() + 1000 }
      const id = ids()
      const fields = {
        idempotency,
        requires: [{ type: 'version', id, is: null }] as const,
        result: { id, outcome: 'added' },
      }
      const first = await commit([put({ id, scope })], fields)
      clock.advance(999)
      const again = await commit([put({ id, scope })], fields)
      assert.deepEqual(again, { tx: first.tx, at: first.at, replayed: true, records: [] })
      assert.equal((await readLog(store)).entries.length, 1)
      assert.deepEqual(plain((await store.transaction(first.tx))?.result), fields.result)
    },
  },
  {
    rule: 'STO-IDM-2',
    title: 'a key used before with another digest is IDEMPOTENCY_CONFLICT',
    async run({ store, commit, ids, clock }) {
      const idempotency = { scope, key: 'k', digest: 'd', expiresAt: clock() + 1000 }
      await commit([put({ id: ids(), scope })], { idempotency })
      const other = { idempotency: { ...idempotency, digest: 'other' } }
      await refuses(commit([put({ id: ids(), scope })], other), 'IDEMPOTENCY_CONFLICT')
      assert.equal((await readLog(store)).entries.length, 1)
    },
  },
  {
    rule: 'STO-IDM-3',
    title: 'keys are of one exact scope, and compared exactly',
    async run({ store, commit, ids, clock }) {
      const base = { scope, key: 'k', digest: 'd', expiresAt: clock() + 1000 }
      const others = [
        { ...base, key: 'K' },
        { ...base, key: 'k\u0000' },
        { ...base, key: '\ud800' },
        { ...base, key: '%' },
        { ...base, scope: { userId: 'bob' } },
        { ...base, scope: { userId: 'ann', sessionId: 's' } },
      ]
      for (const idempotency of [base, ...others]) {
        assert.equal((await commit([put({ id: ids() })], { idempotency })).replayed, false)
      }
      for (const idempotency of [base, ...others]) {
        assert.equal((await commit([put({ id: ids() })], { idempotency })).replayed, true)
        assert.equal((await store.usedKey(idempotency.scope, idempotency.key, { now: clock() }))?.digest, 'd')
      }
      assert.equal((await listIds(store, all)).length, others.length + 1)
    },
  },
  {
    rule: 'STO-IDM-4',
    title: 'a key is forgotten from the millisecond on at which it expires',
    async run({ store, commit, ids, clock }) {
      const idempotency = { scope, key: 'k', digest: 'd', expiresAt: clock() + 1000 }
      const first = await commit([put({ id: ids(), scope })], { idempotency })
      const at = clock.advance(1000)
      assert.deepEqual(await store.usedKey(scope, 'k', { now: at - 1 }), { tx: first.tx, digest: 'd' })
      assert.equal(await store.usedKey(scope, 'k', { now: at }), null)
      const later = { ...idempotency, digest: 'other', expiresAt: at + 1000 }
      const second = await commit([put({ id: ids(), scope })], { idempotency: later })
      assert.equal(second.replayed, false)
      assert.deepEqual(await store.usedKey(scope, 'k', { now: at }), { tx: second.tx, digest: 'other' })
      assert.equal(await store.usedKey(scope, 'unused', { now: at }), null)
    },
  },
  {
    rule: 'STO-IDM-5',
    title: 'of commits that race with one key, one writes and the others give its transaction',
    async run({ store, commit, ids, clock }) {
      const idempotency = { scope, key: 'k', digest: 'd', expiresAt: clock() + 1000 }
      const { won } = await race(
        Array.from({ length: 8 }, () => () => commit([put({ id: ids(), scope })], { idempotency })),
      )
      assert.equal(won.length, 8)
      assert.equal(won.filter(({ replayed }) => !replayed).length, 1)
      assert.equal(new Set(won.map(({ tx }) => tx)).size, 1)
      assert.equal((await listIds(store, all)).length, 1)
    },
  },
  {
    rule: 'STO-IDM-6',
    title: 'the result of a transaction comes back as it was given, whatever is in it',
    async run({ store, commit }) {
      const result = JSON.parse('{"a":[1,null,true,"\\u0000\\ud800"],"__proto__":{"b":0.1},"é":""}')
      const { tx } = await commit([], { result })
      assert.deepEqual((await store.transaction(tx))?.result, result)
      assert.deepEqual((await readLog(store)).entries[0]?.result, result)
    },
  },
]
