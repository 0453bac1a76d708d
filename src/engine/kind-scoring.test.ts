import { describe, expect, it } from 'vitest'
import { adjusted } from '../retrieval/index.ts'
import { memory } from '../stores/memory/index.ts'
import { fixedClock } from '../testing/index.ts'
import { type OpenMemoryOptions, openMemory } from './index.ts'

const dayMs = 86_400_000
const off = { recency: 0, importance: 0, reliability: 0 }

async function open(options: Partial<OpenMemoryOptions> = {}) {
  const clock = fixedClock('2026-01-01T00:00:00Z')
  const engine = await openMemory({ store: memory(), scope: { userId: 'ann' }, embedder: false, clock, ...options })
  return { engine, clock }
}

describe('how kinds are scored', () => {
  it('[KND-12] recency halves with the half-life of the kind, whatever it counts from; a call says otherwise', async () => {
    const { engine, clock } = await open({
      kinds: { episodic: { halfLifeDays: 10 } },
      defaults: { recencyHalfLifeHours: 480 },
    })
    await engine.addMany([
      { id: 'event', kind: 'episodic', content: 'the harbour was closed' },
      { id: 'fact', content: 'the harbour is deep' },
    ])
    clock.advance(10 * dayMs)
    const recencies = async (options: object = {}) => {
      const { results } = await engine.search('harbour', { explain: true, touch: false, ...options })
      return Object.fromEntries(results.map(({ id, explanation }) => [id, explanation?.factors.recency.toFixed(3)]))
    }
    const each = { event: '0.500', fact: '0.707' }
    expect(await recencies()).toEqual(each)
    expect(await recencies({ kinds: ['episodic'] })).toEqual({ event: '0.500' })
    expect(await recencies({ recencyAnchor: 'updatedAt' })).toEqual(each)
    expect(await recencies({ recencyHalfLifeHours: 240 })).toEqual({ event: '0.500', fact: '0.500' })
    await engine.update('event', { importance: 0.4 })
    expect(await recencies({ recencyAnchor: 'updatedAt' })).toEqual({ ...each, event: '1.000' })
    expect(await recencies({ recencyAnchor: 'createdAt' })).toEqual(each)
    await engine.search('harbour closed', { limit: 1 })
    expect(await recencies({ recencyAnchor: 'lastAccessedAt' })).toEqual({ ...each, event: '1.000' })
    await engine.close()
  })

  it('[KND-12] weights of the call come before those of the kind, and those before the engine; zero is zero', async () => {
    const { engine, clock } = await open({
      kinds: { episodic: { weights: { recency: 0, importance: 4 } }, semantic: { weights: { reliability: 0 } } },
      defaults: { weights: { recency: 2, importance: 2, reliability: 2 } },
    })
    await engine.addMany([
      { id: 'event', kind: 'episodic', content: 'the harbour closed early', importance: 0.9, reliability: 0.4 },
      { id: 'fact', content: 'the harbour is deep here', importance: 0.2, reliability: 0.3 },
      { id: 'other', kind: 'diary', content: 'the harbour smells of tar', importance: 0.7, reliability: 0.6 },
    ])
    clock.advance(3 * dayMs)
    const scores = async (options: object) => {
      const { results } = await engine.search('harbour', { explain: true, touch: false, ...options })
      return Object.fromEntries(results.map(({ id, score, explanation }) => [id, { score, explanation }]))
    }
    const expected = {
      event: { recency: 0, importance: 4, reliability: 2 },
      fact: { recency: 2, importance: 2, reliability: 0 },
      // Kinds of one's own live as semantic ones.
      other: { recency: 2, importance: 2, reliability: 0 },
    }
    const found = await scores({})
    for (const [id, weights] of Object.entries(expected)) {
      const { relevance = 0, factors = off } = found[id]?.explanation ?? {}
      expect(found[id]?.score).toBeCloseTo(adjusted(relevance, { factors, weights }), 12)
    }
    const alone = await scores({ weights: off })
    for (const { score, explanation } of Object.values(alone)) expect(score).toBe(explanation?.relevance)
    const called = await scores({ weights: { importance: 0 }, kinds: ['episodic'] })
    const { relevance = 0, factors = off } = called.event?.explanation ?? {}
    expect(called.event?.score).toBeCloseTo(adjusted(relevance, { factors, weights: { ...off, reliability: 2 } }), 12)
    await engine.close()
  })

  it('[SEA-34] a short answer is the beginning of a long one also where each kind is scored in its own way', async () => {
    const { engine, clock } = await open({
      kinds: {
        episodic: { weights: { recency: 10, importance: 0 }, halfLifeDays: 1 },
        tool: { weights: { reliability: 10 } },
        semantic: { weights: { importance: 10 } },
      },
    })
    const words = 'garden harbour lantern meadow orchard pebble river saddle timber window'.split(' ')
    const kinds = ['episodic', 'tool', 'semantic', 'entity']
    for (let i = 0; i < 120; i++) {
      await engine.add({
        kind: kinds[i % 4] as string,
        content: `${words[i % 10]} ${words[(i * 7) % 10]} ${words[(i * 3 + 1) % 10]} number ${i}`,
        importance: ((i * 37) % 100) / 100,
        reliability: ((i * 61) % 100) / 100,
      })
      clock.advance(3_600_000)
    }
    const long = await engine.search('a lantern in the meadow', { limit: 120, touch: false })
    const scores = long.results.map(({ score }) => score)
    expect(scores.length).toBeGreaterThan(30)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    for (const limit of [1, 5, 20]) {
      const short = await engine.search('a lantern in the meadow', { limit, touch: false })
      expect(short.results.map(({ id, score }) => [id, score])).toEqual(
        long.results.slice(0, limit).map(({ id, score }) => [id, score]),
      )
    }
    await engine.close()
  })

  it('[SEA-39] a fresh triviality never outranks an old exact match by default, however important it claims to be', async () => {
    const { engine, clock } = await open()
    await engine.add({ id: 'old', content: 'The alarm code of the office is 4711', importance: 0.5 })
    clock.advance(5 * 365 * dayMs)
    await engine.addMany(
      Array.from({ length: 40 }, (_, i) => ({
        content: `Somebody was in the office at ${i % 12} and had a coffee with ${i} others`,
        importance: 1,
      })),
    )
    for (const recencyAnchor of ['createdAt', 'updatedAt', 'lastAccessedAt'] as const) {
      const { results } = await engine.search('alarm code of the office', { recencyAnchor, touch: false })
      expect(results[0]?.id).toBe('old')
      expect((results[0]?.score ?? 0) / (results[1]?.score ?? 1)).toBeGreaterThan(1.2)
    }
    await engine.close()
  })

  it('[KND-2] weights are from 0 to 10, and of the factors that there are', async () => {
    const opened = (weights: object) => open({ kinds: { tool: { weights } } })
    for (const weights of [{ recency: -1 }, { importance: 11 }, { reliability: Number.NaN }])
      await expect(opened(weights)).rejects.toMatchObject({ code: 'BAD_CONFIG' })
    await expect(opened({ freshness: 1 })).rejects.toMatchObject({ code: 'UNKNOWN_FIELD' })
  })
})
