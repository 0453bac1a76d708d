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
const url = given ?? execFileSync(service, ['start', name], { encoding: 'utf8' }).trim()
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
