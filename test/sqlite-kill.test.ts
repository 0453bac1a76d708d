import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, it } from 'vitest'
import { allScopes } from '../src/model/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { buildChildren, type Children } from './fixtures/sqlite-children.ts'

const rounds = Number(process.env.MNEME_KILL_ROUNDS ?? 30)
const seed = Number(process.env.MNEME_KILL_SEED ?? Date.now() % 1_000_000)

let folder: string
let children: Children
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-sqlite-kill-'))
  children = await buildChildren()
})
afterAll(async () => {
  await children.remove()
  await rm(folder, { recursive: true, force: true })
})

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function random(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

it(`[SQL-16] ${rounds} writers killed at random moments lose nothing acknowledged and leave nothing half-done (seed ${seed})`, {
  timeout: 60_000 + rounds * 10_000,
}, async () => {
  const path = join(folder, 'killed.db')
  const next = random(seed)
  const acknowledged = new Set<string>()
  const found = new Set<string>()
  let cursor: string | null = null
  for (let round = 0; round < rounds; round++) {
    // Two at a time in every third round: the survivor goes on in the file of the dead.
    const writers = [children.start('forever', path, `r${round}`)]
    if (round % 3 === 2) writers.push(children.start('forever', path, `s${round}`))
    // From before the first commit to some hundred later. The moment is what is tested, so it is slept for.
    if (round % 5 !== 4) for (const writer of writers) await writer.nextLine()
    await setTimeout(next() * 120)
    for (const writer of writers) {
      writer.process.kill('SIGKILL')
      await writer.ended
      for (const tx of writer.lines) acknowledged.add(tx)
    }

    const store = sqlite({ path })
    await store.open()
    try {
      for (let page = await store.log(cursor); page.entries.length > 0; page = await store.log(cursor)) {
        cursor = page.cursor
        for (const { id, changes } of page.entries) {
          found.add(id)
          assert.equal(changes.length, 3, `round ${round}: ${id} is half-done`)
          const parts = ['a', 'b', 'c'].map((part) => `${id}-${part}`)
          const records = await store.get(allScopes(), parts)
          assert.ok(
            records.every((stored) => stored !== null),
            `round ${round}: records of ${id} are missing`,
          )
        }
      }
      const lost = [...acknowledged].filter((tx) => !found.has(tx))
      assert.deepEqual(lost, [], `round ${round}: acknowledged transactions are gone`)
      assert.deepEqual(await store.verify(), [], `round ${round}: verify finds problems`)
      const stats = await store.stats(allScopes(), { now: 0 })
      const count = stats.counts.reduce((sum, each) => sum + each.count, 0)
      assert.equal(count, 3 * found.size, `round ${round}: records of earlier rounds are gone`)
    } finally {
      await store.close()
    }
  }
  assert.ok(acknowledged.size > 0)
})
