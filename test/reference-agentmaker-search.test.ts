import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { embedderFrom, hashing } from '../src/embedders/index.ts'
import { openMemory } from '../src/index.ts'
import { reciprocalRankFusion } from '../src/retrieval/index.ts'
import { memory as memoryStore } from '../src/stores/memory/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import { breakable, noting } from './fixtures/reference-faults.ts'
import { ann, contents, found, listed, open, storeKinds, temporaryFolder } from './fixtures/reference-stores.ts'

const hour = 3_600_000

describe('agentmaker: text and vectors', () => {
  it('[SEA-29] agentmaker 31, 32: vectors of the caller are compared as they are; the same direction is certain', async () => {
    const embedder = embedderFrom(() => [0, 0, 0], { id: 'own', dimensions: 3 })
    const memory = await open({ embedder, defaults: { weights: { recency: 0, importance: 0, reliability: 0 } } })
    await memory.add({ content: 'a', vector: [1, 0, 0] })
    await memory.add({ content: 'b', vector: [0, 1, 0] })
    const near = await memory.search('', { mode: 'vector', vector: [0.9, 0.1, 0] })
    expect(near.results[0]?.content).toBe('a')
    const exact = await memory.search('', { mode: 'vector', vector: [5, 0, 0], explain: true })
    expect(exact.results).toMatchObject([
      { content: 'a', score: expect.closeTo(1), explanation: { signals: { cosine: 1 } } },
    ])
  })

  it('[EMB-20] agentmaker 34, 35: other dimensions and another model are refused, the same model is not', async () => {
    const embedderNamed = (id: string, dimensions: number) =>
      embedderFrom(() => Array(dimensions).fill(1), { id, dimensions })
    const path = join(temporaryFolder(), 'memory.db')
    const first = await open({ path, embedder: embedderNamed('model-a', 8) })
    await first.add('x')
    await first.close()
    for (const other of [embedderNamed('model-b', 8), embedderNamed('model-a-16', 16)]) {
      const memory = await open({ path, embedder: other })
      await expect(memory.list()).rejects.toMatchObject({
        code: 'EMBEDDER_CHANGED',
        message: expect.stringContaining('model-a'),
      })
    }
    expect(await listed(await open({ path, embedder: embedderNamed('model-a', 8) }))).toEqual(['x'])
  })

  it('[TXT-21] agentmaker 36: 会员卡号 A8821 is found by A8821, first', async () => {
    const memory = await open()
    await memory.addMany(['会员卡号 A8821', '会员卡号 A8822', 'something else'])
    expect(await found(memory, 'A8821')).toEqual(['会员卡号 A8821'])
    expect(await found(memory, '会员卡号')).toHaveLength(2)
  })

  it('[TXT-4] agentmaker 39, 40: accents are folded, words of other alphabets are whole words', async () => {
    const memory = await open()
    await memory.addMany(['café au lait', 'привет мир', 'кошка'])
    expect(await found(memory, 'cafe')).toEqual(['café au lait'])
    expect(await found(memory, 'мост')).toEqual([])
    expect(await found(memory, 'ПРИВЕТ')).toEqual(['привет мир'])
  })

  it('[RED-20] agentmaker 41, 51, 89: limits from 1 to 1000, more by the cursor', async () => {
    const memory = await open()
    await memory.addMany(Array.from({ length: 1005 }, (_, n) => `word number ${n}`))
    for (const limit of [0, -1, 1001, 1025, 4097]) {
      await expect(memory.search('word', { limit })).rejects.toMatchObject({ code: 'LIMIT_OUT_OF_RANGE' })
    }
    const first = await memory.search('word', { limit: 1000 })
    expect(first.results).toHaveLength(1000)
    const second = await memory.search('word', { limit: 1000, cursor: first.nextCursor })
    expect(second.results).toHaveLength(5)
    expect(second.nextCursor).toBeUndefined()
    expect(new Set([...first.results, ...second.results].map(({ id }) => id)).size).toBe(1005)
  })

  it('[EMB-21] agentmaker 58: texts are embedded in order, in batches as large as the embedder takes', async () => {
    const embedder = noting({ ...hashing(), maxBatchSize: 2 })
    const memory = await open({ embedder })
    await memory.addMany(['one', 'two', 'three', 'four', 'five'])
    expect(embedder.asked).toEqual([['one', 'two'], ['three', 'four'], ['five']])
    for (const text of ['one', 'two', 'three', 'four', 'five']) {
      expect((await found(memory, text, { mode: 'vector' }))[0]).toBe(text)
    }
  })

  it('[PEN-3] agentmaker 58: a wrong number or length of vectors is not stored; the texts are, and wait', async () => {
    const wrong = [
      async () => [Float32Array.of(1)],
      async (texts: readonly string[]) => texts.map(() => Float32Array.of(1, 2)),
    ]
    for (const embed of wrong) {
      const memory = await open({ embedder: { id: 'wrong', dimensions: 1, embed } })
      const { results } = await memory.addMany(['one', 'two'])
      const { records } = await memory.pending()
      expect(records.map(({ id }) => id).sort()).toEqual(results.map(({ record }) => record.id).sort())
      expect(records[0]).toMatchObject({ attempts: 1, lastError: 'EMBEDDER_BAD_OUTPUT' })
      expect(await found(memory, 'one', { mode: 'text' })).toEqual(['one'])
    }
  })
})

