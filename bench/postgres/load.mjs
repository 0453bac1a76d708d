// Fills a store on PostgreSQL with the texts and vectors of the bench, for many users, and says how fast that went.
import { readData } from '../dataset.mjs'

const batch = 1000
const start = Date.UTC(2026, 0, 1)
/** Records of a session. */
const longest = 500

/** Whose every record is, by its number: one user has one in a hundred, one has one in a thousand, others share the rest. */
export const onePercent = { userId: 'one-percent' }
export const onePermille = { userId: 'one-permille' }
export const others = 500

export const idOf = (index) => `019b0000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`
export const indexOf = (id) => Number.parseInt(id.slice(24), 16)
export const momentAfter = (size) => start + size * 1000

function userOf(index) {
  if (index % 100 === 99) return onePercent.userId
  return index % 1000 === 500 ? onePermille.userId : `user-${Math.floor(index / batch) % others}`
}

/** Records as they come from the data, in groups of one session: at most a session's records, all of one user. */
async function* groups(folder, size, isMine) {
  const waiting = new Map()
  const sessions = new Map()
  const cut = (userId) => {
    const items = waiting.get(userId)
    waiting.delete(userId)
    const session = sessions.get(userId) ?? 0
    sessions.set(userId, session + 1)
    return { scope: { userId, sessionId: `session-${session}` }, items }
  }
  for await (const { first, texts, vectors } of readData(folder, size)) {
    for (const [i, content] of texts.entries()) {
      const index = first + i
      const userId = userOf(index)
      if (!isMine(userId)) continue
      const items = waiting.get(userId) ?? []
      waiting.set(userId, items)
      items.push({
        index,
        content,
        vector: vectors[i].slice(),
        kind: 'episodic',
        source: { type: 'user', actor: `Actor ${index % 7}` },
        tags: [`t${index % 20}`],
        metadata: { tenth: index % 10, shelf: `s${index % 250}` },
      })
      if (items.length === longest) yield cut(userId)
    }
  }
  for (const userId of [...waiting.keys()]) yield cut(userId)
}

/**
 * @param isMine whose records; those of all users unless given, so that several processes can share the work
 * @returns records written, milliseconds of the calls, and the same after every twentieth
 */
export async function load(mneme, store, { folder, size, say, isMine = () => true }) {
  let now = start
  let ids = []
  let next = 0
  const memory = await mneme.openMemory({ store, clock: () => now, ids: () => idOf(ids[next++]) })
  const steps = []
  let [records, milliseconds] = [0, 0]
  for await (const { scope, items } of groups(folder, size, isMine)) {
    ids = items.map(({ index }) => index)
    next = 0
    now = start + ids.at(-1) * 1000
    const memories = items.map(({ index: _, ...item }) => item)
    const began = performance.now()
    await memory.addMany(memories, { scope })
    milliseconds += performance.now() - began
    records += items.length
    if (records >= ((steps.length + 1) * size) / 20) {
      steps.push({ records, milliseconds })
      say(`${records} records, ${Math.round((records / milliseconds) * 1000)} a second`)
    }
  }
  await memory.close()
  return { records, milliseconds, steps }
}
