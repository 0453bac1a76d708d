import type { Embedder } from '../../contract/index.ts'
import { prefixFingerprint, prefixFor } from '../prefixes.ts'
import { vectorsFromAnswer } from './answer.ts'
import { type OpenAICompatibleOptions, parseConnection } from './options.ts'
import { postJson } from './post-json.ts'

export type { OpenAICompatibleOptions } from './options.ts'

/**
 * An embedder behind the embeddings endpoint of OpenAI, or of any server that answers like it: Ollama, LM Studio, vLLM,
 * llama.cpp and most gateways. Every text goes to that server, and nowhere else: redirects are not followed (EMB-9).
 *
 * `dimensions` is required, as the length of a vector must be known before the first text. Blank texts are not sent: their
 * vector is all zeros. Models trained with prefixes (e5, nomic, bge) need `queryPrefix` and `documentPrefix`.
 *
 * @throws SetupError BAD_CONFIG for unusable options; from `embed` when the server refuses the request, which trying again
 * can't change.
 * @throws EmbedderError from `embed`: EMBEDDER_UNAVAILABLE after the last attempt failed by network, timeout, 408, 425, 429 or
 * 5xx; EMBEDDER_BAD_OUTPUT when the answer doesn't hold one usable vector per text.
 */
export function openAICompatible(options: OpenAICompatibleOptions): Embedder {
  const connection = parseConnection(options)
  const { model, dimensions, requestDimensions = false, maxBatchSize = 256 } = options
  const embedder = { id: `openai-compatible:${model}${prefixFingerprint(options)}`, dimensions, maxBatchSize }
  return {
    ...embedder,
    async embed(texts, { purpose, signal }) {
      signal?.throwIfAborted()
      const prefix = prefixFor(options, purpose)
      const vectors: Float32Array[] = texts.map(() => new Float32Array(dimensions))
      // OpenAI refuses a whole batch for one empty text.
      const filled = [...texts.keys()].filter((position) => texts[position]!.trim() !== '')
      if (filled.length === 0) return vectors
      const answer = await postJson(connection, embedder.id, signal, {
        model,
        input: filled.map((position) => prefix + texts[position]!),
        ...(requestDimensions ? { dimensions } : {}),
      })
      for (const [index, vector] of vectorsFromAnswer(answer, embedder, filled.length).entries()) {
        vectors[filled[index]!] = vector
      }
      return vectors
    },
  }
}
