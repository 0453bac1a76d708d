// An existing file opened by a new process: time to the answer of the first search, and the memory it settles at.
import { readQuestions } from '../dataset.mjs'
import { timed as time } from '../measure.mjs'
import { bytesOf, openAt } from '../store-file.mjs'

export async function measure({ mneme, data, size, store }) {
  const { warm, timed } = await readQuestions(data)
  const options = { allScopes: true, limit: 10 }
  let memory
  const firstSearch = await time(async () => {
    memory = await openAt(mneme, store.all, size)
    await memory.search(warm[0], options)
  })
  for (const question of timed.slice(0, 50)) await memory.search(question, options)
  globalThis.gc?.()
  const residentBytes = process.memoryUsage.rss()
  const peakBytes = process.resourceUsage().maxRSS * 1024
  await memory.close()
  return { firstSearch, residentBytes, peakBytes, fileBytes: await bytesOf(store.all) }
}
