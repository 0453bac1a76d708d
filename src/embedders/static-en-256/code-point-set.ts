export interface CodePointSet {
  has(codePoint: number): boolean
}

/**
 * A set of code points from its boundaries: where it begins, ends, begins again, and so on, each written as the base-36
 * distance from the one before. Unpacked at the first question, so that importing costs nothing.
 */
export function codePointSet(packed: string): CodePointSet {
  let boundaries: Int32Array | undefined
  return {
    has(codePoint) {
      boundaries ??= unpack(packed)
      let low = 0
      let high = boundaries.length
      while (low < high) {
        const middle = (low + high) >>> 1
        if (boundaries[middle]! <= codePoint) low = middle + 1
        else high = middle
      }
      return low % 2 === 1
    },
  }
}

function unpack(packed: string): Int32Array {
  let boundary = 0
  return Int32Array.from(packed.trim().split(/\s+/), (distance) => {
    boundary += Number.parseInt(distance, 36)
    return boundary
  })
}
