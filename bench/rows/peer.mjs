// A peer and mneme in one process on the same vectors, asked in turns. The peer gets the vector of the question and answers from
// vectors alone; mneme answers the same by vectors alone, and as it comes: from the text, with everything a search does.
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { dimensions, readData } from '../dataset.mjs'
import { median, summary, timed, warmUp } from '../measure.mjs'
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
  const sides = {
    peer: async (q) => (await peer.search(vectors[q], questions[q], depth)).map(Number),
    vector: async (q) => {
      const { results } = await memory.search(questions[q], { ...options, mode: 'vector', vector: vectors[q] })
      return results.map(({ id }) => indexOf(id))
    },
    hybrid: (q) => memory.search(questions[q], options),
  }
  const names = Object.keys(sides)
  const times = { peer: [], vector: [], hybrid: [] }
  const found = []
  const ask = async (name, q) => {
    let answer
    times[name].push(await timed(async () => (answer = await sides[name](q))))
    await setImmediate()
    return answer
  }
  const last = questions.map((_, q) => q).slice(-20)
  for (const name of names) await warmUp(name === 'peer' ? last.slice(0, 3) : last, sides[name])
  const end = performance.now() + seconds * 1000
  for (let q = 0; q < questions.length && (q < leastPairs || performance.now() < end); q++) {
    for (const name of q % 2 === 0 ? names : names.toReversed()) {
      const answer = await ask(name, q)
      if (name === 'peer') found.push(answer)
    }
  }
  // Ranked by more than cosines, so what is compared is what the vector stage hands on.
  const wide = []
  for (let q = 0; q < found.length; q++) {
    const { results } = await memory.search(questions[q], {
      allScopes: true,
      limit: 200,
      mode: 'vector',
      vector: vectors[q],
    })
    wide.push(results.map(({ id }) => indexOf(id)))
  }
  await memory.close()
  await peer.close?.()

  const cosines = cosinesOf(
    data,
    size,
    found.map((records, q) => [...records, ...wide[q]]),
    vectors,
  )
  const ordered = wide.map((records, q) => records.toSorted((a, b) => cosines[q].get(b) - cosines[q].get(a)))
  const ratios = (name) => times.peer.map((time, i) => time / times[name][i])
  return {
    peer: summary(times.peer).p50,
    vector: summary(times.vector).p50,
    hybrid: summary(times.hybrid).p50,
    ratioVector: median(ratios('vector')),
    ratioHybrid: median(ratios('hybrid')),
    recall: recallAt10(found, cosines, best),
    recallMneme: recallAt10(ordered, cosines, best),
    insertRate: size / (insertTime / 1000),
    finishSeconds: finishTime / 1000,
    bytes: peer.onDisk ? await sizeOf(join(folder, 'peer')) : 0,
    pairs: times.peer.length,
    blockedConnections: blocked(),
  }
}
