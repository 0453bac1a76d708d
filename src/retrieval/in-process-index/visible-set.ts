import { compareIds } from '../../contract/index.ts'
import { matchesScope, type ScopeFilter, type Status, statuses } from '../../model/index.ts'
import { withRoom } from './columns.ts'
import type { IndexState } from './index-state.ts'
import type { Actor } from './indexed-record.ts'
import { placeOf, SEGMENT_SLOTS, segmentOf, slotAt } from './slots.ts'
import { type Threads, threadsOf } from './threads.ts'
import type { VectorRows } from './vector-rows.ts'
import { VisibleVectors } from './visible-vectors.ts'
import { EntryReader } from './words.ts'

/** Bits of several statuses. */
export function statusMask(wanted: readonly Status[]): number {
  return wanted.reduce((mask, status) => mask | (1 << statuses.indexOf(status)), 0)
}

/** The visible records of one segment: `slots` in `[from, to)` of the set. */
export interface VisibleRange {
  readonly segment: number
  readonly from: number
  readonly to: number
}

/** The records that a read may see, with their statistics: those of exactly this set and of nothing else. */
export class VisibleSet {
  /** Records that have terms, and the sum of their lengths. */
  documents = 0
  lengths = 0
  /** Distinct tokens of each record, added up, and records that have tokens. */
  tokenEntries = 0
  tokenRecords = 0
  /** By term. Worked out when asked for, forgotten when the set changes. */
  readonly termFrequencies = new Map<string, number>()
  readonly threads: Threads

  readonly #state: IndexState
  readonly #filter: ScopeFilter
  readonly #mask: number
  readonly #now: number
  /** The set is the same at every moment of `[since, until)`. */
  #since = Number.NEGATIVE_INFINITY
  #until = Number.POSITIVE_INFINITY
  /** By scope number: 1 for scopes that the filter lets through. */
  #scopes: Uint8Array
  #scopesSeen: number
  #room: Uint32Array
  #count = 0
  readonly #marks: (Uint8Array | undefined)[] = []
  /** Searched records by actor. */
  #actors: Uint32Array | null = null
  /** Null until asked for, and when they have changed. */
  #actorsByName: readonly Actor[] | null = null
  /** Records by token. */
  #tokens: Uint32Array | null = null
  readonly #vectors = new Map<VectorRows, VisibleVectors>()

  constructor(state: IndexState, filter: ScopeFilter, filterKey: string, mask: number, now: number) {
    this.#state = state
    this.#filter = filter
    this.#mask = mask
    this.#now = now
    this.threads = threadsOf(state, this)
    const scopes = state.scopes.matching(filter, filterKey)
    this.#scopesSeen = state.scopes.scopes.length
    this.#scopes = new Uint8Array(this.#scopesSeen)
    for (const scope of scopes) this.#scopes[scope] = 1
    const everything = scopes.length === this.#scopesSeen
    const { slotsOfScopes } = state
    const slots = everything ? state.size : scopes.reduce((sum, scope) => sum + slotsOfScopes.of(scope).length, 0)
    this.#room = new Uint32Array(slots)
    // One order whatever the scopes: that of the log. To pass over slots of others is cheaper than to sort half of them.
    if (everything || (scopes.length > 1 && 2 * slots > state.end)) this.#takeAll()
    else this.#takeScopes(scopes)
  }

  /** Ascending. */
  get slots(): Uint32Array {
    return this.#room.subarray(0, this.#count)
  }

