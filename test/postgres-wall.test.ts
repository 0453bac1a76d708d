import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MemoryStore } from '../src/contract/index.ts'
import { openMemory } from '../src/index.ts'
import { exactly, type Scope, type ScopeFilter, scopeKey, within } from '../src/model/index.ts'
import { postgres, raiseWall } from '../src/stores/postgres/index.ts'
import { createWall, shown } from '../src/stores/postgres/wall/index.ts'
import { plainAnalysis, put, transaction, unitVector } from '../src/testing/index.ts'
import { freshName, postgresUrl } from './fixtures/servers.ts'
import { type WalledServer, walledServer } from './fixtures/walled-postgres.ts'

const url = await postgresUrl()
const schema = freshName()
const ann: Scope = { appId: 'crm', userId: 'ann' }
const bob: Scope = { appId: 'crm', userId: 'bob' }
const annAtWork: Scope = { ...ann, namespace: ['work'] }

const at = Date.parse('2026-01-01T00:00:00Z')

/** Something of a scope in every table. */
async function fill(store: MemoryStore, scope: Scope, n: number): Promise<void> {
  const name = `${scope.userId}${scope.namespace ?? ''}`
  const [a, b, c] = [`a${n}`, `b${n}`, `c${n}`]
  const analysis = { ...plainAnalysis(`${name} plays the cello`), tokens: [n, 7], shape: 1 }
  const change = (id: string, fields: object = {}) =>
    put({ id, scope, content: `${name} plays the cello`, ...fields }, { analysis, vector: unitVector([1, n]) })
  const line = { op: 'write' as const, verb: 'x', ids: [a], scope }
  await store.commit(
    transaction({
      id: `first ${n}`,
      at,
      actor: name,
      changes: [change(a), change(b, { supersedes: a }), { type: 'journal', line }],
      idempotency: { scope, key: 'once', digest: name, expiresAt: at + 1000 },
    }),
  )
  const link = { type: 'link' as const, link: { from: a, to: b, type: 'knows', weight: 1, metadata: {} } }
  await store.commit(transaction({ id: `second ${n}`, at, changes: [link, change(a, { pinned: true })] }))
  await store.commit(transaction({ id: `third ${n}`, at, changes: [change(c)] }))
  await store.derive([{ id: b, version: 1, vector: unitVector([2, n]) }])
  await store.erase(exactly(scope), [c], { at })
}

