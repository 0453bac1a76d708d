import type { SearchWindow } from '../../contract/index.ts'
import { matchesScope, type ScopeFilter, type Status, statuses } from '../../model/index.ts'
import type { IndexState } from './index-state.ts'
import { withRoom } from './pool.ts'

/** Bits of several statuses. */
export function statusMask(wanted: readonly Status[]): number {
  return wanted.reduce((mask, status) => mask | (1 << statuses.indexOf(status)), 0)
}

/** The records that a read may see, with their statistics: those of exactly this set and of nothing else. */
export class VisibleSet {
  /** Records that have terms, and the sum of their lengths. */
  documents = 0
  lengths = 0
  /** Distinct terms of each record, added up; the same of tokens, and records that have tokens. */
  termEntries = 0
  tokenEntries = 0
  tokenRecords = 0
  /** Worked out when asked for, forgotten when the set changes. */
  readonly termFrequencies = new Map<number, number>()
  readonly tokenFrequencies = new Map<number, number>()
  /** By scope number: the places of the turns of that thread. */
  readonly threads = new Map<number, ReadonlyMap<number, number>>()

  readonly #state: IndexState
  readonly #filter: ScopeFilter
  readonly #mask: number
  readonly #now: number
  /** The set is the same at every moment of `[since, until)`. */
  #since = Number.NEGATIVE_INFINITY
  #until = Number.POSITIVE_INFINITY
  readonly #scopes = new Set<number>()
  #scopesSeen: number
  #room: Uint32Array
  #count = 0
  #marks: Uint8Array | null = null
  /** Searched records by actor. */
  #actors: Map<number, number> | null = null

  constructor(state: IndexState, filter: ScopeFilter, filterKey: string, mask: number, now: number) {
    this.#state = state
    this.#filter = filter
    this.#mask = mask
    this.#now = now
    const scopes = state.scopes.matching(filter, filterKey)
    this.#scopesSeen = state.scopes.scopes.length
    this.#room = new Uint32Array(scopes.reduce((sum, scope) => sum + state.scopes.slots[scope]!.length, 0))
    for (const scope of scopes) {
      this.#scopes.add(scope)
      for (const slot of state.scopes.slots[scope]!) this.#take(slot)
    }
    // One order whatever the scopes: that of the log.
    if (scopes.length > 1) this.slots.sort()
  }

  /** Ascending. */
  get slots(): Uint32Array {
    return this.#room.subarray(0, this.#count)
  }

  /** True when the set is that of this moment too. */
  holdsAt(now: number): boolean {
    return now >= this.#since && now < this.#until
  }

  has(slot: number): boolean {
    const state = this.#state
    return (
      (state.status[slot]! & this.#mask) !== 0 &&
      state.expiresAt[slot]! > this.#now &&
      this.#scopes.has(state.scope[slot]!)
    )
  }

  /** 1 for every slot of the set. */
  get marks(): Uint8Array {
    if (this.#marks === null) {
      this.#marks = new Uint8Array(this.#state.count)
      for (const slot of this.slots) this.#marks[slot] = 1
    }
    return this.#marks
  }

  /** Numbers of the actors of searched records. */
  get actors(): Iterable<number> {
    if (this.#actors === null) {
      this.#actors = new Map()
      for (const slot of this.slots) this.#countActor(slot, 1)
    }
    return this.#actors.keys()
  }

  /** Follows a slot that has just come to life: the last of all. */
  added(slot: number): void {
    const { scopes } = this.#state.scopes
    for (; this.#scopesSeen < scopes.length; this.#scopesSeen++) {
      if (matchesScope(this.#filter, scopes[this.#scopesSeen]!)) this.#scopes.add(this.#scopesSeen)
    }
    if (!this.#scopes.has(this.#state.scope[slot]!)) return
    this.#room = withRoom(this.#room, this.#count + 1)
    if (!this.#take(slot)) return
    this.#changed(slot)
    this.#countActor(slot, 1)
    if (this.#marks === null) return
    this.#marks = withRoom(this.#marks, slot + 1)
    this.#marks[slot] = 1
  }

  /** Follows a slot that is about to die. */
  removed(slot: number): void {
    if (!this.has(slot)) return
    const place = this.#placeOf(slot)
    this.#room.copyWithin(place, place + 1, this.#count)
    this.#count--
    this.#countIn(slot, -1)
    this.#changed(slot)
    this.#countActor(slot, -1)
    if (this.#marks !== null) this.#marks[slot] = 0
  }

  #take(slot: number): boolean {
    const { status, expiresAt } = this.#state
    if ((status[slot]! & this.#mask) === 0) return false
    const expires = expiresAt[slot]!
    if (expires <= this.#now) {
      this.#since = Math.max(this.#since, expires)
      return false
    }
    this.#until = Math.min(this.#until, expires)
    this.#room[this.#count++] = slot
    this.#countIn(slot, 1)
    return true
  }

  #countIn(slot: number, sign: 1 | -1): void {
    const { terms, tokens, length } = this.#state
    const termCount = terms.rowLength(slot)
    const tokenCount = tokens.rowLength(slot)
    if (termCount > 0) this.documents += sign
    if (tokenCount > 0) this.tokenRecords += sign
    this.lengths += sign * length[slot]!
    this.termEntries += sign * termCount
    this.tokenEntries += sign * tokenCount
  }

  #changed(slot: number): void {
    this.termFrequencies.clear()
    this.tokenFrequencies.clear()
    this.threads.delete(this.#state.scope[slot]!)
  }

  #countActor(slot: number, sign: 1 | -1): void {
    const actor = this.#state.actor[slot]!
    if (this.#actors === null || actor === 0 || !this.#state.isSearched(slot)) return
    const count = (this.#actors.get(actor) ?? 0) + sign
    if (count > 0) this.#actors.set(actor, count)
    else this.#actors.delete(actor)
  }

  #placeOf(slot: number): number {
    let low = 0
    let high = this.#count
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#room[middle]! < slot) low = middle + 1
      else high = middle
    }
    return low
  }
}

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

  /** Forgets them: cheaper than to follow many changes. */
  clear(): void {
    this.#sets.clear()
  }
}