  /** The visible records by segment, ascending; segments without any are left out. */
  ranges(): VisibleRange[] {
    const ranges: VisibleRange[] = []
    for (let from = 0; from < this.#count; ) {
      const segment = segmentOf(this.#room[from]!)
      const to = this.#placeOf(slotAt(segment + 1, 0), from)
      ranges.push({ segment, from, to })
      from = to
    }
    return ranges
  }

  /** True when the set is that of this moment too. */
  holdsAt(now: number): boolean {
    return now >= this.#since && now < this.#until
  }

  has(slot: number): boolean {
    const { columns } = this.#state.segmentAt(slot)
    const place = placeOf(slot)
    return (
      (columns.status[place]! & this.#mask) !== 0 &&
      columns.expiresAt[place]! > this.#now &&
      this.#scopes[columns.scope[place]!] === 1
    )
  }

  /** By place in a segment: 1 for what is in the set. */
  marksOf({ segment, from, to }: VisibleRange): Uint8Array {
    const known = this.#marks[segment]
    if (known !== undefined) return known
    const marks = new Uint8Array(SEGMENT_SLOTS)
    for (let i = from; i < to; i++) marks[placeOf(this.#room[i]!)] = 1
    this.#marks[segment] = marks
    return marks
  }

  /** The actors of searched records, by name. */
  get actors(): readonly Actor[] {
    this.#actors ??= this.#countActors()
    const counts = this.#actors
    this.#actorsByName ??= this.#state.actors.values
      .filter((_, i) => (counts[i + 1] ?? 0) > 0)
      .sort((a, b) => compareIds(a.name, b.name) || compareIds(a.role, b.role))
    return this.#actorsByName
  }

  /** In how many records a token occurs. */
  tokenFrequency(token: number): number {
    if (this.#tokens === null) {
      this.#tokens = new Uint32Array(0)
      for (const range of this.ranges()) this.#countTokensOf(range)
    }
    return this.#tokens[token] ?? 0
  }

  /** The vectors of the set in one space. */
  vectorsOf(rows: VectorRows): VisibleVectors {
    const known = this.#vectors.get(rows)
    if (known !== undefined) return known
    const made = new VisibleVectors(rows, this.slots)
    this.#vectors.set(rows, made)
    return made
  }

  /** Follows a living slot that has got its vector late. */
  embedded(slot: number): void {
    if (this.has(slot)) for (const vectors of this.#vectors.values()) vectors.added(slot)
  }

  /** Follows a slot that has just come to life: the last of all. */
  added(slot: number): void {
    const { scopes } = this.#state.scopes
    for (; this.#scopesSeen < scopes.length; this.#scopesSeen++) {
      this.#scopes = withRoom(this.#scopes, this.#scopesSeen + 1)
      this.#scopes[this.#scopesSeen] = matchesScope(this.#filter, scopes[this.#scopesSeen]!) ? 1 : 0
    }
    if (this.#scopes[this.#state.segmentAt(slot).columns.scope[placeOf(slot)]!] !== 1) return
    this.#room = withRoom(this.#room, this.#count + 1)
    if (this.#take(slot)) this.#follow(slot, 1)
  }

  /** Follows a slot that is about to die. */
  removed(slot: number): void {
    if (!this.has(slot)) return
    const place = this.#placeOf(slot, 0)
    this.#room.copyWithin(place, place + 1, this.#count)
    this.#count--
    this.#countIn(slot, -1)
    this.#follow(slot, -1)
  }

  #takeScopes(scopes: readonly number[]): void {
    for (const scope of scopes) for (const slot of this.#state.slotsOfScopes.of(scope)) this.#take(slot)
    if (scopes.length > 1) this.slots.sort()
  }

  /** What `#take` does with each slot of the scopes, in one loop a segment: most of the first search of a large index. */
  #takeAll(): void {
    const [scopes, room, mask, now] = [this.#scopes, this.#room, this.#mask, this.#now]
    for (const [number, { count, columns }] of this.#state.segments.entries()) {
      const { status, scope, expiresAt, length, termEnd, tokenCount } = columns
      const first = slotAt(number, 0)
      for (let place = 0, termStart = 0; place < count; termStart = termEnd[place++]!) {
        if ((status[place]! & mask) === 0 || scopes[scope[place]!] !== 1) continue
        const expires = expiresAt[place]!
        if (expires <= now) {
          this.#since = Math.max(this.#since, expires)
          continue
        }
        if (expires < this.#until) this.#until = expires
        room[this.#count++] = first + place
        if (termEnd[place]! > termStart) this.documents++
        if (tokenCount[place]! > 0) this.tokenRecords++
        this.lengths += length[place]!
        this.tokenEntries += tokenCount[place]!
      }
    }
  }

  #take(slot: number): boolean {
    const { status, expiresAt } = this.#state.segmentAt(slot).columns
    const place = placeOf(slot)
    if ((status[place]! & this.#mask) === 0) return false
    const expires = expiresAt[place]!
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
    const segment = this.#state.segmentAt(slot)
    const place = placeOf(slot)
    const tokens = segment.columns.tokenCount[place]!
    if (segment.hasTerms(place)) this.documents += sign
    if (tokens > 0) this.tokenRecords += sign
    this.lengths += sign * segment.columns.length[place]!
    this.tokenEntries += sign * tokens
  }

  #follow(slot: number, sign: 1 | -1): void {
    this.termFrequencies.clear()
    this.threads.forget(this.#state.segmentAt(slot).columns.scope[placeOf(slot)]!)
    if (this.#actors !== null) this.#countActor(slot, sign)
    if (this.#tokens !== null) this.#countTokens(slot, sign)
    for (const vectors of this.#vectors.values()) {
      if (sign === 1) vectors.added(slot)
      else vectors.removed(slot)
    }
    const marks = this.#marks[segmentOf(slot)]
    if (marks !== undefined) marks[placeOf(slot)] = sign === 1 ? 1 : 0
  }

  #countActor(slot: number, sign: 1 | -1): void {
    const actor = this.#state.segmentAt(slot).columns.actor[placeOf(slot)]!
    if (actor === 0 || !this.#state.isSearched(slot)) return
    this.#actors = withRoom(this.#actors as Uint32Array, actor + 1)
    const before = this.#actors[actor]!
    this.#actors[actor] = before + sign
    if (before === 0 || before + sign === 0) this.#actorsByName = null
  }

  #countActors(): Uint32Array {
    const actors = new Uint32Array(this.#state.actors.values.length + 1)
    const slots = this.#room
    for (const { segment, from, to } of this.ranges()) {
      const { actor, termEnd } = this.#state.segments[segment]!.columns
      for (let i = from; i < to; i++) {
        const place = placeOf(slots[i]!)
        if (termEnd[place]! > (place === 0 ? 0 : termEnd[place - 1]!)) actors[actor[place]!]!++
      }
    }
    return actors
  }

  /** Of most of a segment's records: those of all, less those of the others. */
  #countTokensOf({ segment: number, from, to }: VisibleRange): void {
    const { count, tokenTotals } = this.#state.segments[number]!
    if (tokenTotals === null || 2 * (to - from) < count) {
      for (let i = from; i < to; i++) this.#countTokens(this.#room[i]!, 1)
      return
    }
    this.#tokens = withRoom(this.#tokens as Uint32Array, tokenTotals.length)
    for (let token = 0; token < tokenTotals.length; token++) this.#tokens[token]! += tokenTotals[token]!
    for (let place = 0, i = from; place < count; place++) {
      const slot = slotAt(number, place)
      if (i < to && this.#room[i] === slot) i++
      else this.#countTokens(slot, -1)
    }
  }

  #countTokens(slot: number, sign: 1 | -1): void {
    let tokens = this.#tokens as Uint32Array
    for (const row = this.#state.segmentAt(slot).readTokens(reader, placeOf(slot)); row.next(); ) {
      if (row.number >= tokens.length) tokens = withRoom(tokens, row.number + 1)
      tokens[row.number]! += sign
    }
    this.#tokens = tokens
  }

  /** Where in the set a slot is or would be. */
  #placeOf(slot: number, from: number): number {
    let low = from
    let high = this.#count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#room[middle]! < slot) low = middle + 1
      else high = middle
    }
    return low
  }
}

const reader = new EntryReader()
