import { describe, it, vi } from 'vitest'
import { boltUrl, freshName, redisUrl } from '../../../test/fixtures/servers.ts'
import { tieredTarget } from '../../../test/fixtures/tiered-target.ts'
import { conformanceCases, describeConformance } from '../../conformance/index.ts'
import { bolt } from '../bolt/index.ts'

// One transaction after the other on a server that has just started, with everything else on the same machine.
vi.setConfig({ testTimeout: 180_000 })

// A graph server takes minutes for the whole suite, which it is asked by itself and, over tiers, in `npm run soak`.
const every = process.env.MNEME_EVERY_CASE === '1'
const crucial = conformanceCases.filter(({ rule }) => /^STO-(?:SHR|ERA|LNK)-/.test(rule))

const redisAt = await redisUrl()
const boltAt = await boltUrl()

const make = (namespace: string) => bolt({ url: boltAt ?? undefined, namespace })

describe.skipIf(redisAt === null || boltAt === null)('tiered over a graph', () => {
  describeConformance(
    {
      ...tieredTarget({ name: 'redis over bolt', make, fresh: freshName, mode: 'write-through' }),
      facets: ['graph'],
    },
    { describe, it },
    every ? conformanceCases : crucial,
  )
  // What staging asks of a cold store; the rest is asked over sqlite.
  describeConformance(
    tieredTarget({ name: 'redis over bolt', make, fresh: freshName, mode: 'session' }),
    { describe, it },
    every ? crucial : crucial.filter(({ rule }) => rule.startsWith('STO-SHR-')),
  )
})
