import assert from 'node:assert/strict'
import { allScopes } from '../../model/index.ts'
import { put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase } from '../conformance-case.ts'
import { everything } from '../expectations.ts'

const all = allScopes()

/** Overwrites everything that can be reached from a value. */
function spoil(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  if (value instanceof Float32Array) {
    value.fill(77)
    return
  }
  for (const [key, item] of Object.entries(value)) {
    spoil(item, seen)
    ;(value as Record<string, unknown>)[key] = 'spoilt'
  }
}

export const isolationCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-ISO-1',
    title: "what was handed to the store is the caller's to change afterwards: nothing stored changes",
    async run({ store, transaction, ids, clock }) {
      const [a, b] = [ids(), ids()]
      const scope = { userId: 'ann', namespace: ['n'] }
      const fields = () => ({
        id: a,
        scope: structuredClone(scope),
        tags: ['t'],
        metadata: { deep: { list: [1] } },
        data: [1],
      })
      const late = { id: b, version: 1, vector: unitVector([1, 2]) }
      const tx = transaction(
        [
          put(fields(), { vector: unitVector([3, 4]) }),
          put({ id: b }),
          { type: 'link', link: { from: a, to: b, type: 'x', weight: 1, metadata: { m: [1] } } },
          { type: 'journal', line: { op: 'write', verb: 'add', ids: [a], scope: structuredClone(scope) } },
        ],
        {
          result: { ids: [a] },
          idempotency: { scope: structuredClone(scope), key: 'k', digest: 'd', expiresAt: clock() + 10 },
        },
      )
      const result = await store.commit(tx)
      await store.derive([late])
      const before = [await everything(store, [a, b]), await store.get(all, [a, b])]
      spoil(tx)
      spoil(result)
      spoil(late)
      assert.deepEqual([await everything(store, [a, b]), await store.get(all, [a, b])], before)
      assert.equal((await store.usedKey(scope, 'k', { now: clock() }))?.digest, 'd')
    },
  },
  {
    rule: 'STO-ISO-2',
    title: "what the store hands out is the caller's to change: nothing stored changes",
    async run({ store, commit, ids, clock }) {
      const [a, b] = [ids(), ids()]
      await commit([put({ id: a, metadata: { deep: [1] } }, { vector: unitVector([1, 2]) }), put({ id: b })], {
        result: [{ a: 1 }],
      })
      await commit([
        put({ id: a, tags: ['t'] }, { op: 'update', vector: unitVector([1, 3]) }),
        { type: 'link', link: { from: a, to: b, type: 'x', weight: 1, metadata: { m: [1] } } },
        { type: 'journal', line: { op: 'read', verb: 'get', ids: [a], scope: { userId: 'ann' } } },
      ])
      const { cursor, entries } = await store.log(null)
      const asOf = { position: entries[0]?.cursor ?? cursor }
      const before = [
        await everything(store, [a, b]),
        await store.get(all, [a, b]),
        await store.get(all, [a, b], { asOf }),
      ]
      const spoils = [
        store.get(all, [a, b]),
        store.get(all, [a, b], { asOf }),
        store.list(all, { order: 'newest', limit: 10 }),
        store.list(all, { order: 'newest', limit: 10 }, { asOf }),
        store.revisions(all, a),
        store.log(null),
        store.transaction(entries[0]?.id ?? ''),
        store.links(all, [a]),
        store.links(all, [a], { asOf }),
        store.journal(all, { limit: 10 }),
        store.stats(all, { now: clock() }),
      ]
      for (const answer of await Promise.all<unknown>(spoils)) spoil(answer)
      const after = [
        await everything(store, [a, b]),
        await store.get(all, [a, b]),
        await store.get(all, [a, b], { asOf }),
      ]
      assert.deepEqual(after, before)
    },
  },
]
