import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { embedderFrom } from '../src/embedders/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import { ann, found, open, temporaryFolder } from './fixtures/reference-stores.ts'

describe('orqest: keyword recall', () => {
  it('[SEA-22] orqest 42: limit results, 10 unless said otherwise', async () => {
    const memory = await open()
    await memory.addMany(Array.from({ length: 12 }, (_, i) => `entry about topic ${i}`))
    expect(await found(memory, 'topic', { limit: 2 })).toHaveLength(2)
    expect(await found(memory, 'topic')).toHaveLength(10)
    expect(await found(memory, 'topic', { limit: 100 })).toHaveLength(12)
  })

  it('[RED-20] orqest 43: limits of 0 and below are refused, more than there is gives all', async () => {
    const memory = await open()
    await memory.addMany(Array.from({ length: 7 }, (_, i) => `match ${i}`))
    for (const limit of [0, -1]) {
      await expect(memory.search('match', { limit })).rejects.toMatchObject({ code: 'LIMIT_OUT_OF_RANGE' })
    }
    expect(await found(memory, 'match', { limit: 100 })).toHaveLength(7)
  })

  it('[TXT-3] orqest 44, 47: case and accents make no difference', async () => {
    const memory = await open()
    await memory.addMany(['the quick brown fox', 'naïve café', 'nai\u0308ve cafe\u0301 composed otherwise'])
    expect(await found(memory, 'QUICK')).toEqual(['the quick brown fox'])
    for (const query of ['naive', 'cafe', 'CAFÉ', 'nai\u0308ve']) expect(await found(memory, query)).toHaveLength(2)
  })

  it('[SEA-23] orqest 45: words in any order and number, by relevance; the beginning of a word is another word', async () => {
    const memory = await open()
    await memory.addMany(['the quick brown fox', 'a brown bear', 'nothing alike'])
    expect(await found(memory, 'brown quick')).toEqual(['the quick brown fox', 'a brown bear'])
    expect(await found(memory, 'where did the quick fox go?')).toEqual(['the quick brown fox'])
    expect(await found(memory, 'qui')).toEqual([])
  })

  it('[TXT-1] orqest 48: punctuation separates words', async () => {
    const memory = await open()
    await memory.add('e-mail foo@bar.com')
    for (const query of ['foo@bar', 'e-mail', 'bar.com', 'mail'])
      expect(await found(memory, query), query).toHaveLength(1)
    expect(await found(memory, 'email')).toEqual([])
  })

  it('[TXT-2] orqest 49, 50, 51, 53: a query is words: operators, quotes, columns and wildcards are none', async () => {
    const memory = await open({ clock: fixedClock() })
    await memory.addMany([
      'NOT a drill',
      'say "hello" world',
      'the quick brown fox',
      '50% off_sale',
      'note of a column',
    ])
    expect(await found(memory, 'NOT')).toEqual(['NOT a drill'])
    const same = async (query: string, plain: string) => {
      const scores = async (text: string) => (await memory.search(text)).results.map(({ id, score }) => [id, score])
      expect(await scores(query), query).toEqual(await scores(plain))
    }
    await same('hello" OR "fox', 'hello fox')
    await same('x" OR content : "note', 'x content note')
    await same('quick*', 'quick')
    await same('NEAR(quick fox, 2)', 'near quick fox 2')
    for (const query of [
      '"',
      "'",
      '""',
      '%',
      '_',
      '*',
      '(',
      ')',
      '-',
      '\u0000',
      '"\u0000',
      'NEAR/2',
      '^',
      '\\',
      ';',
      '{}',
    ]) {
      expect(await found(memory, query), JSON.stringify(query)).toEqual([])
    }
    expect(await found(memory, '50%')).toEqual(['50% off_sale'])
  })

  it('[SEA-24] orqest 52: a blank query finds nothing, with and without an embedder', async () => {
    const embedder = embedderFrom(() => [1], { id: 'one', dimensions: 1 })
    for (const memory of [await open(), await open({ embedder })]) {
      await memory.addMany(['one', 'two', 'three'])
      for (const query of ['', '   ', '\n\t', '\u3000']) expect(await found(memory, query)).toEqual([])
    }
  })

  it('[SEA-25] orqest 54, 55: every kind is searched unless kinds are named', async () => {
    const memory = await open()
    const kinds = ['semantic', 'episodic', 'procedural', 'tool']
    await memory.addMany(kinds.map((kind) => ({ kind, content: `shared word of ${kind}` })))
    expect((await memory.search('shared')).results.map(({ kind }) => kind).sort()).toEqual([...kinds].sort())
    await memory.addMany(['fact about cats', { kind: 'episodic', content: 'experience with cats' }])
    expect(await found(memory, 'cats', { kinds: ['episodic'] })).toEqual(['experience with cats'])
  })

  it('[FLT-6] orqest 58: all conditions must hold', async () => {
    const memory = await open()
    await memory.add({ content: 'word one', confidence: 0.5, reliability: 0.5 })
    await memory.add({ content: 'word two', confidence: 0.49, reliability: 0.9 })
    const filter = { 'record.confidence': { gte: 0.5 }, 'record.reliability': { gte: 0.9 } }
    expect(await found(memory, 'word', { filter })).toEqual([])
    expect(await found(memory, 'word', { filter: { 'record.confidence': { gte: 0.5 } } })).toEqual(['word one'])
  })

  it('[SEA-23] orqest 62: relevance first, whatever was used last', async () => {
    const memory = await open()
    const long = `a long text with one cache in it and ${'many other words '.repeat(20)}`
    await memory.addMany(['cache cache cache', long])
    await memory.search('long text words')
    expect(await found(memory, 'cache')).toEqual(['cache cache cache', long])
  })
})

