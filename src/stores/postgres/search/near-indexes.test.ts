import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { randomOf } from '../../../../test/fixtures/search-programs.ts'
import { freshName, postgresUrl } from '../../../../test/fixtures/servers.ts'
import { compareIds, type SearchWindow } from '../../../contract/index.ts'
import { allScopes, parseFilter, within } from '../../../model/index.ts'
import { put, sequentialIds, transaction, unitVector } from '../../../testing/index.ts'
import { dot } from '../../../vector/index.ts'
import { createStore } from '../store.ts'

const url = await postgresUrl()
const admin = url === null ? null : new pg.Pool({ connectionString: url, max: 2 })
afterAll(() => admin?.end())

const count = 3000
const dimensions = 24

/** Directions about some centres, as those of texts are. */
function direction(seed: number): number[] {
  const centre = randomOf(seed % 20, 0)
  const own = randomOf(seed, 1)
  return Array.from({ length: dimensions }, () => centre.below(100) - 50 + (own.below(100) - 50) / 2)
}

describe.skipIf(url === null)('many vectors', () => {
  it('[PGS-53] are found through an index that is made by the way: ten of the nearest at .95 and more, filtered or not, with their own cosines, and as many as are asked for', async () => {
    const schema = freshName()
    const store = createStore({ url: url as string, schema, poolSize: 3, partitions: 2 }, { comparedWhole: 100 })
    await store.open()
    const ids = sequentialIds()
    for (let start = 0; start < count; start += 500) {
      const changes = Array.from({ length: 500 }, (_, i) => {
        const n = start + i
        const fields = { id: ids(), scope: { userId: `u${n % 3}` }, metadata: { tenth: n % 10, rare: n % 1000 } }
        return put(fields, { vector: unitVector(direction(n)) })
      })
      await store.commit(transaction({ id: ids(), at: start, changes }))
    }
    const nearest = async (n: number, window: Partial<SearchWindow>, scope = allScopes()) => {
      const vector = unitVector(direction(100_000 + n)).values
      const all = { statuses: ['live' as const], now: 0, limit: 10, ...window }
      return (await store.vectors!.nearest(scope, 'test', vector, all)).hits
    }
    const isIndexed = async () => {
      const { rows } = await (admin as pg.Pool).query(
        "SELECT count(*)::int AS ready FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid WHERE c.relnamespace = $1::regnamespace AND c.relname LIKE '%\\_near\\_%' AND x.indisvalid AND x.indisready",
        [schema],
      )
      return rows[0].ready === 2
    }
    // The first who asks compares them all, and has the index made.
    expect(await nearest(0, {})).toEqual(await nearest(0, { exact: true }))
    while (!(await isIndexed())) await setTimeout(50)
    const scans = async () => {
      const { rows } = await (admin as pg.Pool).query(
        "SELECT COALESCE(sum(idx_scan), 0)::int AS scans FROM pg_stat_user_indexes WHERE schemaname = $1 AND indexrelname LIKE '%\\_near\\_%'",
        [schema],
      )
      return rows[0].scans as number
    }
    const narrowed: readonly (readonly [Partial<SearchWindow>, ReturnType<typeof allScopes>])[] = [
      [{}, allScopes()],
      [{ where: { filter: parseFilter({ tenth: 3 }) } }, allScopes()],
      [{ where: { filter: parseFilter({ rare: 7 }) } }, allScopes()],
      [{ kinds: ['semantic'] }, within({ userId: 'u1' })],
    ]
    for (const [window, scope] of narrowed) {
      let [found, wanted] = [0, 0]
      for (let n = 0; n < 20; n++) {
        const exact = await nearest(n, { ...window, exact: true }, scope)
        const hits = await nearest(n, window, scope)
        expect(hits.length).toBe(exact.length)
        const exactly = new Map(exact.map(({ id, cosine }) => [id, cosine]))
        // An index may miss some; what it finds has the cosine that it has.
        for (const { id, cosine } of hits) expect(cosine).toBeCloseTo(exactly.get(id) ?? cosine, 6)
        const floor = (exact.at(-1)?.cosine ?? 1) - 1e-6
        found += hits.filter(({ cosine }) => cosine >= floor).length
        wanted += exact.length
      }
      expect(found / wanted, JSON.stringify(window)).toBeGreaterThanOrEqual(0.95)
    }
    // Counters of the server come a moment late.
    while ((await scans()) === 0) await setTimeout(100)
    await store.close()
    await admin?.query(`DROP SCHEMA ${schema} CASCADE`)
  }, 600_000)

  it('[PGS-53] of several scopes are all compared, each once, side by side: on one connection, filtered and where some are equal, too', async () => {
    const schema = freshName()
    const user = (n: number) => ({ appId: 'app', userId: `u${n % 3}` })
    const open = async (poolSize: number) => {
      const store = createStore({ url: url as string, schema, poolSize, partitions: 2 })
      await store.open()
      return store
    }
    const [store, narrow] = [await open(3), await open(1)]
    const ids = sequentialIds()
    const known: { id: string; n: number; values: Float32Array }[] = []
    for (let start = 0; start < 4500; start += 500) {
      const changes = Array.from({ length: 500 }, (_, i) => {
        const n = start + i
        // Many are equal, in different scopes; those of one user lie together.
        const aside = n % 3 === 0 ? 500 : 0
        const vector = unitVector(direction(n % 400).map((value, at) => (at === 0 ? value + aside : value)))
        known.push({ id: ids(), n, values: vector.values })
        return put({ id: known[n]!.id, scope: user(n), metadata: { tenth: n % 10 } }, { vector })
      })
      await store.commit(transaction({ id: ids(), at: start, changes }))
    }
    const scope = within({ appId: 'app' })
    const anywhere = unitVector(direction(100_000)).values
    const ofOne = unitVector(direction(0).map((_, at) => (at === 0 ? 1 : 0))).values
    for (const each of [store, narrow]) {
      for (const asked of [anywhere, ofOne]) {
        for (const [tenth, limit] of [null, 3].flatMap((tenth) =>
          [1, 50, 10_000].map((limit) => [tenth, limit] as const),
        )) {
          const where = tenth === null ? undefined : { filter: parseFilter({ tenth }) }
          const window: SearchWindow = { statuses: ['live'], now: 0, limit, where }
          const { hits, vectors } = await each.vectors!.nearest(scope, 'test', asked, window)
          const meant = known.filter(({ n }) => tenth === null || n % 10 === tenth)
          const cosines = meant.map(({ values }) => dot(asked, values)).sort((a, b) => b - a)
          expect(vectors).toBe(known.length)
          expect(hits).toHaveLength(Math.min(limit, meant.length))
          expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length)
          const worst = hits.reduce((most, { cosine }, i) => Math.max(most, Math.abs(cosine - cosines[i]!)), 0)
          expect(worst).toBeLessThan(1e-5)
          const ordered = [...hits].sort((a, b) => b.cosine - a.cosine || compareIds(a.id, b.id))
          expect(hits.map(({ id }) => id)).toEqual(ordered.map(({ id }) => id))
        }
      }
      await each.close()
    }
    await (admin as pg.Pool).query(`DROP SCHEMA ${schema} CASCADE`)
  }, 120_000)

  it('[PGS-53] an index that is being made on the one connection holds up neither a close nor the calls made before it', async () => {
    const schema = freshName()
    const store = createStore({ url: url as string, schema, poolSize: 1 }, { comparedWhole: 10 })
    await store.open()
    const ids = sequentialIds()
    const changes = Array.from({ length: 20 }, (_, n) => put({ id: ids() }, { vector: unitVector(direction(n)) }))
    await store.commit(transaction({ id: ids(), at: 1, changes }))
    const holder = await (admin as pg.Pool).connect()
    try {
      // Whoever makes an index waits for transactions that may write.
      await holder.query(`BEGIN; LOCK TABLE ${schema}.units IN ROW EXCLUSIVE MODE`)
      const window = { statuses: ['live' as const], now: 0, limit: 1 }
      await store.vectors!.nearest(allScopes(), 'test', unitVector(direction(0)).values, window)
      const waiting =
        "SELECT FROM pg_stat_progress_create_index WHERE phase LIKE 'waiting%' AND relid::regclass::text LIKE $1"
      while ((await (admin as pg.Pool).query(waiting, [`${schema}.%`])).rows.length === 0) await setTimeout(20)
      const inHand = store.head()
      const ended = Promise.all([store.close(), inHand])
      expect(await Promise.race([ended.then(() => 'ended'), setTimeout(10_000, 'waits')])).toBe('ended')
    } finally {
      await holder.query('ROLLBACK')
      holder.release()
      await store.close()
    }
    // The server goes on with the index, for whoever comes next.
    const making = "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1"
    while (((await admin?.query(making, [`CREATE INDEX%${schema}%`]))?.rows.length ?? 0) > 0) await setTimeout(20)
    await admin?.query(`DROP SCHEMA ${schema} CASCADE`)
  }, 60_000)
})
