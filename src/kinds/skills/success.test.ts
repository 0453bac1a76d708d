import fc from 'fast-check'
import { expect, test } from 'vitest'
import { successBound } from './success.ts'

test('[SKL-3] the bound is the lower end of the score interval of Wilson', () => {
  // Values of R: prop.test(s, n, correct = FALSE)$conf.int[1].
  expect(successBound(1, 0)).toBeCloseTo(0.2065493, 6)
  expect(successBound(8, 2)).toBeCloseTo(0.4901625, 6)
  expect(successBound(90, 10)).toBeCloseTo(0.8256343, 6)
  expect(successBound(0, 0)).toBe(0)
  expect(successBound(0, 7)).toBe(0)
})

test('[SKL-3] more successes raise it, more failures lower it, and it stays below the share', () => {
  const count = fc.integer({ min: 0, max: 100_000 })
  fc.assert(
    fc.property(count, count, (successes, failures) => {
      const bound = successBound(successes, failures)
      expect(bound).toBeGreaterThanOrEqual(0)
      expect(bound).toBeLessThanOrEqual(successes / Math.max(1, successes + failures))
      expect(successBound(successes + 1, failures)).toBeGreaterThan(bound)
      expect(successBound(successes, failures + 1)).toBeLessThanOrEqual(bound)
    }),
  )
})
