import { describe, expect, it } from 'vitest'
import { freshName, redisUrl } from '../../../test/fixtures/servers.ts'
import type { HotTier } from '../../contract/index.ts'
import { allScopes } from '../../model/index.ts'
import { redis } from '../../stores/redis/index.ts'
import { hotTierCases, runHotTierConformance } from './index.ts'

const url = await redisUrl()

/** Tiers that break a promise, and the rules that must notice. */
const broken: Readonly<
  Record<string, readonly [sabotage: (tier: HotTier) => Partial<HotTier>, rules: readonly string[]]>
> = {
  'shows whatever scope': [
    (tier) => ({
      get: (_, ids, options) => tier.get(allScopes(), ids, options),
      scan: (_, options) => tier.scan(allScopes(), options),
    }),
    ['HOT-40'],
  ],
  'fills with any lease': [
    (tier) => ({
      putIfNewer: (puts, options) =>
        tier.putIfNewer(
          puts.map(({ stored }) => ({ stored })),
          options,
        ),
    }),
    ['HOT-20', 'HOT-22', 'HOT-23', 'HOT-24'],
  ],
  'holds nothing': [
    (tier) => ({
      async hold(ids, options) {
        await tier.evict(ids, options)
        return (await tier.get(allScopes(), ids)).map((answer) => (answer.state === 'miss' ? answer.lease : ''))
      },
    }),
    ['HOT-21', 'HOT-22'],
  ],
  'forgets what was removed': [
    (tier) => ({
      remove: (tombstones, options) =>
        tier.evict(
          tombstones.map(({ id }) => id),
          options,
        ),
    }),
    ['HOT-13'],
  ],
  'flushes nothing': [() => ({ flushEpoch: async () => {} }), ['HOT-20', 'HOT-25']],
  'evicts nothing': [() => ({ evict: async () => {} }), ['HOT-20', 'HOT-23']],
  'drops every session': [
    (tier) => ({ dropSession: ({ sessionId, ...owner }, options) => tier.dropSession(owner, options) }),
    ['HOT-51'],
  ],
  'compares what can not be compared': [
    (tier) => ({
      async search(scope, query, options) {
        const { hits } = await tier.search(scope, query, options)
        return { hits: hits.map((hit) => ({ ...hit, cosine: hit.cosine ?? 1 })), skipped: 0 }
      },
    }),
    ['HOT-62'],
  ],
  'loses the order of its queue': [
    (tier) => ({
      queue: { ...tier.queue, peek: async (limit, options) => [...(await tier.queue.peek(limit, options))].reverse() },
    }),
    ['HOT-70'],
  ],
}

describe.skipIf(url === null)('the suite of hot tiers', () => {
  for (const [name, [sabotage, rules]] of Object.entries(broken)) {
    it(`[CNF-6] notices a tier that ${name}`, async () => {
      const create = (options: object) => {
        const tier = redis({ url: url as string, prefix: freshName(), commandTimeoutMs: 20_000, ...options })
        return { ...tier, ...sabotage(tier) }
      }
      const cases = hotTierCases.filter(({ rule }) => rules.includes(rule))
      const failed: string[] = []
      for await (const { rule, outcome } of runHotTierConformance({ name, create }, cases))
        if (outcome === 'failed') failed.push(rule)
      expect(failed.sort()).toEqual([...rules])
    })
  }
})
