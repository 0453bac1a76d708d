// The verb `import`: an export, without vectors or with them, read from a file into a new store. A timer in the same process
// watches the loop.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { timed, watchingLoop } from '../measure.mjs'
import { momentAfter, openAt } from '../store-file.mjs'

/** @param vectors whether they are in the file; otherwise the texts are embedded */
export async function measureImport({ mneme, size, folder, store }, vectors) {
  const lines = join(folder, 'export.jsonl')
  const source = await openAt(mneme, store.all, size)
  await source.exportToFile(lines, { allScopes: true, vectors })
  await source.close()
  const memory = await mneme.openMemory({ path: join(folder, 'imported.db'), clock: () => momentAfter(size) })
  let imported = 0
  const { value: milliseconds, loop } = await watchingLoop(() =>
    timed(async () => {
      imported = (await memory.import({ path: lines }, { allScopes: true })).imported
    }),
  )
  await memory.close()
  await rm(lines)
  const peakBytes = process.resourceUsage().maxRSS * 1024
  if (imported !== size) throw new Error(`${imported} of ${size} records were imported`)
  return {
    rate: size / (milliseconds / 1000),
    loopP50: loop.p50,
    loopP99: loop.p99,
    loopLongest: loop.longest,
    peakBytes,
  }
}

export const measure = (given) => measureImport(given, false)
