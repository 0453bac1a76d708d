// The file of a size, written from nothing: what everything else reads. An addMany of about a thousand a call, vectors given.
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { removeDatabase, watchingLoop } from '../measure.mjs'
import { build, bytesOf, focus, openAt } from '../store-file.mjs'

export async function measure({ mneme, data, size, folder, store, keep }) {
  const path = keep ? `${store.all}.new` : join(folder, 'built.db')
  await removeDatabase(path)
  const { value, loop } = await watchingLoop(() => build(mneme, { folder: data, size, path }))
  const fileBytes = await bytesOf(path)
  const peakBytes = process.resourceUsage().maxRSS * 1024
  if (keep) {
    const alone = `${store.alone}.new`
    await removeDatabase(alone)
    await build(mneme, { folder: data, size, path: alone, only: focus.userId })
    // Whoever opens a file later finds it as it is in use: searched before, with what was kept for the next time.
    for (const file of [path, alone]) {
      const memory = await openAt(mneme, file, size)
      await memory.search('who was there?', { allScopes: true, touch: false })
      await memory.close()
    }
    await rename(alone, store.alone)
    await rename(path, store.all)
    // What a closed file leaves beside it is empty.
    for (const old of [alone, path]) await removeDatabase(old)
  }
  return {
    rate: value.records / (value.milliseconds / 1000),
    fileBytes,
    peakBytes,
    loopP99: loop.p99,
    loopLongest: loop.longest,
  }
}
