// A load of several processes over one PostgreSQL, alone and with a Redis before it. Exit code 1 when anything does not hold.
//
//   MNEME_POSTGRES_URL=postgres://… MNEME_REDIS_URL=redis://… node bench/processes/run.mjs
//   node bench/processes/run.mjs --variants postgres --processes 4 --seconds 10
//
// Needs a build. Works in a schema of its own, which is dropped at the end. Writes <out>/<date>-processes.json and .md.
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { createClient } from 'redis'
import { root, run } from '../../scripts/run-command.mjs'
import { machine } from '../machine.mjs'
import { load } from './load.mjs'
import { report, summarise } from './report.mjs'
import { variants } from './stores.mjs'

const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: process.env.MNEME_POSTGRES_URL },
    redis: { type: 'string', default: process.env.MNEME_REDIS_URL },
    variants: { type: 'string' },
    processes: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '20' },
    tenants: { type: 'string', default: '4' },
    counters: { type: 'string', default: '4' },
    pool: { type: 'string', default: '4' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    dist: { type: 'string', default: 'dist' },
    out: { type: 'string', default: join('bench', 'results') },
  },
})

function refuse(message) {
  console.error(message)
  process.exit(2)
}
const whole = (name) =>
  /^[1-9]\d*$/.test(options[name]) ? Number(options[name]) : refuse(`--${name}: must be a whole number above 0`)
if (!options.url) refuse('--url, or MNEME_POSTGRES_URL: say where the PostgreSQL server is')
const chosen = options.variants?.split(',') ?? (options.redis ? variants : ['postgres'])
for (const name of chosen) if (!variants.includes(name)) refuse(`--variants: ${name} is none of ${variants.join(', ')}`)
if (!options.redis && chosen.some((name) => name !== 'postgres'))
  refuse('--redis, or MNEME_REDIS_URL: say where Redis is')

const settings = {
  url: options.url,
  redisUrl: options.redis,
  dist: resolve(root, options.dist),
  processes: whole('processes'),
  seconds: whole('seconds'),
  tenants: whole('tenants'),
  counters: whole('counters'),
  poolSize: whole('pool'),
  seed: whole('seed'),
}

const admin = new pg.Client({ connectionString: options.url })
await admin.connect()

async function describeServers() {
  const { rows } = await admin.query(
    `SELECT name, setting FROM pg_settings WHERE name IN ('server_version', 'fsync', 'synchronous_commit', 'max_connections') ORDER BY name DESC`,
  )
  const postgres = `PostgreSQL ${rows.map(({ name, setting }) => (name === 'server_version' ? setting : `${name} ${setting}`)).join(', ')}`
  if (!options.redis) return postgres
  const client = await createClient({ url: options.redis }).connect()
  const version = /redis_version:(\S+)/.exec(await client.info('server'))?.[1]
  client.destroy()
  return `${postgres}; Redis ${version}`
}

const servers = await describeServers()
const runs = []
for (const variant of chosen) {
  const schema = `load_${process.pid}_${variant.replace('-', '_')}`
  console.log(`${variant}: ${settings.processes} processes, ${settings.seconds} s, seed ${settings.seed}`)
  try {
    const one = summarise(await load({ ...settings, variant, schema }))
    runs.push(one)
    const failed = Object.values(one.errors).reduce((sum, count) => sum + count, 0)
    console.log(`  ${one.operations} operations, ${failed} errors, ${one.faults.length} faults`)
    for (const line of [...Object.keys(one.errors), ...one.faults.slice(0, 10)]) console.log(`  ${line}`)
  } finally {
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  }
}
await admin.end()

const date = new Date().toISOString().slice(0, 10)
const commit = (await run(['git', 'rev-parse', '--short', 'HEAD'])).stdout.trim() || 'unknown'
const { processes, seconds, tenants, counters, poolSize, seed } = settings
const shown = { processes, seconds, tenants, counters, poolSize, seed }
const results = { date, commit, machine: machine(), settings: shown, servers, runs }
const out = resolve(root, options.out)
await mkdir(out, { recursive: true })
await writeFile(join(out, `${date}-processes.json`), `${JSON.stringify(results, null, 1)}\n`)
await writeFile(join(out, `${date}-processes.md`), report(results))
const isWell = (one) =>
  one.faults.length === 0 && Object.keys(one.errors).length === 0 && one.degraded === 0 && one.waited === 0
if (!runs.every(isWell)) process.exitCode = 1
