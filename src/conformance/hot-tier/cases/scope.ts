import assert from 'node:assert/strict'
import {
  allScopes,
  anyOf,
  exactly,
  inSession,
  matchesScope,
  type Scope,
  type ScopeFilter,
  within,
  withShared,
} from '../../../model/index.ts'
import { scanIds, states } from '../expectations.ts'
import type { HotCase } from '../hot-case.ts'

const scopes: readonly Scope[] = [
  { userId: 'ann' },
  { userId: 'bob' },
  { appId: 'x' },
  { appId: 'x', userId: 'ann' },
  { appId: 'y', userId: 'ann' },
  { agentId: 'g' },
  { sessionId: 's' },
  { userId: 'ann', sessionId: 's' },
  { userId: 'ann', sessionId: 't' },
  { userId: 'ann', agentId: 'g', sessionId: 's' },
  { userId: 'ann', agentId: 'g', sessionId: 's', namespace: ['n', 'm'] },
  { appId: 'x', userId: 'ann', agentId: 'g', sessionId: 's', namespace: ['n'] },
  { userId: 'ann', namespace: ['n'] },
  { namespace: ['n'] },
]

const filters: readonly ScopeFilter[] = [
  allScopes(),
  ...scopes.flatMap((scope) => [within(scope), exactly(scope), withShared(scope)]),
  inSession(allScopes(), 's'),
  inSession(within({ userId: 'ann' }), 's'),
  anyOf([exactly({ userId: 'bob' }), within({ appId: 'x' })]),
  anyOf([within({ userId: 'ann', sessionId: 's' }), within({ userId: 'ann' })]),
  anyOf([]),
]

export const hotScopeCases: readonly HotCase[] = [
  {
    rule: 'HOT-40',
    title: 'every read shows what its scope sees and nothing else; a tombstone that it does not see is a miss',
    async run({ tier, stored }) {
      const ids = scopes.map((_, i) => `r${i}`)
      const gone = scopes.map((_, i) => `gone${i}`)
      await tier.putIfNewer(scopes.map((scope, i) => ({ stored: stored({ id: ids[i] as string, scope }) })))
      await tier.remove(scopes.map((scope, i) => ({ id: gone[i] as string, scope, version: 1 })))
      for (const filter of filters) {
        const name = JSON.stringify(filter)
        const seen = scopes.map((scope) => matchesScope(filter, scope))
        assert.deepEqual(
          await states(tier, ids, filter),
          seen.map((one) => (one ? 1 : 'miss')),
          name,
        )
        assert.deepEqual(
          await states(tier, gone, filter),
          seen.map((one) => (one ? 'gone' : 'miss')),
          name,
        )
        const visible = ids.filter((_, i) => seen[i])
        assert.deepEqual(await scanIds(tier, filter), visible.sort(), name)
        const { hits } = await tier.search(filter, { limit: 100 })
        assert.deepEqual(hits.map(({ stored: { record } }) => record.id).sort(), visible, name)
      }
    },
  },
]
