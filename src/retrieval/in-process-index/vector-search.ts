import type { VectorHits, VectorSearch } from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import type { IndexState } from './index-state.ts'
import { byId, narrowing } from './narrowing.ts'
import { SlotHit } from './slot-hit.ts'
import type { VectorRows } from './vector-rows.ts'
import { unitOf } from './vector-spaces.ts'

/** Nearest vectors of an index (IDX-3): of many, a few may be missed unless the window asks for an exact comparison. */
export function vectorSearch(current: () => IndexState): VectorSearch {
  return {
    async nearest(scope, space, vector, window, options): Promise<VectorHits> {
      options?.signal?.throwIfAborted()
      const state = current()
      const rows = rowsFor(state, space, vector)
      if (rows === undefined) return { hits: [], vectors: 0, meanCosine: 0 }
      const among = state.visible.of(scope, window).vectorsOf(rows)
      const unit = unitOf(vector)
      if (unit === null) return { hits: [], vectors: among.count, meanCosine: 0 }
      const signal = options?.signal
      const { limit, exact = false } = window
      const allowed = narrowing(state, window)
      const { hits, vectors, meanCosine } = await rows.nearest({
        vector: unit,
        among,
        allowed,
        limit,
        exact,
        before: byId(state),
        signal,
      })
      return { hits: hits.map(({ slot, cosine }) => new SlotHit(state, slot, cosine)), vectors, meanCosine }
    },
  }
}

/** Cosines of a vector with those of slots; null without one. A vector of zeros is compared with nothing. */
export async function cosinesOf(
  state: IndexState,
  space: string | undefined,
  vector: Float32Array | undefined,
  slots: readonly number[],
): Promise<readonly (number | null)[]> {
  const rows = space === undefined || vector === undefined ? undefined : rowsFor(state, space, vector)
  const unit = vector === undefined ? null : unitOf(vector)
  return rows === undefined || unit === null ? slots.map(() => null) : rows.cosines(unit, slots)
}

/** @throws InputError INVALID_ARGUMENT for a vector of another length than those of its space */
function rowsFor(state: IndexState, space: string, vector: Float32Array): VectorRows | undefined {
  const rows = state.vectors.of(space)
  if (rows === undefined || rows.dimensions === vector.length) return rows
  throw new InputError({
    code: 'INVALID_ARGUMENT',
    message: `vector: has ${vector.length} numbers where ${rows.dimensions} belong. Embed the query with the embedder of the records.`,
    details: { given: vector.length, expected: rows.dimensions },
  })
}
