import { afterEach, describe, expect, it, vi } from 'vitest'
import { redis } from './index.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.doUnmock('redis')
  vi.resetModules()
})

const url = 'redis://ann:hush@127.0.0.1:1/3'

function refusal(options: unknown): Error & { code?: string } {
  try {
    redis(options as never)
  } catch (error) {
    return error as Error
  }
  return expect.unreachable('the options should have been refused')
}

describe('the options of redis', () => {
  it('[RDS-1] options that can not be meant are BAD_CONFIG, named, and never tell a password', () => {
    const refused: readonly (readonly [unknown, RegExp])[] = [
      [{}, /MNEME_REDIS_URL/],
      [{ url: '' }, /url/],
      [{ url: 'ann:hush@host' }, /url/],
      [{ url: 'http://ann:hush@host' }, /url/],
      [{ url: 'redis://' }, /url/],
      [{ url: 'redis://ann:hush@host/first' }, /database/],
      [{ url: 'redis://ann:hush@host?tls=hush' }, /tls/],
      [{ url: 'redis://ann:12?hush@host' }, /%3F/],
      [{ url: 'redis://ann:hush@host?cluster=1' }, /cluster/],
      [{ url: 'redis://ann:hush@host/3?cluster=true' }, /database 0/],
      [{ url: 'redis://ann:hush@host?prefix=notes' }, /pass \{ prefix \}/],
      [{ url, prefix: 'a{b}' }, /prefix/],
      [{ url, prefix: '' }, /prefix/],
      [{ url, ttlMs: 999 }, /ttlMs/],
      [{ url, ttlMs: 604_800_001 }, /ttlMs/],
      [{ url, ttlMs: '5000' }, /ttlMs/],
      [{ url, leaseMs: 0 }, /leaseMs/],
      [{ url, commandTimeoutMs: 0 }, /commandTimeoutMs/],
      [{ url, connectTimeoutMs: Number.NaN }, /connectTimeoutMs/],
      [{ url, cluster: 'yes' }, /cluster/],
      [{ url, client: null }, /client/],
      [{ url, ttl: 5 }, /"ttl"/],
    ]
    vi.stubEnv('MNEME_REDIS_URL', undefined)
    for (const [options, named] of refused) {
      const error = refusal(options)
      expect([error.code, error.message], JSON.stringify(options)).toEqual(['BAD_CONFIG', expect.stringMatching(named)])
      expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain('hush')
    }
  })

  it('[RDS-2] the URL is that of the environment, unless one is given; nothing is touched before open', async () => {
    vi.stubEnv('MNEME_REDIS_URL', 'no url')
    expect(refusal({}).code).toBe('BAD_CONFIG')
    const given = redis({ url })
    expect([given.name, given.ttlMs]).toEqual(['redis', 3_600_000])
    vi.stubEnv('MNEME_REDIS_URL', url)
    expect(redis().ttlMs).toBe(3_600_000)
    expect(await redis({ ttlMs: 5000 }).health()).toMatchObject({ status: 'down', role: 'hot' })
  })

  it('[RDS-3] without the package open says what to install', async () => {
    vi.doMock('redis', () => {
      throw new Error('Cannot find package')
    })
    const { redis: without } = await import('./index.ts')
    await expect(without({ url }).open()).rejects.toMatchObject({
      code: 'DRIVER_MISSING',
      message: expect.stringContaining('npm install redis'),
    })
  })
})
