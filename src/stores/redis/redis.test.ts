import { describe, it } from 'vitest'
import { rawRedis } from '../../../test/fixtures/redis-keys.ts'
import { freshName, redisUrl } from '../../../test/fixtures/servers.ts'
import { describeHotTierConformance } from '../../conformance/index.ts'
import { redis } from './index.ts'

const builds = ['debian', 'stack', 'valkey'] as const

for (const build of builds) {
  const url = await redisUrl(build)
  describe.skipIf(url === null)(`redis (${build})`, () => {
    const prefixes = new WeakMap<object, string>()
    const over = (prefix: string, options: object) => {
      // Here are two cores for everything: how quick a dead server is noticed is tested elsewhere.
      const tier = redis({ url: url as string, prefix, commandTimeoutMs: 20_000, connectTimeoutMs: 20_000, ...options })
      prefixes.set(tier, prefix)
      return tier
    }
    describeHotTierConformance(
      {
        name: `redis (${build})`,
        create: (options) => over(freshName(), options),
        openSecond: (first) => over(prefixes.get(first) as string, {}),
        async loseAll(tier) {
          const raw = await rawRedis(url as string)
          await raw.drop(await raw.keys(`${prefixes.get(tier)}:`))
          await raw.close()
        },
      },
      { describe, it },
    )
  })
}
