import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import type { MemoryStore, StoreChange, Transaction } from '../src/contract/index.ts'
import { openMemory } from '../src/index.ts'
import { allScopes, exactly } from '../src/model/index.ts'
import { postgres } from '../src/stores/postgres/index.ts'
import { put, transaction, unitVector } from '../src/testing/index.ts'
import { holdablePostgres, holdCommit } from './fixtures/held-postgres.ts'
import { freshName, postgresUrl } from './fixtures/servers.ts'
import { storesInSchema } from './fixtures/stores-in-schema.ts'

const url = await postgresUrl()
const admin = new pg.Pool({ connectionString: url ?? 'postgres://localhost', max: 3 })
afterAll(() => admin.end())

const all = allScopes()
const at = Date.parse('2026-01-01T00:00:00Z')
let count = 0
const change = (id: string, userId = 'ann', fields: object = {}): StoreChange =>
  put({ id, scope: { userId }, ...fields })
const tx = (changes: readonly StoreChange[], fields: Partial<Transaction> = {}): Transaction =>
  transaction({ id: `tx${++count}`, at, changes, ...fields })
const idsIn = async (store: MemoryStore, after: string | null = null) =>
  (await store.log(after)).entries.map(({ id }) => id)

type Open = (options?: object) => Promise<MemoryStore>
const make = (schema: string, options: object = {}) =>
  holdablePostgres({ url: url ?? undefined, schema, poolSize: 4, ...options })
const within = (work: (open: Open, schema: string) => Promise<void>, schema?: string) =>
  storesInSchema(admin, make, work, schema)

