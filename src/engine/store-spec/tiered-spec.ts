import { ownParameter } from './own-parameter.ts'
import { refuse } from './refuse.ts'
import type { Environment, Given, StoreSpec } from './schemes.ts'

const modes = ['write-through', 'session'] as const

/** The server behind the hot tier that the environment names, where the text names none; a file comes last. */
function coldOf({ rest, label, env }: Given): string {
  if (rest !== '') return rest
  const servers = [env.MNEME_POSTGRES_URL && 'postgres', env.MNEME_BOLT_URL && 'bolt'].filter((name) => name)
  if (servers.length > 1)
    throw refuse(label, 'tiered could mean two stores: write tiered:postgres or tiered:bolt to say which is durable.')
  const cold = servers[0] ?? (env.MNEME_DB && 'sqlite')
  if (!cold) throw refuse(label, 'tiered needs a durable store behind it, such as tiered:sqlite:./memory.db.')
  return cold
}

function ttlOf({ MNEME_REDIS_TTL_MS: text }: Environment): number | undefined {
  if (!text) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw refuse('MNEME_REDIS_TTL_MS', 'must be a whole number of milliseconds.')
}

function modeOf({ MNEME_TIER_MODE: text }: Environment): (typeof modes)[number] | undefined {
  const mode = modes.find((one) => one === text)
  if (!text || mode) return mode
  throw refuse('MNEME_TIER_MODE', `must be ${modes.join(' or ')}.`)
}

/** A hot tier at MNEME_REDIS_URL in front of the durable store that the text names. @param read reads that */
export function tieredSpec(given: Given, read: (text: string) => StoreSpec): StoreSpec {
  const { label, env } = given
  const address = env.MNEME_REDIS_URL
  if (!address) throw refuse(label, 'tiered needs a hot tier: set MNEME_REDIS_URL, such as redis://localhost:6379.')
  const [url, prefix] = ownParameter(address, 'prefix')
  const [ttlMs, mode, cold] = [ttlOf(env), modeOf(env), read(coldOf(given))]
  return {
    name: `a hot tier before ${cold.name}`,
    async make() {
      const [{ tiered }, { redis }] = await Promise.all([
        import('../../stores/tiered/index.ts'),
        import('../../stores/redis/index.ts'),
      ])
      return tiered({ hot: redis({ url, prefix, ttlMs }), cold: await cold.make(), mode })
    },
  }
}
