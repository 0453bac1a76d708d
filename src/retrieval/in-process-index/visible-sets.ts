import type { SearchWindow } from '../../contract/index.ts'
import type { ScopeFilter } from '../../model/index.ts'
import type { IndexState } from './index-state.ts'
import { statusMask, VisibleSet } from './visible-set.ts'

const KEPT = 16

/** The sets that reads asked for lately, kept up to date. */
export class VisibleSets {
  readonly #state: IndexState
  readonly #sets = new Map<string, VisibleSet>()

  constructor(state: IndexState) {
    this.#state = state
  }

  /** What a window may see of a scope. Kinds and `only` narrow results, not what is visible. */
  of(filter: ScopeFilter, window: SearchWindow): VisibleSet {
    const mask = statusMask(window.statuses)
    const filterKey = JSON.stringify(filter.rules)
    const key = `${mask}${filterKey}`
    const known = this.#sets.get(key)
    this.#sets.delete(key)
    const set = known?.holdsAt(window.now) ? known : new VisibleSet(this.#state, filter, filterKey, mask, window.now)
    // The last one asked for stands last.
    this.#sets.set(key, set)
    if (this.#sets.size > KEPT) this.#sets.delete(this.#sets.keys().next().value as string)
    return set
  }

  added(slot: number): void {
    for (const set of this.#sets.values()) set.added(slot)
  }

  removed(slot: number): void {
    for (const set of this.#sets.values()) set.removed(slot)
  }

  embedded(slot: number): void {
    for (const set of this.#sets.values()) set.embedded(slot)
  }

  /** Forgets them: cheaper than to follow many removals. */
  clear(): void {
    this.#sets.clear()
  }
}
