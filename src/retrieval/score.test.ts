import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCandidates, anyCollection, candidate, collection } from '../../test/fixtures/candidate.ts'
import { rank } from './rank.ts'
import { type Adjustment, adjusted, evidenceOf, type Factors, recency, score } from './score.ts'

const all = (value: number): Factors => ({ recency: value, importance: value, reliability: value })

describe('evidence', () => {
  it('[RNK-14] is half the share of the most BM25 could reach and half the excess of the cosine', () => {
    const found = [candidate('a', { bm25: 2.2, cosine: 0.6 })]
    const store = collection({ termIdfs: [1, 1], vectors: 101, meanCosine: (100 * 0.2 + 0.6) / 101 })
    const evidence = evidenceOf(found, store, 'hybrid')
    expect(evidence[0]).toBeCloseTo(0.5 * 0.5 + 0.5 * (0.4 / 0.8), 9)
    expect(evidenceOf(found, store, 'text')[0]).toBeCloseTo(0.5, 9)
    expect(evidenceOf(found, store, 'vector')[0]).toBeCloseTo(0.5, 9)
  })

  it('[RNK-14] of a hybrid search that lost its vectors is that of its text half', () => {
    const found = [candidate('a', { bm25: 2.2 })]
    expect(evidenceOf(found, collection({ termIdfs: [1] }), 'hybrid')[0]).toBeCloseTo(0.5, 9)
  })

  it('[RNK-15] compares a vector with those of the others: one record is measured by itself', () => {
    const store = collection({ vectors: 1, meanCosine: 0.6 })
    expect(evidenceOf([candidate('a', { cosine: 0.6 })], store, 'vector')[0]).toBeCloseTo(0.6, 9)
  })

  it('[RNK-15] tells the nearer of two records from the other', () => {
    const found = [candidate('a', { cosine: 0.8 }), candidate('b', { cosine: 0.2 })]
    const evidence = evidenceOf(found, collection({ vectors: 2, meanCosine: 0.5 }), 'vector')
    expect(evidence[0]).toBeCloseTo(0.75, 9)
    expect(evidence[1]).toBe(0)
  })

  it('[RNK-15] of records of the same vector is their cosine', () => {
    const found = ['a', 'b'].map((id) => candidate(id, { cosine: 0.6 }))
    for (const evidence of evidenceOf(found, collection({ vectors: 2, meanCosine: 0.6 }), 'vector')) {
      expect(evidence).toBeCloseTo(0.6, 9)
    }
    const exact = ['a', 'b'].map((id) => candidate(id, { cosine: 1 }))
    expect(evidenceOf(exact, collection({ vectors: 2, meanCosine: 1 }), 'vector')).toEqual([1, 1])
  })

  it('[RNK-15] survives counts that lag behind', () => {
    const found = [candidate('a', { cosine: 0.6 }), candidate('b', { cosine: 0.8 })]
    const evidence = evidenceOf(found, collection({ vectors: 1, meanCosine: 0.6 }), 'vector')
    expect(evidence.map((value) => value.toFixed(6))).toEqual(['0.600000', '0.800000'])
  })

  it('[RNK-15] is not lent by records that point away', () => {
    const found = [candidate('a', { cosine: 0.1 }), candidate('b', { cosine: -0.9 })]
    expect(evidenceOf(found, collection({ vectors: 2, meanCosine: -0.4 }), 'vector')[0]).toBeCloseTo(0.1, 9)
  })
})

