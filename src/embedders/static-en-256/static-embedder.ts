import { setImmediate } from 'node:timers/promises'
import type { Embedder } from '../../contract/index.ts'
import { dimensions, type StaticTable, staticTable } from './table.ts'

/** Names the table by the start of the SHA-256 of its weights; a test checks it against the file. */
export const staticEn256Id = 'static-en-256@7fbcfdf8'

/** After this many texts, a millisecond or two, other work gets its turn and a cancellation can arrive. */
const textsPerTurn = 32

/**
 * The built-in embedder: English, offline, some thirty microseconds a chat message, the same vectors on every platform (EMB-1).
 *
 * A vector is the normalised sum of the rows of the text's word pieces, so word order is ignored, and numbers and negation
 * carry little meaning. Other languages are better served by another embedder. The table (8 MB) is read at the first text
 * and shared by all instances. Purpose makes no difference.
 * @throws SetupError BAD_CONFIG from `embed` when the package's data files are missing or damaged.
 */
export function staticEn256(): Embedder {
  return {
    id: staticEn256Id,
    dimensions,
    async embed(texts, { signal }) {
      signal?.throwIfAborted()
      const table = staticTable()
      const vectors: Float32Array[] = []
      for (const text of texts) {
        if (vectors.length > 0 && vectors.length % textsPerTurn === 0) await setImmediate()
        signal?.throwIfAborted()
        vectors.push(embedText(table, text))
      }
      return vectors
    },
  }
}

// In doubles, which keep rounding below what float32 shows.
function embedText({ tokenize, blend, scales }: StaticTable, text: string): Float32Array {
  const sum = blend(tokenize(text), (id) => scales[id]!)
  const vector = new Float32Array(dimensions)
  let squares = 0
  for (let i = 0; i < dimensions; i++) squares += sum[i]! * sum[i]!
  if (squares === 0) return vector
  const length = Math.sqrt(squares)
  for (let i = 0; i < dimensions; i++) vector[i] = sum[i]! / length
  return vector
}
