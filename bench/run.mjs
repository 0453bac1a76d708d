// npm run bench: speed, memory and size at several numbers of records, each measurement in a process of its own.
//
//   npm run bench                                              all rows, 1k to 1M records, 3 runs each
//   npm run bench -- --sizes 1000,10000 --rows search,add      some of it; other results of the same day stay
//   npm run bench -- --peers                                   also beside what one would take instead (installs them)
//   npm run bench -- --resume                                  go on where the last run stopped, with its build and its data
//
// Results are written after every measurement: <out>/<date>-bench.json, .md and growth.svg. Exit code 1 when one failed.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { root, run } from '../scripts/run-command.mjs'
import { prepareData } from './dataset.mjs'
import { growth } from './growth.mjs'
import { describeMachine, machine } from './machine.mjs'
import { install, peerEnvironment, peerNames, peerOf } from './peers/index.mjs'
import { report } from './report.mjs'
import { rows } from './rows/index.mjs'
import { snapshot } from './snapshot.mjs'
import { nameOf, summarise } from './statistics.mjs'
import { pathsOf } from './store-file.mjs'
import { judge } from './targets.mjs'

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000,1000000' },
    rows: { type: 'string', default: Object.keys(rows).join(',') },
    peers: { type: 'boolean', default: false },
    only: { type: 'string', default: peerNames.join(',') },
    runs: { type: 'string', default: '3' },
    out: { type: 'string', default: join('bench', 'results') },
    cache: { type: 'string', default: join('.cache', 'bench') },
    minutes: { type: 'string', default: '120' },
    resume: { type: 'boolean', default: false },
  },
})

function refuse(message) {
  console.error(message)
  process.exit(2)
}
const list = (text) => text.split(',').filter(Boolean)
const positive = (name, text) => {
  const number = Number(text)
  return Number.isInteger(number) && number > 0 ? number : refuse(`--${name}: ${text} is no whole number above 0`)
}
const sizes = list(options.sizes)
  .map((text) => positive('sizes', text))
  .sort((a, b) => a - b)
const runs = positive('runs', options.runs)
const minutes = positive('minutes', options.minutes)
for (const name of list(options.rows))
  if (!rows[name]) refuse(`--rows: ${name} is none of ${Object.keys(rows).join(', ')}`)
for (const name of list(options.only)) if (!peerOf(name)) refuse(`--only: ${name} is none of ${peerNames.join(', ')}`)
if (sizes.length === 0) refuse('--sizes: at least one')

const cache = resolve(root, options.cache)
const out = resolve(root, options.out)
const dataFolder = join(cache, 'data')
const peersFolder = resolve(root, '.cache', 'bench-peers')
const say = (text) => console.log(text)

/** Everything to measure, small sizes first: what is wrong shows early. */
function plan() {
  const chosen = list(options.rows)
  const tasks = []
  for (const row of chosen.filter((name) => rows[name].once)) tasks.push({ row, size: 0 })
  for (const size of sizes) {
    for (const row of chosen.filter((name) => !rows[name].once)) {
      if (size > (rows[row].largest ?? size)) continue
      for (const variant of rows[row].variants ?? [undefined]) tasks.push({ row, size, ...(variant && { variant }) })
    }
    for (const variant of options.peers ? list(options.only) : []) {
      if (size <= peerOf(variant).largest) tasks.push({ row: 'peer', size, variant })
    }
  }
  return tasks.flatMap((task) => Array.from({ length: runs }, (_, i) => ({ ...task, run: i + 1 })))
}

const sameTask = (a, b) => nameOf(a) === nameOf(b) && a.size === b.size && a.run === b.run

async function readResults(date) {
  await mkdir(out, { recursive: true })
  const files = (await readdir(out)).filter((name) => /^\d{4}-\d\d-\d\d-bench\.json$/.test(name)).sort()
  const name = options.resume ? files.at(-1) : files.find((file) => file.startsWith(date))
  return name ? JSON.parse(await readFile(join(out, name), 'utf8')) : null
}

async function writeResults(results) {
  const put = async (name, text) => {
    await writeFile(join(out, `${name}.new`), text)
    await rename(join(out, `${name}.new`), join(out, name))
  }
  const summary = summarise(results.measurements)
  const json = { ...results, targets: judge(summary), summary }
  await put(`${results.date}-bench.json`, `${JSON.stringify(json, null, 1)}\n`)
  await put(`${results.date}-bench.md`, report(results))
  await put('growth.svg', growth(summary, `${describeMachine(results.machine)}, ${results.date}`))
}

/** A network of its own, with nothing in it, where the system lets us have one. */
let alone
async function networkless() {
  alone ??= (await run(['unshare', '-rn', 'true'])).code === 0 ? ['unshare', '-rn'] : []
  return alone
}

