import fc from 'fast-check'
import { expect, test } from 'vitest'
import { B, bm25Max, bm25Term, idf, K1, termCounts } from './index.ts'

test('[TXT-10] constants and formula are those of the contract', () => {
  expect([K1, B]).toEqual([1.2, 0.75])
  expect(idf(1, 3)).toBeCloseTo(Math.log(1 + 2.5 / 1.5), 12)
  expect(idf(3, 3)).toBeCloseTo(Math.log(1 + 0.5 / 3.5), 12)
  // A document of average length, twice the term: 2 · 2.2 / (2 + 1.2).
  expect(bm25Term(1, 2, 10, 10)).toBeCloseTo(4.4 / 3.2, 12)
  // Twice the average length: 2.2 / (1 + 1.2 · (0.25 + 0.75 · 2)).
  expect(bm25Term(1, 1, 20, 10)).toBeCloseTo(2.2 / 3.1, 12)
  expect(bm25Max([1, 2])).toBeCloseTo(6.6, 12)
  expect(bm25Max([])).toBe(0)
})

test('[TXT-10] no count makes a score NaN, negative or more than the most possible', () => {
  const count = fc.nat({ max: 1_000_000 })
  fc.assert(
    fc.property(
      count,
      count,
      count,
      count,
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      (n, all, tf, more, average) => {
        const worth = idf(n, all)
        expect(worth).toBeGreaterThan(0)
        const score = bm25Term(worth, tf, tf + more, average)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(bm25Max([worth]) * (1 + 1e-12))
      },
    ),
  )
  expect(idf(0, 0)).toBeCloseTo(Math.log(2), 12)
  expect(bm25Term(1, 1, 1, 0)).toBeCloseTo(1, 12)
})

test('[TXT-10] the rarer word wins, and the shorter document among equals', () => {
  const documents = ['the cat sat', 'the dog sat on the mat by the door', 'the cat and the dog', 'the bird'].map(
    termCounts,
  )
  const lengths = documents.map((counts) => counts.reduce((sum, [, frequency]) => sum + frequency, 0))
  const average = lengths.reduce((a, b) => a + b) / lengths.length
  const score = (term: string, i: number): number => {
    const tf = new Map(documents[i]).get(term) ?? 0
    const n = documents.filter((counts) => new Map(counts).has(term)).length
    return bm25Term(idf(n, documents.length), tf, lengths[i]!, average)
  }
  expect(score('bird', 3)).toBeGreaterThan(score('the', 3))
  expect(score('cat', 0)).toBeGreaterThan(score('cat', 2))
  expect(score('cat', 1)).toBe(0)
})
