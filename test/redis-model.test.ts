import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HotTier } from '../src/contract/index.ts'
import { allScopes } from '../src/model/index.ts'
import { redis } from '../src/stores/redis/index.ts'
import { type HotModel, hotModel } from './fixtures/hot-model.ts'
import { hotRecord } from './fixtures/hot-records.ts'
import { runs } from './fixtures/reference-runs.ts'
import { freshName, redisUrl } from './fixtures/servers.ts'

// Any order of reads, fills, holds, puts, removals, evictions and flushes, from two instances, against a plain model.

const url = await redisUrl('valkey')
const all = allScopes()
const ids = ['a', 'b']

interface Pair {
  readonly tiers: readonly [HotTier, HotTier]
  readonly model: HotModel
  /** Leases of both, side by side, of readers and writers, used ones too. */
  readonly leases: { readonly id: string; readonly real: string; readonly model: string }[]
}

type Step = (pair: Pair, tier: HotTier) => Promise<void>

const anyId = fc.constantFrom(...ids)
const anyVersion = fc.integer({ min: 1, max: 4 })
/** Which of the leases so far; none at all now and then. */
const anyLease = fc.option(fc.nat(), { nil: undefined, freq: 4 })

function leaseAt({ leases }: Pair, id: string, place: number | undefined) {
  const own = leases.filter((one) => one.id === id)
  if (place === undefined || own.length === 0) return { real: undefined, model: undefined }
  // The newest ones are the most interesting.
  return own[Math.max(0, own.length - 1 - (place % 4))] as { real: string; model: string }
}

const readStep = anyId.map(
  (id): Step =>
    async (pair, tier) => {
      const [answer] = await tier.get(all, [id])
      const expected = pair.model.get(id)
      if (answer === undefined) throw new Error('no answer')
      expect(answer.state === 'hit' ? answer.stored.record.version : answer.state).toBe(expected.state)
      if (answer.state !== 'miss') return
      expect(answer.lease === '').toBe(expected.lease === '')
      if (answer.lease !== '') pair.leases.push({ id, real: answer.lease, model: expected.lease })
    },
)
const putStep = fc.tuple(anyId, anyVersion, anyLease).map(
  ([id, version, place]): Step =>
    async (pair, tier) => {
      const lease = leaseAt(pair, id, place)
      const kept = await tier.putIfNewer([{ stored: hotRecord({ id, version }), lease: lease.real }])
      expect(kept).toEqual([pair.model.put(id, version, lease.model)])
    },
)
const removeStep = fc.tuple(anyId, anyVersion, anyLease).map(
  ([id, version, place]): Step =>
    async (pair, tier) => {
      const lease = leaseAt(pair, id, place)
      await tier.remove([{ id, version, scope: { userId: 'ann' }, lease: lease.real }])
      pair.model.remove(id, version, lease.model)
    },
)
const holdStep = anyId.map(
  (id): Step =>
    async (pair, tier) => {
      const [real = ''] = await tier.hold([id])
      pair.leases.push({ id, real, model: pair.model.hold(id) })
    },
)
const releaseStep = fc.tuple(anyId, fc.nat()).map(
  ([id, place]): Step =>
    async (pair, tier) => {
      const { real, model } = leaseAt(pair, id, place)
      if (real === undefined || model === undefined) return
      await tier.release([{ id, lease: real }])
      pair.model.release(id, model)
    },
)
const evictStep = anyId.map(
  (id): Step =>
    async (pair, tier) => {
      await tier.evict([id])
      pair.model.evict(id)
    },
)
const flushStep = fc.constant<Step>(async (pair, tier) => {
  await tier.flushEpoch()
  pair.model.flush()
})

const anyStep = fc.oneof(
  { weight: 6, arbitrary: readStep },
  { weight: 6, arbitrary: putStep },
  { weight: 2, arbitrary: removeStep },
  { weight: 5, arbitrary: holdStep },
  { weight: 2, arbitrary: releaseStep },
  { weight: 2, arbitrary: evictStep },
  { weight: 1, arbitrary: flushStep },
)

describe.skipIf(url === null)('random steps on a hot tier', () => {
  it('[RDS-21] two instances answer every order of steps as a plain model does', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(anyStep, fc.boolean()), { maxLength: 40 }), async (steps) => {
        const prefix = freshName()
        const make = () => redis({ url: url as string, prefix, commandTimeoutMs: 20_000, connectTimeoutMs: 20_000 })
        const pair: Pair = { tiers: [make(), make()], model: hotModel(), leases: [] }
        try {
          for (const tier of pair.tiers) await tier.open()
          for (const [step, first] of steps) await step(pair, pair.tiers[first ? 0 : 1])
          for (const id of ids) {
            const [answer] = await pair.tiers[0].get(all, [id])
            const state = answer?.state === 'hit' ? answer.stored.record.version : answer?.state
            expect(state).toBe(pair.model.get(id).state)
            const inSession = (await pair.tiers[1].session({ userId: 'ann' })).filter((record) => record.id === id)
            expect(inSession.map(({ version }) => version)).toEqual(typeof state === 'number' ? [state] : [])
          }
        } finally {
          for (const tier of pair.tiers) await tier.close()
        }
      }),
      runs(60),
    )
  })
})
