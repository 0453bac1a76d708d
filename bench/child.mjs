// One measurement in a process of its own: its parameters come as JSON, its figures go back as a message.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const task = JSON.parse(process.argv[2])
const from = (...path) => import(pathToFileURL(join(task.packageFolder, ...path)).href)

let blocked = () => 0
if (task.row === 'peer') ({ blocked } = await import('./peers/no-network.mjs'))

const folder = await mkdtemp(join(task.temporary ?? tmpdir(), 'mneme-bench-'))
try {
  const { measure } = await import(`./rows/${task.row}.mjs`)
  const values = await measure({
    ...task,
    folder,
    blocked,
    mneme: await from('dist', 'index.js'),
    plain: await from('bench', 'plain', 'code', 'engine.js'),
    embedder: (await from('dist', 'index.js')).staticEn256(),
  })
  process.send({ values })
} catch (error) {
  process.send({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
} finally {
  await rm(folder, { recursive: true, force: true })
}
// A peer may hold handles open.
process.disconnect()
setTimeout(() => process.exit(), 1000).unref()
