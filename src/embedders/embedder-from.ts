import type { Embedder, EmbedOptions } from '../contract/index.ts'
import { EmbedderError, MnemeError } from '../errors/index.ts'
import { checkedVector } from './checked-vector.ts'
import { requireDimensions, requireText } from './configuration.ts'

export interface EmbedderFromOptions {
  /** Stored with every vector. Change it whenever the function starts to return other vectors. */
  readonly id: string
  /** Length of every vector. */
  readonly dimensions: number
}

/** Vector of one text. Functions that treat questions and documents alike can ignore the second argument. */
export type EmbedFunction = (text: string, options: EmbedOptions) => ArrayLike<number> | PromiseLike<ArrayLike<number>>

/**
 * An embedder from a function that embeds one text. Texts go one after the other, and what comes back is checked (EMB-6).
 * @throws SetupError BAD_CONFIG for an empty id or a length that is no whole number from 1 to 65536.
 * @throws EmbedderError from `embed`: EMBEDDER_BAD_OUTPUT for an unusable vector, EMBEDDER_UNAVAILABLE when the function throws.
 */
export function embedderFrom(embedText: EmbedFunction, options: EmbedderFromOptions): Embedder {
  // From plain JavaScript the options may be missing.
  const { id, dimensions } = options ?? {}
  requireText(id, 'id', 'embedderFrom')
  requireDimensions(dimensions, 'embedderFrom')
  return {
    id,
    dimensions,
    async embed(texts, call) {
      const vectors: Float32Array[] = []
      for (const [position, text] of texts.entries()) {
        call.signal?.throwIfAborted()
        const values = await attempt(() => embedText(text, call), id, position, call.signal)
        vectors.push(checkedVector(values, { id, dimensions }, position))
      }
      call.signal?.throwIfAborted()
      return vectors
    },
  }
}

async function attempt<T>(
  run: () => T | PromiseLike<T>,
  id: string,
  position: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    signal?.throwIfAborted()
    if (MnemeError.is(cause)) throw cause
    throw new EmbedderError({
      code: 'EMBEDDER_UNAVAILABLE',
      message: `The function behind the embedder ${id} failed on text ${position}; its error is the cause.`,
      details: { embedder: id },
      cause,
    })
  }
}
