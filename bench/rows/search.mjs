// Searches of the whole store, ten results, with the defaults of the engine. Each question is asked once.
import { readQuestions } from '../dataset.mjs'
import { summary, timeEach, warmUp } from '../measure.mjs'
import { momentAfter, openAt } from '../store-file.mjs'

const everything = { allScopes: true, limit: 10 }

/** Times a search with these options on a memory that is open. */
export async function timeSearches(memory, data, options) {
  const { warm, timed } = await readQuestions(data)
  await warmUp(warm, (question) => memory.search(question, options))
  return await timeEach(timed, (question) => memory.search(question, options))
}

export async function measure({ mneme, plainEngine, data, size, store, variant }) {
  const memory =
    variant === 'no-token-match'
      ? await plainEngine.openMemory({ path: store.all, clock: () => momentAfter(size) })
      : await openAt(mneme, store.all, size)
  const mode = variant === 'text' || variant === 'vector' ? { mode: variant } : {}
  const times = await timeSearches(memory, data, { ...everything, ...mode })
  await memory.close()
  return summary(times)
}
