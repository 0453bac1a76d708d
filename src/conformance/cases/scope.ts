import assert from 'node:assert/strict'
import type { MemoryStore, ReadOptions } from '../../contract/index.ts'
import {
  allScopes,
  anyOf,
  exactly,
  matchesScope,
  type Scope,
  type ScopeFilter,
  scopeKey,
  within,
  withShared,
} from '../../model/index.ts'
import { put, unitVector } from '../../testing/index.ts'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.ts'
import { listAll, listIds, plain } from '../expectations.ts'
import { hostileLabels } from './hostile-labels.ts'

const all = allScopes()

/** Every way of setting one dimension, or a namespace of one segment, to a label. */
const dimensionScopes: readonly ((label: string) => Scope)[] = [
  (appId) => ({ appId }),
  (userId) => ({ userId }),
  (agentId) => ({ agentId }),
  (sessionId) => ({ sessionId }),
  (segment) => ({ namespace: [segment] }),
]

const family: readonly Scope[] = [
  { userId: 'ann' },
  { userId: 'ann', agentId: 'coder' },
  { userId: 'ann', agentId: 'coder', sessionId: 's1' },
  { userId: 'ann', sessionId: 's1' },
  { userId: 'ann', sessionId: 's2' },
  { userId: 'ann', namespace: ['p'] },
  { userId: 'ann', namespace: ['p', 'q'] },
  { userId: 'ann', agentId: 'coder', namespace: ['p', 'q', 'r'] },
  { appId: 'app', userId: 'ann' },
  { appId: 'app' },
  { userId: 'bob' },
  { userId: 'bob', sessionId: 's1' },
  { agentId: 'coder' },
  { sessionId: 's1' },
  { namespace: ['p'] },
]

/** A record, a journal line and a link to itself in every scope, and links from each scope to the next. */
async function settle({ commit, ids }: ConformanceContext, scopes: readonly Scope[]): Promise<Map<string, Scope>> {
  const placed = new Map(scopes.map((scope) => [ids(), scope]))
  const records = [...placed.keys()]
  await commit([
    ...[...placed].map(([id, scope]) => put({ id, scope }, { vector: unitVector([1, 1]) })),
    ...[...placed].map(([id, scope]) => ({
      type: 'journal' as const,
      line: { op: 'write' as const, verb: 'add', ids: [id], scope },
    })),
    ...records.map((from, i) => ({
      type: 'link' as const,
      link: { from, to: records[(i + 1) % records.length] as string, type: 'next', weight: 1, metadata: {} },
    })),
  ])
  return placed
}

/** Every read of the store shows exactly what the filter lets through. */
async function showsExactly(
  store: MemoryStore,
  filter: ScopeFilter,
  placed: ReadonlyMap<string, Scope>,
  options?: ReadOptions,
) {
  const ids = [...placed.keys()]
  const expected = ids.filter((id) => matchesScope(filter, placed.get(id) as Scope))
  const scopes = expected.map((id) => scopeKey(placed.get(id) as Scope)).sort()

  const got = await store.get(filter, ids, options)
  assert.deepEqual(
    got.map((stored) => stored?.record.id ?? null),
    ids.map((id) => (expected.includes(id) ? id : null)),
    'get',
  )
  assert.deepEqual((await listIds(store, filter, {}, options)).sort(), [...expected].sort(), 'list')

  const links = await store.links(filter, ids, options)
  const visible = ids.filter((id, i) => expected.includes(id) && expected.includes(ids[(i + 1) % ids.length] as string))
  assert.deepEqual(links.map(({ from }) => from).sort(), visible.sort(), 'links')

  const stats = await store.stats(filter, { now: 0 }, options)
  assert.deepEqual(
    stats.counts.flatMap(({ scope, count }) => Array(count).fill(scopeKey(scope))).sort(),
    scopes,
    'stats',
  )
  assert.equal(
    stats.spaces.reduce((sum, { count }) => sum + count, 0),
    expected.length,
    'vectors in stats',
  )

  const lines = await store.journal(filter, { limit: 10_000 })
  assert.deepEqual(lines.map(({ scope }) => scopeKey(scope)).sort(), scopes, 'journal')
}

