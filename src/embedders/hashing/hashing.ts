import type { Embedder } from '../../contract/index.ts'
import { normalise } from '../../vector/index.ts'
import { requireDimensions } from '../configuration.ts'

export interface HashingOptions {
  /** Length of every vector, 1 to 65536. @default 256 */
  readonly dimensions?: number
}

/**
 * An embedder without a model, for tests and first runs: texts are alike as far as they share words (EMB-5).
 * The same text gives the same vector in every process. Knows no synonyms; use another embedder for real memories.
 * @throws SetupError BAD_CONFIG for a length out of bounds.
 */
export function hashing({ dimensions = 256 }: HashingOptions = {}): Embedder {
  requireDimensions(dimensions, 'hashing')
  return {
    id: `hashing-${dimensions}`,
    dimensions,
    async embed(texts, { signal }) {
      return texts.map((text) => {
        signal?.throwIfAborted()
        return hashText(text, dimensions)
      })
    },
  }
}

/** Each word adds 1 or -1 at one place, both told by its hash: the signs cancel what collisions add on average. */
function hashText(text: string, dimensions: number): Float32Array {
  const counts = new Float32Array(dimensions)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const hash = hashWord(word)
    counts[(hash >>> 1) % dimensions]! += hash & 1 ? 1 : -1
  }
  return normalise(counts)
}

/** FNV-1a over UTF-16 units, then the finaliser of MurmurHash3, as FNV's low bits alone are poorly mixed. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
