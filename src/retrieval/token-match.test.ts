import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCandidates, anyCollection, candidate, collection } from '../../test/fixtures/candidate.ts'
import type { TokenTable } from '../contract/index.ts'
import { tokenMatch } from './token-match.ts'

/** Tokens are alike by how near their numbers are: the same 1, the next .65, the one after .3, others none. */
function ladder(asked: (number | number[])[] = []): TokenTable {
  return {
    id: 'ladder',
    tokens: () => [],
    similarities: (a, others) => {
      asked.push(a, Array.from(others))
      return Float32Array.from(others, (b) => Math.max(-1, 1 - 0.35 * Math.abs(a - b)))
    },
  }
}

describe('tokenMatch', () => {
  const store = collection({ documents: 3, averageTokens: 2, tokenFrequency: (token) => (token === 10 ? 2 : 0) })
  const idf = (frequency: number): number => Math.log(1 + (3 - frequency + 0.5) / (frequency + 0.5))

  it('[RNK-8] weighs the nearest token of the record by the rarity of that of the query', () => {
    const [match] = tokenMatch([10, 20], [candidate('a', { tokens: [11, 20, 99, 98] })], store, ladder())
    const sum = idf(2) * 0.5 + idf(0)
    expect(match!.m2).toBeCloseTo(sum / (idf(2) + idf(0)), 6)
    expect(match!.m).toBeCloseTo(sum / (0.7 + 0.3 * 2), 6)
  })

  it('[RNK-8] counts likeness only from .3', () => {
    const [far, near] = tokenMatch(
      [10],
      [candidate('a', { tokens: [12] }), candidate('b', { tokens: [11] })],
      store,
      ladder(),
    )
    expect(far!.m2).toBeCloseTo(0, 6)
    expect(near!.m2).toBeCloseTo(0.5, 6)
  })

  it('[RNK-8] compares each token of the candidates once with each of the query', () => {
    const asked: (number | number[])[] = []
    tokenMatch(
      [1, 2],
      [candidate('a', { tokens: [3, 4] }), candidate('b', { tokens: [3, 4, 5] })],
      store,
      ladder(asked),
    )
    expect(asked).toEqual([1, [3, 4, 5], 2, [3, 4, 5]])
  })

  it('[RNK-8] gives nothing to a record or a query without tokens', () => {
    expect(tokenMatch([10], [candidate('a')], store, ladder())).toEqual([{ m: 0, m2: 0 }])
    expect(tokenMatch([], [candidate('a', { tokens: [1] })], store, ladder())).toEqual([{ m: 0, m2: 0 }])
    expect(tokenMatch([1], [], store, ladder())).toEqual([])
  })

  it('[RNK-9] gives finite numbers whatever the store', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 40 }), { maxLength: 4 }),
        anyCandidates,
        anyCollection,
        (query, found, known) => {
          const matches = tokenMatch(query, found, known, ladder())
          expect(matches).toHaveLength(found.length)
          for (const { m, m2 } of matches) {
            expect(Number.isFinite(m)).toBe(true)
            expect(m2).toBeGreaterThanOrEqual(0)
            expect(m2).toBeLessThanOrEqual(1)
          }
        },
      ),
    )
  })
})
