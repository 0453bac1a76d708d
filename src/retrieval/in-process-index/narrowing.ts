import { compareIds, type SearchWindow } from '../../contract/index.ts'
import type { IndexState } from './index-state.ts'

/** Whether a window lets a visible record be a result. */
export function narrowing(state: IndexState, window: SearchWindow): (slot: number) => boolean {
  const { kinds, only } = window
  const numbers = kinds === undefined ? null : new Set(kinds.map((kind) => state.kindNumber(kind)))
  return (slot) =>
    (numbers === null || numbers.has(state.kind[slot]!)) && (only === undefined || only.has(state.ids[slot]!))
}

export function byId(state: IndexState): (a: number, b: number) => number {
  return (a, b) => compareIds(state.ids[a]!, state.ids[b]!)
}