/** Runs a measurement in a process of its own. @returns its values, or the error */
async function measure(task) {
  const isPeer = task.row === 'peer'
  const command = [...(isPeer ? await networkless() : []), process.execPath]
  const flags = task.row === 'open' ? ['--expose-gc'] : []
  const environment = isPeer ? peerEnvironment(join(cache, 'peer-home')) : {}
  const child = spawn(
    command[0],
    [...command.slice(1), ...flags, fileURLToPath(new URL('child.mjs', import.meta.url)), JSON.stringify(task)],
    { cwd: cache, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  )
  let answer
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-2000)
    })
  }
  child.on('message', (message) => {
    answer = message
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), minutes * 60_000)
  const stop = () => child.kill('SIGKILL')
  process.once('exit', stop)
  const code = await new Promise((settle) => {
    child.on('error', (error) => {
      output += error.message
      settle(127)
    })
    child.on('close', (status, signal) => settle(status ?? signal))
  })
  clearTimeout(timer)
  process.off('exit', stop)
  return answer ?? { error: `ended with ${code}: ${output.trim().replaceAll(root, '.')}` }
}

const shownValues = (values) =>
  Object.entries(values)
    .slice(0, 4)
    .map(([key, value]) => `${key} ${Number(value.toPrecision(3))}`)
    .join(', ')

process.on('SIGINT', () => process.exit(130))
/** The commit, and whether the sources are as committed. */
async function commit() {
  const name = (await run(['git', 'rev-parse', '--short', 'HEAD'])).stdout.trim() || 'unknown'
  const changed = (await run(['git', 'status', '--porcelain', '--', 'src'])).stdout.trim() !== ''
  return changed ? `${name} with changes` : name
}

const date = new Date().toISOString().slice(0, 10)
const earlier = await readResults(date)
await mkdir(join(cache, 'peer-home'), { recursive: true })
const { folder: packageFolder, build } = await snapshot({ root, cache, keep: options.resume })
const { staticEn256 } = await import(pathToFileURL(join(packageFolder, 'dist', 'index.js')).href)
const dataKey = await prepareData({
  root,
  folder: dataFolder,
  size: sizes.at(-1),
  embedder: staticEn256(),
  keep: options.resume,
  say,
})
const storeKey = `${build}-${dataKey.slice(0, 6)}`
// Stores of earlier builds and data are never read again, and those of a million records are large.
for (const name of await readdir(cache)) {
  const isStale = name.startsWith('store-') && !name.startsWith(`store-${storeKey}-`)
  // A killed measurement leaves its folder.
  if (isStale || name.startsWith('mneme-bench-')) await rm(join(cache, name), { recursive: true })
}
const results = {
  date: options.resume && earlier ? earlier.date : date,
  machine: machine(),
  commit: await commit(),
  data: dataKey,
  measurements: earlier?.measurements ?? [],
}

/** Measures and keeps what came out, in place of what was there. */
async function record(task, label) {
  const { row, size, variant, run: number } = task
  const identity = { row, size, ...(variant && { variant }), run: number }
  const store = pathsOf(cache, storeKey, size)
  const load = Number(loadavg()[0].toFixed(2))
  const start = performance.now()
  const answer = await measure({
    ...task,
    store,
    packageFolder,
    data: dataFolder,
    dataKey,
    peersFolder,
    temporary: cache,
  })
  const seconds = Number(((performance.now() - start) / 1000).toFixed(1))
  const error = answer.error?.replaceAll(root, '.')
  say(`${label}  ${seconds} s  ${error ? `FAILED: ${error.split('\n')[0]}` : shownValues(answer.values)}`)
  const kept = results.measurements.filter((one) => !sameTask(one, identity))
  const measurement = { ...identity, ...(error ? { error } : { values: answer.values }), seconds, load, build }
  results.measurements = [...kept, measurement]
  await writeResults(results)
}

const tasks = plan()
const isDone = (task) => results.measurements.some((one) => sameTask(one, task) && one.values)
const unavailable = new Map()
let failed = 0
for (const [i, task] of tasks.entries()) {
  const { row, size, variant, run: number } = task
  const label = `[${i + 1}/${tasks.length}] ${nameOf(task)}${size ? ` ${size}` : ''}, run ${number}/${runs}`
  if (options.resume && isDone(task)) continue
  const missing = size > 0 && !existsSync(pathsOf(cache, storeKey, size).all)
  if (missing) await record({ row: 'build', size, run: 1, keep: true }, `${label}: its store first`)
  if (missing && row === 'build' && number === 1) continue
  if (row === 'peer') {
    if (!unavailable.has(variant)) unavailable.set(variant, await install(variant, peersFolder))
    const reason = unavailable.get(variant)
    if (reason) {
      say(`${label}  NOT MEASURED: ${reason}`)
      results.measurements = results.measurements.filter((one) => !sameTask(one, task))
      results.measurements.push({ ...task, error: reason, seconds: 0, load: 0, build })
      await writeResults(results)
      continue
    }
  }
  await record(task, label)
}
failed = tasks.filter((task) => results.measurements.some((one) => sameTask(one, task) && one.error)).length
await writeResults(results)
const judged = judge(summarise(results.measurements))
const count = (met) => judged.filter((one) => one.figure && one.met === met).length
say(
  `\n${join(options.out, `${results.date}-bench.md`)}: ${count(true)} targets met, ${count(false)} not met, ${judged.filter((one) => !one.figure).length} not measured`,
)
say(`${tasks.length - failed} measured, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
