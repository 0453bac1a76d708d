// Which vectors are nearest, by comparing every one: what recall is measured against.
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dimensions, readQuestions, readVectors } from './dataset.mjs'

const asked = 100
export const depth = 10
/** Two sums of float32 in another order differ by less: such neighbours are equally near. */
const tolerance = 1e-6

export function dot(query, rows, row) {
  const start = row * dimensions
  let [a, b, c, d] = [0, 0, 0, 0]
  for (let i = 0; i < dimensions; i += 4) {
    a += query[i] * rows[start + i]
    b += query[i + 1] * rows[start + i + 1]
    c += query[i + 2] * rows[start + i + 2]
    d += query[i + 3] * rows[start + i + 3]
  }
  return a + b + c + d
}

/** The best so far, best first. */
export function createBest(count) {
  const items = []
  const scores = []
  return {
    items,
    scores,
    floor: () => (items.length < count ? Number.NEGATIVE_INFINITY : scores[count - 1]),
    offer(item, score) {
      if (items.length === count && score <= scores[count - 1]) return
      let place = items.length
      while (place > 0 && scores[place - 1] < score) place--
      items.splice(place, 0, item)
      scores.splice(place, 0, score)
      if (items.length > count) {
        items.pop()
        scores.pop()
      }
    },
  }
}

/** Questions with their vectors and the cosines of their ten nearest records, kept in a file beside the data. */
export async function truthOf({ folder, key, size, embedder }) {
  const path = join(folder, `truth-${size}.json`)
  const { timed } = await readQuestions(folder)
  const questions = timed.slice(0, asked)
  const vectors = await embedder.embed(questions, { purpose: 'query' })
  const kept = existsSync(path) ? JSON.parse(await readFile(path, 'utf8')) : null
  if (kept?.key === key) return { questions, vectors, best: kept.best }
  const bests = vectors.map(() => createBest(depth))
  for (const { first, rows } of readVectors(folder, size)) {
    const count = rows.length / dimensions
    vectors.forEach((vector, q) => {
      const best = bests[q]
      let floor = best.floor()
      for (let row = 0; row < count; row++) {
        const cosine = dot(vector, rows, row)
        if (cosine <= floor) continue
        best.offer(first + row, cosine)
        floor = best.floor()
      }
    })
  }
  const best = bests.map(({ items, scores }) => ({ items, scores }))
  await writeFile(path, JSON.stringify({ key, best }))
  return { questions, vectors, best }
}

/** Cosines of the given records with a question's vector. */
export function cosinesOf(folder, size, found, vectors) {
  const wanted = new Map()
  found.forEach((records, q) => {
    for (const record of records) wanted.set(record, [...(wanted.get(record) ?? []), q])
  })
  const cosines = found.map(() => new Map())
  for (const { first, rows } of readVectors(folder, size)) {
    for (let row = 0; row < rows.length / dimensions; row++) {
      for (const q of wanted.get(first + row) ?? []) cosines[q].set(first + row, dot(vectors[q], rows, row))
    }
  }
  return cosines
}

/** Share of the ten nearest among what was found, averaged over the questions; equally near ones count as found. */
export function recallAt10(found, cosines, best) {
  const shares = found.map((records, q) => {
    const needed = best[q].scores.at(-1) - tolerance
    const near = records.slice(0, depth).filter((record) => cosines[q].get(record) >= needed)
    return near.length / best[q].scores.length
  })
  return shares.reduce((sum, share) => sum + share, 0) / shares.length
}
