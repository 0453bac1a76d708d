import type { StoredVector } from './stored-record.ts'

/** Vectors are of one space when they are of one embedder and of one length. */
export interface VectorSpace {
  readonly space: string
  readonly dimensions: number
}

/** Of some vectors, each once. */
export function spacesOf(vectors: Iterable<StoredVector | null | undefined>): VectorSpace[] {
  const spaces = new Map<string, VectorSpace>()
  for (const vector of vectors) {
    if (!vector) continue
    const { space, values } = vector
    spaces.set(`${values.length} ${space}`, { space, dimensions: values.length })
  }
  return [...spaces.values()]
}
