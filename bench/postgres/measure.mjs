// Searches of a filled store: times of the engine's whole hybrid search, recall of the vector facet, and the server's plans.
import { readFile } from 'node:fs/promises'
import { readQuestions } from '../dataset.mjs'
import { summary, timeEach, warmUp } from '../measure.mjs'
import { momentAfter, onePercent, onePermille } from './load.mjs'

/** How the questions are narrowed, and by what share of the records each lets through. */
export const narrowings = {
  'a user with 1 %': { scope: onePercent },
  'a user with 1 %, one tag': { scope: onePercent, tags: ['t19'] },
  'a user with 1 %, metadata': { scope: onePercent, filter: { shelf: { in: ['s49', 's99', 's149'] } } },
  'a user with 0.1 %': { scope: onePermille },
  'a user with 0.1 %, metadata': { scope: onePermille, filter: { tenth: 0 } },
  'everything, 10 % by metadata': { allScopes: true, filter: { tenth: 3 } },
  everything: { allScopes: true },
}

/** Filters as a store is given them: `{ tenth: 3 }`, and that of the user's metadata above. */
const test = { type: 'test', root: 'metadata', time: false }
const isThirdTenth = { ...test, path: ['tenth'], operator: 'eq', value: 3 }
const isOnShelves = { ...test, path: ['shelf'], operator: 'in', value: ['s49', 's99', 's149'] }

/** Milliseconds that processes have worked so far: they tell what a busy machine's clock does not. @param pids of the server */
async function worked(pids) {
  const { user, system } = process.cpuUsage()
  const server = await Promise.all(
    pids.map(async (pid) => {
      const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(') ')[1]?.split(' ') ?? []
      // In hundredths of a second.
      return 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0))
    }),
  )
  return { here: (user + system) / 1000, server: server.reduce((sum, one) => sum + one, 0) }
}

/** Times of each narrowing, ten results, the engine's defaults. */
export async function timeSearches(memory, folder, { seconds, questions, say, pids }) {
  const { warm, timed } = await readQuestions(folder)
  const figures = {}
  const asking = (options) => (question) => memory.search(question, { ...options, limit: 10 })
  // The first narrowing is not the one at which everything is compiled.
  for (const options of Object.values(narrowings)) await warmUp(warm, asking(options))
  for (const [name, options] of Object.entries(narrowings)) {
    const ask = asking(options)
    await warmUp(warm.slice(0, 5), ask)
    const before = await worked(await pids())
    const times = await timeEach(timed.slice(0, questions), ask, { seconds })
    const after = await worked(await pids())
    const each = (side) => (after[side] - before[side]) / times.length
    figures[name] = { ...summary(times), here: each('here'), server: each('server') }
    const { p50, p95, here, server } = figures[name]
    say(
      `${name}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms; work ${here.toFixed(1)} ms here, ${server.toFixed(1)} ms there`,
    )
  }
  return figures
}

/** Of the ten nearest by comparing every vector, the share among the nearest 200 that the facet gives, in the same order as a search for ten has them. */
export async function measureRecall(store, embedder, folder, { size, questions, say }) {
  const { timed } = await readQuestions(folder)
  const vectors = await embedder.embed(timed.slice(0, questions), { purpose: 'query' })
  const now = momentAfter(size)
  const ofUser = { rules: [{ type: 'within', scope: onePercent }] }
  const asked = {
    everything: { scope: { rules: 'all' }, window: {} },
    'everything, 10 % by metadata': { scope: { rules: 'all' }, window: { where: { filter: isThirdTenth } } },
    'a user with 1 %': { scope: ofUser, window: {} },
    'a user with 1 %, metadata': { scope: ofUser, window: { where: { filter: isOnShelves } } },
  }
  const figures = {}
  for (const [name, { scope, window }] of Object.entries(asked)) {
    let [found, wanted] = [0, 0]
    const times = []
    for (const vector of vectors) {
      const common = { statuses: ['live'], now, limit: 200, ...window }
      const start = performance.now()
      const { hits } = await store.vectors.nearest(scope, embedder.id, vector, common)
      times.push(performance.now() - start)
      const exact = await store.vectors.nearest(scope, embedder.id, vector, { ...common, limit: 10, exact: true })
      const floor = (exact.hits.at(-1)?.cosine ?? 1) - 1e-6
      wanted += exact.hits.length
      found += hits.slice(0, 10).filter(({ cosine }) => cosine >= floor).length
    }
    figures[name] = { recallAt10: found / wanted, questions: vectors.length, ...summary(times) }
    say(`${name}: recall@10 ${figures[name].recallAt10.toFixed(4)}, p50 ${figures[name].p50.toFixed(1)} ms`)
  }
  return figures
}
