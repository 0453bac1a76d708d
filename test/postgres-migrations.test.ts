import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import type { MemoryStore, StoreChange, Transaction } from '../src/contract/index.ts'
import { allScopes } from '../src/model/index.ts'
import { type PostgresOptions, raiseWall } from '../src/stores/postgres/index.ts'
import { type Migration, migrations } from '../src/stores/postgres/migrate.ts'
import { raiseWallWith } from '../src/stores/postgres/raise-wall.ts'
import { createStore, type Hooks } from '../src/stores/postgres/store.ts'
import { partedTable } from '../src/stores/postgres/table.ts'
import { put, transaction } from '../src/testing/index.ts'
import { freshName, postgresUrl } from './fixtures/servers.ts'
import { storesInSchema } from './fixtures/stores-in-schema.ts'
import { walledServer } from './fixtures/walled-postgres.ts'

// Forwards, from the version that there is to one that only these tests know.

const url = await postgresUrl()
const admin = new pg.Pool({ connectionString: url ?? 'postgres://localhost', max: 3 })
afterAll(() => admin.end())

const all = allScopes()
const at = Date.parse('2026-01-01T00:00:00Z')
const latest = migrations.length
let count = 0
const tx = (changes: readonly StoreChange[], fields: Partial<Transaction> = {}): Transaction =>
  transaction({ id: `tx${++count}`, at, changes, ...fields })
const record = (id: string, userId = 'ann') => put({ id, scope: { userId } })

/** A column, an index, a table and a sequence: what a migration may bring. */
const second: Migration = async (query, options) => {
  await query('ALTER TABLE {records} ADD COLUMN colour text')
  await query("UPDATE {records} SET colour = 'red'")
  await query('CREATE INDEX records_colour ON {records} (colour)')
  await query('CREATE SEQUENCE {colours}')
  const columns = 'owner bigint NOT NULL, shade text NOT NULL'
  await query(partedTable({ name: 'shades', by: 'owner', columns }, options).join(';\n'))
}
const later = (step: Migration = second) => ({ migrations: [...migrations, step] })

type Open = (hooks?: Hooks, options?: PostgresOptions) => Promise<MemoryStore>

const make = (schema: string, hooks: Hooks = {}, options: PostgresOptions = {}) =>
  createStore({ url: url ?? undefined, schema, poolSize: 4, ...options }, hooks)
const within = (work: (open: Open, schema: string) => Promise<void>) => storesInSchema(admin, make, work)

async function versionIn(schema: string): Promise<number> {
  const { rows } = await admin.query(`SELECT value FROM ${schema}.meta WHERE name = 'version'`)
  return Number(rows[0].value)
}

async function relationsIn(schema: string): Promise<string[]> {
  const { rows } = await admin.query(
    "SELECT c.relname || ' ' || c.relkind::text || ' ' || (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid) AS line FROM pg_class c WHERE c.relnamespace = $1::regnamespace ORDER BY 1",
    [schema],
  )
  return rows.map(({ line }) => line as string)
}

async function rolesOf(schema: string): Promise<string[]> {
  const { rows } = await admin.query(
    "SELECT DISTINCT pg_get_userbyid(relowner) AS role FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p', 'S')",
    [schema],
  )
  return rows.map(({ role }) => role as string)
}

