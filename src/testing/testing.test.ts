import { describe, expect, it } from 'vitest'
import type { Embedder } from '../contract/index.ts'
import { failingEmbedder, fixedClock, plainAnalysis, put, sequentialIds, unitVector } from './index.ts'

describe('testing', () => {
  it('[TST-1] a fixed clock stands still until it is moved', () => {
    const clock = fixedClock('2026-03-01T12:00:00Z')
    const start = Date.parse('2026-03-01T12:00:00Z')
    expect([clock(), clock()]).toEqual([start, start])
    expect(clock.advance(-1000)).toBe(start - 1000)
    clock.set(5)
    expect(clock()).toBe(5)
  })

  it('[TST-2] sequential ids ascend and are the same in every run', () => {
    const [first, second] = [sequentialIds(), sequentialIds()]
    const ids = Array.from({ length: 300 }, first)
    expect(ids).toEqual(Array.from({ length: 300 }, second))
    expect([...ids].sort()).toEqual(ids)
    expect(new Set(ids).size).toBe(300)
  })

  it('[TST-3] a failing embedder fails as often as asked, then works', async () => {
    const inner: Embedder = { id: 'x', dimensions: 1, embed: async (texts) => texts.map(() => Float32Array.of(1)) }
    const embedder = failingEmbedder(inner, { times: 2 })
    await expect(embedder.embed(['a'], { purpose: 'query' })).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' })
    await expect(embedder.embed(['a'], { purpose: 'query' })).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' })
    expect(await embedder.embed(['a'], { purpose: 'query' })).toEqual([Float32Array.of(1)])
  })

  it('[TST-4] a put is complete: analysis of its content, no vector, a unit vector when asked for', () => {
    const change = put({ id: 'a', content: 'Tea, tea and Milk' })
    expect(change.analysis.terms).toEqual([
      ['and', 1],
      ['milk', 1],
      ['tea', 2],
    ])
    expect(plainAnalysis(' !? ').terms).toEqual([])
    expect(unitVector([3, 4]).values).toEqual(Float32Array.of(0.6, 0.8))
    expect(unitVector([0, 0]).values).toEqual(Float32Array.of(0, 0))
  })
})
