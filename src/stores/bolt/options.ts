import { knownOptions } from '../../contract/index.ts'
import { SetupError } from '../../errors/index.ts'

export interface BoltOptions {
  /**
   * `bolt://` or `neo4j://` with host and port, `bolt+s://` and `neo4j+s://` with encryption, `+ssc` for certificates that nobody
   * vouches for. A user and a password in it are taken out before anything else sees it.
   * @default the environment variable MNEME_BOLT_URL
   */
  readonly url?: string | undefined
  /** @default what the url says, else MNEME_BOLT_USER, else none: a server without sign-in */
  readonly user?: string | undefined
  /** @default what the url says, else MNEME_BOLT_PASSWORD */
  readonly password?: string | undefined
  /** @default the path of the url, else MNEME_BOLT_DATABASE, else the server's own default database */
  readonly database?: string | undefined
  /** Sets apart several stores in one database: letters, digits, `_`, `-` and `.`, up to 64. @default 'mneme' */
  readonly namespace?: string | undefined
  /** How long connecting may take, milliseconds, 100 and above. @default 5000 */
  readonly connectTimeoutMs?: number | undefined
  /** How long one operation may take with all its attempts, milliseconds, 1000 and above. @default 30000 */
  readonly timeoutMs?: number | undefined
  /** Connections that are kept at most. @default 20 */
  readonly maxConnections?: number | undefined
}

export interface CheckedOptions {
  /** Without user and password. */
  readonly url: string
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string | undefined
  readonly namespace: string
  readonly connectTimeoutMs: number
  readonly timeoutMs: number
  readonly maxConnections: number
}

const schemes: ReadonlySet<string> = new Set(['bolt:', 'bolt+s:', 'bolt+ssc:', 'neo4j:', 'neo4j+s:', 'neo4j+ssc:'])

/** What is handed on to the server that routes: names with values. */
const routing = /^\?\w+=[\w.%-]+(?:&\w+=[\w.%-]+)*$/

function refuse(message: string): SetupError {
  return new SetupError({ code: 'BAD_CONFIG', message: `bolt store: ${message}.` })
}

function parseUrl(text: unknown): URL {
  if (text === undefined || text === '')
    throw refuse('url: none given. Pass { url: "bolt://user:password@host:7687" } or set MNEME_BOLT_URL')
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : null
  if (url === null || !schemes.has(url.protocol) || url.hostname === '')
    throw refuse(
      'url: must be like bolt://user:password@host:7687, with bolt, bolt+s, bolt+ssc or neo4j, neo4j+s, neo4j+ssc',
    )
  const names = [...url.searchParams.keys()]
  const routes = routing.test(url.search) && new Set(names).size === names.length
  // The driver's own refusal would show the whole address, and the end of a password with a ? in it.
  if (names.length === 1 && names[0] === 'namespace')
    throw refuse(
      'url: "namespace" goes with MNEME_STORE, --store and the like. In a program pass { namespace } as an option',
    )
  if (url.search !== '' && (url.protocol.startsWith('bolt') || !routes))
    throw refuse(
      'url: behind the ? may stand what neo4j:// routes by, such as ?policy=eu; bolt:// takes nothing there. In a password write ? as %3F',
    )
  return url
}

function decode(part: string, name: string): string | undefined {
  try {
    return part === '' ? undefined : decodeURIComponent(part)
  } catch {
    throw refuse(`url: the ${name} in it is not well encoded. Write % as %25, or pass ${name} as an option`)
  }
}

function text(value: unknown, name: string): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '') throw refuse(`${name}: must be a text that is not empty`)
  return value
}

function atLeast(value: unknown, least: number, name: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= least) return value
  throw refuse(`${name}: must be a number, ${least} or more`)
}

const names = {
  url: true,
  user: true,
  password: true,
  database: true,
  namespace: true,
  connectTimeoutMs: true,
  timeoutMs: true,
  maxConnections: true,
} as const

/** @throws SetupError BAD_CONFIG, which never shows the url */
export function checkOptions(given: BoltOptions, env: Readonly<Record<string, string | undefined>>): CheckedOptions {
  const options = knownOptions('bolt store', given, names)
  const url = parseUrl(options.url ?? env.MNEME_BOLT_URL)
  const { namespace = 'mneme', connectTimeoutMs = 5000, timeoutMs = 30_000, maxConnections = 20 } = options
  if (typeof namespace !== 'string' || !/^[A-Za-z0-9_.-]{1,64}$/.test(namespace))
    throw refuse('namespace: must be 1 to 64 letters, digits, "_", "-" or "."')
  if (!Number.isInteger(maxConnections)) throw refuse('maxConnections: must be a whole number, 1 or more')
  return {
    url: `${url.protocol}//${url.host}${url.search}`,
    user: text(options.user, 'user') ?? decode(url.username, 'user') ?? (env.MNEME_BOLT_USER || undefined),
    password:
      text(options.password, 'password') ?? decode(url.password, 'password') ?? (env.MNEME_BOLT_PASSWORD || undefined),
    database:
      text(options.database, 'database') ??
      decode(url.pathname.slice(1), 'database') ??
      (env.MNEME_BOLT_DATABASE || undefined),
    namespace,
    connectTimeoutMs: atLeast(connectTimeoutMs, 100, 'connectTimeoutMs'),
    timeoutMs: atLeast(timeoutMs, 1000, 'timeoutMs'),
    maxConnections: atLeast(maxConnections, 1, 'maxConnections'),
  }
}
