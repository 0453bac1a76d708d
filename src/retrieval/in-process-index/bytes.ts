type Numbers = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array

interface NumbersType<N extends Numbers> {
  readonly BYTES_PER_ELEMENT: number
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): N
}

/** The bytes of numbers, not copied. */
export function bytesOf(numbers: Numbers): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}

/** The numbers that bytes are, copied only where they lie askew. A rest too short for a number is left out. */
export function numbersIn<N extends Numbers>(type: NumbersType<N>, bytes: Uint8Array): N {
  const width = type.BYTES_PER_ELEMENT
  const lying = bytes.byteOffset % width === 0 ? bytes : bytes.slice()
  return new type(lying.buffer, lying.byteOffset, Math.floor(lying.byteLength / width))
}
