/** The sum of the products of a vector and the row that starts at `offset`: for scans over rows that lie side by side. */
export function dotAt(vector: Float32Array, rows: Float32Array, offset: number): number {
  const length = vector.length
  const unrolled = length - (length % 4)
  let sum0 = 0
  let sum1 = 0
  let sum2 = 0
  let sum3 = 0
  for (let i = 0, at = offset; i < unrolled; i += 4, at += 4) {
    sum0 += vector[i]! * rows[at]!
    sum1 += vector[i + 1]! * rows[at + 1]!
    sum2 += vector[i + 2]! * rows[at + 2]!
    sum3 += vector[i + 3]! * rows[at + 3]!
  }
  for (let i = unrolled; i < length; i++) sum0 += vector[i]! * rows[offset + i]!
  return sum0 + sum1 + (sum2 + sum3)
}
