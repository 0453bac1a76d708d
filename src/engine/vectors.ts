import type { Embedder, StoredVector } from '../contract/index.ts'
import { EmbedderError, InputError, MnemeError } from '../errors/index.ts'
import { normalise, vectorFault } from '../vector/index.ts'
import type { Degradation } from './api/searching.ts'

/** Texts of one call to an embedder that states no limit of its own. */
const defaultBatch = 256

function badOutput(embedder: Embedder, why: string): EmbedderError {
  return new EmbedderError({
    code: 'EMBEDDER_BAD_OUTPUT',
    message: `Embedder ${embedder.id}: ${why}. Check its model and dimensions.`,
    details: { embedder: embedder.id },
  })
}

function check(embedder: Embedder, vectors: readonly Float32Array[], expected: number): void {
  if (!Array.isArray(vectors) || vectors.length !== expected) {
    throw badOutput(
      embedder,
      `answered ${Array.isArray(vectors) ? vectors.length : 'no'} vectors for ${expected} texts`,
    )
  }
  for (const vector of vectors) {
    const fault = vectorFault(vector, embedder.dimensions)
    if (fault !== null) throw badOutput(embedder, `a vector ${fault}`)
  }
}

interface EmbedCall {
  readonly purpose: 'document' | 'query'
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/**
 * Unit vectors of texts, in order, checked and in batches.
 * @throws EmbedderError EMBEDDER_UNAVAILABLE or EMBEDDER_BAD_OUTPUT; the signal's reason when aborted
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  { purpose, signal, onProgress }: EmbedCall,
): Promise<readonly StoredVector[]> {
  const vectors: StoredVector[] = []
  const size = embedder.maxBatchSize ?? defaultBatch
  for (let start = 0; start < texts.length; start += size) {
    signal?.throwIfAborted()
    const batch = texts.slice(start, start + size)
    try {
      const made = await embedder.embed(batch, signal ? { purpose, signal } : { purpose })
      check(embedder, made, batch.length)
      onProgress?.(start + batch.length, texts.length)
      for (const vector of made) vectors.push({ space: embedder.id, values: normalise(vector) })
    } catch (cause) {
      signal?.throwIfAborted()
      if (MnemeError.is(cause)) throw cause
      throw new EmbedderError({
        code: 'EMBEDDER_UNAVAILABLE',
        message: `Embedder ${embedder.id} failed. Text search goes on; vectors follow when it works again.`,
        details: { embedder: embedder.id },
        cause,
      })
    }
  }
  return vectors
}

/** A caller's own vector as a unit vector of the engine's space. @throws InputError INVALID_ARGUMENT */
export function ownVector(embedder: Embedder | null, values: Float32Array, path: string): StoredVector {
  if (!embedder) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `${path}: this memory has no embedder, so a vector can't be compared with anything. Leave it out.`,
      details: { path },
    })
  }
  if (values.length !== embedder.dimensions) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `${path}: has ${values.length} numbers, but vectors of ${embedder.id} have ${embedder.dimensions}.`,
      details: { path, dimensions: embedder.dimensions },
    })
  }
  return { space: embedder.id, values: normalise(values) }
}

/** What a failed embedding looks like in an answer. */
export function embedderDegradation(embedder: Embedder, error: unknown): Degradation {
  const known = MnemeError.is(error)
  return {
    stage: 'embedder',
    code: known ? error.code : 'EMBEDDER_UNAVAILABLE',
    message: known ? error.message : `Embedder ${embedder.id} failed.`,
  }
}
