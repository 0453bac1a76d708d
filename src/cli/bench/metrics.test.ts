import { expect, test } from 'vitest'
import { bestSeparation, isStaleFirst, mean, measure, percentile, recallAt, separationAt } from './metrics.ts'

const ranked = Array.from({ length: 60 }, (_, i) => `t${i + 1}`)

test('[BEN-1] recall is the share of the evidence among the first k', () => {
  expect(measure(ranked, ['t1', 't4', 't20', 't51']).recall).toEqual([0.25, 0.25, 0.5, 0.5, 0.75, 0.75])
})

test('[BEN-1] evidence that does not exist counts as missed', () => {
  expect(measure(ranked, ['t2', 'nowhere']).recall).toEqual([0, 0.5, 0.5, 0.5, 0.5, 0.5])
})

test('[BEN-1] the reciprocal rank is that of the first evidence, and 0 beyond the tenth', () => {
  expect(measure(ranked, ['t9', 't4']).reciprocalRank).toBe(0.25)
  expect(measure(ranked, ['t10']).reciprocalRank).toBe(0.1)
  expect(measure(ranked, ['t11']).reciprocalRank).toBe(0)
  expect(measure([], ['t1']).reciprocalRank).toBe(0)
})

test('[BEN-1] every question counts the same, however much evidence it has', () => {
  const both = mean([measure(ranked, ['t1']), measure(ranked, ['t2', 't3', 't4', 't60'])])
  expect(recallAt(both, 1)).toBe(0.5)
  expect(recallAt(both, 3)).toBe(0.75)
  expect(recallAt(both, 50)).toBe(0.875)
  expect(both.reciprocalRank).toBe(0.75)
  expect(mean([])).toEqual({ recall: [0, 0, 0, 0, 0, 0], reciprocalRank: 0 })
})

test('[BEN-4] an outdated turn is first when it ranks above the newest, or alone is found', () => {
  expect(isStaleFirst(['new', 'old'], ['old'], 'new')).toBe(false)
  expect(isStaleFirst(['other', 'old', 'new'], ['older', 'old'], 'new')).toBe(true)
  expect(isStaleFirst(['old'], ['old'], 'new')).toBe(true)
  expect(isStaleFirst(['other'], ['old'], 'new')).toBe(false)
})

test('[BEN-4] a threshold is judged by what stays under it on both sides', () => {
  expect(separationAt(0.3, [0.1, 0.2, 0.3, 0.9], [0.25, 0.5])).toEqual({
    threshold: 0.3,
    unanswerable: 0.5,
    answerable: 0.5,
  })
  expect(bestSeparation([0.1, 0.2, 0.3, 0.9], [0.25, 0.5, 0.6, 0.7, 0.8])).toEqual({
    threshold: 0.31,
    unanswerable: 0.75,
    answerable: 0.2,
  })
})

test('[BEN-6] percentiles are values that were measured', () => {
  expect(percentile([5, 1, 4, 2, 3], 0.5)).toBe(3)
  expect(percentile([5, 1, 4, 2, 3], 0.95)).toBe(5)
  expect(percentile([], 0.5)).toBe(0)
})
