import { EmbedderError } from '../errors/index.ts'
import { vectorFault } from '../vector/index.ts'

/**
 * What an embedder returned for the text at `position`, as a vector.
 * @throws EmbedderError EMBEDDER_BAD_OUTPUT on a wrong length, or anything but finite float32 numbers (EMB-6).
 */
export function checkedVector(
  values: unknown,
  embedder: { readonly id: string; readonly dimensions: number },
  position: number,
): Float32Array {
  const fault = vectorFault(values, embedder.dimensions)
  if (fault === null) return Float32Array.from(values as ArrayLike<number>)
  throw badOutput(embedder.id, `the vector of text ${position} ${fault}`)
}

export function badOutput(id: string, fault: string): EmbedderError {
  return new EmbedderError({
    code: 'EMBEDDER_BAD_OUTPUT',
    message: `The embedder ${id} returned something unusable: ${fault}. Check its model and its dimensions.`,
    details: { embedder: id },
  })
}
