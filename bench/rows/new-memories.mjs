import { readData } from '../dataset.mjs'

/** Texts of the data with a word more, so that none is there already; with their vectors where asked for. */
export async function newMemories({ data, size, embedder, count, vectors }) {
  const made = []
  for (let round = 1; made.length < count; round++) {
    for await (const { texts } of readData(data, Math.min(size, count))) {
      for (const text of texts) made.push({ content: `${text} again${round}`, kind: 'episodic' })
    }
  }
  const memories = made.slice(0, count)
  if (!vectors) return memories
  const embedded = await embedder.embed(
    memories.map(({ content }) => content),
    { purpose: 'document' },
  )
  return memories.map((memory, i) => ({ ...memory, vector: embedded[i] }))
}
