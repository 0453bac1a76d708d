// `import 'mneme'` in a new process, beside the same process without it.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runOrThrow } from '../../scripts/run-command.mjs'
import { median } from '../measure.mjs'

export async function measure({ packageFolder, folder }) {
  const entry = pathToFileURL(join(packageFolder, 'dist', 'index.js')).href
  const program = `const s = performance.now(); await import(${JSON.stringify(entry)}); console.log(performance.now() - s)`
  const times = []
  for (let round = 0; round < 11; round++) {
    const { stdout } = await runOrThrow([process.execPath, '--input-type=module', '-e', program], { cwd: folder })
    times.push(Number(stdout))
  }
  return { p50: median(times), fastest: Math.min(...times) }
}
