const namespace = ['bench']

export function create({ require, dimensions }) {
  const { InMemoryStore } = require('@langchain/langgraph-checkpoint')
  let given = new Map()
  const embeddings = {
    embedQuery: async (text) => given.get(text),
    embedDocuments: async (texts) => texts.map((text) => given.get(text)),
  }
  const store = new InMemoryStore({ index: { dims: dimensions, embeddings, fields: ['text'] } })
  return {
    async insert({ ids, texts, vectors }) {
      given = new Map(texts.map((text, i) => [text, Array.from(vectors[i])]))
      await store.batch(ids.map((key, i) => ({ namespace, key, value: { text: texts[i] } })))
    },
    async search(vector, query, limit) {
      given = new Map([[query, Array.from(vector)]])
      return (await store.search(namespace, { query, limit })).map(({ key }) => key)
    },
  }
}
