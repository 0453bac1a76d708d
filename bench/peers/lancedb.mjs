/** `lancedb` as it comes, `lancedb-hnsw` and `lancedb-ivf` with an index, asked as its pages advise for recall. */
export async function create({ require, folder, name }) {
  const { connect, Index } = require('@lancedb/lancedb')
  const db = await connect(folder)
  let table
  // What a memory is asked for; without it the vectors come along too, and take their time.
  const columns = ['id', 'text', '_distance']
  const kinds = {
    lancedb: { tuned: (query) => query },
    'lancedb-hnsw': {
      index: () => Index.hnswSq({ distanceType: 'cosine' }),
      tuned: (query) => query.ef(100).refineFactor(5),
    },
    'lancedb-ivf': {
      index: () => Index.ivfPq({ distanceType: 'cosine' }),
      tuned: (query) => query.nprobes(20).refineFactor(10),
    },
  }
  const { index, tuned } = kinds[name]
  return {
    onDisk: true,
    async insert({ ids, texts, vectors }) {
      const rows = ids.map((id, i) => ({ id, text: texts[i], vector: Array.from(vectors[i]) }))
      if (table) await table.add(rows)
      else table = await db.createTable('memories', rows)
    },
    async finish() {
      await table.optimize()
      if (index) await table.createIndex('vector', { config: index() })
    },
    async search(vector, _text, k) {
      const found = await tuned(
        table.search(Array.from(vector)).distanceType('cosine').select(columns).limit(k),
      ).toArray()
      return found.map(({ id }) => id)
    },
    close: () => db.close(),
  }
}
