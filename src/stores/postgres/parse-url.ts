import { SetupError } from '../../errors/index.ts'

/** Where a server is and how it is to be talked to; no secret but the password. */
export interface ServerAddress {
  readonly host: string
  readonly port: number
  readonly user: string | undefined
  readonly password: string | undefined
  readonly database: string | undefined
  /** `plain`: no TLS. `encrypted`: TLS, whoever answers. `verified`: TLS with a certificate of that host. */
  readonly tls: 'plain' | 'encrypted' | 'verified'
  readonly channelBinding: boolean
  readonly applicationName: string
  /** Options for the server, as `-c name=value`. */
  readonly options: string | undefined
  /** Milliseconds. */
  readonly connectTimeoutMs: number | undefined
  /** Recognised by the host. */
  readonly provider: 'neon' | 'supabase' | null
  /** A pooler is in between, which hands out its connections by session or by transaction. */
  readonly pooling: 'session' | 'transaction' | null
}

function refuse(why: string): SetupError {
  return new SetupError({ code: 'BAD_CONFIG', message: `postgres store: url: ${why}.` })
}

/** Written for other programs, and without a meaning here. */
const ignored: ReadonlySet<string> = new Set([
  'pgbouncer',
  'connection_limit',
  'pool_timeout',
  'statement_cache_size',
  'prepared_statements',
  'supa',
  'workaround',
  'fallback_application_name',
  'keepalives',
  'keepalives_idle',
  'keepalives_interval',
  'keepalives_count',
  'target_session_attrs',
  'client_encoding',
  'gssencmode',
])

const known: ReadonlySet<string> = new Set([
  'sslmode',
  'ssl',
  'channel_binding',
  'application_name',
  'options',
  'connect_timeout',
  'host',
  'port',
  'user',
  'password',
  'dbname',
])

const tlsModes: Readonly<Record<string, ServerAddress['tls']>> = {
  disable: 'plain',
  require: 'encrypted',
  'no-verify': 'encrypted',
  'verify-ca': 'verified',
  'verify-full': 'verified',
}

function providerOf(host: string): ServerAddress['provider'] {
  if (/(?:^|\.)neon\.(?:tech|build)$/i.test(host)) return 'neon'
  return /(?:^|\.)supabase\.(?:co|com|net|in)$/i.test(host) ? 'supabase' : null
}

/** Supabase's pooler parts sessions at one port and transactions at the other; Neon's has a name of its own. */
function poolingOf(provider: ServerAddress['provider'], host: string, port: number): ServerAddress['pooling'] {
  if (provider === 'neon') return /^[^.]+-pooler\./i.test(host) ? 'transaction' : null
  if (provider !== 'supabase') return null
  if (port === 6543) return 'transaction'
  return /\.pooler\./i.test(host) ? 'session' : null
}

function tlsOf(mode: string | undefined, provider: ServerAddress['provider']): ServerAddress['tls'] {
  if (mode === undefined) return provider === 'neon' ? 'verified' : provider === null ? 'plain' : 'encrypted'
  if (mode === 'prefer' || mode === 'allow') {
    throw refuse(`sslmode=${mode} may fall back to no encryption without a word. Say require, verify-full or disable`)
  }
  const tls = Object.hasOwn(tlsModes, mode) ? tlsModes[mode] : undefined
  if (tls === undefined) throw refuse('sslmode: must be disable, require, no-verify, verify-ca or verify-full')
  if (tls === 'plain' && provider !== null)
    throw refuse(`sslmode=disable: ${provider} takes encrypted connections only`)
  // Its certificates are those of the web, so nobody needs to trust blindly.
  return provider === 'neon' && mode === 'require' ? 'verified' : tls
}

function decode(text: string): string | undefined {
  if (text === '') return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    throw refuse('a percent sign that encodes nothing; write it as %25')
  }
}

function portOf(text: string): number {
  const port = text === '' ? 5432 : Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw refuse('port: must be a number from 1 to 65535')
  return port
}

function checkParameters(parameters: URLSearchParams): void {
  for (const name of parameters.keys()) {
    if (known.has(name) || ignored.has(name)) continue
    // The end of a password with a ? that was not encoded is not to be shown.
    if ([...parameters].flat().some((part) => part.includes('@')))
      throw refuse('has an @ behind its ?. In a password write ? as %3F')
    if (/^ssl(?:cert|key|rootcert|password|crl)/.test(name)) {
      throw refuse(
        `${name}: certificates in files are not supported; use sslmode=require, or verify-full with NODE_EXTRA_CA_CERTS`,
      )
    }
    if (name === 'schema') {
      throw refuse('"schema" goes with MNEME_STORE, --store and the like. In a program pass { schema } as an option')
    }
    throw refuse(`${JSON.stringify(name.slice(0, 40))}: no such parameter here. Leave it out`)
  }
}

function sslModeOf(parameters: URLSearchParams): string | undefined {
  const mode = parameters.get('sslmode') ?? undefined
  const ssl = parameters.get('ssl')
  if (mode !== undefined || ssl === null) return mode
  if (ssl === 'true' || ssl === '1') return 'require'
  if (ssl === 'false' || ssl === '0') return 'disable'
  throw refuse('ssl: must be true or false')
}

function channelBindingOf(parameters: URLSearchParams): boolean {
  const mode = parameters.get('channel_binding') ?? 'prefer'
  if (!['disable', 'prefer', 'require'].includes(mode))
    throw refuse('channel_binding: must be disable, prefer or require')
  return mode !== 'disable'
}

function connectTimeoutOf(parameters: URLSearchParams): number | undefined {
  const text = parameters.get('connect_timeout')
  if (text === null) return undefined
  const seconds = Number(text)
  if (!Number.isInteger(seconds) || seconds < 0) throw refuse('connect_timeout: must be a number of seconds')
  return seconds === 0 ? undefined : seconds * 1000
}

function readUrl(text: string): URL {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    // Its own error would show the text, and the password in it.
    throw refuse(
      'is no URL. Write postgres://user:password@host:5432/database, with @ : / in the password percent-encoded',
    )
  }
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') throw refuse('must begin with postgres://')
  // What was meant as a password would be taken for a host that nobody finds.
  if (url.pathname.includes('@')) throw refuse('has an @ behind a /. In a password write / as %2F and @ as %40')
  return url
}

/**
 * Reads a URL as PostgreSQL's own tools do, knowing the hosts of Neon and Supabase. Parameters that would change what is
 * meant are refused, those for other programs ignored.
 * @throws SetupError BAD_CONFIG, without the URL in its message
 */
export function parsePostgresUrl(text: string): ServerAddress {
  const url = readUrl(text)
  const parameters = url.searchParams
  checkParameters(parameters)
  const host = parameters.get('host') ?? (decode(url.hostname.replace(/^\[(.*)\]$/, '$1')) || 'localhost')
  const port = portOf(parameters.get('port') ?? url.port)
  const provider = providerOf(host)
  return {
    host,
    port,
    user: parameters.get('user') ?? decode(url.username),
    password: parameters.get('password') ?? decode(url.password),
    database: parameters.get('dbname') ?? decode(url.pathname.slice(1)),
    tls: tlsOf(sslModeOf(parameters), provider),
    channelBinding: channelBindingOf(parameters),
    applicationName: parameters.get('application_name') ?? 'mneme',
    options: parameters.get('options') ?? undefined,
    connectTimeoutMs: connectTimeoutOf(parameters),
    provider,
    pooling: poolingOf(provider, host, port),
  }
}
