import { scoreBins } from '../kernel/index.ts'

const int16Most = 32_767
const int8Most = 127
// Scores of unit vectors end at 1, and a little beyond by rounding and by what codes miss.
const highest = 1.1
/** What rounding to float32 may change in a number near 1, taken twice. */
const rounding = 2 ** -23

/** A query in the forms that the kernel takes. */
export interface PreparedQuery {
  readonly unit: Float32Array
  readonly codes: Int16Array
  /** What products of codes are multiplied with, times the step of the row. */
  readonly scale: number
  /** A score by codes misses the float32 score by no more than `bound of the row * spread + slack` (VEC-6). */
  readonly spread: number
  readonly slack: number
  readonly lowest: number
  readonly perBin: number
}

export function prepareQuery(unit: Float32Array, stride: number): PreparedQuery {
  let largest = 0
  let squares = 0
  for (let i = 0; i < unit.length; i++) {
    largest = Math.max(largest, Math.abs(unit[i]!))
    squares += unit[i]! * unit[i]!
  }
  const codes = new Int16Array(stride)
  // As fine as int16 allows, as long as no sum of products can leave int32.
  const most = Math.min(int16Most, Math.floor((2 ** 31 - 1) / (int8Most * stride)))
  const scale = Math.fround(largest / most)
  let missing = 0
  if (scale > 0) {
    for (let i = 0; i < unit.length; i++) {
      const code = Math.max(-most, Math.min(most, Math.round(unit[i]! / scale)))
      codes[i] = code
      missing += (unit[i]! - code * scale) ** 2
    }
  }
  // The longest that a row of codes can be: length one, and half a step missing in every number.
  const longest = 1.001 + Math.sqrt(stride) / (2 * int8Most)
  return {
    unit,
    codes,
    scale,
    spread: Math.fround(Math.sqrt(squares) * 1.000001),
    // What the query's codes miss, what adding in float32 may, and the roundings of the rating itself.
    slack: Math.fround(Math.sqrt(missing) * longest + (stride / 16 + 16) * rounding),
    lowest: Math.fround(-highest),
    perBin: Math.fround(scoreBins / (2 * highest)),
  }
}

/** The query's sign bits, as `Kernel.signs` gives them for rows. */
export function signBits(unit: Float32Array, mean: Float32Array): Uint8Array {
  const bits = new Uint8Array(mean.length / 8)
  for (let i = 0; i < unit.length; i++) if (unit[i]! > mean[i]!) bits[i >> 3]! |= 1 << (i & 7)
  return bits
}