describe('orqest: embeddings', () => {
  const vectors: Record<string, number[]> = { dog: [0, 1], 'a hound': [0.1, 1], 'a cat': [1, 0], 'not a dog': [0, -1] }
  const embedder = embedderFrom((text) => vectors[text] ?? [0, 0], { id: 'plane', dimensions: 2 })

  it('[RNK-15] orqest 120: what has nothing in common is not a result, and every result has its score', async () => {
    const memory = await open({ embedder })
    await memory.addMany(['a hound', 'a cat', 'not a dog'])
    const { results } = await memory.search('dog', { mode: 'vector' })
    expect(results[0]).toMatchObject({ content: 'a hound', score: expect.closeTo(1) })
    for (const { score } of results.slice(1)) expect(score).toBeLessThan(0.01)
    expect(await found(memory, 'dog', { mode: 'vector', limit: 2, minScore: 0.05 })).toEqual(['a hound'])
    expect(await found(memory, 'dog', { mode: 'vector' })).not.toContain('not a dog')
  })

  it('[IDX-3] orqest 121: vectors of zeros match nothing, those of another length are refused', async () => {
    const memory = await open({ embedder })
    await memory.addMany(['a hound', 'nothing to embed'])
    expect(await found(memory, 'dog', { mode: 'vector' })).toEqual(['a hound'])
    await expect(memory.add({ content: 'x', vector: [1, 2, 3] })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(memory.search('dog', { vector: [1] })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('[PEN-2] orqest 125: what was stored before there was an embedder is found at once, and gets its vector', async () => {
    const path = join(temporaryFolder(), 'memory.db')
    const before = await open({ path })
    await before.add('a hound')
    await before.close()
    const memory = await open({ path, embedder })
    expect(await found(memory, 'hound')).toEqual(['a hound'])
    await memory.rebuild({ part: 'vectors' })
    expect((await memory.pending()).records).toEqual([])
    expect(await found(memory, 'dog', { mode: 'vector' })).toEqual(['a hound'])
  })

  it('[EMB-6] orqest 126: an embedder may be asynchronous and answer any list of numbers', async () => {
    const tuple = embedderFrom(async (text) => Object.freeze([text.length, 1]) as readonly number[], {
      id: 't',
      dimensions: 2,
    })
    const memory = await open({ embedder: tuple })
    await memory.add('a hound')
    expect(await found(memory, 'any', { mode: 'vector' })).toEqual(['a hound'])
  })

  it('[SCO-2] orqest 132: the same text of another agent is not returned', async () => {
    const memory = await open()
    await memory.add('plan the week', { scope: { ...ann, agentId: 'planner' } })
    expect(await found(memory, 'plan the week', { scope: { ...ann, agentId: 'writer' } })).toEqual([])
  })

  it('[RNK-19] orqest 131, 134: a threshold keeps what is alike and drops what is not', async () => {
    const goals: Record<string, number[]> = { 'sort the mail': [1, 0], 'paint the fence': [0.1, Math.sqrt(0.99)] }
    const memory = await open({
      embedder: embedderFrom((text) => goals[text] ?? [0, 1], { id: 'goals', dimensions: 2 }),
    })
    await memory.add('sort the mail')
    expect(await found(memory, 'sort the mail', { minScore: 0.85 })).toEqual(['sort the mail'])
    expect(await found(memory, 'paint the fence', { minScore: 0.85 })).toEqual([])
    await expect(memory.search('sort', { minScore: 1.5 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})
