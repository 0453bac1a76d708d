import { Client } from 'pg'
import { createClient } from 'redis'
import { describe, expect, inject, it } from 'vitest'
import { freshName, postgresUrl, privateServer, redisUrl } from './fixtures/servers.ts'

const postgres = await privateServer('postgres')
const redis = await privateServer('redis')
const minute = { timeout: 60_000 }

async function ask(url: string, text: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}

async function keysOf(url: string): Promise<number> {
  const client = createClient({ url })
  await client.connect()
  try {
    const before = await client.dbSize()
    await client.set('a', '1')
    return before
  } finally {
    client.destroy()
  }
}

describe('servers for tests', () => {
  it('[FIX-1] are started once in a run', minute, async ({ skip }) => {
    const urls = await Promise.all([postgresUrl(), postgresUrl(), postgresUrl()])
    if (urls[0] === null) skip()
    expect(new Set(urls).size).toBe(1)
    expect(new URL(urls[0] as string).hostname).toBe('127.0.0.1')
    expect(
      await ask(urls[0] as string, "select count(*)::int from pg_available_extensions where name = 'vector'"),
    ).toEqual([1])
    expect(freshName()).not.toBe(freshName())
  })

  it.skipIf(postgres === null)('[FIX-2] Postgres comes back with what it acknowledged', minute, async () => {
    const { url, kill, start, restart } = postgres!
    await ask(url, 'create table kept (n int)')
    await ask(url, 'insert into kept values (1)')
    await kill()
    await expect(ask(url, 'select 1')).rejects.toThrow()
    await start()
    await ask(url, 'insert into kept values (2)')
    await restart()
    expect(await ask(url, 'select n from kept order by n')).toEqual([1, 2])
  })

  it.skipIf(redis === null)('[FIX-3] Redis comes back empty', minute, async () => {
    const { url, kill, start } = redis!
    expect(await keysOf(url)).toBe(0)
    expect(await keysOf(url)).toBe(1)
    await kill()
    await start()
    expect(await keysOf(url)).toBe(0)
  })

  it('[FIX-4] one that can not be started is told once, and is a failure where CI is set', minute, async () => {
    const nothing = 'no such build' as never
    const { CI } = process.env
    const told: unknown[] = []
    const { log } = console
    console.log = (line: unknown) => told.push(line)
    try {
      delete process.env.CI
      expect([await redisUrl(nothing), await redisUrl(nothing)]).toEqual([null, null])
      expect(told).toEqual([
        expect.stringMatching(/^NOT RUN: Redis \(no such build\) could not be started, .*MNEME_REDIS/),
      ])
      process.env.CI = 'true'
      await expect(redisUrl(nothing)).rejects.toThrow('could not be started')
      // It has no server behind it.
      expect(await privateServer('pgbouncer')).toBeNull()
      expect(told.slice(1)).toEqual([expect.stringMatching(/^NOT RUN: pgbouncer could not be started, /)])
    } finally {
      console.log = log
      if (CI === undefined) delete process.env.CI
      else process.env.CI = CI
    }
    expect(inject('serverRun').name).toMatch(/^test-\d+$/)
  })
})
