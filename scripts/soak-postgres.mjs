// A part of npm run soak: filtered hybrid search over a million records on a PostgreSQL of its own.
//
//   MNEME_SOAK_RECORDS=1000000 node scripts/soak-postgres.mjs
//   MNEME_POSTGRES_URL=postgres://… node scripts/soak-postgres.mjs      on a server that is there
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { root, run } from './run-command.mjs'

const size = process.env.MNEME_SOAK_RECORDS ?? '1000000'
const name = `soak-${process.pid}`
const service = join(root, 'scripts', 'services', 'postgres.sh')
const given = process.env.MNEME_POSTGRES_URL
// As much memory as a server for so many has: what searches read, and the graph of the vectors while it is made.
const memory = '-c shared_buffers=4GB -c maintenance_work_mem=3GB -c work_mem=32MB -c max_wal_size=8GB'
const env = { ...process.env, ...(Number(size) >= 100_000 ? { MNEME_PG_ARGS: memory } : {}) }
const url = given ?? execFileSync(service, ['start', name], { encoding: 'utf8', env }).trim()
try {
  const { code, output } = await run([process.execPath, join(root, 'bench', 'postgres', 'run.mjs'), '--size', size], {
    env: { MNEME_POSTGRES_URL: url },
    seconds: 12 * 3600,
  })
  console.log(output)
  process.exitCode = code
} finally {
  if (given === undefined) execFileSync(service, ['stop', name])
}
