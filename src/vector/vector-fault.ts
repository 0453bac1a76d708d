/**
 * Why `values` can't be used as a vector of `dimensions` numbers, as the end of a sentence; null when it can.
 * Says lengths and positions, never a value.
 */
export function vectorFault(values: unknown, dimensions: number): string | null {
  if (!isArrayLike(values)) return 'is not a list of numbers'
  if (values.length !== dimensions) return `has ${values.length} numbers where ${dimensions} belong`
  for (let i = 0; i < dimensions; i++) {
    const value = values[i]
    // Vectors are stored as float32, where a number past 3.4e38 turns into Infinity.
    if (typeof value !== 'number' || !Number.isFinite(Math.fround(value))) {
      return `holds something that is not a finite number at position ${i}`
    }
  }
  return null
}

function isArrayLike(values: unknown): values is ArrayLike<unknown> {
  return Array.isArray(values) || (ArrayBuffer.isView(values) && 'length' in values)
}
