import { requireSameLength } from './same-length.ts'

/**
 * How alike two vectors point, -1..1 whatever their lengths; 0 when either is all zeros.
 * @throws InputError INVALID_ARGUMENT on different lengths (VEC-2).
 */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  requireSameLength(a, b)
  let product = 0
  let squaresA = 0
  let squaresB = 0
  for (let i = 0; i < a.length; i++) {
    const left = a[i]!
    const right = b[i]!
    product += left * right
    squaresA += left * left
    squaresB += right * right
  }
  if (squaresA === 0 || squaresB === 0) return 0
  // Rounding can carry a vector's cosine with itself a little past 1.
  return Math.min(1, Math.max(-1, product / (Math.sqrt(squaresA) * Math.sqrt(squaresB))))
}
