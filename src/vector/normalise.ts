/** A copy of length one; a vector of zeros stays zeros, so that it goes on matching nothing. */
export function normalise(vector: ArrayLike<number>): Float32Array {
  const unit = new Float32Array(vector.length)
  let squares = 0
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!
  if (squares === 0) return unit
  const length = Math.sqrt(squares)
  for (let i = 0; i < vector.length; i++) unit[i] = vector[i]! / length
  return unit
}