describe.skipIf(url === null)('the PostgreSQL store', () => {
  it('[PGS-3] a schema is a store; what can not be meant is BAD_CONFIG, and nothing is connected before open', async () => {
    const refused = expect.objectContaining({ code: 'BAD_CONFIG' })
    const good = url as string
    for (const schema of ['', 'a"b', "a'b", 'a;b', '1a', 'x'.repeat(64), 'pg_notes']) {
      expect(() => postgres({ url: good, schema })).toThrow(refused)
    }
    for (const options of [{ poolSize: 0 }, { poolSize: 1.5 }, { timeoutMs: 0 }, { partitions: -1 }]) {
      expect(() => postgres({ url: good, ...options })).toThrow(refused)
    }
    postgres({ url: 'postgres://nobody@127.0.0.1:1/nothing' })
    await within(async (open) => {
      const one = await open()
      await within(async (openOther) => {
        const other = await openOther()
        await one.commit(tx([change('a')]))
        expect(await other.get(all, ['a'])).toEqual([null])
        expect(await idsIn(other)).toEqual([])
        const { cursor } = await one.log(null)
        await expect(other.log(cursor)).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
      })
    })
  })

  it('[PGS-4] many that open a new store at once make it once', async () => {
    await within(async (open) => {
      const stores = await Promise.all(Array.from({ length: 5 }, () => open({ poolSize: 1 })))
      await Promise.all(stores.map((store, i) => store.commit(tx([change(`a${i}`)]))))
      for (const store of stores) expect((await idsIn(store)).length).toBe(5)
    })
  })

  it('[PGS-4] several new stores of a new database are made at once', async () => {
    const database = freshName()
    await admin.query(`CREATE DATABASE ${database}`)
    const address = new URL(url as string)
    address.pathname = `/${database}`
    const stores = Array.from({ length: 8 }, (_, i) => postgres({ url: String(address), schema: `s${i}`, poolSize: 1 }))
    try {
      const opened = await Promise.allSettled(stores.map((store) => store.open()))
      expect(opened.map(({ status }) => status)).toEqual(stores.map(() => 'fulfilled'))
      for (const store of stores) expect(await store.head()).toBeTypeOf('string')
    } finally {
      for (const store of stores) await store.close()
      await admin.query(`DROP DATABASE ${database} WITH (FORCE)`)
    }
  })

  it('[PGS-5] tables of a later version, or of another program, are refused and stay as they are', async () => {
    await within(async (open, schema) => {
      await (await open()).close()
      await admin.query(`UPDATE ${schema}.meta SET value = '99' WHERE name = 'version'`)
      await expect(open()).rejects.toMatchObject({ code: 'CONTRACT_MISMATCH' })
      const { rows } = await admin.query(`SELECT value FROM ${schema}.meta WHERE name = 'version'`)
      expect(rows).toEqual([{ value: '99' }])
    })
    for (const columns of ['name text, value text', 'version int']) {
      await within(async (open, schema) => {
        await admin.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.meta (${columns})`)
        await expect(open()).rejects.toMatchObject({ code: 'BAD_CONFIG' })
        expect((await admin.query('SELECT * FROM pg_tables WHERE schemaname = $1', [schema])).rowCount).toBe(1)
      })
    }
    await within(async (open, schema) => {
      await admin.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.records (id int)`)
      await expect(open()).rejects.toMatchObject({
        code: 'BAD_CONFIG',
        message: expect.stringMatching(new RegExp(`schema ${schema}: .*another program's.*choose another schema`)),
      })
      expect((await admin.query('SELECT * FROM pg_tables WHERE schemaname = $1', [schema])).rowCount).toBe(1)
    })
  })

  it('[PGS-6] partitions are made as asked, kept when nothing is said, and refused when something else is', async () => {
    await within(async (open, schema) => {
      await (await open({ partitions: 2 })).close()
      const store = await open()
      await store.commit(tx([change('a'), change('b', 'bob')]))
      await expect(open({ partitions: 3 })).rejects.toMatchObject({ code: 'BAD_CONFIG' })
      await open({ partitions: 2 })
      const { rows } = await admin.query(
        'SELECT count(*)::int AS parts FROM pg_partition_tree($1::regclass) WHERE isleaf',
        [`${schema}.records`],
      )
      expect(rows).toEqual([{ parts: 2 }])
    })
  })

  it('[PGS-7] a long transaction of another program on the server holds back no entry of the log', async () => {
    await within(async (open) => {
      const store = await open()
      const stranger = await admin.connect()
      try {
        await stranger.query('BEGIN; SELECT pg_current_xact_id()')
        const { tx: id } = await store.commit(tx([change('a')]))
        expect(await idsIn(store)).toEqual([id])
      } finally {
        await stranger.query('ROLLBACK')
        stranger.release()
      }
    })
  })

  it('[PGS-7] nor do short ones that end while the log is read', async () => {
    await within(async (open) => {
      const store = await open()
      let isOver = false
      const others = new pg.Pool({ connectionString: url as string, max: 8 })
      const strangers = Array.from({ length: 8 }, async () => {
        while (!isOver) await others.query('DO $$ BEGIN PERFORM pg_current_xact_id(), pg_sleep(random() * .02); END $$')
      })
      try {
        for (let i = 0; i < 300; i++) {
          const { tx: id } = await store.commit(tx([change(`a${i}`)]))
          const { entries } = await store.log(null)
          expect(entries.at(-1)?.id).toBe(id)
        }
      } finally {
        isOver = true
        await Promise.all(strangers)
        await others.end()
      }
    })
  })

  it('[PGS-8] from the head, a commit that was under way is read once it is there; as of it, it is not seen', async () => {
    await within(async (open) => {
      const store = await open()
      const first = await store.commit(tx([change('a', 'ann')]))
      const slow = tx([change('b', 'bob')])
      const held = await holdCommit(store, slow)
      const quick = await store.commit(tx([change('c', 'cleo')]))
      // Above one under way: not in the log yet, though it is read at once.
      expect((await store.get(all, ['a', 'b', 'c'])).map((stored) => stored?.record.id)).toEqual(['a', undefined, 'c'])
      expect(await idsIn(store)).toEqual([first.tx])
      const head = await store.head()
      expect(await idsIn(store, head)).toEqual([])
      await held.release()
      const asOf = { position: head }
      const then = await store.get(all, ['a', 'b', 'c'], { asOf })
      expect(then.map((stored) => stored?.record.id)).toEqual(['a', undefined, 'c'])
      expect(await idsIn(store)).toEqual([first.tx, slow.id, quick.tx])
      const { entries, cursor } = await store.log(head)
      expect(entries.map(({ id }) => id)).toEqual([slow.id])
      const last = await store.commit(tx([change('d')]))
      expect(await idsIn(store, cursor)).toEqual([last.tx])
    })
  })

  it('[PGS-9] restored into a server that counts transactions from lower on, the log goes on after its end', async () => {
    await within(async (open, schema) => {
      const before = await open()
      await before.commit(
        tx([change('a'), { type: 'journal', line: { op: 'write', verb: 'x', ids: ['a'], scope: { userId: 'ann' } } }]),
      )
      const { tx: last } = await before.commit(tx([change('b')]))
      await before.close()
      // As if the server that the tables came from had counted further.
      for (const table of ['transactions', 'revisions', 'link_log', 'journal', 'used_keys']) {
        await admin.query(`UPDATE ${schema}.${table} SET place = place + 1000000000`)
      }
      const store = await open()
      const { cursor } = await store.log(null)
      const { tx: next } = await store.commit(tx([change('c')]))
      expect((await idsIn(store)).slice(-2)).toEqual([last, next])
      expect(await idsIn(store, cursor)).toEqual([next])
      const again = await open()
      expect(await again.head()).toBe(await store.head())
      expect(await store.verify()).toEqual([])
    })
  })

  it('[PGS-10] a commit that waits is aborted at once, and writes nothing', async () => {
    await within(async (open) => {
      const store = await open()
      const held = await holdCommit(store, tx([change('a')]))
      const controller = new AbortController()
      const waiting = store.commit(tx([change('b')]), { signal: controller.signal })
      const reason = new Error('changed my mind')
      controller.abort(reason)
      await expect(waiting).rejects.toBe(reason)
      await held.release()
      expect(await store.get(all, ['b'])).toEqual([null])
      await store.commit(tx([change('c')]))
      expect((await idsIn(store)).length).toBe(2)
    })
  })

  it('[PGS-11] a server that can not be reached, a user or a database that is not there: said without address or password', async () => {
    const wrong = new URL(url as string)
    wrong.password = 'hunter2'
    const away = new URL(wrong)
    away.port = '1'
    const nowhere = new URL(url as string)
    nowhere.pathname = '/hunter2'
    const unknown = new URL(away)
    unknown.hostname = 'nowhere.invalid'
    const encrypted = new URL(url as string)
    encrypted.searchParams.set('sslmode', 'require')
    for (const [address, code, words] of [
      [wrong, 'BAD_CONFIG', /refuses this user or password/],
      [nowhere, 'BAD_CONFIG', /no such database/],
      [away, 'BACKEND_UNAVAILABLE', /nobody listens at the host and port/],
      [unknown, 'BACKEND_UNAVAILABLE', /host of the URL was not found/],
      [encrypted, 'BAD_CONFIG', /no encrypted connections.*sslmode=disable/],
    ] as const) {
      const error = await postgres({ url: address.href })
        .open()
        .then(
          () => null,
          (reason: unknown) => reason as Error,
        )
      expect(error).toMatchObject({ code, message: expect.stringMatching(words) })
      expect(`${error?.message} ${error?.cause} ${JSON.stringify(error)}`).not.toMatch(
        /hunter2|127\.0\.0\.1|nowhere\.invalid/,
      )
    }
  })

  it('[PGS-12] engines on one store find what the others write, at once', async () => {
    await within(async (_, schema) => {
      const scope = { userId: 'ann' }
      const engines = await Promise.all(
        [1, 2].map(() => openMemory({ store: postgres({ url: url as string, schema, poolSize: 2 }), scope })),
      )
      const [one, other] = engines as [(typeof engines)[0], (typeof engines)[0]]
      try {
        const { record } = (await one.add('Ann plays the cello')) as { record: { id: string } }
        const { results } = await other.search('which instrument does Ann play?')
        expect(results.map(({ id }) => id)).toEqual([record.id])
        await other.delete(record.id)
        expect((await one.search('cello')).results).toEqual([])
        expect((await one.health()).status).toBe('ok')
      } finally {
        for (const engine of engines) await engine.close()
      }
    })
  })

  it('[PGS-13] what is deleted or erased is in no row of the tables', async () => {
    await within(async (open, schema) => {
      const store = await open()
      const scope = { userId: 'ann' }
      for (const id of ['velvet1', 'velvet2']) {
        await store.commit(
          tx([change(id, 'ann', { content: 'velvet', key: 'velvet', tags: ['velvet'] })], { reason: 'kept' }),
        )
        await store.commit(tx([change(id, 'ann', { content: 'velvet too' })]))
      }
      await store.commit(tx([change('kept', 'ann', { supersedes: 'velvet2' })], { result: { ids: ['velvet2'] } }))
      await store.commit(tx([{ type: 'remove', op: 'delete', id: 'velvet1' }]))
      await store.erase(exactly(scope), ['velvet1', 'velvet2'])
      const { rows } = await admin.query<{ table: string }>(
        "SELECT format('%I.%I', schemaname, tablename) AS table FROM pg_tables WHERE schemaname = $1",
        [schema],
      )
      expect(rows.length).toBeGreaterThan(10)
      for (const { table } of rows) {
        const found = await admin.query(`SELECT * FROM ${table} t WHERE t::text LIKE '%velvet%'`)
        expect([table, found.rows]).toEqual([table, []])
      }
      expect(await store.verify()).toEqual([])
    })
  })

  it('[PGS-14] verify names what does not fit together', async () => {
    await within(async (open, schema) => {
      const store = await open()
      await store.commit(
        tx([
          ...['a', 'b', 'c', 'd'].map((id) => change(id)),
          { type: 'journal', line: { op: 'write', verb: 'x', ids: ['a'], scope: { userId: 'ann' } } },
          { type: 'link', link: { from: 'a', to: 'b', type: 'x', weight: 1, metadata: {} } },
        ]),
      )
      await admin.query(`UPDATE ${schema}.records SET importance = 0.9 WHERE id = 'a'`)
      await admin.query(`DELETE FROM ${schema}.records WHERE id = 'b'`)
      await admin.query(`DELETE FROM ${schema}.revisions WHERE id = 'c'`)
      await admin.query(`UPDATE ${schema}.revisions SET at = at + 1 WHERE id = 'd'`)
      await admin.query(`UPDATE ${schema}.journal SET digest = 'x'`)
      const codes = (await store.verify()).map(({ code }) => code)
      expect(new Set(codes)).toEqual(
        new Set([
          'RECORD_MISMATCH',
          'RECORD_MISSING',
          'REVISION_MISSING',
          'LOG_MISMATCH',
          'LINK_BROKEN',
          'JOURNAL_BROKEN',
          'SEARCHED_STRAY',
        ]),
      )
    })
  })

  it('[PGS-18] verify compares what searches look at with the records, row by row, and the counts with that', async () => {
    await within(async (open, schema) => {
      const store = await open()
      const analysis = (...terms: string[]) => ({
        analyser: 'x',
        terms: terms.map((term, i) => [term, i + 1] as const),
        tokens: [7, 8, terms.length],
        shape: 3,
      })
      const beside = (x: number, ...terms: string[]) => ({
        analysis: analysis(...terms),
        vector: unitVector([x, 1, 2]),
      })
      const ann = { scope: { userId: 'ann' } }
      const mortal = { ...ann, expiresAt: '2099-01-01T00:00:00.000Z' }
      const strange = {
        ...ann,
        metadata: { odd: 'a\u0000b\ud800' },
        source: { type: 'user', actor: 'Böb \u0000' },
      } as const
      await store.commit(
        tx([
          put({ id: 'a', ...ann }, beside(1, 'cello', 'ann')),
          put({ id: 'b', ...strange }, beside(2, 'cello', 'x'.repeat(600), '\u0000')),
          put({ id: 'c', ...mortal }, beside(3, 'cello')),
          put({ id: 'd', ...ann, status: 'archived' }, { vector: { space: 'test', values: new Float32Array(3) } }),
          put({ id: 'e', ...ann }, beside(5, 'gone')),
        ]),
      )
      await store.commit(tx([{ type: 'remove', op: 'delete', id: 'e' }, put({ id: 'a', ...ann }, beside(4, 'viola'))]))
      await store.derive([{ id: 'd', version: 1, vector: unitVector([1, 2, 3]) }], [{ id: 'a', at }])
      expect(await store.verify()).toEqual([])

      const breaks: readonly (readonly [table: string, change: string, code: string, where?: string])[] = [
        ...['importance = 0.9', "terms = '{x}', frequencies = '{1}'", "tokens = '{}'", "facts = '{}'", 'role = 1'].map(
          (set) => ['searched', `UPDATE searched SET ${set} WHERE id = 'a'`, 'SEARCHED_MISMATCH', 'a'] as const,
        ),
        ['searched', "DELETE FROM searched WHERE id = 'b'", 'SEARCHED_MISMATCH', 'b'],
        ['searched', "UPDATE searched SET id = 'ghost' WHERE id = 'c'", 'SEARCHED_STRAY', 'ghost'],
        ['postings', "DELETE FROM postings WHERE term = 'viola'", 'POSTINGS_MISMATCH', 'a'],
        ['postings', "UPDATE postings SET frequency = 9 WHERE term = 'viola'", 'POSTINGS_MISMATCH', 'a'],
        ['postings', "INSERT INTO postings SELECT * FROM postings WHERE term = 'viola'", 'POSTINGS_MISMATCH', 'a'],
        ['postings', "UPDATE postings SET num = 99 WHERE term = 'viola'", 'POSTINGS_MISMATCH'],
        ['units', "DELETE FROM units WHERE id = 'a'", 'UNITS_MISMATCH', 'a'],
        ['units', "UPDATE units SET unit = '[1,0,0]' WHERE id = 'd'", 'UNITS_MISMATCH', 'd'],
        ['units', "UPDATE units SET status = 3 WHERE id = 'c'", 'UNITS_MISMATCH', 'c'],
        ['units', "UPDATE units SET id = 'ghost' WHERE id = 'c'", 'UNITS_STRAY', 'ghost'],
        ['scope_counts', 'UPDATE scope_counts SET documents = documents + 1', 'COUNTS_MISMATCH', 'scope_counts'],
        ['scope_counts', 'UPDATE scope_counts SET token_entries = 0', 'COUNTS_MISMATCH', 'scope_counts'],
        ['token_counts', 'DELETE FROM token_counts WHERE token = 7', 'COUNTS_MISMATCH', 'token_counts'],
        ['actor_counts', 'UPDATE actor_counts SET records = 9', 'COUNTS_MISMATCH', 'actor_counts'],
        ['vector_counts', 'UPDATE vector_counts SET vectors = 9', 'COUNTS_MISMATCH', 'vector_counts'],
        ['vector_counts', "UPDATE vector_counts SET total = '[9,9,9]'", 'COUNTS_MISMATCH', 'vector_counts.total'],
      ]
      const client = await admin.connect()
      try {
        await client.query(`SET search_path = ${schema}, public`)
        for (const [table, change, code, where = ''] of breaks) {
          await client.query(`CREATE TABLE kept AS TABLE ${table}`)
          await client.query(change)
          const found = await store.verify()
          expect(found, change).toContainEqual(expect.objectContaining({ code }))
          expect(JSON.stringify(found.filter((problem) => problem.code === code)), change).toContain(where)
          await client.query(`TRUNCATE ${table}; INSERT INTO ${table} TABLE kept; DROP TABLE kept`)
        }
        expect(await store.verify()).toEqual([])
      } finally {
        client.release(true)
      }
    })
  })

  it('[PGS-20] tables that were made anew under a store are not written by it, nor is their log read by it, until it is opened anew', async () => {
    await within(async (open, schema) => {
      const stale = await open()
      const near = unitVector([1, 0], 'former')
      await stale.commit(tx([put({ id: 'a', scope: { userId: 'ann' } }, { vector: near })]))
      await admin.query(`DROP SCHEMA ${schema} CASCADE`)
      const fresh = await open()
      await fresh.commit(tx([put({ id: 'b', scope: { userId: 'ann' } }, { vector: unitVector([0, 1], 'latter') })]))

      const refused = {
        code: 'BAD_CONFIG',
        message: expect.stringContaining(`schema ${schema}: its tables were made anew`),
      }
      const calls = [
        () => stale.commit(tx([put({ id: 'c', scope: { userId: 'ann' } }, { vector: near })])),
        () => stale.derive([{ id: 'b', version: 1, vector: near }]),
        () => stale.erase(all, ['b']),
        () => stale.head(),
        () => stale.log(null),
      ]
      for (const call of calls) await expect(call()).rejects.toMatchObject(refused)
      expect(await fresh.vectorSpaces()).toEqual([{ space: 'latter', dimensions: 2 }])
      expect((await fresh.get(all, ['b']))[0]?.vector?.space).toBe('latter')

      await stale.close()
      await stale.open()
      await stale.commit(tx([put({ id: 'c', scope: { userId: 'ann' } }, { vector: near })]))
      expect((await fresh.get(all, ['c']))[0]?.vector?.space).toBe('former')
      expect(await fresh.verify()).toEqual([])
    })
  })
})
