import { stepsPerOne } from '../kernel/index.ts'
import type { ArenaRows } from './arena-rows.ts'

/**
 * The sum of some rows, kept as rows come and go. It is worked out of their int8 codes in whole numbers: the same to the last bit
 * in whatever order rows were added and removed, and whatever else is in the arena (VEC-10).
 */
export interface VectorSum {
  readonly count: number
  add(row: number): void
  /** To be called before the row is freed or set. */
  remove(row: number): void
  /**
   * The product of a vector with the mean of the rows, -1..1; 0 when there are none. Codes miss a row by up to about one
   * percent, and a mean of many by much less.
   */
  meanCosine(vector: Float32Array): number
}

/** @param sums of `count` rows, in whole numbers of `1 / stepsPerOne`; added to in place */
export function vectorSum(rows: ArenaRows, sums: Float64Array, count: number): VectorSum {
  let added = count
  const change = (row: number, sign: 1 | -1): void => {
    rows.requireLive(row)
    const { i8, f32 } = rows.kernel.memory
    const codes = rows.coded(row)
    const steps = f32[(codes + rows.stride) / 4]! * stepsPerOne * sign
    for (let i = 0; i < sums.length; i++) sums[i]! += i8[codes + i]! * steps
    added += sign
  }
  return {
    get count() {
      return added
    },
    add: (row) => change(row, 1),
    remove: (row) => change(row, -1),
    meanCosine(vector) {
      if (added === 0) return 0
      let product = 0
      for (let i = 0; i < sums.length; i++) product += sums[i]! * vector[i]!
      return Math.max(-1, Math.min(1, product / stepsPerOne / added))
    },
  }
}
