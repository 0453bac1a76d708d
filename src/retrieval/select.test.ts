import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { candidate } from '../../test/fixtures/candidate.ts'
import type { Scored } from './score.ts'
import { select } from './select.ts'

const scored = (id: string, score: number, tokens: readonly number[] = []): Scored => ({
  candidate: candidate(id, { tokens }),
  score,
  relevance: score,
  evidence: score,
  value: score,
})
const ids = (results: readonly Scored[]): string => results.map(({ candidate: { id } }) => id).join('')

describe('select', () => {
  const results = [
    scored('a', 0.9, [1, 2, 3]),
    scored('b', 0.8, [1, 2, 3]),
    scored('c', 0.5, [7]),
    scored('d', 0.2, [8]),
  ]

  it('[RNK-19] keeps everything, in order, unless told otherwise', () => {
    expect(select(results)).toEqual(results)
    expect(select([])).toEqual([])
  })

  it('[RNK-19] keeps scores from the threshold on, then the first so many', () => {
    expect(ids(select(results, { minScore: 0.5 }))).toBe('abc')
    expect(ids(select(results, { minScore: 0.95 }))).toBe('')
    expect(ids(select(results, { limit: 2 }))).toBe('ab')
    expect(ids(select(results, { limit: 0, diversity: 0.5 }))).toBe('')
  })

  it('[RNK-20] takes the unlike first, and the best still before all', () => {
    expect(ids(select(results, { diversity: 0.5 }))).toBe('acdb')
    expect(ids(select(results, { diversity: 1, limit: 2 }))).toBe('ac')
    expect(ids(select(results, { diversity: 0.1 }))).toBe('abcd')
  })

  it('[RNK-20] measures likeness by vectors where there are any', () => {
    const vectors: Record<string, Float32Array> = {
      a: Float32Array.of(1, 0),
      b: Float32Array.of(0, 1),
      c: Float32Array.of(1, 0),
      d: Float32Array.of(-1, 0),
    }
    expect(ids(select(results, { diversity: 0.5, vectorOf: (id) => vectors[id] ?? null }))).toBe('abdc')
  })

  it('[RNK-20] never takes what is below the threshold for its unlikeness', () => {
    expect(ids(select(results, { diversity: 1, minScore: 0.3 }))).toBe('acb')
  })

  it('[RNK-20] keeps equals in their order', () => {
    const equal = ['a', 'b', 'c', 'd'].map((id) => scored(id, 0.5, [1]))
    expect(ids(select(equal, { diversity: 0.7 }))).toBe('abcd')
    expect(
      ids(
        select(
          ['a', 'b', 'c'].map((id) => scored(id, 0)),
          { diversity: 1 },
        ),
      ),
    ).toBe('abc')
  })

  it('[RNK-20] returns each result once, whatever the options', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    const any = fc.array(fc.record({ score: share, tokens: fc.uniqueArray(fc.nat({ max: 5 }), { maxLength: 4 }) }), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(any, share, share, fc.nat({ max: 9 }), (given, diversity, minScore, limit) => {
        const from = given
          .map(({ score, tokens }, i) => scored(String(i), score, tokens))
          .sort((x, y) => y.score - x.score)
        const picked = select(from, { diversity, minScore, limit })
        expect(new Set(picked).size).toBe(picked.length)
        expect(picked).toHaveLength(Math.min(limit, from.filter((each) => each.score >= minScore).length))
        expect(picked[0]).toBe(limit > 0 && (from[0]?.score ?? -1) >= minScore ? from[0] : undefined)
      }),
    )
  })
})