describe('score', () => {
  const store = collection({ termIdfs: [1] })
  const found = [candidate('a', { bm25: 1.1 }), candidate('b', { bm25: 2.2 }), candidate('c', { bm25: 0.55 })]

  it('[RNK-14] gives the first the strongest evidence and the others their share by rank value', () => {
    const scored = score(rank(found, [4, 2, -1]), store, { mode: 'text' })
    expect(scored.map(({ candidate: { id }, relevance, score: value }) => [id, relevance, value])).toEqual([
      ['a', 1, 1],
      ['b', 0.5, 0.5],
      ['c', 0, 0],
    ])
    expect(scored[0]!.evidence).toBeCloseTo(0.5, 9)
  })

  it('[RNK-14] goes by each one’s own evidence when no rank value is above 0', () => {
    const scored = score(rank(found, [0, -1, -2]), store, { mode: 'text' })
    expect(scored.map(({ candidate: { id }, relevance }) => [id, relevance])).toEqual([
      ['b', 1],
      ['a', 0.5],
      ['c', 0.25],
    ])
  })

  it('[RNK-14] of nothing is nothing', () => {
    expect(score([], collection(), { mode: 'hybrid' })).toEqual([])
  })

  it('[RNK-16] is relevance alone when all weights are 0', () => {
    const ranked = rank(found, [4, 2, 1])
    const adjust = (): Adjustment => ({ factors: all(0), weights: all(0) })
    expect(score(ranked, store, { mode: 'text', adjust })).toEqual(score(ranked, store, { mode: 'text' }))
  })

  it('[RNK-16] moves by a tenth a factor at most, within 0..1', () => {
    expect(adjusted(0.5, { factors: all(0.5), weights: all(1) })).toBeCloseTo(0.5, 9)
    expect(adjusted(0.5, { factors: { ...all(0.5), recency: 1 }, weights: all(1) })).toBeCloseTo(0.55, 9)
    expect(adjusted(0.5, { factors: { ...all(0.5), importance: 0 }, weights: all(1) })).toBeCloseTo(0.45, 9)
    expect(adjusted(0.5, { factors: all(0), weights: { ...all(0), reliability: 0.5 } })).toBeCloseTo(0.475, 9)
    expect(adjusted(0.95, { factors: all(1), weights: all(1) })).toBe(1)
    expect(adjusted(0.5, { factors: all(0), weights: all(99) })).toBe(0)
  })

  it('[RNK-16] never lets a fresh triviality pass an old exact match', () => {
    const ranked = rank([candidate('old', { bm25: 2.2 }), candidate('fresh', { bm25: 0.5 })], [4, 2])
    const adjust = ({ id }: { id: string }): Adjustment => ({ factors: all(id === 'old' ? 0 : 1), weights: all(1) })
    expect(score(ranked, store, { mode: 'text', adjust })[0]!.candidate.id).toBe('old')
  })

  it('[RNK-18] is 1 for the record whose key is the query, which comes first', () => {
    const keyed = [candidate('b', { bm25: 2.2 }), candidate('k', { keyMatch: true })]
    const adjust = (): Adjustment => ({ factors: all(0), weights: all(1) })
    expect(score(rank(keyed, [5, -1]), store, { mode: 'text', adjust })[0]).toMatchObject({
      candidate: { id: 'k' },
      relevance: 1,
      score: 1,
    })
  })

  it('[RNK-18] orders equal scores by rank value, then by id', () => {
    const same = ['c', 'b', 'a'].map((id) => candidate(id))
    const scored = score(rank(same, [1, 2, 1]), store, { mode: 'text' })
    expect(scored.map(({ candidate: { id }, score: value }) => [id, value])).toEqual([
      ['b', 0],
      ['a', 0],
      ['c', 0],
    ])
  })

  it('[RNK-9] is within 0..1 and descends, whatever the store', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    const factors = fc.record({ recency: share, importance: share, reliability: share })
    const values = fc.array(fc.double({ min: -9, max: 99, noNaN: true }), { minLength: 12, maxLength: 12 })
    const mode = fc.constantFrom('hybrid' as const, 'text' as const, 'vector' as const)
    fc.assert(
      fc.property(
        anyCandidates,
        anyCollection,
        values,
        mode,
        factors,
        factors,
        (those, known, by, asked, is, weights) => {
          const scored = score(rank(those, by), known, { mode: asked, adjust: () => ({ factors: is, weights }) })
          expect(scored).toHaveLength(those.length)
          for (const [i, each] of scored.entries()) {
            for (const value of [each.score, each.relevance, each.evidence]) {
              expect(value >= 0 && value <= 1).toBe(true)
            }
            if (i > 0) expect(each.score).toBeLessThanOrEqual(scored[i - 1]!.score)
          }
        },
      ),
    )
  })
})

describe('recency', () => {
  const day = 86_400_000
  it('[RNK-17] halves with each half-life', () => {
    expect(recency(0, day, 24)).toBeCloseTo(0.5, 12)
    expect(recency(0, 3 * day, 24)).toBeCloseTo(0.125, 12)
    expect(recency(0, 12 * 3_600_000, 24)).toBeCloseTo(Math.SQRT1_2, 12)
  })

  it('[RNK-17] is 1 now and for what lies ahead', () => {
    expect(recency(day, day, 24)).toBe(1)
    expect(recency(2 * day, day, 24)).toBe(1)
  })

  it('[RNK-17] never leaves 0..1', () => {
    expect(recency(0, Number.MAX_SAFE_INTEGER, 1e-9)).toBe(0)
    expect(recency(0, day, Number.POSITIVE_INFINITY)).toBe(1)
    expect(recency(day, day, 0)).toBe(1)
  })
})
