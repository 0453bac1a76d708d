import { createHash } from 'node:crypto'
import { join } from 'node:path'

const user = 'bench'

/** The store that mem0 takes when none is named. `mem0-search` asks it through Memory.search, as its users do. */
export function create({ require, folder, dimensions, name }) {
  const { Memory, MemoryVectorStore } = require('mem0ai/oss')
  const config = { collectionName: 'memories', dimension: dimensions, dbPath: join(folder, 'vectors.db') }
  const store = new MemoryVectorStore(config)
  let asked
  // Its models are given but never called: what is embedded was embedded before, and nothing is extracted.
  const embeddings = {
    embedQuery: async () => asked,
    embedDocuments: async (texts) => texts.map(() => asked),
  }
  const memory =
    name === 'mem0-search' &&
    new Memory({
      embedder: { provider: 'langchain', config: { model: embeddings } },
      llm: { provider: 'langchain', config: { model: { invoke: () => Promise.reject(new Error('no model')) } } },
      vectorStore: { provider: 'memory', config },
      disableHistory: true,
    })
  const payload = (content) => ({
    data: content,
    hash: createHash('md5').update(content).digest('hex'),
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    textLemmatized: content.toLowerCase(),
    user_id: user,
  })
  return {
    onDisk: true,
    insert: ({ ids, texts, vectors }) =>
      store.insert(
        vectors.map((vector) => Array.from(vector)),
        ids,
        texts.map(payload),
      ),
    async search(vector, text, k) {
      asked = Array.from(vector)
      if (!memory) return (await store.search(asked, k, { user_id: user })).map(({ id }) => id)
      const { results } = await memory.search(text, { topK: k, filters: { user_id: user } })
      return results.map(({ id }) => id)
    },
  }
}
