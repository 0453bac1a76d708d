/** Numbers are written as little-endian float32; on other machines bytes are swapped. */
const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

function swapped(bytes: Uint8Array): Uint8Array {
  return Buffer.from(bytes).swap32()
}

/** A vector as little-endian float32, four bytes a number; a view of its memory where that is already so. */
export function toFloatBytes(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  return littleEndian ? bytes : swapped(bytes)
}

/** A copy of the vector that the bytes hold. */
export function fromFloatBytes(bytes: Uint8Array): Float32Array {
  const ordered = littleEndian ? bytes : swapped(bytes)
  // slice, because the bytes may start anywhere in a larger buffer.
  return new Float32Array(
    ordered.buffer.slice(ordered.byteOffset, ordered.byteOffset + ordered.byteLength) as ArrayBuffer,
  )
}