describe('agentmaker: fusion', () => {
  it('[RNK-21] agentmaker 44, 45, 46, 52: reciprocal ranks with k 60 to ten digits', async () => {
    const rounded = (lists: string[][]) =>
      [...reciprocalRankFusion(lists)].map(([id, value]) => [id, Number(value.toFixed(10))])
    expect(rounded([['n9'], ['n9']])).toEqual([['n9', 0.0327868852]])
    expect(
      rounded([
        ['a', 'b', 'c'],
        ['b', 'a'],
      ]),
    ).toEqual([
      ['a', 0.0325224749],
      ['b', 0.0325224749],
      ['c', 0.0158730159],
    ])
    expect(
      rounded([
        ['x', 'y', 'z'],
        ['q', 'y', 'x'],
      ]).slice(0, 2),
    ).toEqual([
      ['x', 0.0322664585],
      ['y', 0.0322580645],
    ])
    for (const k of [0, -1]) expect(() => reciprocalRankFusion([['a']], { k })).toThrowError(/above 0/)
  })

  it('[RNK-21] agentmaker 44: a search fused by rank says so', async () => {
    const memory = await open({ embedder: hashing() })
    await memory.add('only one')
    const { results } = await memory.search('only', { fusion: 'rrf', explain: true })
    expect(results[0]?.explanation).toMatchObject({ value: expect.closeTo(2 / 61, 10), ran: { fusion: 'rrf' } })
  })
})

