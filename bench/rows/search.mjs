// Searches of the whole store, ten results, with the defaults of the engine. Each question is asked once.
import { readQuestions } from '../dataset.mjs'
import { summary, timeEach, warmUp } from '../measure.mjs'
import { openAt } from '../store-file.mjs'

const everything = { allScopes: true, limit: 10 }

/** Times a search with these options on a memory that is open. */
export async function timeSearches(memory, data, options) {
  const { warm, timed } = await readQuestions(data)
  await warmUp(warm, (question) => memory.search(question, options))
  return await timeEach(timed, (question) => memory.search(question, options))
}

export async function measure({ mneme, plain, data, size, store, variant }) {
  const memory = await openAt(variant === 'no-token-match' ? plain : mneme, store.all, size)
  const mode = variant === 'text' || variant === 'vector' ? { mode: variant } : {}
  const times = await timeSearches(memory, data, { ...everything, ...mode })
  await memory.close()
  return summary(times)
}
