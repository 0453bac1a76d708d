// The file of a size: one user holds every hundredth record, 99 others the rest, in sessions of up to a thousand.
import { constants, existsSync, statSync } from 'node:fs'
import { copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readData } from './dataset.mjs'

const batch = 1000
const others = 99
const start = Date.UTC(2026, 0, 1)

/** The scope that holds one record in a hundred. */
export const focus = { userId: 'focus' }
const isFocus = (index) => index % 100 === 99

/** Ids look like those of the engine and tell their record's number. */
export const idOf = (index) => `019b0000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`
export const indexOf = (id) => Number.parseInt(id.slice(24), 16)

/** The moment at which a store of this size is used: a second after its last record. */
export const momentAfter = (size) => start + size * 1000

/** A memory whose clock stands still, so that nothing but what is measured differs between two runs. */
export async function openAt(mneme, path, size, options = {}) {
  return await mneme.openMemory({ path, clock: () => momentAfter(size), ...options })
}

export const pathsOf = (folder, key, size) => ({
  all: join(folder, `store-${key}-${size}.db`),
  alone: join(folder, `store-${key}-${size}-focus.db`),
})

/** Texts with vectors as they come from the data, grouped by who remembers them, a thousand at most in each group. */
async function* groups(folder, size) {
  let [mine, theirs] = [[], []]
  let block = 0
  const session = () => `session-${Math.floor(block / others)}`
  for await (const { first, texts, vectors } of readData(folder, size)) {
    texts.forEach((content, i) => {
      const index = first + i
      const item = {
        index,
        content,
        vector: vectors[i],
        kind: 'episodic',
        source: { type: 'user', actor: `Actor ${index % 7}` },
      }
      if (isFocus(index)) mine.push(item)
      else theirs.push(item)
    })
    yield { scope: { userId: `user-${block % others}`, sessionId: session() }, items: theirs }
    theirs = []
    block += 1
    if (mine.length < batch && first + texts.length < size) continue
    if (mine.length > 0) yield { scope: { ...focus, sessionId: session() }, items: mine }
    mine = []
  }
}

/**
 * Writes the file of a size with `addMany`.
 * @param only whose groups to write; all when absent
 * @returns milliseconds of the calls alone, and how many records they wrote
 */
export async function build(mneme, { folder, size, path, only, withVectors = true, batchDone = () => {} }) {
  let now = start
  let ids = []
  let next = 0
  const memory = await mneme.openMemory({ path, clock: () => now, ids: () => idOf(ids[next++]) })
  let [records, milliseconds] = [0, 0]
  for await (const { scope, items } of groups(folder, size)) {
    if (only && scope.userId !== only) continue
    ids = items.map(({ index }) => index)
    next = 0
    now = start + ids.at(-1) * 1000
    const batchItems = items.map(({ index: _index, vector, ...item }) => (withVectors ? { ...item, vector } : item))
    const began = performance.now()
    const { results } = await memory.addMany(batchItems, { scope })
    milliseconds += performance.now() - began
    if (results.some(({ record, outcome }, i) => outcome !== 'added' || record.id !== idOf(ids[i])))
      throw new Error('a record of the data was not added under its own id')
    records += items.length
    batchDone(records)
  }
  await memory.close()
  return { records, milliseconds }
}

/** A copy to write to. */
export async function copyOf(path, folder) {
  const log = `${path}-wal`
  if (existsSync(log) && statSync(log).size > 0)
    throw new Error('the store was not closed: part of it is still in its log')
  const copy = join(folder, 'copy.db')
  await copyFile(path, copy, constants.COPYFILE_FICLONE)
  return copy
}

/** Bytes of a closed file. */
export const bytesOf = async (path) => (await stat(path)).size
