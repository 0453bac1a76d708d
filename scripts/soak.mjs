// npm run soak: the sizes that npm test has no time for. Writes what ran, how long and how it ended to bench/results.
//
//   npm run soak                    all of the list below
//   npm run soak -- --only kills    some of it
//   MNEME_KILL_ROUNDS=200 npm run soak    in other sizes: the variables are those of the list
//
// A failure prints its seed, and where it has rounds its round: the same environment variables with a smaller number repeat it.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { installed, root, run, runOrThrow } from './run-command.mjs'

/** Searches beside plain ones: slow and many, so they are an entry of their own. */
const searches = join('test', 'search-against-plain.test.ts')

/** The other test files that hold property tests. */
async function propertyTests() {
  const found = []
  for (const folder of ['src', 'test']) {
    for (const name of await readdir(join(root, folder), { recursive: true })) {
      const path = join(folder, name)
      if (!name.endsWith('.test.ts') || path === searches) continue
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

const setting = (name, usual) => ({ [name]: process.env[name] ?? usual })
const seed = setting('MNEME_FUZZ_SEED', String(1 + (Date.now() % 1_000_000)))
const list = [
  // Each time a new file and a new seed: every round looks at the whole file, so one file for all rounds would take for ever.
  { name: 'kills', command: vitest(['test/sqlite-kill']), env: setting('MNEME_KILL_ROUNDS', '50'), times: 40 },
  { name: 'fuzz', command: vitest(await propertyTests()), env: { ...setting('MNEME_FUZZ_RUNS', '5000'), ...seed } },
  // Every answer of so many random stores beside one that looks at every record: some twenty minutes.
  {
    name: 'search',
    command: vitest([searches]),
    env: { ...setting('MNEME_FUZZ_RUNS', '2500'), ...seed },
    keeps: /^compared with .*$/gm,
  },
  // What takes a graph server minutes: the whole suite over two tiers, and that the server ends and comes back.
  {
    name: 'servers',
    command: vitest(['src/stores/tiered/tiered-bolt', 'test/faults-servers', 'test/engines-differential']),
    env: { ...setting('MNEME_EVERY_CASE', '1'), ...setting('MNEME_FUZZ_RUNS', '600') },
  },
  {
    name: 'million',
    command: [process.execPath, join(root, 'scripts', 'soak-millions.mjs')],
    env: setting('MNEME_SOAK_RECORDS', '1000000'),
    figures: true,
  },
  {
    name: 'postgres',
    command: [process.execPath, join(root, 'scripts', 'soak-postgres.mjs')],
    env: setting('MNEME_SOAK_RECORDS', '1000000'),
    figures: true,
  },
]

const shown = (command) =>
  command
    .map((word) => word.replace(process.execPath, 'node').replace(`${root}/`, ''))
    .join(' ')
    .replace(/(?:\S+\.test\.ts ){2,}/, (files) => `(${files.trim().split(' ').length} files with property tests) `)

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
const figures = []
await runOrThrow([process.execPath, join(root, 'scripts', 'build.mjs')])
for (const { name, command, env, figures: hasFigures, keeps, times = 1 } of chosen) {
  console.log(`\n== ${name}`)
  const start = performance.now()
  let code = 0
  for (let time = 0; time < times && code === 0; time += 1) {
    const result = await run(command, { show: !(hasFigures || keeps), env, seconds: (12 * hour) / 1000 })
    code = result.code
    console.log(result.output)
    const kept = hasFigures ? result.output : (keeps ? (result.output.match(keeps) ?? []) : []).join('\n')
    if (kept !== '') figures.push(`\n\`\`\`text\n${kept.trim().replaceAll(root, '.')}\n\`\`\`\n`)
  }
  const minutes = ((performance.now() - start) / 60_000).toFixed(1)
  if (code !== 0) failed += 1
  const settings = Object.entries(env).map(([key, value]) => `${key}=${value}`)
  lines.push(
    `| ${name}${times > 1 ? `, ${times} times` : ''} | ${code === 0 ? 'passed' : `FAILED (${code})`} | ${minutes} min | \`${[...settings, shown(command)].join(' ')}\` |`,
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
${figures.join('')}`
const folder = join(root, 'bench', 'results')
await mkdir(folder, { recursive: true })
const part = chosen.length === list.length ? '' : `-${chosen.map(({ name }) => name).join('-')}`
const path = join(folder, `${date}-soak${part}.md`)
await writeFile(path, report)
console.log(`\n${report}\nwritten to ${path}`)
console.log(`${chosen.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