/** An address of a new role, which is dropped with all that it owns. */
async function withRole(work: (own: string, role: string) => Promise<void>): Promise<void> {
  const role = freshName()
  await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'own'`)
  const own = new URL(url as string)
  own.username = role
  own.password = 'own'
  try {
    await work(own.href, role)
  } finally {
    await admin.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)
  }
}

function gate(): [reached: Promise<void>, open: () => void] {
  let open = () => {}
  const reached = new Promise<void>((resolve) => {
    open = resolve
  })
  return [reached, open]
}

/** Until so many statements wait for a lock on what they name. */
async function waitingForLocks(least: number): Promise<void> {
  const text = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
  await expect.poll(async () => (await admin.query(text)).rowCount).toBeGreaterThanOrEqual(least)
}

describe.skipIf(url === null)('migrations of PostgreSQL tables', () => {
  it('[PGS-21] of two stores that open tables of the former version one brings them to the next, once; both work, and everything is there', async () => {
    for (const partitions of [0, 2]) {
      await within(async (open, schema) => {
        const former = await open({}, { partitions })
        await former.commit(tx([record('a'), record('b', 'bob')]))
        await former.close()
        let runs = 0
        const hooks = later(async (query, options) => {
          runs++
          await second(query, options)
        })
        const stores = await Promise.all(Array.from({ length: 2 }, () => open(hooks)))
        expect(runs).toBe(1)
        expect(await versionIn(schema)).toBe(latest + 1)
        await Promise.all(stores.map((store, i) => store.commit(tx([record(`new${i}`)]))))
        for (const store of stores) {
          const found = await store.get(all, ['a', 'b', 'new0', 'new1'])
          expect(found.map((stored) => stored?.record.id)).toEqual(['a', 'b', 'new0', 'new1'])
          expect((await store.log(null)).entries).toHaveLength(3)
          expect(await store.verify()).toEqual([])
        }
        const { rows } = await admin.query(`SELECT count(*)::int AS red FROM ${schema}.records WHERE colour = 'red'`)
        expect(rows).toEqual([{ red: 2 }])
        const parts = (await relationsIn(schema)).filter((line) => line.startsWith('shades_p'))
        expect(parts).toHaveLength(partitions)
        // Nothing is left to be done for the next one.
        await open(hooks)
        expect(runs).toBe(1)
      })
    }
  })

  it('[PGS-21] a new store is made through all versions', async () => {
    await within(async (open, schema) => {
      const store = await open(later())
      await store.commit(tx([record('a')]))
      expect(await versionIn(schema)).toBe(latest + 1)
      expect(await relationsIn(schema)).toContainEqual(expect.stringMatching(/^shades r/))
    })
  })

  it('[PGS-21] one that fails leaves tables and records as they were, and is told with versions and what to do', async () => {
    await within(async (open, schema) => {
      const former = await open()
      await former.commit(tx([record('a')]))
      const before = await relationsIn(schema)
      const failures: [Migration, object][] = [
        [(query) => query('SELECT 1/0').then(() => undefined), { state: '22012' }],
        [() => Promise.reject(new Error('the shades of ann')), {}],
      ]
      for (const [fail, details] of failures) {
        const broken = later(async (query, options) => {
          await second(query, options)
          await fail(query, options)
        })
        const error = await open(broken).then(
          () => null,
          (reason: unknown) => reason as Error,
        )
        expect(error).toMatchObject({ code: 'MIGRATION_FAILED', details: { schema, version: latest, ...details } })
        expect(error?.message).toMatch(
          new RegExp(`schema ${schema}: .* from version ${latest} to ${latest + 1}.* as they were.*open it again`),
        )
        expect(error?.message).not.toContain('ann')
        expect(await versionIn(schema)).toBe(latest)
        expect(await relationsIn(schema)).toEqual(before)
      }
      await former.commit(tx([record('b')]))
      expect(await former.verify()).toEqual([])
      const store = await open(later())
      expect((await store.get(all, ['a', 'b'])).map((stored) => stored?.record.id)).toEqual(['a', 'b'])
    })
  })

  it('[PGS-5] a mneme that knows only the former version refuses migrated tables', async () => {
    await within(async (open, schema) => {
      await (await open(later())).close()
      await expect(open()).rejects.toMatchObject({
        code: 'CONTRACT_MISMATCH',
        message: expect.stringMatching(
          new RegExp(`schema ${schema}: it has version ${latest + 1}.*up to ${latest}.*update`),
        ),
      })
      expect(await versionIn(schema)).toBe(latest + 1)
    })
  })

  it('[PGS-22] a store that is open while another migrates writes nothing from then on, and reads no log; what was under way lands before', async () => {
    await within(async (open, schema) => {
      const [isHeld, held] = gate()
      const [mayEnd, end] = gate()
      const former = await open({
        async beforeVisible({ id }) {
          if (id !== 'slow') return
          held()
          await mayEnd
        },
      })
      await former.commit(tx([record('a')]))
      const slow = former.commit(tx([record('slow')], { id: 'slow' }))
      await isHeld
      const [hasBegun, begin] = gate()
      const [mayGo, go] = gate()
      let saw: unknown
      const opening = open(
        later(async (query, options) => {
          saw = await query("SELECT id FROM {records} WHERE id = 'slow'")
          begin()
          await mayGo
          await second(query, options)
        }),
      )
      await waitingForLocks(1)
      end()
      await slow
      await hasBegun
      expect(saw).toEqual([{ id: 'slow' }])
      const refused = {
        code: 'CONTRACT_MISMATCH',
        message: expect.stringMatching(
          new RegExp(`schema ${schema}: a later mneme .* version ${latest + 1}.*Nothing was written`),
        ),
      }
      // They wait for the migration, and see it.
      const calls = () => [
        former.commit(tx([record('late')])),
        former.derive([], [{ id: 'a', at }]),
        former.erase(all, ['a']),
      ]
      const waiting = Promise.allSettled(calls())
      await waitingForLocks(3)
      go()
      const store = await opening
      const places = Promise.allSettled([former.head(), former.log(null)])
      const answers = [...(await waiting), ...(await Promise.allSettled(calls())), ...(await places)]
      for (const answer of answers) expect(answer).toMatchObject({ status: 'rejected', reason: refused })
      const [kept, late] = await store.get(all, ['a', 'late'])
      expect(kept?.record).toMatchObject({ id: 'a', accessCount: 0 })
      expect(late).toBeNull()
      expect(await store.verify()).toEqual([])
    })
  })

  it('[PGS-23] whoever migrates, all belongs to the owner of the tables, who needs no right to make schemas', async () => {
    await withRole(async (own, role) => {
      await within(async (open, schema) => {
        await admin.query(`CREATE SCHEMA ${schema} AUTHORIZATION ${role}`)
        await (await open({}, { url: own })).close()
        // As a superuser.
        await open(later())
        expect(await rolesOf(schema)).toEqual([role])
        const store = await open(later(), { url: own })
        await store.commit(tx([record('a')]))
        expect((await store.get(all, ['a']))[0]?.record.id).toBe('a')
        await store.close()
      })
    })
  })

  it('[PGS-23] who may only write to the tables is told that their owner has to migrate them', async () => {
    await withRole(async (own, role) => {
      await within(async (open, schema) => {
        await open()
        await admin.query(
          `GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}; GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${role}; GRANT ALL ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`,
        )
        await (await open({}, { url: own })).commit(tx([record('a')]))
        await expect(open(later(), { url: own })).rejects.toMatchObject({
          code: 'BAD_CONFIG',
          message: expect.stringMatching(
            new RegExp(`schema ${schema}: .*version ${latest}, .*version ${latest + 1}.*address of their owner`),
          ),
        })
        expect(await versionIn(schema)).toBe(latest)
      })
    })
  })

  it('[PGS-23] behind a wall the owner migrates by raising it again; until then its role is refused, and told what to do', async () => {
    const { role, secret, url: asRole } = await walledServer(url as string)
    await within(async (open, schema) => {
      const owner = { url: url as string, schema, role, secret }
      const walled = { url: asRole, wall: { secret } }
      const refused = (code: string, words: RegExp) =>
        expect.objectContaining({ code, message: expect.stringMatching(words) })
      await raiseWall(owner)
      const former = await open({}, walled)
      await former.commit(tx([record('a')]))
      await expect(open(later(), walled)).rejects.toEqual(refused('BAD_CONFIG', /call raiseWall/))
      expect(await versionIn(schema)).toBe(latest)

      // By opening it the owner brings the tables on, and not what the role may do with them.
      await open(later())
      await expect(open(later(), walled)).rejects.toEqual(refused('BAD_CONFIG', /raised by another version.*raiseWall/))
      await expect(open({}, walled)).rejects.toEqual(refused('CONTRACT_MISMATCH', /update mneme/))
      await expect(raiseWall(owner)).rejects.toEqual(refused('CONTRACT_MISMATCH', /update mneme/))
      await expect(former.commit(tx([record('b')]))).rejects.toEqual(refused('CONTRACT_MISMATCH', /later mneme/))

      await raiseWallWith(owner, {}, later().migrations)
      const store = await open(later(), walled)
      await store.commit(tx([record('b')]))
      expect((await store.get(all, ['a', 'b'])).map((stored) => stored?.record.id)).toEqual(['a', 'b'])
      const { rows } = await admin.query(
        `SELECT has_sequence_privilege($1, '${schema}.colours', 'USAGE') AS counts, has_table_privilege($1, '${schema}.shades', 'SELECT') AS reads,
           (SELECT relrowsecurity FROM pg_class WHERE oid = '${schema}.shades'::regclass) AS guarded`,
        [role],
      )
      // A table that no policy names is closed.
      expect(rows).toEqual([{ counts: true, reads: false, guarded: true }])
    })
  })
})
