// Single adds, one after the other, each durable when it resolves, on top of a store of the size.
// given: the vector comes with the memory; none: an engine without embedder; built-in: the engine embeds.
import { quantile, timed, timeEach } from '../measure.mjs'
import { copyOf, openAt } from '../store-file.mjs'
import { newMemories } from './new-memories.mjs'

const most = 2000
const warm = 300
const scope = { userId: 'writer' }

export async function measure({ mneme, embedder, data, size, folder, store, variant }) {
  const count = Math.min(most, size)
  const path = await copyOf(store.all, folder)
  const memory = await openAt(mneme, path, size, variant === 'none' ? { embedder: false } : {})
  const memories = await newMemories({ data, size, embedder, count: count + warm, vectors: variant === 'given' })
  for (const one of memories.slice(0, warm)) await memory.add(one, { scope })
  let times
  // By the clock, so that nothing that an add leaves for later is left out.
  const total = await timed(async () => {
    times = await timeEach(memories.slice(warm), (one) => memory.add(one, { scope }))
  })
  await memory.close()
  return {
    rate: times.length / (total / 1000),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    longest: Math.max(...times),
  }
}
