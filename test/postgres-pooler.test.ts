import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { conformanceCases, describeConformance } from '../src/conformance/index.ts'
import type { MemoryStore } from '../src/contract/index.ts'
import { openMemory } from '../src/index.ts'
import type { Client } from '../src/stores/postgres/driver.ts'
import { postgres } from '../src/stores/postgres/index.ts'
import { createOwnSessions } from '../src/stores/postgres/own-sessions.ts'
import { holdablePostgres, holdCommit } from './fixtures/held-postgres.ts'
import { freshName, pooledUrl, postgresUrl } from './fixtures/servers.ts'

// Through a PgBouncer that hands out its three connections by transaction.

const url = await pooledUrl()
/** Straight to the server. */
const admin = new pg.Pool({ connectionString: (await postgresUrl()) ?? 'postgres://localhost', max: 1 })
afterAll(() => admin.end())

// What depends on sessions: several statements, several instances, locks, what is cut, and one search of each kind. The whole suite passes
// too, and takes two minutes.
const sessions = /^STO-(?:OPN|ABT|COM-[12]|PRE-1|IDM|LOG|ERA-1|SHR|JRN-2|LST-2|ASO-1|DER-1|TXT-[15]|VEC-1|TRN-2|JDG-1)/

const schemas = new WeakMap<MemoryStore, string>()

function storeOf(schema: string): MemoryStore {
  const store = holdablePostgres({ url: url ?? undefined, schema, poolSize: 4 })
  schemas.set(store, schema)
  return store
}

describe.skipIf(url === null)('postgres behind a pooler', () => {
  describeConformance(
    {
      name: 'postgres behind a pooler',
      durable: true,
      facets: ['text', 'vectors', 'turns'],
      judges: true,
      create: () => storeOf(freshName()),
      openSecond: (first) => storeOf(schemas.get(first) as string),
      holdCommit,
      async destroy(store) {
        await admin.query(`DROP SCHEMA IF EXISTS ${schemas.get(store)} CASCADE`)
      },
    },
    { describe, it },
    conformanceCases.filter(({ rule }) => sessions.test(rule)),
  )

  it("[PGS-19] its sessions are told from the server's own: nothing is set on them", async () => {
    const client = new pg.Client({ connectionString: url as string })
    await client.connect()
    const own = createOwnSessions(30_000)
    const stranger = client as unknown as Client
    await new Promise<void>((answered) => {
      own.meet(stranger, async (text, values) => {
        const { rows } = await client.query(text, [...values])
        setImmediate(answered)
        expect(rows).toEqual([{ own: false, set: null }])
        return rows
      })
    })
    expect([own.isOwn(stranger), own.isSet(stranger)]).toEqual([false, false])
    await client.end()
  })

  it('[PGS-17] no statement has a name and no setting is left on any session that it hands around', async () => {
    const schema = freshName()
    const store = postgres({ url: url as string, schema })
    const memory = await openMemory({ store, scope: { userId: 'ann' } })
    for (let i = 0; i < 6; i++) {
      await memory.add(`Ann knows ${i} songs`)
      await Promise.all(Array.from({ length: 6 }, () => memory.search('songs', { filter: { kind: 'semantic' } })))
      await memory.list()
    }
    // Each is in a transaction, so that each has a session of its own.
    const clients = Array.from({ length: 3 }, () => new pg.Client({ connectionString: url as string }))
    const seen: object[] = []
    for (const client of clients) {
      await client.connect()
      await client.query('BEGIN')
      const { rows } = await client.query(
        `SELECT pg_backend_pid() AS pid, (SELECT count(*)::int FROM pg_prepared_statements) AS names,
           ARRAY(SELECT name FROM pg_settings WHERE source = 'session' AND name <> ALL ($1)) AS settings,
           ARRAY(SELECT locktype FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') AS locks`,
        // The pooler's own, of each client.
        [['application_name', 'client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings']],
      )
      seen.push(rows[0])
    }
    for (const client of clients) await client.end()
    await memory.close()
    await admin.query(`DROP SCHEMA ${schema} CASCADE`)
    expect(new Set(seen.map((row) => (row as { pid: number }).pid)).size).toBe(3)
    for (const row of seen) expect(row).toMatchObject({ names: 0, settings: [], locks: [] })
  })

  it('[PGS-12] engines behind it hear of what the others write', async () => {
    const schema = freshName()
    const open = () =>
      openMemory({ store: postgres({ url: url as string, schema, poolSize: 2 }), scope: { userId: 'ann' } })
    const [one, other] = [await open(), await open()]
    const { cursor: after } = await other.changes()
    const heard: string[] = []
    const listening = (async () => {
      for await (const change of other.watch({ after })) {
        heard.push(change.id)
        if (heard.length === 3) return
      }
    })()
    const written: string[] = []
    for (let i = 0; i < 3; i++) written.push((await one.add(`Ann knows ${i} songs`)).record.id)
    await listening
    expect(heard).toEqual(written)
    await one.close()
    await other.close()
    await admin.query(`DROP SCHEMA ${schema} CASCADE`)
  })
})
