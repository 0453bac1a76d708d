import { compareIds, type SearchWindow } from '../../contract/index.ts'
import type { IndexState } from './index-state.ts'
import { placeOf } from './slots.ts'

/** Whether a window lets a visible record be a result; null when all may be. */
export function narrowing(state: IndexState, { kinds, only }: SearchWindow): ((slot: number) => boolean) | null {
  if (kinds === undefined && only === undefined) return null
  const numbers = kinds === undefined ? null : new Set(kinds.map((kind) => state.kinds.find(kind)))
  // Ids are slow to read, so the few that are asked for are looked up, and not those of all.
  const slots = only === undefined ? null : new Set([...only].map((id) => state.slotOf(id)))
  return (slot) =>
    (numbers === null || numbers.has(state.segmentAt(slot).columns.kind[placeOf(slot)]!)) &&
    (slots === null || slots.has(slot))
}

export function byId(state: IndexState): (a: number, b: number) => number {
  return (a, b) => {
    const { ids } = state.segmentAt(a)
    const others = state.segmentAt(b).ids
    return ids.compare(placeOf(a), others, placeOf(b)) ?? compareIds(ids.at(placeOf(a)), others.at(placeOf(b)))
  }
}
