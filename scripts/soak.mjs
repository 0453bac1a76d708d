// npm run soak: the sizes that npm test has no time for. Writes what ran, how long and how it ended to bench/results.
//
//   npm run soak                    all of the list below
//   npm run soak -- --only kills    some of it
//
// A kill or fuzz failure prints its seed and round: the same environment variable with a smaller number repeats it.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { installed, root, run } from './run-command.mjs'

/** Test files that hold property tests. */
async function propertyTests() {
  const found = []
  for (const folder of ['src', 'test']) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      if (!name.endsWith('.test.ts')) continue
      const path = join(folder, name)
      if ((await readFile(join(root, path), 'utf8')).includes("from 'fast-check'")) found.push(path)
    }
  }
  return found.sort()
}

const hour = 3_600_000
const vitest = (files) => [
  process.execPath,
  installed('vitest', 'vitest.mjs'),
  'run',
  ...files,
  `--testTimeout=${6 * hour}`,
  '--reporter=default',
]

const list = [
  { name: 'kills', command: vitest(['test/sqlite-kill']), env: { MNEME_KILL_ROUNDS: '2000' } },
  { name: 'fuzz', command: vitest(await propertyTests()), env: { MNEME_FUZZ_RUNS: '20000' } },
]

const shown = (command) =>
  command.map((word) => word.replace(process.execPath, 'node').replace(`${root}/`, '')).join(' ')

function selected(args) {
  if (args.length === 0) return list
  const names = args[0] === '--only' && args.length === 2 ? args[1].split(',') : []
  const found = list.filter(({ name }) => names.includes(name))
  if (found.length === 0 || found.length !== names.length) {
    console.error(`Usage: npm run soak [-- --only NAME,…] with the names ${list.map(({ name }) => name).join(', ')}`)
    process.exit(2)
  }
  return found
}

const lines = []
let failed = 0
const chosen = selected(process.argv.slice(2))
for (const { name, command, env } of chosen) {
  console.log(`\n== ${name}`)
  const start = performance.now()
  const { code } = await run(command, { show: true, env, seconds: (12 * hour) / 1000 })
  const minutes = ((performance.now() - start) / 60_000).toFixed(1)
  if (code !== 0) failed += 1
  const settings = Object.entries(env).map(([key, value]) => `${key}=${value}`)
  lines.push(
    `| ${name} | ${code === 0 ? 'passed' : `FAILED (${code})`} | ${minutes} min | \`${[...settings, shown(command)].join(' ')}\` |`,
  )
}

const date = new Date().toISOString().slice(0, 10)
const commit = (await run(['git', 'rev-parse', '--short', 'HEAD'])).stdout.trim() || 'unknown'
const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB`
const report = `# Soak, ${date}

Commit ${commit}, Node ${process.version}, ${process.platform} ${process.arch}, ${machine}. Made by \`npm run soak\`.

| What | Outcome | Time | Command |
| --- | --- | --- | --- |
${lines.join('\n')}
`
const folder = join(root, 'bench', 'results')
await mkdir(folder, { recursive: true })
const path = join(folder, `soak-${date}.md`)
await writeFile(path, report)
console.log(`\n${report}\nwritten to ${path}`)
console.log(`${chosen.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
