import { describe, expect, it } from 'vitest'
import { memory } from '../../stores/memory/index.ts'
import { fixedClock } from '../../testing/index.ts'
import { openMemory } from '../index.ts'

const words = 'garden harbour lantern meadow orchard pebble river saddle timber window'.split(' ')

/** Importance and reliability unlike the order of relevance, so that factors turn it over. */
async function filled(count: number) {
  const store = memory()
  let reads = 0
  const counting = {
    ...store,
    get(...args: Parameters<typeof store.get>) {
      reads += args[1].length
      return store.get(...args)
    },
  }
  const engine = await openMemory({ store: counting, scope: { userId: 'ann' }, clock: fixedClock() })
  await engine.addMany(
    Array.from({ length: count }, (_, i) => ({
      content: `${words[i % 10]} ${words[(i * 7) % 10]} ${words[(i * 3 + 1) % 10]} number ${i}`,
      importance: ((i * 37) % 100) / 100,
      reliability: ((i * 61) % 100) / 100,
    })),
  )
  return { engine, reads: () => reads }
}

describe('the order of results', () => {
  for (const weight of [0, 1, 10]) {
    it(`[SEA-34] a short answer is the beginning of a long one, with weights of ${weight}`, async () => {
      const { engine } = await filled(150)
      const weights = { recency: weight, importance: weight, reliability: weight }
      for (const query of ['a lantern in the meadow', 'river', 'number 17 window saddle']) {
        const long = await engine.search(query, { limit: 150, weights })
        const scores = long.results.map(({ score }) => score)
        expect(scores.length).toBeGreaterThan(40)
        expect(scores).toEqual([...scores].sort((a, b) => b - a))
        for (const limit of [1, 5, 33]) {
          const short = await engine.search(query, { limit, weights })
          expect(short.results.map(({ id, score }) => [id, score])).toEqual(
            long.results.slice(0, limit).map(({ id, score }) => [id, score]),
          )
          expect(short.nextCursor).toBeTypeOf('string')
        }
      }
      await engine.close()
    })
  }

  it('[SEA-34] a short answer reads one record more than it shows, and few where only they know how fresh they are', async () => {
    const { engine, reads } = await filled(150)
    const readsOf = async (options: object) => {
      const before = reads()
      await engine.search('a lantern in the meadow', { limit: 5, ...options })
      return reads() - before
    }
    expect(await readsOf({})).toBe(6)
    expect(await readsOf({ minScore: 1 })).toBe(0)
    const anchored = await readsOf({ recencyAnchor: 'lastAccessedAt' })
    expect(anchored).toBeGreaterThan(6)
    expect(anchored).toBeLessThan(100)
    await engine.close()
  })

  it('[SEA-21] scores follow a changed importance at once, and are the same from every anchor of records never changed nor used', async () => {
    const { engine } = await filled(60)
    const weights = { recency: 10, importance: 10, reliability: 10 }
    const found = async (options: object) => {
      const { results } = await engine.search('river', { limit: 60, weights, touch: false, ...options })
      return results.map(({ id, score }) => [id, score] as const)
    }
    const [first, ...others] = await found({})
    for (const recencyAnchor of ['updatedAt', 'lastAccessedAt']) {
      expect(await found({ recencyAnchor })).toEqual([first, ...others])
    }
    await engine.update(first![0], { importance: 0 })
    const after = new Map(await found({}))
    expect(after.get(first![0]) ?? 0).toBeLessThan(first![1])
    for (const [id, score] of others) expect(after.get(id)).toBe(score)
    await engine.close()
  })
})
