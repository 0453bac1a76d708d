import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EmbedderError, SetupError } from '../errors/index.ts'
import { cosine } from '../vector/index.ts'
import { embedderFrom, hashing } from './index.ts'

const document = { purpose: 'document' } as const

describe('hashing', () => {
  it('[EMB-5] the same text gives the same vector in every process', async () => {
    const embedder = hashing({ dimensions: 8 })
    expect(embedder.id).toBe('hashing-8')
    expect(embedder.dimensions).toBe(8)
    const [vector] = await embedder.embed(['The cat sat on the mat'], document)
    expect([...vector!].map((value) => Number(value.toFixed(6)))).toEqual([
      -0.408248, 0, 0, -0.408248, -0.816497, 0, 0, 0,
    ])
  })

  it('[EMB-5] texts are as alike as the words they share; case and punctuation make no difference', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
        const embedder = hashing()
        const [a, b] = await embedder.embed([text, text], { purpose: 'query' })
        expect(a).toEqual(b)
        expect(a).toHaveLength(256)
        const length = Math.hypot(...a!)
        expect(length === 0 || Math.abs(length - 1) < 1e-5).toBe(true)
      }),
    )
    const [tea, shout, similar, other, none] = await hashing().embed(
      ['green tea at noon', 'GREEN tea... at: noon!', 'green tea at dawn', 'my bicycle was stolen', '?!'],
      document,
    )
    expect(shout).toEqual(tea)
    expect(cosine(tea!, similar!)).toBeGreaterThan(0.5)
    expect(cosine(tea!, other!)).toBeLessThan(0.3)
    expect(none!.every((value) => value === 0)).toBe(true)
  })

  it('[EMB-5] a length that no vector can have is refused', () => {
    for (const dimensions of [0, -1, 1.5, Number.NaN, 65_537]) {
      expect(() => hashing({ dimensions })).toThrowError(expect.objectContaining({ code: 'BAD_CONFIG' }))
    }
  })
})

describe('embedderFrom', () => {
  it('[EMB-6] a function of one text becomes an embedder, whether it answers at once or later', async () => {
    const point: readonly [number, number] = [1, 2]
    const tuples = embedderFrom(() => point, { id: 'tuple', dimensions: 2 })
    expect(await tuples.embed(['a', 'b'], document)).toEqual([Float32Array.of(1, 2), Float32Array.of(1, 2)])
    const later = embedderFrom(async (text, { purpose }) => Float32Array.of(text.length, purpose === 'query' ? 1 : 0), {
      id: 'later',
      dimensions: 2,
    })
    expect(await later.embed(['abc', ''], { purpose: 'query' })).toEqual([Float32Array.of(3, 1), Float32Array.of(0, 1)])
    expect(await later.embed([], document)).toEqual([])
  })

  it('[EMB-6] an unusable vector is refused, naming the place of the text and no content', async () => {
    const bad: unknown[] = [[1], [1, 2, 3], [1, Number.NaN], [1, null], [1, '2'], '12', null, undefined, {}]
    for (const values of bad) {
      const embedder = embedderFrom((text) => (text === 'fine' ? [1, 2] : (values as number[])), {
        id: 'x',
        dimensions: 2,
      })
      const error = await embedder.embed(['fine', 'a secret'], document).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(EmbedderError)
      expect(error).toMatchObject({ code: 'EMBEDDER_BAD_OUTPUT', retryable: false, details: { embedder: 'x' } })
      expect(String(error)).toContain('text 1')
      expect(String(error) + JSON.stringify(error)).not.toContain('secret')
    }
  })

  it('[EMB-6] a function that throws makes the embedder unavailable, with the error as the cause', async () => {
    const cause = new Error('boom')
    const embedder = embedderFrom(
      () => {
        throw cause
      },
      { id: 'x', dimensions: 2 },
    )
    await expect(embedder.embed(['a'], document)).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE', cause })
  })

  it('[EMB-3] a cancelled call throws the reason and embeds no further text', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const seen: string[] = []
    const embedder = embedderFrom(
      (text) => {
        seen.push(text)
        controller.abort(reason)
        return [1]
      },
      { id: 'x', dimensions: 1 },
    )
    await expect(embedder.embed(['a', 'b'], { ...document, signal: controller.signal })).rejects.toBe(reason)
    expect(seen).toEqual(['a'])
    await expect(hashing().embed(['a'], { ...document, signal: controller.signal })).rejects.toBe(reason)
  })

  it('[EMB-6] an empty id or an impossible length is refused', () => {
    expect(() => embedderFrom(() => [1], { id: ' ', dimensions: 1 })).toThrowError(SetupError)
    expect(() => embedderFrom(() => [1], { id: 'x', dimensions: 0 })).toThrowError(SetupError)
  })
})
