// A search right after a single add: it has to take in what is new first.
import { readQuestions } from '../dataset.mjs'
import { summary, timeEach, warmUp } from '../measure.mjs'
import { copyOf, openAt } from '../store-file.mjs'

export async function measure({ mneme, data, size, folder, store }) {
  const memory = await openAt(mneme, await copyOf(store.all, folder), size)
  const { warm, timed } = await readQuestions(data)
  const options = { allScopes: true, limit: 10 }
  await warmUp(warm, (question) => memory.search(question, options))
  const times = []
  for (const [i, question] of timed.slice(0, 100).entries()) {
    await memory.add(`New note ${i}: ${question}`, { scope: { userId: 'user-0' } })
    times.push(...(await timeEach([question], (text) => memory.search(text, options))))
  }
  await memory.close()
  return summary(times)
}
