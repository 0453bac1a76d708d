const CHUNK_BITS = 20
const FIRST_CHUNK = 1024
const CHUNK = 1 << CHUNK_BITS

/** Room for many short rows of numbers, in large chunks that are never moved once full. */
export interface Pool<A> {
  readonly chunks: readonly A[]
  /** Room for `length` numbers side by side; answers its address. */
  reserve(length: number): number
}

/** Which chunk an address lies in. */
export function chunkOf(address: number): number {
  return address >>> CHUNK_BITS
}

/** Where in its chunk an address lies. */
export function placeOf(address: number): number {
  return address & (CHUNK - 1)
}

export function createPool<A extends Uint32Array | Float32Array>(make: (length: number) => A): Pool<A> {
  const chunks: A[] = []
  let used = 0
  return {
    chunks,
    reserve(length) {
      const last = chunks.at(-1)
      if (last === undefined || used + length > CHUNK) {
        // A row longer than a chunk gets a chunk of its own length: addresses count its start only.
        chunks.push(make(Math.max(length, last === undefined ? FIRST_CHUNK : CHUNK)))
        used = 0
      } else if (used + length > last.length) {
        const larger = make(Math.min(CHUNK, Math.max(used + length, 2 * last.length)))
        larger.set(last)
        chunks[chunks.length - 1] = larger
      }
      const address = (chunks.length - 1) * CHUNK + used
      used += length
      return address
    },
  }
}

type Column = Uint8Array | Uint32Array | Int32Array | Float64Array

/** The column itself, or a copy at least twice as long when `length` does not fit. */
export function withRoom<A extends Column>(column: A, length: number): A {
  if (length <= column.length) return column
  const larger = new (column.constructor as new (length: number) => A)(Math.max(length, 2 * column.length, 64))
  larger.set(column)
  return larger
}
