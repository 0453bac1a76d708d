// Everything of one user of 3,000 records, in a store of the size that has just been searched.
import { median, timed } from '../measure.mjs'
import { copyOf, openAt } from '../store-file.mjs'
import { newMemories } from './new-memories.mjs'

const most = 3000
const scope = { userId: 'leaving' }

export async function measure({ mneme, embedder, data, size, folder, store }) {
  const count = Math.min(most, size)
  const memory = await openAt(mneme, await copyOf(store.all, folder), size)
  const memories = await newMemories({ data, size, embedder, count, vectors: true })
  const times = []
  for (let round = 0; round < 3; round++) {
    for (let first = 0; first < count; first += 1000)
      await memory.addMany(memories.slice(first, first + 1000), { scope })
    await memory.search('who was there?', { scope })
    let deleted = 0
    times.push(
      await timed(async () => {
        deleted = (await memory.deleteMany({ filter: {} }, { scope })).deleted
      }),
    )
    if (deleted !== count) throw new Error(`${deleted} of ${count} were deleted`)
  }
  await memory.close()
  return { time: median(times), longest: Math.max(...times) }
}