describe.skipIf(url === null)('row-level security', () => {
  let server: WalledServer
  let admin: pg.Client
  /** Connected as an application is, for statements by hand. */
  let hand: pg.Client
  beforeAll(async () => {
    server = await walledServer(url as string)
    await server.raise(schema, 1)
    admin = new pg.Client({ connectionString: url as string })
    hand = new pg.Client({ connectionString: server.url })
    await Promise.all([admin.connect(), hand.connect()])
    const store = server.open(schema)
    await store.open()
    for (const [n, scope] of [ann, bob, annAtWork].entries()) await fill(store, scope, n)
    await store.close()
    await admin.query('ANALYZE')
  })
  afterAll(async () => {
    await hand?.end()
    await admin?.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await admin?.end()
  })

  const tokens = (now: () => number = Date.now, secret = server.secret, of = schema) => createWall(secret, of, now)
  const tokenOf = (filter?: ScopeFilter) => tokens().token(filter)

  /** In a transaction of its own, that is rolled back. */
  async function by<T>(client: pg.Client, token: string | null, work: () => Promise<T>): Promise<T> {
    await client.query('BEGIN')
    try {
      if (token !== null) await client.query("SELECT set_config('mneme.token', $1, true)", [token])
      return await work()
    } finally {
      await client.query('ROLLBACK')
    }
  }

  async function relations(kinds: string): Promise<string[]> {
    const { rows } = await admin.query(
      'SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = ANY($2) ORDER BY 1',
      [schema, [...kinds]],
    )
    return rows.map(({ relname }) => relname)
  }

  /** How many rows a statement reads or changes; null where the role may not run it. */
  async function rowsOf(token: string | null, text: string): Promise<number | null> {
    return by(hand, token, async () => {
      try {
        return (await hand.query(text)).rowCount
      } catch (error) {
        if ((error as { code?: string }).code === '42501') return null
        throw error
      }
    })
  }

  it('[PGS-80] engines behind a wall find, change and forget what is theirs', async () => {
    const store = server.open(schema)
    const memory = await openMemory({ store, scope: { userId: 'cleo' }, embedder: false })
    try {
      const { record } = await memory.add('Cleo likes tea')
      await memory.update(record.id, { content: 'Cleo likes green tea' })
      expect((await memory.search('who likes tea')).results.map(({ id }) => id)).toEqual([record.id])
      expect((await memory.list()).records.map(({ id }) => id)).toEqual([record.id])
      expect((await memory.history(record.id)).length).toBe(2)
      await memory.delete(record.id)
      expect((await memory.search('who plays the cello or likes tea')).results).toEqual([])
      expect((await memory.verify()).problems).toEqual([])
    } finally {
      await memory.close()
    }
  })

  it('[PGS-81] without a token no statement by hand reads or changes a row of any table that the schema has', async () => {
    const tables = await relations('rpvmf')
    expect(tables).toEqual(expect.arrayContaining([...Object.keys(shown), 'wall', 'records_p0', 'units_p0']))
    for (const table of tables) {
      const name = `${schema}.${table}`
      const { rows } = await admin.query(
        `SELECT attname FROM pg_attribute WHERE attrelid = '${name}'::regclass AND attnum > 0 AND attidentity <> 'a' ORDER BY attnum`,
      )
      const column = rows[0].attname
      for (const text of [
        `SELECT * FROM ${name}`,
        `SELECT 1 FROM ${name} TABLESAMPLE SYSTEM (100)`,
        `SELECT * FROM ${name} FOR UPDATE`,
        `DELETE FROM ${name}`,
        `UPDATE ${name} SET ${column} = ${column}`,
        `DELETE FROM ${name} RETURNING *`,
        `MERGE INTO ${name} t USING (SELECT 1) x ON true WHEN MATCHED THEN DELETE`,
      ]) {
        expect([text, (await rowsOf(null, text)) ?? 0]).toEqual([text, 0])
      }
      const counted = await by(hand, null, () =>
        hand.query(`SELECT count(*)::int AS count FROM ${name}`).catch(() => ({ rows: [{ count: 0 }] })),
      )
      expect([name, counted.rows]).toEqual([name, [{ count: 0 }]])
      for (const text of [
        `INSERT INTO ${name} SELECT (json_populate_record(NULL::${name}, '{}')).*`,
        `TRUNCATE ${name}`,
        `ALTER TABLE ${name} DISABLE ROW LEVEL SECURITY`,
        `CREATE POLICY mine ON ${name} USING (true)`,
        `CREATE TRIGGER mine BEFORE INSERT ON ${name} EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
        `LOCK ${name} IN ACCESS EXCLUSIVE MODE NOWAIT; SELECT 1/0`,
        `COPY (SELECT * FROM ${name}) TO PROGRAM 'true'`,
        `COPY ${name} TO '/tmp/mneme-stolen'`,
      ]) {
        await expect(
          by(hand, null, () => hand.query(text)),
          text,
        ).rejects.toThrow()
      }
    }
    for (const sequence of await relations('S')) {
      await expect(hand.query(`SELECT last_value FROM ${schema}.${sequence}`)).rejects.toMatchObject({ code: '42501' })
    }
  })

  it('[PGS-82] a token of a scope shows the rows of that scope, and changes none', async () => {
    const keysOf = async (client: pg.Client, table: string, column: string, where = 'true') => {
      const { rows } = await client.query(
        `SELECT DISTINCT ${column}::text AS key FROM ${schema}.${table} WHERE ${where}`,
      )
      return rows.map(({ key }) => key).sort()
    }
    const columns = (await admin.query(
      "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = $1 AND column_name IN ('scope', 'from_scope', 'to_scope')",
      [schema],
    )) as { rows: { table_name: string; column_name: string }[] }
    const owned = columns.rows.filter(({ table_name }) => table_name in shown)
    expect(owned.length).toBeGreaterThan(13)
    const tests: [ScopeFilter, Scope[]][] = [
      [exactly(ann), [ann]],
      [exactly(bob), [bob]],
      [within(ann), [ann, annAtWork]],
      [within(annAtWork), [annAtWork]],
      [within({ appId: 'crm' }), [ann, bob, annAtWork]],
      [within({ userId: 'ann', sessionId: 'none' }), []],
      [exactly({ userId: 'ann' }), []],
    ]
    for (const [filter, scopes] of tests) {
      const keys = scopes.map((scope) => `'${scopeKey(scope)}'`).join(', ') || 'NULL'
      const seen = `(SELECT id FROM ${schema}.scopes WHERE key IN (${keys}))`
      const token = tokenOf(filter)
      for (const { table_name: table, column_name: column } of owned) {
        const own = await keysOf(admin, table, column, `${column} IN ${seen}`)
        expect([table, await by(hand, token, () => keysOf(hand, table, column))]).toEqual([table, own])
        if (scopes.length > 0) expect([table, own.length > 0]).toEqual([table, true])
      }
      for (const table of ['vectors', 'scopes', 'link_log']) {
        const column = table === 'link_log' ? 'to_id' : 'id'
        const truth = table === 'scopes' ? 'id' : `(SELECT scope FROM ${schema}.ids i WHERE i.id = ${table}.${column})`
        const own = await keysOf(admin, table, column, `${truth} IN ${seen}`)
        expect([table, await by(hand, token, () => keysOf(hand, table, column))]).toEqual([table, own])
      }
      for (const [table, rows] of Object.entries(shown)) {
        const name = `${schema}.${table}`
        if (rows === null) expect([table, await rowsOf(token, `SELECT FROM ${name}`)]).toEqual([table, 0])
        expect([table, await rowsOf(token, `DELETE FROM ${name}`)]).toEqual([table, 0])
      }
      expect(await rowsOf(token, `UPDATE ${schema}.records SET pinned = true`)).toBe(0)
    }
    const everything = tokenOf()
    for (const table of Object.keys(shown)) {
      const all = (await admin.query(`SELECT FROM ${schema}.${table}`)).rowCount
      expect([table, await rowsOf(everything, `SELECT FROM ${schema}.${table}`)]).toEqual([table, all])
      expect([table, (all ?? 0) > 0]).toEqual([table, true])
    }
  })

  it('[PGS-83] a token that is forged, altered, expired, of another secret or another schema opens nothing', async () => {
    const good = tokenOf(exactly(ann))
    const claims = good.slice(64)
    const mac = good.slice(0, 64)
    const count = (token: string) => rowsOf(token, `SELECT FROM ${schema}.records`)
    expect(await count(good)).toBeGreaterThan(0)
    const bad = [
      '',
      'x',
      claims,
      mac,
      `${mac.replace(/./, (c) => (c === '0' ? '1' : '0'))}${claims}`,
      `${mac}${claims.replace('"all":false', '"all":true')}`,
      `${mac}${claims} `,
      `${mac}${tokenOf(exactly(bob)).slice(64)}`,
      `${'0'.repeat(64)}{"all":true,"until":99999999999999}`,
      `{"all":true,"until":99999999999999}`,
      tokens(() => Date.now() - 3_600_000).token(),
      tokens(Date.now, `${server.secret}.`).token(),
      tokens(Date.now, server.secret, 'mneme').token(),
    ]
    for (const token of bad) {
      expect([token, await count(token)]).toEqual([token, 0])
      for (const table of Object.keys(shown)) expect(await rowsOf(token, `SELECT FROM ${schema}.${table}`)).toBe(0)
      const entering = hand.query(`SELECT ${schema}.wall_enter($1)`, [token])
      await expect(entering).rejects.toMatchObject({ code: expect.stringMatching(/^MNW0[12]$/) })
    }
    // One that was good in a transaction is gone with it: the connection may be somebody else's then.
    await hand.query('BEGIN')
    await hand.query(`SELECT ${schema}.wall_enter($1)`, [good])
    await hand.query('COMMIT')
    expect((await hand.query(`SELECT FROM ${schema}.records`)).rowCount).toBe(0)
  })

  it('[PGS-84] statistics, plans, functions, errors and what other connections run tell nothing of rows that are not shown, but for how many meet a comparison', async () => {
    const stats = await hand.query('SELECT FROM pg_stats WHERE schemaname = $1', [schema])
    expect(stats.rowCount).toBe(0)
    expect((await admin.query('SELECT FROM pg_stats WHERE schemaname = $1', [schema])).rowCount).toBeGreaterThan(0)
    await expect(hand.query('SELECT FROM pg_statistic')).rejects.toMatchObject({ code: '42501' })

    // A function of the reader's own is asked last, however cheap it claims to be.
    const heard: string[] = []
    hand.on('notice', ({ message }) => heard.push(message ?? ''))
    await by(hand, tokenOf(exactly(ann)), async () => {
      await hand.query(
        "CREATE FUNCTION pg_temp.tell(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$",
      )
      await hand.query(`SELECT FROM ${schema}.revisions WHERE pg_temp.tell(record)`)
    })
    expect(heard.some((text) => text.includes('ann plays'))).toBe(true)
    expect(heard.filter((text) => text.includes('bob'))).toEqual([])
    // Errors would tell as well.
    await by(hand, tokenOf(exactly(ann)), () =>
      hand.query(`SELECT FROM ${schema}.revisions WHERE 1 / (CASE WHEN record LIKE '%bob%' THEN 0 ELSE 1 END) = 1`),
    )
    await expect(
      by(hand, null, async () => {
        await hand.query('SET LOCAL row_security = off')
        await hand.query(`SELECT FROM ${schema}.records`)
      }),
    ).rejects.toMatchObject({ code: '42501' })

    // Left open, as PostgreSQL has no means against it: how many words of all tenants are met. Of a whole text that is not told.
    const removed = async (table: string, condition: string): Promise<number> => {
      const { rows } = await hand.query(
        `EXPLAIN (ANALYZE, FORMAT JSON) SELECT FROM ${schema}.${table} WHERE ${condition}`,
      )
      return [...JSON.stringify(rows).matchAll(/"Rows Removed by Filter":(\d+)/g)].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      )
    }
    await hand.query('SET enable_seqscan = off; SET enable_bitmapscan = off')
    const words = ["term >= 'cel' AND term < 'cem'", "term >= 'cem' AND term < 'cen'"]
    const met = [await removed('postings', words[0] as string), await removed('postings', words[1] as string)]
    expect([(met[0] as number) > 0, met[1]]).toEqual([true, 0])
    const texts = ["record LIKE '%bob plays%'", "record LIKE '%nobody plays%'"]
    expect(await removed('revisions', texts[0] as string)).toBe(await removed('revisions', texts[1] as string))
    await hand.query('RESET enable_seqscan; RESET enable_bitmapscan')

    const { rows: functions } = await admin.query(
      'SELECT p.proname, has_function_privilege($2, p.oid, $3) AS may FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1 ORDER BY 1',
      [schema, server.role, 'EXECUTE'],
    )
    expect(functions).toEqual([
      { proname: 'wall_all', may: true },
      { proname: 'wall_any', may: true },
      { proname: 'wall_claims', may: false },
      { proname: 'wall_enter', may: true },
      { proname: 'wall_scopes', may: true },
    ])
    expect((await hand.query(`SELECT ${schema}.wall_scopes()`)).rowCount).toBe(0)
    const told = await hand.query(`SELECT ${schema}.wall_all() AS everything, ${schema}.wall_any() AS something`)
    expect(told.rows).toEqual([{ everything: false, something: false }])

    // The text of what runs elsewhere is there to be read; a token is not in it.
    const store = server.open(schema)
    await store.open()
    try {
      await store.get(within(ann), ['x'])
      const { rows } = await hand.query('SELECT query FROM pg_stat_activity WHERE usename = $1', [server.role])
      expect(rows.length).toBeGreaterThan(1)
      for (const { query } of rows) expect(query).not.toMatch(/"all":|[0-9a-f]{64}/)
    } finally {
      await store.close()
    }
  })

  const refused = (words: RegExp) =>
    expect.objectContaining({ code: 'BAD_CONFIG', message: expect.stringMatching(words) })

  it('[PGS-85] a wall that would hold nobody, or that does not stand, is BAD_CONFIG, and says what to do', async () => {
    const { role, secret } = server
    const opening = async (options: object) => {
      const store = postgres({ url: server.url, schema, ...options })
      try {
        await store.open()
      } finally {
        await store.close()
      }
    }
    expect(() => postgres({ url: server.url, wall: { secret: 'short' } })).toThrow(refused(/at least 32/))
    await expect(opening({ url, wall: { secret } })).rejects.toEqual(refused(/does not hold this user/))
    await expect(opening({})).rejects.toEqual(refused(/wall\.secret/))
    await expect(opening({ wall: { secret: `${secret}!` } })).rejects.toEqual(refused(/raiseWall/))
    await expect(opening({ schema: freshName(), wall: { secret } })).rejects.toEqual(refused(/raiseWall/))
    const plain = freshName()
    await postgres({ url: url as string, schema: plain }).open()
    try {
      await expect(opening({ schema: plain, wall: { secret } })).rejects.toEqual(refused(/raiseWall/))
      // Also of a role that may work on the tables, and where there are none.
      const asRole = (of: string) => raiseWall({ url: server.url, schema: of, role, secret })
      await expect(asRole(plain)).rejects.toEqual(refused(/raiseWall: .* url of the owner/))
      await admin.query(
        `GRANT USAGE ON SCHEMA ${plain} TO ${role}; GRANT ALL ON ALL TABLES IN SCHEMA ${plain} TO ${role}; GRANT ALL ON ALL SEQUENCES IN SCHEMA ${plain} TO ${role}`,
      )
      await expect(asRole(plain)).rejects.toEqual(refused(/raiseWall: .* url of the owner/))
      await expect(asRole(freshName())).rejects.toEqual(refused(/raiseWall: .* url of the owner/))
    } finally {
      await admin.query(`DROP SCHEMA ${plain} CASCADE`)
    }
    const raising = (options: object) => raiseWall({ url: url as string, schema, role, secret, ...options })
    await expect(raising({ role: 'nobody_here' })).rejects.toEqual(refused(/CREATE ROLE/))
    await expect(raising({ role: new URL(url as string).username })).rejects.toEqual(refused(/does not hold/))
    await expect(raising({ secret: 'short' })).rejects.toEqual(refused(/at least 32/))
    await expect(raising({ url: server.url })).rejects.toEqual(refused(/raiseWall: .* url of the owner/))
    // Again: the same wall; with another secret, that one's.
    await raising({ secret: `${secret}!` })
    await expect(opening({ wall: { secret } })).rejects.toEqual(refused(/raiseWall/))
    await raising({})
    await opening({ wall: { secret } })
    await admin.query(`UPDATE ${schema}.wall SET form = 'older'`)
    await expect(opening({ wall: { secret } })).rejects.toEqual(refused(/another version/))
    await raising({})
    await opening({ wall: { secret } })
  })

  it('[PGS-87] pgvector is made where other users find it too, also by a user whose name is that of the schema', async () => {
    const { role, secret } = server
    const name = freshName()
    await admin.query(`CREATE DATABASE ${name}`)
    const [owner, app] = [new URL(url as string), new URL(server.url)]
    for (const address of [owner, app]) address.pathname = `/${name}`
    const own = owner.username
    try {
      await raiseWall({ url: owner.href, schema: own, role, secret })
      const open = () =>
        openMemory({ store: postgres({ url: app.href, schema: own, wall: { secret } }), scope: { userId: 'ann' } })
      const memory = await open()
      await memory.add('Ann plays the cello')
      expect((await memory.search('cello')).results[0]?.content).toBe('Ann plays the cello')
      await memory.close()
      const client = new pg.Client({ connectionString: owner.href })
      await client.connect()
      await client.query(`ALTER EXTENSION vector SET SCHEMA ${own}`)
      await client.end()
      const hidden = await open()
      const words = /pgvector lies in the schema .*ALTER EXTENSION vector SET SCHEMA public/
      await expect(hidden.add('Ann rows')).rejects.toEqual(refused(words))
      await hidden.close()
    } finally {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    }
  })

  it('[PGS-86] statements behind a wall go by the same indexes', async () => {
    await by(hand, tokenOf(within(ann)), async () => {
      await hand.query('SET LOCAL enable_seqscan = off')
      const plan = async (text: string) => {
        const { rows } = await hand.query(`EXPLAIN ${text}`)
        return rows.map((row) => row['QUERY PLAN']).join('\n')
      }
      for (const [text, index] of [
        [`SELECT FROM ${schema}.records WHERE scope = 1 ORDER BY created_at DESC, id DESC LIMIT 3`, /Index.*created/],
        [`SELECT FROM ${schema}.records WHERE owner = 1 AND id = 'x'`, /_pkey/],
        [`SELECT FROM ${schema}.postings WHERE term = 'cello' AND scope = 1`, /Index Cond: .*term = .*scope = /],
        [`SELECT FROM ${schema}.ids WHERE id = ANY(ARRAY['a', 'b'])`, /_pkey/],
        [`SELECT FROM ${schema}.revisions WHERE owner = 1 AND id = 'x' AND version = 1`, /_pkey/],
        [`SELECT FROM ${schema}.units WHERE scope = 1 AND space = 1`, /Index Cond: .*scope = 1/],
        [`SELECT FROM ${schema}.searched WHERE num = 1`, /_pkey/],
      ] as const) {
        expect(await plan(text)).toMatch(index)
        // Once for a statement.
        expect(await plan(text)).toMatch(/InitPlan/)
      }
    })
  })
})
