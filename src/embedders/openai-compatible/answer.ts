import { badOutput, checkedVector } from '../checked-vector.ts'

interface Shape {
  readonly id: string
  readonly dimensions: number
}

/**
 * The vectors of an answer, in the order the texts were sent: servers may answer out of order, so `index` decides.
 * @throws EmbedderError EMBEDDER_BAD_OUTPUT unless there is exactly one usable vector per text.
 */
export function vectorsFromAnswer(body: string, embedder: Shape, count: number): readonly Float32Array[] {
  const entries = entriesOf(parseJson(body, embedder.id), embedder.id)
  if (entries.length !== count) throw badOutput(embedder.id, `${entries.length} vectors for ${count} texts`)
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count })
  for (const [place, entry] of entries.entries()) {
    if (!isObject(entry)) throw badOutput(embedder.id, `entry ${place} of its list is not an object`)
    const index = entry.index ?? place
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) {
      throw badOutput(embedder.id, `entry ${place} has an index that no text has`)
    }
    if (vectors[index] !== undefined) throw badOutput(embedder.id, `two vectors for text ${index}`)
    const values = typeof entry.embedding === 'string' ? decodeFloats(entry.embedding) : entry.embedding
    vectors[index] = checkedVector(values, embedder, index)
  }
  // As many entries as texts and no index twice: none is missing.
  return vectors as Float32Array[]
}

function parseJson(body: string, id: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    // Without the cause: its message quotes the body, which may echo a text.
    throw badOutput(id, 'its answer is not JSON')
  }
}

function entriesOf(answer: unknown, id: string): readonly unknown[] {
  if (isObject(answer) && Array.isArray(answer.data)) return answer.data
  throw badOutput(id, 'its answer has no list called data')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Base64 of little-endian float32, as OpenAI answers to `encoding_format: base64`. */
function decodeFloats(base64: string): Float32Array | null {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length % 4 !== 0) return null
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4))
}
