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

  it('[SEA-34] a short answer does not read every candidate', async () => {
    const { engine, reads } = await filled(150)
    const before = reads()
    await engine.search('a lantern in the meadow', { limit: 5 })
    expect(reads() - before).toBeLessThan(150)
    await engine.close()
  })
})
