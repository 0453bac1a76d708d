// Searches of the whole store, ten results, with the defaults of the engine. Each question is asked once.
import { readQuestions } from '../dataset.mjs'
import { settle, summary, timeEach } from '../measure.mjs'
import { copyOf, openAt } from '../store-file.mjs'

const everything = { allScopes: true, limit: 10 }

/** Times a search with these options on a memory that is open. */
export async function timeSearches(memory, { data, size }, options) {
  const { warm, timed } = await readQuestions(data)
  await settle(size, warm, (question) => memory.search(question, options))
  return await timeEach(timed, (question) => memory.search(question, options))
}

export async function measure({ mneme, plain, data, size, folder, store, variant }) {
  const isPlain = variant === 'no-token-match'
  // Without word pieces the index is another one: what is kept of it must not take the place of the one that others open.
  const memory = await openAt(isPlain ? plain : mneme, isPlain ? await copyOf(store.all, folder) : store.all, size)
  const mode = variant === 'text' || variant === 'vector' ? { mode: variant } : {}
  const times = await timeSearches(memory, { data, size }, { ...everything, ...mode })
  await memory.close()
  return summary(times)
}
