import { knownOptions } from '../../contract/index.ts'
import { SetupError } from '../../errors/index.ts'

export interface RedisOptions {
  /**
   * `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS. `?cluster=true` says that it is a node of a cluster.
   * @default the environment's MNEME_REDIS_URL
   */
  readonly url?: string | undefined
  /**
   * How long an entry lives, milliseconds; never longer than its record. 1000..604800000 (a week).
   * @default 3600000 (an hour)
   */
  readonly ttlMs?: number | undefined
  /** What all keys begin with. Without braces, at most 100 characters. @default 'mneme' */
  readonly prefix?: string | undefined
  /** True where the server is a node of a cluster, from which the others are learnt. @default what the URL says, else false */
  readonly cluster?: boolean | undefined
  /** How long connecting may take, milliseconds. @default 1000 */
  readonly connectTimeoutMs?: number | undefined
  /**
   * How long the server may be silent while a command waits, milliseconds; after that the connection is given up.
   * @default 1000
   */
  readonly commandTimeoutMs?: number | undefined
  /**
   * How long a writer may take between `hold` and its put, milliseconds, and a reader between its miss and its put. 1000..600000.
   * @default 60000
   */
  readonly leaseMs?: number | undefined
  /**
   * More options for `createClient` of the `redis` package, such as `{ socket: { ca } }` for a certificate authority of your own or a
   * `credentialsProvider`. What the options above say goes first.
   */
  readonly client?: Readonly<Record<string, unknown>> | undefined
}

export interface CheckedOptions {
  readonly url: string
  readonly ttlMs: number
  readonly prefix: string
  readonly cluster: boolean
  readonly connectTimeoutMs: number
  readonly commandTimeoutMs: number
  readonly leaseMs: number
  readonly client: Readonly<Record<string, unknown>>
}

const week = 604_800_000
const names = {
  url: true,
  ttlMs: true,
  prefix: true,
  cluster: true,
  connectTimeoutMs: true,
  commandTimeoutMs: true,
  leaseMs: true,
  client: true,
} as const

/** The URL itself is never named: it may hold a password. */
function refuse(message: string): SetupError {
  return new SetupError({ code: 'BAD_CONFIG', message: `redis hot tier: ${message}.` })
}

function parseUrl(given: unknown): { readonly url: string; readonly cluster: boolean } {
  if (given === undefined || given === '') throw refuse('no url. Pass { url } or set MNEME_REDIS_URL')
  const form = 'url: must be like redis://user:password@host:6379/0, or rediss:// for TLS'
  let url: URL
  try {
    url = new URL(given as string)
  } catch {
    throw refuse(form)
  }
  const { protocol, hostname, pathname, searchParams } = url
  if ((protocol !== 'redis:' && protocol !== 'rediss:') || hostname === '') throw refuse(form)
  if (!/^\/?\d*$/.test(pathname)) throw refuse('url: the path must be the number of a database')
  const cluster = searchParams.get('cluster')
  const others = [...searchParams.keys()].filter((name) => name !== 'cluster')
  // The end of a password with a ? that was not encoded is not to be shown.
  if (url.search.includes('@')) throw refuse('url: has an @ behind its ?. In a password write ? as %3F')
  if (others[0] === 'prefix')
    throw refuse('url: "prefix" goes with MNEME_STORE and --store. In a program pass { prefix } as an option')
  if (others.length > 0) throw refuse(`url: knows no parameter ${JSON.stringify(others[0])}`)
  if (cluster !== null && cluster !== 'true' && cluster !== 'false') throw refuse('url: cluster must be true or false')
  if (cluster === 'true' && Number(pathname.slice(1)) > 0) throw refuse('url: a cluster has only database 0')
  url.search = ''
  return { url: url.href, cluster: cluster === 'true' }
}

function milliseconds(name: keyof RedisOptions, value: number, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most)
    throw refuse(`${name}: must be a whole number of milliseconds from ${least} to ${most}`)
  return value
}

/** @throws SetupError BAD_CONFIG */
export function checkOptions(given: RedisOptions | undefined): CheckedOptions {
  const options = knownOptions('redis hot tier', given, names)
  const { prefix = 'mneme', client = {} } = options
  const { url, cluster } = parseUrl(options.url ?? process.env.MNEME_REDIS_URL)
  if (typeof prefix !== 'string' || !/^[^{}\s]{1,100}$/.test(prefix))
    throw refuse('prefix: must be 1 to 100 characters without braces and blanks')
  if (options.cluster !== undefined && typeof options.cluster !== 'boolean')
    throw refuse('cluster: must be true or false')
  if (typeof client !== 'object' || client === null) throw refuse('client: must be an object of options')
  return {
    url,
    prefix,
    client,
    cluster: options.cluster ?? cluster,
    ttlMs: milliseconds('ttlMs', options.ttlMs ?? 3_600_000, 1000, week),
    connectTimeoutMs: milliseconds('connectTimeoutMs', options.connectTimeoutMs ?? 1000, 1, 60_000),
    commandTimeoutMs: milliseconds('commandTimeoutMs', options.commandTimeoutMs ?? 1000, 1, 60_000),
    leaseMs: milliseconds('leaseMs', options.leaseMs ?? 60_000, 1000, 600_000),
  }
}
