// addMany of a thousand a call, on top of a store of the size. The variants are those of `add`.
import { timed, timeEach } from '../measure.mjs'
import { copyOf, openAt } from '../store-file.mjs'
import { newMemories } from './new-memories.mjs'

const perCall = 1000
const calls = 12
const scope = { userId: 'writer' }

export async function measure({ mneme, embedder, data, size, folder, store, variant }) {
  const path = await copyOf(store.all, folder)
  const memory = await openAt(mneme, path, size, variant === 'none' ? { embedder: false } : {})
  const memories = await newMemories({ data, size, embedder, count: perCall * calls, vectors: variant === 'given' })
  const groups = Array.from({ length: calls }, (_, i) => memories.slice(i * perCall, (i + 1) * perCall))
  const add = (group) => memory.addMany(group, { scope })
  // The first two warm up the engine.
  await timeEach(groups.slice(0, 2), add)
  let counted
  // By the clock, so that nothing that a call leaves for later is left out.
  const total = await timed(async () => {
    counted = await timeEach(groups.slice(2), add)
  })
  await memory.close()
  return {
    rate: (perCall * counted.length) / (total / 1000),
    fastestCall: Math.min(...counted),
    slowestCall: Math.max(...counted),
  }
}
