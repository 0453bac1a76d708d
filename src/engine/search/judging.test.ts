import { describe, expect, it } from 'vitest'
import { withNativeFacets } from '../../../test/fixtures/native-facets.ts'
import { staticEn256, staticTokenTable } from '../../embedders/index.ts'
import { memory as memoryStore } from '../../stores/memory/index.ts'
import { fixedClock } from '../../testing/index.ts'
import { analyserId } from '../analysis.ts'
import { type MemoryEngine, openMemory, type SearchOptions } from '../index.ts'

const embedder = staticEn256()
const scope = { userId: 'ann', sessionId: 's' }
const day = 86_400_000
const places = ['Bremen', 'Kiel', 'Ulm', 'Jena']

/** The same memories and the same changes, whatever the store. */
async function fill(memory: MemoryEngine, clock: ReturnType<typeof fixedClock>): Promise<void> {
  await memory.addMany(
    Array.from({ length: 300 }, (_, i) => ({
      id: `r${(i * 7919) % 300}`,
      kind: i % 3 === 0 ? 'note' : 'episodic',
      content: `${places[i % 4]} was rainy, we drank tea number ${i}`,
      tags: [i % 2 === 0 ? 'even' : 'odd'],
      metadata: { n: i, place: places[i % 4] as string },
      source: { type: 'user' as const, actor: i % 5 === 0 ? 'Ann' : 'Bob' },
      ...(i % 10 === 0 ? { validFrom: new Date(clock() - day).toISOString() } : {}),
    })),
  )
  clock.advance(1000)
  await memory.update('r11', { content: 'Kiel was sunny and the tea was cold' })
  await memory.invalidate('r12')
  await memory.delete('r13')
  clock.advance(2 * day)
  await memory.add({ id: 'late', kind: 'note', content: 'rainy tea in Kiel', tags: ['odd'], metadata: { n: -1 } })
}

async function sides(tooMany: boolean) {
  const options = { scope, embedder, kinds: { note: { ttlDays: 1 } } }
  const [one, other] = [fixedClock(), fixedClock()]
  const native = withNativeFacets(memoryStore(), {
    space: embedder.id,
    analyser: analyserId(staticTokenTable()),
    tooMany,
  })
  const plain = await openMemory({ ...options, store: memoryStore(), clock: one })
  const judging = await openMemory({ ...options, store: native.store, clock: other })
  await fill(plain, one)
  await fill(judging, other)
  return { plain, judging, native, clock: other, close: () => Promise.all([plain.close(), judging.close()]) }
}

async function pagesOf(memory: MemoryEngine, query: string, options: SearchOptions) {
  const shown: unknown[] = []
  for (let cursor: string | undefined, pages = 0; pages < 3; pages++) {
    const page = await memory.search(query, { ...options, touch: false, ...(cursor ? { cursor } : {}) })
    shown.push(...page.results.map(({ id, score }) => [id, score]))
    cursor = page.nextCursor
    if (cursor === undefined) break
  }
  return shown
}

describe('a store that searches and judges by itself', () => {
  const searches: readonly SearchOptions[] = [
    {},
    { tags: ['odd'] },
    { filter: { place: 'Kiel', n: { gte: 40 } } },
    { filter: { place: { icontains: 'KIEL' } }, tags: ['odd'], limit: 3 },
    { kinds: ['episodic'], filter: { n: { lt: 100 } } },
    { kinds: ['note'] },
    { since: '2026-01-01T00:00:01Z' },
    { validAt: '2026-01-01T00:00:00Z', filter: { n: { in: [0, 10, 20, 25] } } },
    { status: 'any', filter: { n: { gt: 250 } }, mode: 'text' },
    { asOf: '2026-01-01T00:00:00.500Z', tags: ['even'] },
    { asOf: '2026-01-02T00:00:00Z', filter: { place: 'Ulm' }, mode: 'vector' },
    { filter: { place: 'nowhere' } },
    { fusion: 'rrf', tags: ['even'], diversity: 0.3 },
  ]

  it('[SEA-60] answers as one that does neither, page by page', async () => {
    const { plain, judging, native, close } = await sides(false)
    for (const options of searches) {
      for (const query of ['rainy tea in Kiel', 'what did Ann drink', 'r11'])
        expect(await pagesOf(judging, query, options), JSON.stringify(options)).toEqual(
          await pagesOf(plain, query, options),
        )
      if (options.asOf === undefined)
        expect(await judging.explain('rainy tea', 'r14', options)).toEqual(
          await plain.explain('rainy tea', 'r14', options),
        )
    }
    expect(native.judged.length).toBeGreaterThan(0)
    await close()
  })

  it('[SEA-60] what it finds too much is not shown, and pages are full all the same', async () => {
    const { plain, judging, close } = await sides(true)
    for (const options of searches) {
      const [all, asked] = [await pagesOf(judging, 'rainy tea', options), await pagesOf(plain, 'rainy tea', options)]
      expect(all.length, JSON.stringify(options)).toBe(asked.length)
      const ids = (await judging.search('rainy tea', { ...options, limit: 1000 })).results.map(({ id }) => id)
      const wanted = (await plain.search('rainy tea', { ...options, limit: 1000 })).results.map(({ id }) => id)
      expect(ids.sort(), JSON.stringify(options)).toEqual(wanted.sort())
    }
    await close()
  })

  it('[SEA-60] the lifetimes of kinds are judged with the conditions', async () => {
    const { judging, plain, close } = await sides(false)
    for (const memory of [plain, judging]) {
      const { results } = await memory.search('rainy tea', { kinds: ['note'], limit: 1000 })
      expect(results.map(({ id }) => id)).toEqual(['late'])
    }
    await close()
  })
})
