// npm test: everything that must hold, in the order in which it can break. Node only, so that it runs in a clean clone.
//
//   npm test                          all steps
//   npm test -- --only vitest,fences  some of them (build first when examples, fences or pack need a new dist)
//
// A failed step does not stop the next ones, except that nothing can run before the installation. The last line is
// `N passed, N failed`: every test, example, fence and pack check, and one for each of install, build, lint and types.
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { runFences } from './fences.mjs'
import { packChecks } from './pack-check.mjs'
import { createChecks, installed, npm, root, run } from './run-command.mjs'

const node24Version = '24.21.0'

/** Whether node_modules holds what the lock file says, so that a new clone and a changed lock file install themselves. */
async function isInstalled() {
  if (!existsSync(installed('.package-lock.json'))) return false
  const read = async (path) => JSON.parse(await readFile(path, 'utf8')).packages
  const wanted = await read(join(root, 'package-lock.json'))
  const present = await read(installed('.package-lock.json'))
  return Object.entries(wanted).every(
    ([path, entry]) => path === '' || entry.optional || present[path]?.version === entry.version,
  )
}

const oneCheck = (code) => ({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 })
const show = async (command, options) => oneCheck((await run(command, { show: true, ...options })).code)

async function install() {
  if (await isInstalled()) {
    console.log('node_modules is as package-lock.json says')
    return { passed: 1, failed: 0 }
  }
  return await show([...npm, 'ci', '--no-audit', '--no-fund'])
}

const build = () => show([process.execPath, join(root, 'scripts', 'build.mjs')])

const lint = () =>
  show([process.execPath, installed('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.'])
const types = () => show([process.execPath, installed('typescript', 'bin', 'tsc'), '-p', 'tsconfig.json'])

/** Runs vitest with the given Node and counts tests; a file that can't be loaded counts as one failure. */
async function runVitest(node, filters, env = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-vitest-'))
  const file = join(folder, 'report.json')
  try {
    const { code } = await run(
      [
        node,
        installed('vitest', 'vitest.mjs'),
        'run',
        ...filters,
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${file}`,
      ],
      { show: true, seconds: 1200, env },
    )
    if (!existsSync(file)) return { passed: 0, failed: 1 }
    const report = JSON.parse(await readFile(file, 'utf8'))
    const unloaded = report.testResults.filter((one) => one.status === 'failed' && one.assertionResults.length === 0)
    const failed = report.numFailedTests + unloaded.length
    // A rejection outside of every test fails the run without failing a test.
    return { passed: report.numPassedTests, failed: code !== 0 && failed === 0 ? 1 : failed }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const vitest = () => runVitest(process.execPath, [])

/** The SQLite store a second time, on Node 24 and its built-in driver. Kept out of node_modules: its bin would be `node`. */
async function node24() {
  const folder = join(root, '.cache', 'node24')
  const node = join(folder, 'node_modules', 'node', 'bin', 'node')
  const version = async () => (existsSync(node) ? (await run([node, '--version'])).output.trim() : 'missing')
  if ((await version()) !== `v${node24Version}`) {
    const { output } = await run([
      ...npm,
      'install',
      '--prefix',
      folder,
      '--no-save',
      '--no-audit',
      '--no-fund',
      `node@${node24Version}`,
    ])
    if ((await version()) !== `v${node24Version}`) {
      console.log(output)
      console.log(`NOT RUN: Node ${node24Version} could not be installed, so the built-in node:sqlite was not tested.`)
      return process.env.CI ? { passed: 0, failed: 1 } : { passed: 0, failed: 0 }
    }
  }
  return await runVitest(node, ['src/stores/memory', 'src/stores/sqlite', 'test/sqlite-'])
}

/** Every file of examples/ as a program of its own, in an empty folder that is also its home. */
async function examples() {
  const { check, counts } = createChecks()
  const folder = join(root, 'examples')
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.mjs')).sort()) {
    await check(`examples/${name}`, async () => {
      const cwd = await mkdtemp(join(tmpdir(), `mneme-${basename(name, '.mjs')}-`))
      try {
        const { code, output } = await run([process.execPath, join(folder, name)], {
          cwd,
          env: { HOME: cwd },
          seconds: 60,
        })
        if (code !== 0) throw new Error(`ended with ${code}\n${output}`)
      } finally {
        await rm(cwd, { recursive: true, force: true })
      }
    })
  }
  return counts
}

const steps = { install, build, lint, types, vitest, node24, examples, fences: runFences, pack: packChecks }

function selectedSteps(args) {
  if (args.length === 0) return Object.keys(steps)
  const names = args[0] === '--only' && args.length === 2 ? args[1].split(',') : []
  if (names.length === 0 || names.some((name) => !Object.hasOwn(steps, name))) {
    console.error(`Usage: npm test [-- --only STEP,…] with the steps ${Object.keys(steps).join(', ')}`)
    process.exit(2)
  }
  return names
}

const total = { passed: 0, failed: 0 }
const summary = []
const start = performance.now()
for (const name of selectedSteps(process.argv.slice(2))) {
  console.log(`\n== ${name}`)
  const stepStart = performance.now()
  const counts = await steps[name]().catch((error) => {
    console.log(error)
    return { passed: 0, failed: 1 }
  })
  const seconds = ((performance.now() - stepStart) / 1000).toFixed(1)
  total.passed += counts.passed
  total.failed += counts.failed
  summary.push(`${name.padEnd(9)} ${seconds.padStart(6)} s  ${counts.passed} passed, ${counts.failed} failed`)
  console.log(`-- ${name}: ${counts.failed === 0 ? 'ok' : 'FAILED'}, ${seconds} s`)
  if (name === 'install' && counts.failed > 0) break
}
console.log(
  `\nNode ${process.version}, ${((performance.now() - start) / 1000).toFixed(0)} s in all\n${summary.join('\n')}\n`,
)
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed > 0 ? 1 : 0
