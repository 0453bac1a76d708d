import type { VectorSearch } from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { dotAt, topK } from '../../vector/index.ts'
import { type IndexState, unitOf } from './index-state.ts'
import { byId, narrowing } from './narrowing.ts'

/** Exact nearest vectors of an index (IDX-3). */
export function vectorSearch(current: () => IndexState): VectorSearch {
  return {
    async nearest(scope, space, vector, window, options) {
      options?.signal?.throwIfAborted()
      const state = current()
      const { slots } = state.visible.of(scope, window)
      const wanted = spaceNumber(state, space)
      const cosine = cosineWith(state, space, vector)
      const best = topK(window.limit, byId(state))
      const allowed = narrowing(state, window)
      let floor = best.floor
      let vectors = 0
      let sum = 0
      for (let i = 0; i < slots.length; i++) {
        const slot = slots[i]!
        if (state.space[slot] !== wanted) continue
        vectors++
        if (cosine === null) continue
        const value = cosine(slot)
        sum += value
        if (value < floor || !allowed(slot)) continue
        best.offer(slot, value)
        floor = best.floor
      }
      return {
        hits: best.ranked().map(({ item, score }) => ({ id: state.ids[item]!, cosine: score })),
        vectors,
        // The product with the mean is the mean of the products.
        meanCosine: vectors === 0 ? 0 : sum / vectors,
      }
    },
  }
}

/** What the slots of a space hold in `state.space`; a number that none holds when nothing is in the space. */
export function spaceNumber(state: IndexState, space: string): number {
  return (state.spaceOf(space)?.number ?? -2) + 1
}

/**
 * The cosine of a vector with that of a slot of the same space; null for a vector of zeros, which matches nothing.
 * @throws InputError INVALID_ARGUMENT for a vector of another length than those of its space
 */
export function cosineWith(state: IndexState, space: string, vector: Float32Array): ((slot: number) => number) | null {
  const dimensions = state.spaceOf(space)?.dimensions ?? vector.length
  if (dimensions !== vector.length) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `vector: has ${vector.length} numbers where ${dimensions} belong. Embed the query with the embedder of the records.`,
      details: { given: vector.length, expected: dimensions },
    })
  }
  const unit = unitOf(vector)
  if (unit === null) return null
  // Vectors of single precision are of length one to seven digits: their product may pass 1.
  return (slot) => Math.max(-1, Math.min(1, dotAt(unit, state.vectorChunk(slot), state.vectorPlace(slot))))
}
