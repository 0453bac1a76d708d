import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Embedder } from '../contract/index.ts'
import { embedTexts } from './vectors.ts'

/** Embeds `n` as the direction of n; answers come back in an order of its own, some not at all. */
function remote(maxBatchSize: number, failing: ReadonlySet<string>, turns: readonly number[]) {
  const calls = { now: 0, most: 0, begun: 0 }
  const embedder: Embedder = {
    id: 'remote',
    dimensions: 2,
    maxBatchSize,
    async embed(texts) {
      calls.now++
      calls.most = Math.max(calls.most, calls.now)
      const wait = turns[calls.begun++ % turns.length] ?? 0
      for (let i = 0; i < wait; i++) await new Promise((resolve) => setImmediate(resolve))
      calls.now--
      if (texts.some((text) => failing.has(text))) throw new Error('no answer')
      return texts.map((text) => Float32Array.of(Number(text), 1))
    },
  }
  return { embedder, calls }
}

const turns = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 })
const count = fc.integer({ min: 0, max: 40 })
const size = fc.integer({ min: 1, max: 9 })

describe('embedding in batches', () => {
  it('[EMB-22] gives the vectors in order of the texts, with a few calls on their way at once, and tells of progress', async () => {
    await fc.assert(
      fc.asyncProperty(count, size, turns, async (count, size, turns) => {
        const { embedder, calls } = remote(size, new Set(), turns)
        const told: number[] = []
        const texts = Array.from({ length: count }, (_, i) => String(i))
        const vectors = await embedTexts(embedder, texts, {
          purpose: 'document',
          onProgress: (done, total) => {
            told.push(done)
            expect(total).toBe(count)
          },
        })
        expect(vectors.map(({ values: [x = 0, y = 0] }) => Math.round(x / y))).toEqual(texts.map(Number))
        expect(calls.most).toBeLessThanOrEqual(4)
        expect(calls.most).toBe(Math.min(4, Math.ceil(count / size)))
        expect(told).toEqual(told.toSorted((a, b) => a - b))
        expect(told.at(-1) ?? 0).toBe(count)
      }),
    )
  })

  it('[EMB-22] that fails begins no other call, and has none on its way when it tells', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 39 }), size, turns, async (bad, size, turns) => {
        const { embedder, calls } = remote(size, new Set([String(bad)]), turns)
        const texts = Array.from({ length: 40 }, (_, i) => String(i))
        await expect(embedTexts(embedder, texts, { purpose: 'document' })).rejects.toMatchObject({
          code: 'EMBEDDER_UNAVAILABLE',
        })
        expect(calls.now).toBe(0)
        const { begun } = calls
        await new Promise((resolve) => setImmediate(resolve))
        expect(calls.begun).toBe(begun)
      }),
    )
  })
})
