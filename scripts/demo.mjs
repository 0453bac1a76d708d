// npm run demo: installs and builds when that is needed, then runs demo/run-demo.mjs. Node only, for a clean clone.
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { installed, npm, root, run } from './run-command.mjs'

const built = join(root, 'dist', 'index.js')

async function orExit(what, command) {
  process.stdout.write(`${what} …\n`)
  const { code, output } = await run(command)
  if (code === 0) return
  process.stderr.write(output)
  process.exit(code)
}

/** True when a source file is newer than the build. */
async function isOutdated() {
  if (!existsSync(built)) return true
  const { mtimeMs } = await stat(built)
  const names = await readdir(join(root, 'src'), { recursive: true })
  const sources = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const times = await Promise.all(sources.map(async (name) => (await stat(join(root, 'src', name))).mtimeMs))
  return times.some((time) => time > mtimeMs)
}

if (!existsSync(installed('.package-lock.json'))) await orExit('Installing', [...npm, 'ci', '--no-audit', '--no-fund'])
if (await isOutdated()) await orExit('Building', [process.execPath, join(root, 'scripts', 'build.mjs')])

const { code } = await run([process.execPath, join(root, 'demo', 'run-demo.mjs')], { show: true, cwd: process.cwd() })
process.exitCode = code
