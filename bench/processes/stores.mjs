// The stores that the processes share. Each process makes its own.
import { pathToFileURL } from 'node:url'

/** What can be loaded: PostgreSQL alone, and the two modes with a hot tier before it. */
export const variants = ['postgres', 'write-through', 'session']

/** @param dist folder of the built package @returns makers of the parts that a run asks for */
export async function storesOf(dist) {
  const from = (path) => import(pathToFileURL(`${dist}/${path}`).href)
  const [mneme, { postgres }, { redis }, { tiered }] = await Promise.all(
    ['index.js', 'stores/postgres/index.js', 'stores/redis/index.js', 'stores/tiered/index.js'].map(from),
  )
  const durable = ({ url, schema, poolSize, partitions }) => postgres({ url, schema, poolSize, partitions })
  return {
    mneme,
    /** What is acknowledged is here. */
    durable,
    shared: (settings) =>
      settings.variant === 'postgres'
        ? durable(settings)
        : tiered({
            hot: redis({ url: settings.redisUrl, prefix: settings.schema, ttlMs: 300_000 }),
            cold: durable(settings),
            mode: settings.variant,
          }),
  }
}
