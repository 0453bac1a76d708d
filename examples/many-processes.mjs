// Several processes write the same file at once. Nothing is lost, and each sees what the others wrote at once.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openMemory } from 'mneme'

const writers = 3
const notes = 20
const scope = { userId: 'ann' }

/** What each of the other processes does. */
async function write(path, writer) {
  const memory = await openMemory({ path, scope })
  for (let note = 0; note < notes; note += 1) await memory.add(`Writer ${writer} made note number ${note}`)
  await memory.close()
}

async function main() {
  const folder = await mkdtemp(join(tmpdir(), 'many-processes-'))
  const path = join(folder, 'memory.db')
  const memory = await openMemory({ path, scope })
  await memory.add('The first process opened the file')

  const self = fileURLToPath(import.meta.url)
  const codes = await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const child = spawn(process.execPath, [self, path, String(writer)], { stdio: ['ignore', 'inherit', 'inherit'] })
      const [code] = await once(child, 'exit')
      return code
    }),
  )
  assert.deepEqual(codes, Array(writers).fill(0))

  // The process that was open all along finds what the others wrote.
  const { results } = await memory.search(`writer 2 note number ${notes - 1}`)
  assert.equal(results[0]?.content, `Writer 2 made note number ${notes - 1}`)
  assert.equal((await memory.stats()).live, 1 + writers * notes)
  assert.deepEqual(await memory.verify(), { ok: true, problems: [], checked: 1 + writers * notes })

  await memory.close()
  await rm(folder, { recursive: true })
  console.log(`${writers} processes wrote ${writers * notes} notes into one file`)
}

const [path, writer] = process.argv.slice(2)
await (path === undefined ? main() : write(path, writer))