describe('agentmaker: scoring', () => {
  it('[SEA-30] agentmaker 89: impossible weights and half-lives are refused', async () => {
    const memory = await open()
    await memory.add('x')
    const wrong = [
      { recencyHalfLifeHours: 0 },
      { recencyHalfLifeHours: -1 },
      { weights: { importance: -1 } },
      { weights: { age: 1 } },
    ]
    for (const options of wrong) {
      await expect(memory.search('x', options as never)).rejects.toMatchObject({
        code: /^(INVALID_ARGUMENT|UNKNOWN_FIELD)$/,
      })
    }
  })

  it('[RNK-16] agentmaker 98: the score is the relevance, moved by a tenth of each weight', async () => {
    const clock = fixedClock()
    const memory = await open({ clock })
    await memory.add({ content: 'cello', importance: 0.8, reliability: 0.9 })
    await memory.add('something else')
    clock.advance(72 * hour)
    const weights = { recency: 1, importance: 2, reliability: 0.5 }
    const [hit] = (await memory.search('cello viola', { weights, explain: true })).results
    expect(hit?.explanation?.factors).toEqual({ recency: expect.closeTo(0.5), importance: 0.8, reliability: 0.9 })
    const relevance = hit?.explanation?.relevance ?? 0
    expect(relevance).toBeGreaterThan(0)
    expect(hit?.score).toBeCloseTo(relevance * 1 * (1 + 0.2 * 2 * 0.3) * (1 + 0.2 * 0.5 * 0.4), 10)
  })

  it.each(storeKinds)(
    '[RNK-17] agentmaker 100: a use counts as fresh where that is the anchor, on $name',
    async ({ create }) => {
      for (const [recencyAnchor, expected] of [
        ['lastAccessedAt', 1],
        ['createdAt', 0.5],
      ] as const) {
        const clock = fixedClock()
        const memory = await open({ store: create()(), clock })
        await memory.add('cello')
        clock.advance(72 * hour)
        const recency = async () => {
          const { results } = await memory.search('cello', { recencyAnchor, explain: true })
          return { recency: results[0]?.explanation?.factors.recency, score: results[0]?.score }
        }
        const first = await recency()
        const second = await recency()
        expect(first.recency).toBeCloseTo(0.5)
        expect(second.recency).toBeCloseTo(expected)
        if (expected === 1) expect(second.score).toBeGreaterThan(first.score as number)
        else expect(second.score).toBeCloseTo(first.score as number)
      }
    },
  )

  it('[RNK-17] agentmaker 101, 103: an update renews where that is the anchor; nothing is fresher than now', async () => {
    const clock = fixedClock()
    const memory = await open({ clock })
    const { record } = await memory.add('cello')
    const recency = async (recencyAnchor: 'createdAt' | 'updatedAt') =>
      (await memory.search('cello', { recencyAnchor, explain: true })).results[0]?.explanation?.factors.recency
    clock.advance(30 * 24 * hour)
    expect(await recency('updatedAt')).toBeLessThan(0.01)
    await memory.update(record.id, { tags: ['t'] })
    expect(await recency('updatedAt')).toBeCloseTo(1)
    expect(await recency('createdAt')).toBeLessThan(0.01)
    clock.advance(-90 * 24 * hour)
    expect(await recency('updatedAt')).toBe(1)
    expect((await memory.search('cello')).results[0]?.score).toBeLessThanOrEqual(1)
  })

  it('[RNK-16] agentmaker 102, 104: with all weights 0 relevance alone decides, equals by id', async () => {
    const clock = fixedClock()
    const memory = await open({ clock })
    await memory.add({ id: 'b', content: 'cello', importance: 1 })
    await memory.add({ id: 'a', content: 'cello', importance: 0 })
    await memory.add({ id: 'c', content: 'a cello and many other instruments', importance: 1 })
    const weights = { recency: 0, importance: 0, reliability: 0 }
    const { results } = await memory.search('cello', { weights, explain: true })
    expect(results.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    for (const hit of results) expect(hit.score).toBe(hit.explanation?.relevance)
    expect((await memory.search('cello')).results[0]?.id).toBe('b')
  })

  it('[RNK-16] agentmaker 215: fresh trivia do not bury an old exact match', async () => {
    const clock = fixedClock()
    const memory = await open({ clock, embedder: hashing() })
    await memory.add('The locker code of the cello room is 4711')
    clock.advance(300 * 24 * hour)
    await memory.addMany(
      Array.from({ length: 20 }, (_, n) => ({ content: `Lunch note ${n} about the room`, importance: 1 })),
    )
    expect((await found(memory, 'what is the locker code of the cello room?'))[0]).toContain('4711')
  })

  it('[SEA-26] agentmaker 106, 107: a hit is noted as used and not as changed; failing to note it fails nothing', async () => {
    const clock = fixedClock()
    const fault = breakable(memoryStore(), 'derive')
    const memory = await open({ store: fault.store, clock })
    const { record } = await memory.add('cello')
    clock.advance(hour)
    fault.broken = true
    expect(await found(memory, 'cello')).toEqual(['cello'])
    expect(await memory.get(record.id)).toMatchObject({
      lastAccessedAt: '2026-01-01T01:00:00.000Z',
      updatedAt: record.updatedAt,
    })
    await expect(memory.stop()).resolves.toBeUndefined()
  })

  it('[SEA-31] agentmaker 108: metadata stands in for no field and no score', async () => {
    const memory = await open()
    const metadata = { score: 99, importance: 99, kind: 'z', explanation: 'x', id: 'other' }
    const { record } = await memory.add({ content: 'cello', metadata })
    const [hit] = (await memory.search('cello')).results
    expect(hit).toMatchObject({ id: record.id, kind: 'semantic', importance: 0.5, metadata })
    expect(hit?.score).toBeLessThanOrEqual(1)
    expect(hit).not.toHaveProperty('explanation')
  })

  it('[SEA-32] agentmaker 111: when the embedder fails text answers, and the result says so', async () => {
    const embedder = noting(hashing())
    const memory = await open({ embedder })
    await memory.addMany(['cello', 'viola'])
    embedder.broken = true
    const answer = await memory.search('cello')
    expect(contents(answer.results)).toEqual(['cello'])
    expect(answer.degraded).toEqual([{ stage: 'embedder', code: 'EMBEDDER_UNAVAILABLE', message: expect.any(String) }])
    embedder.broken = false
    expect(await memory.search('cello')).not.toHaveProperty('degraded')
  })

  it('[SEA-33] agentmaker 114: a reranker reads the best texts and decides their order; when it fails the order stays', async () => {
    const asked: string[][] = []
    let broken = false
    const reranker = {
      id: 'by-length',
      async rerank(_query: string, texts: readonly string[]) {
        asked.push([...texts])
        if (broken) throw new Error('broken on purpose')
        return texts.map((text) => text.length)
      },
    }
    const memory = await open({ reranker })
    await memory.addMany(Array.from({ length: 60 }, (_, n) => `cello${' x'.repeat(n)}`))
    expect((await found(memory, 'cello', { limit: 3 }))[0]).toBe(asked[0]?.toSorted((a, b) => b.length - a.length)[0])
    expect(asked[0]).toHaveLength(50)
    const plain = await found(memory, 'cello', { limit: 3, rerank: false })
    expect(asked).toHaveLength(1)
    broken = true
    const answer = await memory.search('cello', { limit: 3 })
    expect(contents(answer.results)).toEqual(plain)
    expect(answer.degraded).toMatchObject([{ stage: 'reranker' }])
  })
})

describe('agentmaker: counts, waiting vectors, rebuilding', () => {
  it('[STA-1] agentmaker 123: all but deleted are counted, by kind and status', async () => {
    const memory = await open()
    await memory.addMany(['one', 'two', { content: 'three', kind: 'episodic' }])
    const { record } = await memory.add('four')
    await memory.invalidate(record.id)
    const { record: gone } = await memory.add('five')
    await memory.delete(gone.id)
    expect(await memory.stats()).toMatchObject({
      total: 4,
      live: 3,
      byKind: { semantic: 3, episodic: 1 },
      byStatus: { live: 3, invalid: 1 },
      byScope: [{ scope: ann, count: 4 }],
      pending: 0,
    })
  })

  it('[RBD-1] agentmaker 136, 137: a rebuild makes good what is missing, and says what it did', async () => {
    const embedder = noting(hashing())
    const memory = await open({ embedder })
    embedder.broken = true
    await memory.addMany(['cello', 'viola'])
    embedder.broken = false
    expect(await memory.rebuild()).toEqual({ records: 2, analysed: 2, embedded: 2 })
    expect((await memory.pending()).records).toEqual([])
    expect(await found(memory, 'cello', { mode: 'vector' })).toEqual(['cello'])
    expect(await memory.verify()).toMatchObject({ ok: true, checked: 2 })
  })

  it('[PEN-1] agentmaker 74, 75: an update whose embedding fails lands; the old text is not found, and the next one clears it', async () => {
    const embedder = noting(hashing())
    const memory = await open({ embedder })
    const { record } = await memory.add('one')
    embedder.broken = true
    await memory.update(record.id, { content: 'two' })
    expect((await memory.pending()).records).toMatchObject([
      { id: record.id, attempts: 1, lastError: 'EMBEDDER_UNAVAILABLE' },
    ])
    expect(await found(memory, 'two', { mode: 'text' })).toEqual(['two'])
    expect(await found(memory, 'one', { mode: 'text' })).toEqual([])
    embedder.broken = false
    expect(await found(memory, 'one', { mode: 'vector' })).toEqual([])
    await memory.update(record.id, { content: 'three' })
    expect((await memory.pending()).records).toEqual([])
  })

  it('[PEN-4] agentmaker 195, 200, 201: what waits is listed by scope, still waits after opening again, and goes with its record', async () => {
    const path = join(temporaryFolder(), 'memory.db')
    const embedder = noting(hashing())
    embedder.broken = true
    const memory = await open({ path, embedder })
    const add = async (content: string, sessionId: string) =>
      (await memory.add(content, { scope: { ...ann, sessionId } })).record.id
    const ids = [await add('a', 'first'), await add('b', 'second')]
    await memory.add('of Bob', { scope: { userId: 'bob' } })
    const waiting = async (scope = ann) => (await memory.pending({ scope })).records.map(({ id }) => id)
    expect(await waiting()).toEqual(ids)
    expect(await waiting({ ...ann, sessionId: 'second' } as never)).toEqual([ids[1]])
    await memory.delete(ids[0] as string)
    expect(await waiting()).toEqual([ids[1]])
    await memory.close()
    const again = await open({ path, embedder })
    expect((await again.pending()).records.map(({ id }) => id)).toEqual([ids[1]])
    embedder.broken = false
    await again.rebuild({ part: 'vectors' })
    expect((await again.pending({ allScopes: true, scope: undefined })).records).toEqual([])
  })

  it('[WRT-8] agentmaker 193: changes of one memory at once all land, each as a version', async () => {
    const memory = await open({ embedder: noting(hashing()) })
    const { record } = await memory.add('zero')
    await Promise.all(Array.from({ length: 8 }, (_, n) => memory.update(record.id, { metadata: { [`n${n}`]: n } })))
    const after = await memory.get(record.id)
    expect(after?.version).toBe(9)
    expect(Object.keys(after?.metadata ?? {})).toHaveLength(8)
  })

  it('[SEA-26] agentmaker 197, 198: a store that cannot keep what comes late loses no write and no read', async () => {
    const fault = breakable(memoryStore(), 'derive')
    fault.broken = true
    const memory = await open({ store: fault.store, embedder: hashing() })
    const { record } = await memory.add('cello')
    await memory.update(record.id, { content: 'cello and viola' })
    expect(await found(memory, 'viola')).toEqual(['cello and viola'])
    expect(await listed(memory)).toEqual(['cello and viola'])
  })
})

describe('agentmaker: files', () => {
  it('[OPN-5] agentmaker 143: everything is there again after closing and opening, search included', async () => {
    const path = join(temporaryFolder(), 'memory.db')
    const memory = await open({ path, embedder: hashing() })
    const given = {
      content: 'Ann spielt Cello',
      metadata: { ort: 'Köln', 地: '东京', e: '😀' },
      eventTime: { start: '2026-05-08T13:56:00+02:00' },
    }
    const { record } = await memory.add(given)
    await memory.close()
    const again = await open({ path, embedder: hashing() })
    expect(await again.get(record.id)).toEqual(record)
    expect(await found(again, 'cello')).toEqual([given.content])
    expect(await found(again, 'cello', { mode: 'vector' })).toEqual([given.content])
    expect(await listed(again, { filter: { 地: '东京' } })).toEqual([given.content])
  })

  it('[OPN-6] agentmaker 151, 152, 155: a file that is not ours, or a place that cannot be written, is told and left alone', async () => {
    const folder = temporaryFolder()
    const foreign = join(folder, 'notes.txt')
    writeFileSync(foreign, 'These are my notes and no database. '.repeat(100))
    const before = readFileSync(foreign)
    for (const path of [foreign, folder, join(foreign, 'below.db')]) {
      const memory = await open({ path })
      const error = await memory.add('x').catch((thrown: unknown) => thrown)
      expect(error, path).toMatchObject({
        code: expect.stringMatching(/^(BAD_CONFIG|BACKEND_[A-Z]+|MIGRATION_FAILED)$/),
      })
    }
    expect(readFileSync(foreign)).toEqual(before)
  })

  it('[OPN-7] agentmaker 144, 146, 147: an engine closes its store, also when opening fails', async () => {
    const inner = memoryStore()
    let closed = 0
    const store = {
      ...inner,
      async close() {
        closed++
      },
    }
    const first = await open({ store, embedder: hashing({ dimensions: 16 }) })
    await first.add('x')
    await first[Symbol.asyncDispose]()
    expect(closed).toBe(1)
    const second = await openMemory({ store, scope: ann, embedder: hashing({ dimensions: 8 }) })
    await expect(second.search('x')).rejects.toMatchObject({ code: 'EMBEDDER_CHANGED' })
    expect(closed).toBe(2)
    await second.close()
  })

  it('[OPN-2] agentmaker 148, 209: impossible settings are refused when opening', async () => {
    const store = memoryStore()
    const wrong: [object, string][] = [
      [{}, 'BAD_CONFIG'],
      [{ store: {} }, 'BAD_CONFIG'],
      [{ store, colour: 'red' }, 'UNKNOWN_FIELD'],
      [{ store, embedder: 'openai' }, 'BAD_CONFIG'],
      [{ store, defaults: { limit: 0 } }, 'BAD_CONFIG'],
      [{ store, defaults: { importance: 2 } }, 'BAD_CONFIG'],
      [{ store, defaults: { recencyHalfLifeHours: 0 } }, 'BAD_CONFIG'],
      [{ store, defaults: { weights: { recency: -1 } } }, 'BAD_CONFIG'],
      [{ store, defaults: { weights: { recency: Number.NaN } } }, 'BAD_CONFIG'],
      [{ store, defaults: { recencyAnchor: 'invalidAt' } }, 'BAD_CONFIG'],
    ]
    for (const [options, code] of wrong) {
      await expect(openMemory(options as never), JSON.stringify(options)).rejects.toMatchObject({ code })
    }
  })
})
