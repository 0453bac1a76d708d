import type { Embedder, StoredVector } from '../contract/index.ts'
import { EmbedderError, InputError, MnemeError } from '../errors/index.ts'
import { normalise, turns, vectorFault } from '../vector/index.ts'
import type { Degradation } from './api/searching.ts'

/** Texts of one call to an embedder that states no limit of its own. */
const defaultBatch = 256
/** Calls to an embedder that are on their way at once, so that a remote one need not be waited for batch by batch. */
const maxAtOnce = 4

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

/** What one call to an embedder gives, as unit vectors. */
async function embedBatch(
  embedder: Embedder,
  batch: readonly string[],
  { purpose, signal }: EmbedCall,
): Promise<readonly StoredVector[]> {
  signal?.throwIfAborted()
  try {
    const made = await embedder.embed(batch, signal ? { purpose, signal } : { purpose })
    check(embedder, made, batch.length)
    return made.map((vector) => ({ space: embedder.id, values: normalise(vector) }))
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

/**
 * Unit vectors of texts, in order, checked, in batches of which a few are on their way at once. After a failure no other
 * batch is begun, and nothing is on its way any more when it is told.
 * @throws EmbedderError EMBEDDER_UNAVAILABLE or EMBEDDER_BAD_OUTPUT; the signal's reason when aborted
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  call: EmbedCall,
): Promise<readonly StoredVector[]> {
  const size = embedder.maxBatchSize ?? defaultBatch
  const batches: (readonly StoredVector[])[] = []
  let next = 0
  let done = 0
  let failed = false
  const turn = turns({ signal: call.signal })
  async function worker(): Promise<void> {
    while (!failed && next < texts.length) {
      const start = next
      next += size
      try {
        const made = await embedBatch(embedder, texts.slice(start, start + size), call)
        batches[start / size] = made
        done += made.length
        call.onProgress?.(done, texts.length)
        // An embedder in this process may never have let go of it.
        if (turn.isOver) await turn.pause()
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const width = Math.min(maxAtOnce, Math.ceil(texts.length / size))
  const outcomes = await Promise.allSettled(Array.from({ length: width }, worker))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return batches.flat()
}

/** Null for a vector of another embedder, or of another length, which can't be compared with those of this one. */
export function onlyOf(embedder: Embedder | null, vector: StoredVector | null | undefined): StoredVector | null {
  const isOwn = vector?.space === embedder?.id && vector?.values.length === embedder?.dimensions
  return isOwn ? (vector ?? null) : null
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
