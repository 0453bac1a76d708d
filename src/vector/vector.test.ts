import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MnemeError } from '../errors/index.ts'
import { cosine, dot, normalise, vectorFault } from './index.ts'

const component = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 })
const pair = fc
  .integer({ min: 1, max: 70 })
  .chain((length) =>
    fc.tuple(
      fc.array(component, { minLength: length, maxLength: length }),
      fc.array(component, { minLength: length, maxLength: length }),
    ),
  )

function codeOf(run: () => unknown): string | undefined {
  try {
    run()
  } catch (error) {
    return MnemeError.is(error) ? error.code : 'not a mneme error'
  }
  return undefined
}

describe('vectors', () => {
  it('[VEC-1] cosine is 1 for one direction, -1 for opposite ones, 0 for right angles and for zeros', () => {
    expect(cosine([1, 2, 3], [2, 4, 6])).toBeCloseTo(1, 12)
    expect(cosine([1, 2, 3], [-1, -2, -3])).toBeCloseTo(-1, 12)
    expect(cosine([1, 0], [0, 5])).toBe(0)
    expect(cosine([0, 0], [1, 1])).toBe(0)
    expect(cosine([0, 0], [0, 0])).toBe(0)
    expect(cosine([], [])).toBe(0)
    expect(cosine(Float32Array.of(1, 1), [1, 0])).toBeCloseTo(Math.SQRT1_2, 12)
  })

  it('[VEC-1] cosine stays within -1..1 and does not depend on the order of its arguments', () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const value = cosine(a, b)
        expect(value).toBeGreaterThanOrEqual(-1)
        expect(value).toBeLessThanOrEqual(1)
        expect(cosine(b, a)).toBe(value)
        expect(Math.abs(cosine(a, a) - (a.some((x) => x * x > 0) ? 1 : 0))).toBeLessThan(1e-12)
      }),
    )
  })

  it('[VEC-2] vectors of different lengths are refused', () => {
    expect(codeOf(() => cosine([1], [1, 2]))).toBe('INVALID_ARGUMENT')
    expect(codeOf(() => dot(Float32Array.of(1), Float32Array.of(1, 2)))).toBe('INVALID_ARGUMENT')
  })

  it('[VEC-3] a normalised copy has length one, and its dot product is the cosine', () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const before = [...a]
        const unit = normalise(a)
        expect(a).toEqual(before)
        const length = Math.sqrt(dot(unit, unit))
        expect(Math.abs(length - (a.some((x) => x * x > 0) ? 1 : 0))).toBeLessThan(1e-5)
        expect(Math.abs(dot(unit, normalise(b)) - cosine(a, b))).toBeLessThan(1e-5)
      }),
    )
    expect([...normalise([0, 0, 0])]).toEqual([0, 0, 0])
  })

  it('[VEC-4] only lists of the right length with finite float32 numbers pass as vectors', () => {
    expect(vectorFault([1, 2], 2)).toBeNull()
    expect(vectorFault(Float32Array.of(1, 2), 2)).toBeNull()
    expect(vectorFault([1, 2], 3)).toBe('has 2 numbers where 3 belong')
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, 1e39, null, '1', undefined]) {
      expect(vectorFault([1, bad], 2)).toBe('holds something that is not a finite number at position 1')
    }
    for (const bad of ['ab', null, undefined, 7, { length: 2, 0: 1, 1: 1 }, new DataView(new ArrayBuffer(2))]) {
      expect(vectorFault(bad, 2)).toBe('is not a list of numbers')
    }
  })
})
