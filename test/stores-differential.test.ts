import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { MemoryStore } from '../src/contract/index.ts'
import { bolt } from '../src/stores/bolt/index.ts'
import { memory } from '../src/stores/memory/index.ts'
import { postgres } from '../src/stores/postgres/index.ts'
import { redis } from '../src/stores/redis/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { tiered } from '../src/stores/tiered/index.ts'
import { boltUrl, freshName, postgresUrl, redisUrl } from './fixtures/servers.ts'
import { compareStores } from './fixtures/store-answers.ts'
import { anySteps } from './fixtures/store-steps.ts'

// The same random operations, from one seed, on every store that has a server, each beside the store in memory.

const [postgresAt, redisAt, boltAt] = [await postgresUrl(), await redisUrl(), await boltUrl()]
const asked = fc.readConfigureGlobal()
const seed = asked.seed ?? Date.now() % 1_000_000
/** Longer sequences than in a process, as making a store costs more than an operation. A soak asks for more of them. */
const numRuns = Math.max(40, Math.ceil((asked.numRuns ?? 0) / 10))

const hot = () => redis({ url: redisAt!, prefix: freshName() })

/** Of a server that takes twenty times as long for an operation. */
const fewRuns = Math.ceil(numRuns / 20)

type Candidate = readonly [name: string, urls: readonly (string | null)[], make: () => MemoryStore, runs?: number]
const stores: readonly Candidate[] = [
  ['postgres', [postgresAt], () => postgres({ url: postgresAt!, schema: freshName(), poolSize: 4 })],
  ['bolt', [boltAt], () => bolt({ url: boltAt!, namespace: freshName() }), fewRuns],
  ['tiered over sqlite', [redisAt], () => tiered({ hot: hot(), cold: sqlite({ path: ':memory:' }) })],
  [
    'tiered over sqlite, by session',
    [redisAt],
    () => tiered({ hot: hot(), cold: sqlite({ path: ':memory:' }), mode: 'session' }),
  ],
  [
    'tiered over bolt',
    [redisAt, boltAt],
    () => tiered({ hot: hot(), cold: bolt({ url: boltAt!, namespace: freshName() }) }),
    fewRuns,
  ],
  [
    'tiered over bolt, by session',
    [redisAt, boltAt],
    () => tiered({ hot: hot(), cold: bolt({ url: boltAt!, namespace: freshName() }), mode: 'session' }),
    fewRuns,
  ],
]

describe(`random operations with seed ${seed}`, () => {
  for (const [name, urls, make, runs = numRuns] of stores) {
    it.skipIf(urls.includes(null))(`[SRV-1] are answered by ${name} as in memory`, { timeout: 3_600_000 }, async () => {
      let operations = 0
      await fc.assert(
        fc.asyncProperty(anySteps(100), (steps) => {
          operations += steps.length
          return compareStores(memory(), make(), steps)
        }),
        { seed, numRuns: runs },
      )
      console.log(`${name}: ${operations} random operations with seed ${seed}`)
    })
  }
})
