import type { StoredRecord, StoredVector } from '../../contract/index.ts'
import { isExpired, type Kind, matchesScope, type ScopeFilter } from '../../model/index.ts'
import { bm25Max, queryTerms } from '../../text/index.ts'
import { cosine } from '../../vector/index.ts'
import type { Degradation } from '../api/searching.ts'
import type { Core } from '../core.ts'
import { embedderDegradation, embedTexts } from '../vectors.ts'

const mostTerms = 256
/** Texts that are looked up at once. */
const width = 16

/** A live memory that is like a text. */
export interface Near {
  readonly stored: StoredRecord
  /** Null: one of the two has no vector. */
  readonly cosine: number | null
}

export interface NearestOptions {
  /** @default all but reserved ones */
  readonly kinds?: readonly Kind[] | undefined
  /** Of each text, 1 to 1000. */
  readonly limit: number
  readonly signal?: AbortSignal | undefined
}

export interface Nearest {
  /** Of each text the most alike first. */
  readonly near: readonly (readonly Near[])[]
  readonly degraded: readonly Degradation[]
}

async function vectorsOf(
  core: Core,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{ readonly vectors: readonly StoredVector[]; readonly degraded: readonly Degradation[] }> {
  if (!core.embedder) return { vectors: [], degraded: [] }
  try {
    return { vectors: await embedTexts(core.embedder, texts, { purpose: 'document', signal }), degraded: [] }
  } catch (error) {
    signal?.throwIfAborted()
    return { vectors: [], degraded: [embedderDegradation(core.embedder, error)] }
  }
}

/**
 * The live memories that are most like each text, by words and meaning alone: never by how fresh, how important or how often used
 * they are, which would hide an old fact from the new one that contradicts it (LRN-7). One call to the embedder for all texts.
 */
export async function nearestTo(
  core: Core,
  filter: ScopeFilter,
  texts: readonly string[],
  { kinds, limit, signal }: NearestOptions,
): Promise<Nearest> {
  if (texts.length === 0) return { near: [], degraded: [] }
  await core.index?.sync({ signal })
  const now = core.clock()
  const { lifetimes } = core.policies
  const window = { statuses: ['live' as const], now, lifetimes, kinds, limit }
  const { vectors, degraded } = await vectorsOf(core, texts, signal)

  async function nearestOf(text: string, vector: StoredVector | undefined): Promise<readonly Near[]> {
    const terms = queryTerms(text).slice(0, mostTerms)
    const [worded, meant] = await Promise.all([
      core.facets.text.match(filter, terms, window, { signal }),
      vector ? core.facets.vectors.nearest(filter, vector.space, vector.values, window, { signal }) : null,
    ])
    const most = bm25Max(worded.idfs)
    const byWords = new Map(worded.hits.map(({ id, score }) => [id, most > 0 ? score / most : 0]))
    const ids = [...new Set([...byWords.keys(), ...(meant?.hits.map(({ id }) => id) ?? [])])]
    const found = await core.store.get(filter, ids, { signal })
    return found
      .flatMap((stored) => {
        if (stored?.record.status !== 'live' || !matchesScope(filter, stored.record.scope)) return []
        if (isExpired(stored.record, now, lifetimes)) return []
        const comparable = vector && stored.vector?.space === vector.space
        const alike = comparable ? cosine(vector.values, (stored.vector as StoredVector).values) : null
        return [{ stored, cosine: alike, value: (byWords.get(stored.record.id) ?? 0) + Math.max(0, alike ?? 0) }]
      })
      .sort((a, b) => b.value - a.value || (a.stored.record.id < b.stored.record.id ? -1 : 1))
      .slice(0, limit)
      .map(({ stored, cosine }) => ({ stored, cosine }))
  }

  const near: (readonly Near[])[] = []
  for (let i = 0; i < texts.length; i += width) {
    signal?.throwIfAborted()
    const some = texts.slice(i, i + width)
    near.push(...(await Promise.all(some.map((text, j) => nearestOf(text, vectors[i + j])))))
  }
  return { near, degraded }
}
