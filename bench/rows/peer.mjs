// A peer and mneme in one process on the same vectors, asked in turns. The peer gets the vector of the question and answers from
// vectors alone; mneme answers the same by vectors alone, with all of them compared, and as it comes: from the text, with everything
// a search does.
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { dimensions, readData, readQuestions } from '../dataset.mjs'
import { median, settle, summary, timed } from '../measure.mjs'
import { load } from '../peers/index.mjs'
import { indexOf, openAt } from '../store-file.mjs'
import { cosinesOf, depth, recallAt10, truthOf } from '../truth.mjs'
import { sizeOf } from './install.mjs'

const seconds = 90
const leastPairs = 10

export async function measure({ mneme, embedder, data, dataKey, size, folder, store, variant, peersFolder, blocked }) {
  const { questions, vectors, best } = await truthOf({ folder: data, key: dataKey, size, embedder })
  const peer = await load(variant, { peersFolder, folder: join(folder, 'peer'), dimensions, size })
  let insertTime = 0
  for await (const { first, texts, vectors: rows } of readData(data, size)) {
    const ids = texts.map((_, i) => String(first + i))
    insertTime += await timed(() => peer.insert({ ids, texts, vectors: rows }))
  }
  const finishTime = await timed(() => peer.finish?.())

  const memory = await openAt(mneme, store.all, size)
  const options = { allScopes: true, limit: depth }
  const nearest = (question, vector, more) => memory.search(question, { ...options, mode: 'vector', vector, ...more })
  const sides = {
    peer: (question, vector) => peer.search(vector, question, depth),
    vector: (question, vector) => nearest(question, vector),
    exact: (question, vector) => nearest(question, vector, { exact: true }),
    hybrid: (question) => memory.search(question, options),
  }
  const names = Object.keys(sides)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  const found = []
  // Others than those that are timed: whoever remembers an answer gains nothing by it.
  const { warm } = await readQuestions(data)
  const warmVectors = await embedder.embed(warm, { purpose: 'query' })
  const places = warm.map((_, i) => i)
  for (const name of names) await settle(size, places, (i) => sides[name](warm[i], warmVectors[i]))
  const end = performance.now() + seconds * 1000
  for (let q = 0; q < questions.length && (q < leastPairs || performance.now() < end); q++) {
    for (const name of q % 2 === 0 ? names : names.toReversed()) {
      let answer
      times[name].push(
        await timed(async () => {
          answer = await sides[name](questions[q], vectors[q])
        }),
      )
      await setImmediate()
      if (name === 'peer') found.push(answer.map(Number))
    }
  }
  // Ranked by more than cosines, so what is compared is what the vector stage hands on.
  const wide = { vector: [], exact: [] }
  for (let q = 0; q < found.length; q++) {
    for (const [name, seen] of Object.entries(wide)) {
      const { results } = await nearest(questions[q], vectors[q], { limit: 200, exact: name === 'exact' })
      seen.push(results.map(({ id }) => indexOf(id)))
    }
  }
  await memory.close()
  await peer.close?.()

  const all = found.map((records, q) => [...records, ...wide.vector[q], ...wide.exact[q]])
  const cosines = cosinesOf(data, size, all, vectors)
  const recallOf = (records) =>
    recallAt10(
      records.map((one, q) => one.toSorted((a, b) => cosines[q].get(b) - cosines[q].get(a))),
      cosines,
      best,
    )
  const ratio = (name) => median(times.peer.map((time, i) => time / times[name][i]))
  const recall = recallAt10(found, cosines, best)
  const recallMneme = recallOf(wide.vector)
  return {
    peer: summary(times.peer).p50,
    vector: summary(times.vector).p50,
    exact: summary(times.exact).p50,
    hybrid: summary(times.hybrid).p50,
    ratioVector: ratio('vector'),
    // Of the ways that find no less than the peer does.
    ratioEqual: recallMneme >= recall ? Math.max(ratio('vector'), ratio('exact')) : ratio('exact'),
    ratioHybrid: ratio('hybrid'),
    recall,
    recallMneme,
    recallExact: recallOf(wide.exact),
    insertRate: size / (insertTime / 1000),
    finishSeconds: finishTime / 1000,
    bytes: peer.onDisk ? await sizeOf(join(folder, 'peer')) : 0,
    pairs: times.peer.length,
    blockedConnections: blocked(),
  }
}