export const scopeCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-SCO-1',
    title:
      'reads within a scope, exactly in it, and with the scopes that enclose it see what those let through, and no more',
    async run(context) {
      const { store } = context
      const placed = await settle(context, family)
      const { cursor } = await store.log(null)
      const filters = [
        all,
        ...family.flatMap((scope) => [within(scope), exactly(scope), withShared(scope)]),
        withShared({ userId: 'ann', agentId: 'coder', sessionId: 's1' }, { userId: 'ann', agentId: 'coder' }),
        anyOf([exactly({ userId: 'bob' }), within({ userId: 'ann', namespace: ['p'] })]),
        within({ userId: 'nobody' }),
        exactly({ userId: 'ann', namespace: ['q'] }),
        anyOf([]),
      ]
      for (const filter of filters) {
        await showsExactly(store, filter, placed)
        await showsExactly(store, filter, placed, { asOf: { position: cursor } })
      }
    },
  },
  {
    rule: 'STO-SCO-2',
    title: 'the history of a record is seen where the record is, and where its tombstone is',
    async run(context) {
      const { store, commit } = context
      const placed = await settle(context, family)
      const check = async () => {
        for (const filter of [all, ...family.flatMap((scope) => [within(scope), exactly(scope)])]) {
          for (const [id, scope] of placed) {
            const revisions = await store.revisions(filter, id)
            assert.equal(revisions.length > 0, matchesScope(filter, scope), 'revisions')
          }
        }
      }
      await check()
      await commit([...placed.keys()].map((id) => ({ type: 'remove' as const, op: 'delete' as const, id })))
      await check()
      assert.deepEqual(
        await store.get(all, [...placed.keys()]),
        family.map(() => null),
      )
    },
  },
  {
    rule: 'STO-SCO-3',
    title:
      'any characters in a scope are compared exactly: patterns, quotes, NUL, lone surrogates, ten kilobytes, names of object properties',
    async run({ store, commit, ids }) {
      assert.equal(new Set(hostileLabels).size, hostileLabels.length)
      for (const scopeOf of dimensionScopes) {
        const placed = hostileLabels.map((label) => ({ id: ids(), scope: scopeOf(label) }))
        await commit(placed.map(({ id, scope }) => put({ id, scope })))
        for (const { id, scope } of placed) {
          for (const filter of [within(scope), exactly(scope)]) {
            const found = await listAll(store, filter)
            assert.deepEqual(
              found.map(({ record }) => record.id),
              [id],
            )
            assert.deepEqual(found[0]?.record.scope, scope)
            const { counts } = await store.stats(filter, { now: 0 })
            assert.deepEqual(plain(counts), [{ scope, kind: 'semantic', status: 'live', count: 1 }])
          }
        }
      }
    },
  },
  {
    rule: 'STO-SCO-4',
    title: 'a namespace is matched by whole segments: neither joined text nor a prefix of a segment is the same',
    async run({ store, commit, ids }) {
      const namespaces = [
        ...[['a'], ['a', 'b'], ['a/b'], ['a,b'], ['a.b'], ['a', 'b', 'c'], ['ab'], ['a', 'bc'], ['b', 'a'], ['a', 'a']],
        ...[['acme'], ['acme-corp'], ['acme', 'corp'], ['["a"', '"b"]'], ['a","b'], ['a\u0000b'], ['a', '\u0000b']],
        ...[['%'], ['a', '%'], ['a', '_'], ['__proto__'], ['__proto__', 'a']],
      ]
      const placed = namespaces.map((namespace) => ({ id: ids(), scope: { userId: 'ann', namespace } }))
      await commit(placed.map(({ id, scope }) => put({ id, scope })))
      for (const { scope } of placed) {
        const inside = placed.filter((other) =>
          scope.namespace.every((segment, i) => segment === other.scope.namespace[i]),
        )
        assert.deepEqual(await listIds(store, within(scope)), inside.map(({ id }) => id).sort())
        const same = inside.filter((other) => other.scope.namespace.length === scope.namespace.length)
        assert.deepEqual(
          await listIds(store, exactly(scope)),
          same.map(({ id }) => id),
        )
      }
    },
  },
  {
    rule: 'STO-SCO-5',
    title: 'an erase leaves records alone that it may not see, and counts nothing',
    async run({ store, add }) {
      const { id } = await add({ scope: { userId: 'bob' } })
      const counts = await store.erase(within({ userId: 'ann' }), [id])
      assert.deepEqual(Object.values(counts), Object.values(counts).fill(0))
      assert.equal((await store.get(all, [id]))[0]?.record.id, id)
    },
  },
]
