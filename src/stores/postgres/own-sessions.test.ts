import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { freshName, postgresUrl } from '../../../test/fixtures/servers.ts'
import { put, transaction } from '../../testing/index.ts'
import { commit } from './commit/commit.ts'
import { createDatabase, type Database } from './database.ts'
import { openSession } from './open.ts'
import { checkOptions } from './options.ts'
import { postgres } from './store.ts'

const url = await postgresUrl()
const call = { operation: 'test' }
const ends: (() => Promise<void>)[] = []
afterAll(() => Promise.all(ends.map((end) => end())))

/** Over one connection. @param isShared as if a pooler stood in between, which numbers its clients itself */
function overOne({
  isShared = false,
  timeoutMs = 30_000,
  isReachable = async () => true,
} = {}): Database & { readonly pool: pg.Pool } {
  const pool = new pg.Pool({ connectionString: url as string, max: 1, pipeline: true } as pg.PoolConfig)
  if (isShared)
    pool.on('connect', (client) =>
      Object.assign(client, { processID: (client as { processID?: number }).processID! + 1 }),
    )
  const database = createDatabase({
    pool,
    schema: 'public',
    poolSize: 1,
    timeoutMs,
    isReachable,
    wall: null,
  })
  ends.push(() => database.end())
  return { ...database, pool }
}

const add = async (database: Database, a: number, b: number) =>
  (await database.transaction(call, 'read', (query) => query('SELECT $1::int + $2::int AS sum', [a, b], 'steady')))[0]
    ?.sum

async function named(database: Database): Promise<number> {
  const rows = await database.transaction(call, 'read', (query) =>
    query('SELECT count(*)::int AS count FROM pg_prepared_statements'),
  )
  return rows[0]?.count as number
}

const limitOf = async ({ pool }: { readonly pool: pg.Pool }) =>
  (await pool.query('SHOW statement_timeout')).rows[0]?.statement_timeout as string

describe.skipIf(url === null)('sessions of the server', () => {
  it('[PGS-19] that are its own are set once, and reads on them are no transactions; no time is too long for what stands alone', async () => {
    const database = overOne()
    expect(await add(database, 1, 2)).toBe(3)
    expect(await limitOf(database)).toBe('30s')
    const isTransaction = async () => {
      const [row] = await database.transaction(call, 'read', async (query) => {
        const [first] = await query('SELECT now()::text AS at')
        await query('SELECT pg_sleep(.002)')
        return query('SELECT now()::text = $1 AS same', [first?.at])
      })
      return row?.same
    }
    expect(await isTransaction()).toBe(false)
    await database.alone(call, "DO $$ BEGIN ASSERT current_setting('statement_timeout') = '0'; END $$")
    expect(await add(database, 1, 3)).toBe(4)
    expect(await limitOf(database)).toBe('30s')
  })

  it('[PGS-19] are not given up for work that has ended when it is found out that the server was away meanwhile', async () => {
    let tell = (_: boolean): void => {}
    const away = new Promise<boolean>((resolve) => {
      tell = resolve
    })
    let isAsked = false
    const isReachable = () => {
      isAsked = true
      return away
    }
    const database = overOne({ timeoutMs: 300, isReachable })
    const before = await database.transaction({ ...call, long: true }, 'write', async (query) => {
      while (!isAsked) await query('SELECT pg_sleep(.01)')
      return (await query('SELECT pg_backend_pid() AS pid'))[0]?.pid
    })
    const work = database.pool.query('SELECT pg_backend_pid() AS pid, pg_sleep(.1)')
    tell(false)
    expect((await work).rows[0].pid).toBe(before)
  })

  it('[PGS-19] have no limit for what stands alone after names were not known to them', async () => {
    const database = overOne()
    for (let i = 0; i < 8; i++) await add(database, i, 1)
    await database.transaction(call, 'read', (query) => query('DEALLOCATE ALL'))
    expect(await add(database, 20, 3)).toBe(23)
    expect(await limitOf(database)).toBe('30s')
    await database.alone(call, "DO $$ BEGIN ASSERT current_setting('statement_timeout') = '0'; END $$")
    expect(await limitOf(database)).toBe('0')
  })

  it('[PGS-19] hear nothing more from a read that failed, as they may be at work for somebody else by then', async () => {
    const database = overOne()
    await add(database, 1, 2)
    const sent: Promise<unknown>[] = []
    let goOn: () => void = () => {}
    const going = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const read = database.transaction(call, 'read', (query) =>
      Promise.all([
        query('SELECT 1 / 0'),
        going.then(() => {
          const late = query('SELECT 2 / 0')
          sent.push(late)
          return late
        }),
      ]),
    )
    await expect(read).rejects.toMatchObject({ code: 'BACKEND_FAILED' })
    const written = database.transaction(call, 'write', async (query) => {
      await query('SELECT 1')
      goOn()
      await going
      return query('SELECT 3 AS three')
    })
    expect(await written).toEqual([{ three: 3 }])
    expect(sent).toHaveLength(1)
    await expect(sent[0]).rejects.toMatchObject({ code: '22012' })
  })

  it('[PGS-19] that a pooler hands around are left as they are, and reads on them are transactions with a limit', async () => {
    const database = overOne({ isShared: true })
    const limit = () =>
      database.transaction(call, 'read', (query) => query("SELECT current_setting('statement_timeout') AS at"))
    expect(await add(database, 1, 2)).toBe(3)
    expect((await limit())[0]?.at).toBe('30s')
    expect(await limitOf(database)).toBe('0')
  })
})

describe.skipIf(url === null)('statements that come again', () => {
  it('[PGS-17] have a name, so that a connection of the server plans them once', async () => {
    const database = overOne()
    for (let i = 0; i < 8; i++) expect(await add(database, i, 1)).toBe(i + 1)
    expect(await named(database)).toBe(1)
    // What is asked once has none.
    await database.transaction(call, 'read', (query) => query('SELECT $1::text', ['once']))
    expect(await named(database)).toBe(1)
  })

  it('[PGS-17] have none where a pooler is in between', async () => {
    const database = overOne({ isShared: true })
    for (let i = 0; i < 8; i++) expect(await add(database, i, 1)).toBe(i + 1)
    expect(await named(database)).toBe(0)
  })

  it('[PGS-17] that the server does not know any more are run again without a name, reads and writes', async () => {
    const database = overOne()
    for (let i = 0; i < 8; i++) await add(database, i, 1)
    await database.transaction(call, 'read', (query) => query('DEALLOCATE ALL'))
    expect(await add(database, 20, 3)).toBe(23)
    for (let i = 0; i < 8; i++) await add(database, i, 1)
    expect(await named(database)).toBe(0)

    const options = { url: url as string, schema: freshName(), poolSize: 1 }
    const store = postgres(options)
    ends.push(() => store.close())
    await store.open()
    const session = await openSession(checkOptions(options), {})
    ends.push(() => session.database.end())
    const write = (n: number) =>
      commit(
        session,
        call,
        transaction({ id: `tx${n}`, at: n, changes: [put({ id: `r${n}`, scope: { userId: 'ann' } })] }),
      )
    for (let n = 0; n < 6; n++) await write(n)
    expect(await named(session.database)).toBeGreaterThan(3)
    await session.database.transaction(call, 'read', (query) => query('DEALLOCATE ALL'))
    expect(await write(6)).toMatchObject({ tx: 'tx6', replayed: false })
    expect((await store.log(null)).entries.map(({ id }) => id)).toEqual(Array.from({ length: 7 }, (_, n) => `tx${n}`))
    expect(await store.verify()).toEqual([])
  })
})
