import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dot, dotAt, topK } from './index.ts'

describe('nearest vectors', () => {
  it('[IDX-11] keeps the best few in order, ties by the given order, whatever the order in which they come', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -3, max: 3 })), fc.nat(8), (scores, limit) => {
        const best = topK(limit, (a, b) => b - a)
        scores.forEach((score, item) => {
          const { floor } = best
          best.offer(item, score)
          if (score < floor) expect(best.ranked().some((kept) => kept.item === item)).toBe(false)
        })
        const expected = scores
          .map((score, item) => ({ item, score }))
          .sort((a, b) => b.score - a.score || b.item - a.item)
          .slice(0, limit)
        expect(best.ranked()).toEqual(expected)
        expect(best.floor).toBe(
          limit === 0 ? Number.POSITIVE_INFINITY : (expected[limit - 1]?.score ?? Number.NEGATIVE_INFINITY),
        )
      }),
    )
  })

  it('[IDX-11] a row among others gives the product that the row alone gives, to the bit', () => {
    const component = fc.float({ noNaN: true, noDefaultInfinity: true, min: -100, max: 100 })
    fc.assert(
      fc.property(
        fc.array(fc.tuple(component, component), { minLength: 1, maxLength: 40 }),
        fc.nat(9),
        (pairs, offset) => {
          const vector = Float32Array.from(pairs, ([a]) => a)
          const row = Float32Array.from(pairs, ([, b]) => b)
          const rows = new Float32Array(offset + row.length + 3).fill(7)
          rows.set(row, offset)
          expect(dotAt(vector, rows, offset)).toBe(dot(vector, row))
        },
      ),
    )
  })
})
