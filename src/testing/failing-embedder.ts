import type { Embedder } from '../contract/index.ts'
import { EmbedderError } from '../errors/index.ts'

export interface FailingEmbedderOptions {
  /** How many calls fail before the embedder works. @default all of them */
  readonly times?: number | undefined
  /** What the calls reject with. @default EmbedderError EMBEDDER_UNAVAILABLE */
  readonly error?: unknown
}

/** An embedder that is down, for a while or for good; afterwards it answers as the given one. */
export function failingEmbedder(embedder: Embedder, options: FailingEmbedderOptions = {}): Embedder {
  const { times = Number.POSITIVE_INFINITY } = options
  let calls = 0
  return {
    id: embedder.id,
    dimensions: embedder.dimensions,
    ...(embedder.maxBatchSize === undefined ? {} : { maxBatchSize: embedder.maxBatchSize }),
    async embed(texts, embedOptions) {
      if (calls++ >= times) return embedder.embed(texts, embedOptions)
      throw (
        options.error ??
        new EmbedderError({
          code: 'EMBEDDER_UNAVAILABLE',
          message: 'failing embedder: fails on purpose. Call it again, or give it fewer times to fail.',
        })
      )
    },
  }
}
