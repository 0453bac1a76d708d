import { describe, expect, it } from 'vitest'
import type { MemoryStore } from '../src/contract/index.ts'
import { BackendError } from '../src/errors/index.ts'
import { open, storeKinds } from './fixtures/reference-stores.ts'

const seconds = { timeout: 240_000 }
const bob = { userId: 'bob' }

describe.each(storeKinds)('much to tidy up, on $name', ({ create }) => {
  it(
    '[CSL-8] what is too much for one transaction is tidied in several; a half-way end leaves a whole state and is gone on from',
    seconds,
    async () => {
      const store = create()()
      let left = 0
      const failing: MemoryStore = {
        ...store,
        async commit(transaction, options) {
          if (transaction.verb === 'consolidate' && left-- <= 0)
            throw new BackendError({ code: 'BACKEND_FAILED', message: 'the disk is full.' })
          return store.commit(transaction, options)
        },
      }
      const memory = await open({ store: failing, embedder: false })
      // Documents, each twice: the second ones are more than 32 Mi characters.
      const text = 'x'.repeat(200_000)
      const count = 90
      for (let i = 0; i < count; i++) {
        for (const round of [1, 2])
          await memory.add({ content: `${text} ${i}`, metadata: { [`round${round}`]: true } }, { dedupe: false })
      }
      await memory.add('of Bob', { scope: bob })
      const dry = await memory.consolidate({ dryRun: true })
      expect(dry).toEqual({ ignored: [] })
      left = 1
      const call = { idempotencyKey: 'all of it' }
      const failure = await memory.consolidate(call).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'BACKEND_FAILED', details: { tx: expect.any(String) } })
      const { live, total } = await memory.stats()
      expect(total).toBe(2 * count)
      expect(live).toBeLessThan(2 * count)
      expect(live).toBeGreaterThan(count)
      expect(await memory.verify()).toMatchObject({ ok: true })
      // Whatever is hidden has its successor, which has taken over what it said.
      const { records } = await memory.list({ status: 'superseded', limit: 1000 })
      const keepers = await memory.getMany(records.map(({ supersededBy }) => supersededBy as string))
      for (const keeper of keepers)
        expect(keeper).toMatchObject({ status: 'live', metadata: { round1: true, round2: true } })
      left = 100
      const { details } = failure as BackendError
      const answer = await memory.consolidate(call)
      expect(answer).toMatchObject({ tx: details.tx, ignored: [] })
      expect(answer.plan).toBeUndefined()
      expect(answer.results).toHaveLength(2 * count)
      expect((await memory.stats()).live).toBe(count)
      await memory.undo(answer.tx as string)
      expect((await memory.stats()).live).toBe(2 * count)
    },
  )
})

it('[CSL-8] ten thousand memories take about four times as long as a quarter of them', seconds, async () => {
  const [memories] = storeKinds.filter(({ name }) => name === 'memory')
  async function costOf(count: number): Promise<number> {
    const memory = await open({ store: memories?.create()() as MemoryStore, embedder: false })
    const items = Array.from({ length: count }, (_, i) =>
      i % 10 === 9 ? `Ann met person ${i - 1} in town ${(i - 1) * 7}!` : `Ann met person ${i} in town ${i * 7}`,
    )
    for (let i = 0; i < count; i += 1000) await memory.addMany(items.slice(i, i + 1000))
    const before = process.cpuUsage()
    const { results } = await memory.consolidate()
    const { user, system } = process.cpuUsage(before)
    expect(results).toHaveLength(count / 10)
    return user + system
  }
  await costOf(500)
  const [small, large] = [await costOf(2500), await costOf(10_000)]
  console.info(
    `consolidate: ${Math.round(small / 1000)} ms of the processor for 2,500, ${Math.round(large / 1000)} ms for 10,000`,
  )
  // Sixteen times would be each with each.
  expect(large / small).toBeLessThan(10)
})
