// npm run bench:postgres: filtered hybrid search on PostgreSQL.
//
//   node bench/postgres/run.mjs --url postgres://… --size 10000         fills a schema, measures, drops it
//   node bench/postgres/run.mjs --url … --size 1000000 --keep           leaves it there
//   node bench/postgres/run.mjs --url … --size 1000000 --filled         measures what an earlier run left
//
// Results go to <out>/<date>-postgres.json and .md, the plans of one search of each sort beside them.
import { mkdir, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { root, run } from '../../scripts/run-command.mjs'
import { prepareData, readQuestions } from '../dataset.mjs'
import { machine } from '../machine.mjs'
import { load, momentAfter, onePercent } from './load.mjs'
import { measureRecall, narrowings, timeSearches } from './measure.mjs'
import { explain } from './plans.mjs'
import { report } from './report.mjs'

const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: process.env.MNEME_POSTGRES_URL },
    schema: { type: 'string', default: 'mneme_bench' },
    size: { type: 'string', default: '10000' },
    questions: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '60' },
    data: { type: 'string', default: join('.cache', 'bench', 'data') },
    out: { type: 'string', default: join('bench', 'results') },
    dist: { type: 'string', default: 'dist' },
    filled: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
})
if (!options.url) {
  console.error('--url, or MNEME_POSTGRES_URL: say where the server is')
  process.exit(2)
}
const say = (text) => console.log(text)
const size = Number(options.size)
const questions = Number(options.questions)
const seconds = Number(options.seconds)
const { url, schema } = options
const from = (path) => import(pathToFileURL(resolve(root, options.dist, path)).href)
const mneme = await from('index.js')
const { postgres } = await from('stores/postgres/index.js')
const embedder = mneme.staticEn256()
const folder = resolve(root, options.data)
await prepareData({ root, folder, size, embedder, keep: options.filled, say })

const admin = new pg.Client({ connectionString: url })
await admin.connect()
/** By it the server knows which of its processes work for this one. */
const client = 'mneme_bench'
const named = new URL(url)
named.searchParams.set('application_name', client)
const storeOf = () => postgres({ url: named.href, schema, timeoutMs: 3_600_000 })

/**
 * The index of the nearest vectors, as src/stores/postgres/search/near-indexes.ts has it made, but at once and not by the way; and statistics
 * for the planner.
 */
async function prepare() {
  const start = performance.now()
  const store = storeOf()
  await store.open()
  const rows = await admin.query(`SELECT id, dimensions FROM ${schema}.spaces`)
  for (const { id, dimensions } of rows.rows) {
    await admin.query(
      `CREATE INDEX IF NOT EXISTS units_near_${id} ON ${schema}.units USING hnsw ((unit::halfvec(${dimensions})) halfvec_ip_ops) WITH (m = 32, ef_construction = 128) WHERE space = ${id}`,
    )
  }
  const indexed = performance.now() - start
  for (const table of ['searched', 'postings', 'units', 'records', 'revisions', 'token_counts', 'scope_counts', 'ids'])
    await admin.query(`VACUUM (ANALYZE) ${schema}.${table}`)
  await store.close()
  return { indexSeconds: indexed / 1000, vacuumSeconds: (performance.now() - start - indexed) / 1000 }
}

const settings = async () => {
  const names = ['server_version', 'shared_buffers', 'work_mem', 'maintenance_work_mem', 'fsync', 'synchronous_commit']
  const { rows } = await admin.query('SELECT name, setting, unit FROM pg_settings WHERE name = ANY ($1)', [names])
  const { rows: extension } = await admin.query("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
  return {
    ...Object.fromEntries(rows.map(({ name, setting, unit }) => [name, unit ? `${setting} × ${unit}` : setting])),
    pgvector: extension[0]?.extversion ?? 'none',
  }
}

const results = {
  date: new Date().toISOString().slice(0, 10),
  commit: (await run(['git', 'rev-parse', '--short', 'HEAD'])).stdout.trim(),
  machine: machine(),
  size,
  loadBefore: loadavg()[0],
}
if (!options.filled) {
  await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  results.load = await load(mneme, storeOf(), { folder, size, say })
}
results.prepared = await prepare()
results.settings = await settings()
const { rows: sizes } = await admin.query(
  `SELECT c.relname AS name, pg_total_relation_size(c.oid)::float8 AS bytes FROM pg_class c
   WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r' ORDER BY bytes DESC LIMIT 8`,
  [schema],
)
results.sizes = Object.fromEntries(sizes.map(({ name, bytes }) => [name, bytes]))

const store = storeOf()
const memory = await mneme.openMemory({ store, clock: () => momentAfter(size) })
await memory.start()
const { warm } = await readQuestions(folder)
const pids = async () => {
  const { rows } = await admin.query('SELECT pid FROM pg_stat_activity WHERE application_name = $1', [client])
  return rows.map(({ pid }) => pid)
}
results.searches = await timeSearches(memory, folder, { questions, seconds, say, pids })
results.recall = await measureRecall(store, embedder, folder, { size, questions: Math.min(questions, 50), say })
results.plans = {}
for (const name of ['a user with 1 %', 'a user with 1 %, metadata', 'everything, 10 % by metadata'])
  results.plans[name] = await explain(url, () =>
    memory.search(warm[0], { ...narrowings[name], limit: 10, touch: false }),
  )
results.single = await timeAdds(memory)
await memory.close()
results.loadAfter = loadavg()[0]
if (!options.keep && !options.filled) await admin.query(`DROP SCHEMA ${schema} CASCADE`)
await admin.end()

/** Single adds, durable each as the server is set. */
async function timeAdds(to) {
  const start = performance.now()
  const count = 200
  for (let i = 0; i < count; i++) await to.add(`A note of its own, number ${i}, on harbours`, { scope: onePercent })
  return { perSecond: (count / (performance.now() - start)) * 1000 }
}

const out = resolve(root, options.out)
await mkdir(out, { recursive: true })
await writeFile(join(out, `${results.date}-postgres.json`), `${JSON.stringify(results, null, 1)}\n`)
await writeFile(join(out, `${results.date}-postgres.md`), report(results))
say(`${join(options.out, `${results.date}-postgres.md`)}`)
// Times are a machine's own business; what is found is not.
const poor = Object.entries(results.recall).filter(([, { recallAt10 }]) => recallAt10 < 0.95)
for (const [name, { recallAt10 }] of poor)
  console.error(`${name}: recall@10 is ${recallAt10.toFixed(4)}, and .95 is promised`)
if (poor.length > 0) process.exitCode = 1
