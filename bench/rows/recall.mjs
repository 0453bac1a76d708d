// The vector stage against comparing every vector, in the state in which searches are timed. A search for ten asks it for its 200
// nearest; so does one for 200.

import { readQuestions } from '../dataset.mjs'
import { settle } from '../measure.mjs'
import { indexOf, openAt } from '../store-file.mjs'
import { cosinesOf, recallAt10, truthOf } from '../truth.mjs'

const width = 200

export async function measure({ mneme, embedder, data, dataKey, size, store }) {
  const memory = await openAt(mneme, store.all, size)
  const { questions, vectors, best } = await truthOf({ folder: data, key: dataKey, size, embedder })
  const { warm } = await readQuestions(data)
  await settle(size, warm, (question) => memory.search(question, { allScopes: true, limit: 10, touch: false }))
  const seen = []
  for (const [q, question] of questions.entries()) {
    const options = { allScopes: true, mode: 'vector', limit: width, vector: vectors[q], touch: false }
    const { results } = await memory.search(question, options)
    seen.push(results.map(({ id }) => indexOf(id)))
  }
  await memory.close()
  // The ranking looks at more than cosines, so the stage's own order is made again.
  const cosines = cosinesOf(data, size, seen, vectors)
  const nearest = seen.map((records, q) => records.toSorted((a, b) => cosines[q].get(b) - cosines[q].get(a)))
  return { recall: recallAt10(nearest, cosines, best), questions: questions.length }
}
