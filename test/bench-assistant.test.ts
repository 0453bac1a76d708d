import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { assistantSet } from '../src/cli/bench/assistant.ts'
import { recallAt } from '../src/cli/bench/metrics.ts'
import { runSet } from '../src/cli/bench/run-set.ts'
import { type Summary, summarise } from '../src/cli/bench/summarise.ts'

// Bounds on quality: what was measured, less a little. Lower ones need a reason in the change that lowers them.
const leastRecall = 0.84
const leastReciprocalRank = 0.62
// Some hundred searches: seconds, but not on a busy machine.
const patience = 180_000

const file = new URL('../bench/data/assistant-dev.json', import.meta.url)

async function measured(together: boolean): Promise<Summary> {
  const set = assistantSet(JSON.parse(await readFile(file, 'utf8')))
  return summarise(set, await runSet(set, { store: 'memory', together }), 0.2)
}

describe('the assistant set, with the built-in embedder and the defaults of the engine', () => {
  let apart: Summary
  beforeAll(async () => {
    apart = await measured(false)
  }, patience)

  test('[BEN-11] the evidence is found', () => {
    const { all } = apart.quality
    expect(all.questions).toBe(150)
    expect(recallAt(all, 10)).toBeGreaterThanOrEqual(leastRecall)
    expect(all.reciprocalRank).toBeGreaterThanOrEqual(leastReciprocalRank)
  })

  test('[BEN-11] no sort of question is answered worse than by plain BM25', () => {
    const shortfalls = apart.quality.categories.map((category, i) => ({
      category: category.category,
      by: recallAt(apart.plain.categories[i]!, 10) - recallAt(category, 10),
    }))
    expect(shortfalls).toHaveLength(8)
    expect(shortfalls.filter(({ by }) => by > 0)).toEqual([])
  })

  test(
    '[BEN-8] one store with a scope each gives the same figures as a store each',
    async () => {
      const { quality, abstain } = await measured(true)
      expect({ quality, abstain }).toEqual({ quality: apart.quality, abstain: apart.abstain })
    },
    patience,
  )
})
