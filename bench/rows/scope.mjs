// The same questions in a scope of one record in a hundred, of a store that holds everything and of one that holds nothing else.
import { setImmediate } from 'node:timers/promises'
import { readQuestions } from '../dataset.mjs'
import { settle, summary, timed as time } from '../measure.mjs'
import { focus, openAt } from '../store-file.mjs'

export async function measure({ mneme, data, size, store }) {
  const memories = [await openAt(mneme, store.all, size), await openAt(mneme, store.alone, size)]
  const { warm, timed } = await readQuestions(data)
  const options = { scope: focus, limit: 10 }
  for (const memory of memories) await settle(size, warm, (question) => memory.search(question, options))
  const times = [[], []]
  let equal = true
  for (const [i, question] of timed.entries()) {
    const found = []
    // Whoever goes second finds caches warm: they take turns.
    for (const which of i % 2 === 0 ? [0, 1] : [1, 0]) {
      const milliseconds = await time(async () => {
        found[which] = await memories[which].search(question, options)
      })
      times[which].push(milliseconds)
      await setImmediate()
    }
    const shown = found.map(({ results }) => results.map(({ id, score }) => ({ id, score })))
    equal &&= JSON.stringify(shown[0]) === JSON.stringify(shown[1])
  }
  for (const memory of memories) await memory.close()
  const [among, alone] = times.map(summary)
  return {
    ...among,
    p50Alone: alone.p50,
    p95Alone: alone.p95,
    timeRatio: among.p50 / alone.p50,
    equalScores: Number(equal),
  }
}
