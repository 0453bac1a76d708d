import { describe, expect, it } from 'vitest'
import { parsePostgresUrl } from './parse-url.ts'

const refused = expect.objectContaining({ code: 'BAD_CONFIG' })

describe('the URL of a PostgreSQL server', () => {
  it('[PGS-1] says host, port, user, password, database, and what parameters say; everything percent-decoded', () => {
    expect(parsePostgresUrl('postgres://ann:p%40ss%3A%2F@db.example.org:6000/my%20db?application_name=app')).toEqual({
      host: 'db.example.org',
      port: 6000,
      user: 'ann',
      password: 'p@ss:/',
      database: 'my db',
      tls: 'plain',
      channelBinding: true,
      applicationName: 'app',
      options: undefined,
      connectTimeoutMs: undefined,
      provider: null,
      pooling: null,
    })
    expect(parsePostgresUrl('postgresql://[::1]/')).toMatchObject({
      host: '::1',
      port: 5432,
      user: undefined,
      password: undefined,
      database: undefined,
      applicationName: 'mneme',
    })
    expect(parsePostgresUrl('postgres:///db?host=/run/postgresql&user=ann&connect_timeout=3')).toMatchObject({
      host: '/run/postgresql',
      user: 'ann',
      database: 'db',
      connectTimeoutMs: 3000,
    })
    expect(parsePostgresUrl('postgres://h/d?options=-c%20search_path%3Dx').options).toBe('-c search_path=x')
  })

  it('[PGS-1] sslmode is honoured where it can be, and refused where it would fall back without a word', () => {
    const tls = (query: string) => parsePostgresUrl(`postgres://u@example.org/d${query}`).tls
    expect(tls('')).toBe('plain')
    expect(tls('?sslmode=disable')).toBe('plain')
    expect(tls('?sslmode=require')).toBe('encrypted')
    expect(tls('?sslmode=no-verify')).toBe('encrypted')
    expect(tls('?ssl=true')).toBe('encrypted')
    expect(tls('?sslmode=verify-ca')).toBe('verified')
    expect(tls('?sslmode=verify-full')).toBe('verified')
    for (const query of ['?sslmode=prefer', '?sslmode=allow', '?sslmode=x', '?sslmode=__proto__', '?ssl=maybe']) {
      expect(() => tls(query), query).toThrow(refused)
    }
  })

  it('[PGS-2] Neon: verified TLS, and the pooled host is known as one that parts transactions', () => {
    const direct = 'postgresql://ann:pw@ep-cool-sea-123456.eu-central-1.aws.neon.tech/neondb'
    const pooled = 'postgresql://ann:pw@ep-cool-sea-123456-pooler.eu-central-1.aws.neon.tech/neondb'
    expect(parsePostgresUrl(`${direct}?sslmode=require&channel_binding=require`)).toMatchObject({
      provider: 'neon',
      pooling: null,
      tls: 'verified',
      channelBinding: true,
    })
    expect(parsePostgresUrl(pooled)).toMatchObject({ provider: 'neon', pooling: 'transaction', tls: 'verified' })
    expect(parsePostgresUrl(`${direct}?channel_binding=disable`).channelBinding).toBe(false)
    expect(parsePostgresUrl(`${direct}?options=endpoint%3Dep-cool-sea-123456`).options).toBe(
      'endpoint=ep-cool-sea-123456',
    )
    expect(() => parsePostgresUrl(`${direct}?sslmode=disable`)).toThrow(refused)
  })

  it('[PGS-2] Supabase: TLS, and of the pooler the port says whether it parts sessions or transactions', () => {
    const direct = 'postgresql://postgres:pw@db.abcdefghijklmnop.supabase.co'
    const pooler = 'postgres://postgres.abcdefghijklmnop:pw@aws-0-eu-central-1.pooler.supabase.com'
    expect(parsePostgresUrl(`${direct}:5432/postgres`)).toMatchObject({
      provider: 'supabase',
      pooling: null,
      tls: 'encrypted',
    })
    expect(parsePostgresUrl(`${direct}:6543/postgres`).pooling).toBe('transaction')
    expect(parsePostgresUrl(`${pooler}:6543/postgres?pgbouncer=true&connection_limit=1`)).toMatchObject({
      user: 'postgres.abcdefghijklmnop',
      pooling: 'transaction',
      tls: 'encrypted',
    })
    expect(parsePostgresUrl(`${pooler}:5432/postgres`).pooling).toBe('session')
    expect(parsePostgresUrl(`${pooler}:5432/postgres?sslmode=verify-full`).tls).toBe('verified')
    // Others may have such words in their names.
    const stranger = parsePostgresUrl('postgres://u@notneon.tech.example.org:6543/d')
    expect([stranger.provider, stranger.pooling]).toEqual([null, null])
  })

  it('[PGS-1] a schema in the URL, which MNEME_STORE takes, is refused with where it goes', () => {
    expect(() => parsePostgresUrl('postgres://ann:hunter2@h/d?schema=notes')).toThrow(/pass \{ schema \} as an option/)
  })

  it('[PGS-1] what is no such URL, and what would be passed over though it is meant, is BAD_CONFIG without the URL in it', () => {
    const bad = [
      '',
      'hunter2',
      'mysql://ann:hunter2@h/d',
      'postgres://ann:hunter2@h:99999/d',
      'postgres://ann:hunter2@a:1,b:2/d',
      'postgres://ann:hunter2%@h/d',
      'postgres://ann:hunter2@h/d?sslcert=/x',
      'postgres://ann:hunter2@h/d?sslrootcert=/x',
      'postgres://ann:hunter2@h/d?statement_timeout=3',
      'postgres://ann:hunter2@h/d?connect_timeout=soon',
      'postgres://ann:hunter2@h/d?channel_binding=maybe',
      'postgres://ann:hunter2@h:0/d',
      'postgres://ann:12?hunter2@h/d',
      'postgres://ann:p@ss/hunter2@h/d',
      'postgres://ann:12?hunter2=x@h/d',
    ]
    for (const url of bad) {
      const parse = () => parsePostgresUrl(url)
      expect(parse, url).toThrow(refused)
      try {
        parse()
      } catch (error) {
        expect(`${(error as Error).message} ${String((error as Error).cause)}`).not.toContain('hunter2')
      }
    }
  })
})
