import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cosine } from '../../vector/index.ts'
import { cleanText } from './clean-text.ts'
import { staticEn256, staticTokenTable } from './index.ts'
import { staticTable } from './table.ts'
import { punctuation } from './unicode-14.ts'

const data = new URL('../../../data/static-en-256/', import.meta.url)
const golden: { text: string; ids: number[]; vector: number[] }[] = JSON.parse(
  readFileSync(new URL('golden.json', data), 'utf8'),
)
const embedder = staticEn256()
const table = staticTokenTable()

async function embedOne(text: string): Promise<Float32Array> {
  const [vector] = await embedder.embed([text], { purpose: 'document' })
  return vector!
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

describe('static-en-256', () => {
  it('[EMB-1] every golden text has its golden tokens and vector', async () => {
    expect(golden).toHaveLength(20)
    const vectors = await embedder.embed(
      golden.map(({ text }) => text),
      { purpose: 'query' },
    )
    for (const [position, { text, ids, vector }] of golden.entries()) {
      expect(staticTable().tokenize(text), text).toEqual(ids)
      expect(vectors[position]).toHaveLength(256)
      const worst = Math.max(...vector.map((value, i) => Math.abs(value - vectors[position]![i]!)))
      expect(worst, text).toBeLessThan(1e-5)
    }
  })

  it('[EMB-1] the id names the weights that are in the package', () => {
    const sums = Object.fromEntries(
      ['weights.i8', 'scales.f32', 'vocab.txt'].map((name) => [name, sha256(readFileSync(new URL(name, data)))]),
    )
    expect(sums).toEqual({
      'weights.i8': '7fbcfdf8190a31cef642fcc5527cbf47e7a04960abdc9ca7cd5c38456955beb2',
      'scales.f32': 'e99ff1b2034cc31b49f79e76e92935bfeea4535585359a60dada00c56f3a3095',
      'vocab.txt': '07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3',
    })
    expect(embedder.id).toBe('static-en-256@7fbcfdf8')
    expect(table.id).toBe(embedder.id)
    expect(embedder.dimensions).toBe(256)
  })

  it('[EMB-1] every code point is cleaned and split the same way whatever Unicode version Node has', () => {
    const outcome = createHash('sha256')
    for (let code = 0; code <= 0x10ffff; code++) {
      const cleaned = cleanText(String.fromCodePoint(code))
      const splits = [...cleaned].some((character) => punctuation.has(character.codePointAt(0)!))
      outcome.update(`${code.toString(16)} ${cleaned}${splits ? ' splits' : ''}\n`)
    }
    expect(outcome.digest('hex')).toBe('cc7b02ccb0daa0b6e571b0708bdb40a7b8efd3cd883f4e653c4a6c51be5f0913')
  })

  it('[EMB-2] a text without words is the vector of zeros', async () => {
    for (const text of ['', ' \n\t', '\u200b\u0000', '\u0301']) {
      expect((await embedOne(text)).every((value) => value === 0)).toBe(true)
      expect(table.tokens(text)).toEqual([])
    }
  })

  it('[EMB-2] any other vector has length one, and is the same again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (text) => {
        const vector = await embedOne(text)
        const length = Math.hypot(...vector)
        expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true)
        expect(await embedOne(text)).toEqual(vector)
      }),
    )
  })

  it('[EMB-1] case, accents and the kind of white space make no difference', async () => {
    expect(await embedOne('CAFÉ\u00a0\u2003Ångström')).toEqual(await embedOne('cafe angstrom'))
    expect(table.tokens('naïve')).toEqual(table.tokens('NAIVE'))
  })

  it('[EMB-1] words are taken apart as BERT does', () => {
    const tokenize = staticTable().tokenize
    const vocabulary = readFileSync(new URL('vocab.txt', data), 'utf8').split('\n')
    const pieces = (text: string) => tokenize(text).map((id) => vocabulary[id])
    expect(pieces('unaffable')).toEqual(['una', '##ffa', '##ble'])
    expect(pieces("don't")).toEqual(['don', "'", 't'])
    expect(pieces('a…b “c”')).toEqual(['a', '…', 'b', '“', 'c', '”'])
    expect(pieces('日本x')).toEqual(['日', '本', 'x'])
    expect(pieces('\u{1f600}')).toEqual(['[UNK]'])
    expect(pieces('[UNK] ##ing')).toEqual(['[', 'un', '##k', ']', '#', '#', 'ing'])
    expect(tokenize('a'.repeat(100))).not.toContain(100)
    expect(tokenize('a'.repeat(101))).toEqual([100])
    expect(tokenize(`x${'\u{1f600}'.repeat(60)}`)).toEqual([100])
    expect(pieces('ab\ud83dcd')).toEqual(pieces('abcd'))
  })

  it('[EMB-1] more different words than the word cache holds change nothing', () => {
    const tokenize = staticTable().tokenize
    const before = tokenize('zyxwvq mneme')
    for (let i = 0; i < 25_000; i++) tokenize(`q${i.toString(36)}z`)
    expect(tokenize('zyxwvq mneme')).toEqual(before)
  })

  it('[EMB-3] a cancelled call throws the reason, also in the middle of a batch', async () => {
    const reason = new Error('enough')
    await expect(embedder.embed(['a'], { purpose: 'query', signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const controller = new AbortController()
    const running = embedder.embed(Array<string>(2000).fill('some words'), {
      purpose: 'document',
      signal: controller.signal,
    })
    controller.abort(reason)
    await expect(running).rejects.toBe(reason)
  })

  it('[EMB-4] tokens are distinct and ascending', () => {
    const ids = table.tokens('the cat and the dog and the unaffable bird')
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
    expect(ids).toEqual(
      [...new Set(staticTable().tokenize('the cat and the dog and the unaffable bird'))].sort((a, b) => a - b),
    )
  })

  it('[EMB-4] similarities are the cosines of the rows, in order', () => {
    const { weights } = staticTable()
    const row = (id: number) => weights.subarray(id * 256, (id + 1) * 256)
    const id = fc.integer({ min: 0, max: 30_521 })
    fc.assert(
      fc.property(id, fc.array(id, { maxLength: 20 }), (a, others) => {
        const found = table.similarities(a, others)
        expect(found).toBeInstanceOf(Float32Array)
        expect([...found]).toEqual(others.map((b) => Math.fround(cosine(row(a), row(b)))))
      }),
    )
    expect(table.similarities(2000, Int32Array.of(2000))[0]).toBeCloseTo(1, 6)
    const [cat, car] = [...table.tokens('cat'), ...table.tokens('carburetor')]
    const [kitten] = table.tokens('kitten')
    const [nearer, farther] = table.similarities(kitten!, [cat!, car!])
    expect(nearer).toBeGreaterThan(farther!)
  })

  it('[EMB-4] ids that are not in the table are refused', () => {
    for (const bad of [-1, 30_522, 1.5, Number.NaN]) {
      for (const ask of [() => table.similarities(bad, [1]), () => table.similarities(1, [bad])]) {
        expect(ask).toThrowError(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
      }
    }
  })
})
