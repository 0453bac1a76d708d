import { InputError } from '../../errors/index.ts'

// Rounding to float32 leaves a length within 1e-6 of one.
const tolerance = 1e-3

/** Refuses what is neither of length one nor all zeros, or of other dimensions. @throws InputError INVALID_ARGUMENT */
export function requireUnit(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `vector: has ${vector.length} numbers where ${dimensions} belong. Compare vectors of one embedder.`,
      details: { given: vector.length, expected: dimensions },
    })
  }
  let squares = 0
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!
  if (squares === 0 || Math.abs(squares - 1) <= tolerance) return
  throw new InputError({
    code: 'INVALID_ARGUMENT',
    message: 'vector: is not of length one. Normalise it first.',
    details: { dimensions },
  })
}
