import type { StoredVector } from '../../contract/index.ts'
import { type Status, statuses } from '../../model/index.ts'
import { normalise } from '../../vector/index.ts'
import type { Actor, IndexedRecord } from './indexed-record.ts'
import { Occurrences } from './occurrences.ts'
import { chunkOf, createPool, placeOf, withRoom } from './pool.ts'
import { ScopeDirectory } from './scope-directory.ts'
import { statusMask, VisibleSets } from './visible-set.ts'

const NO_VECTOR = 0xffffffff
const WORTH_CLEANING = 64

/**
 * The records of an index in columns, one slot a version. A slot is written once: a record that changes moves to a new
 * one and leaves a dead one behind. So slots of a scope stand in the order of the log, whatever other scopes do, and
 * sums over them come out the same to the last bit (IDX-2).
 */
export class IndexState {
  /** Slots in use, dead ones included. */
  count = 0
  readonly ids: string[] = []
  readonly scopes = new ScopeDirectory()
  readonly terms = new Occurrences<string>()
  readonly tokens = new Occurrences<number>()
  readonly actors: Actor[] = []
  readonly visible = new VisibleSets(this)
  /** Room for a search to add up scores in, by slot, zeros between two searches; and to list the slots that have one. */
  scores = new Float64Array(0)
  scored = new Uint32Array(0)

  // By slot. A status is a bit, 0 for a dead slot.
  status = new Uint8Array(0)
  scope = new Uint32Array(0)
  kind = new Uint32Array(0)
  expiresAt = new Float64Array(0)
  moment = new Float64Array(0)
  arrival = new Float64Array(0)
  /** Number of the actor plus 1; 0 for none. */
  actor = new Uint32Array(0)
  shape = new Float64Array(0)
  version = new Float64Array(0)
  /** Sum of the term frequencies. */
  length = new Float64Array(0)
  /** Number of the vector space plus 1; 0 without a vector. Zero vectors find nothing and are kept as none. */
  space = new Uint32Array(0)
  vectorAt = new Uint32Array(0)

  readonly #accepts: (space: string) => boolean
  readonly #slots = new Map<string, number>()
  readonly #vectors = createPool((length) => new Float32Array(length))
  readonly #kinds = new Map<string, number>()
  readonly #kindNames: string[] = []
  readonly #actorNumbers = new Map<string, number>()
  readonly #spaces = new Map<string, { readonly number: number; readonly dimensions: number }>()
  readonly #spaceNames: string[] = []
  readonly #deadInScope: number[] = []
  #arrivals = 0

  /** @param accepts which vector spaces are kept */
  constructor(accepts: (space: string) => boolean) {
    this.#accepts = accepts
  }

  /** Records in the index. */
  get size(): number {
    return this.#slots.size
  }

  /** An empty state that keeps the same spaces. */
  empty(): IndexState {
    return new IndexState(this.#accepts)
  }

  slotOf(id: string): number | undefined {
    return this.#slots.get(id)
  }

  kindNumber(kind: string): number | undefined {
    return this.#kinds.get(kind)
  }

  kindName(number: number): string {
    return this.#kindNames[number]!
  }

  spaceOf(name: string): { readonly number: number; readonly dimensions: number } | undefined {
    return this.#spaces.get(name)
  }

  /** A record with index terms; others are no turns and speak for no actor. */
  isSearched(slot: number): boolean {
    return this.terms.rowLength(slot) > 0
  }

  /** Writes a record into a new slot that no search sees before `reveal`. */
  stage(record: IndexedRecord): number {
    const slot = this.count++
    this.#makeRoom(this.count)
    this.ids.push(record.id)
    this.scope[slot] = this.scopes.numberOf(record.scope)
    this.kind[slot] = this.#internKind(record.kind)
    this.expiresAt[slot] = record.expiresAt
    this.moment[slot] = record.moment
    this.actor[slot] = record.actor === null ? 0 : this.#internActor(record.actor) + 1
    this.shape[slot] = record.shape
    this.version[slot] = record.version
    this.length[slot] = record.frequencies.reduce((sum, frequency) => sum + frequency, 0)
    this.terms.append(slot, record.terms, record.frequencies)
    this.tokens.append(slot, record.tokens, null)
    this.#writeVector(slot, record.vector)
    return slot
  }

  /**
   * Makes a staged slot the state of its record.
   * @param arrival its place in the order of first writes, when it is known already
   */
  reveal(slot: number, status: Status, arrival?: number): void {
    const id = this.ids[slot]!
    const former = this.#slots.get(id)
    const stays = former !== undefined && this.scope[former] === this.scope[slot]
    const place = arrival ?? (stays ? this.arrival[former]! : this.#arrivals)
    this.arrival[slot] = place
    this.#arrivals = Math.max(this.#arrivals, place + 1)
    if (former !== undefined) this.#kill(former)
    this.status[slot] = statusMask([status])
    this.#slots.set(id, slot)
    this.scopes.slots[this.scope[slot]!]!.push(slot)
    this.visible.added(slot)
  }

  remove(id: string): void {
    const slot = this.#slots.get(id)
    if (slot === undefined) return
    this.#slots.delete(id)
    this.#kill(slot)
  }

  /** A vector that came late. */
  setVector(slot: number, vector: StoredVector): void {
    this.#writeVector(slot, vector)
  }

  /** Live slots, ascending. */
  liveSlots(): number[] {
    const slots: number[] = []
    for (let slot = 0; slot < this.count; slot++) if (this.status[slot] !== 0) slots.push(slot)
    return slots
  }

  /** Numbers of the slot's unit vector: its chunk, and where in it. */
  vectorChunk(slot: number): Float32Array {
    return this.#vectors.chunks[chunkOf(this.vectorAt[slot]!)]!
  }

  vectorPlace(slot: number): number {
    return placeOf(this.vectorAt[slot]!)
  }

  /** The record of a live slot, as it was staged. */
  read(slot: number): IndexedRecord {
    const actor = this.actor[slot]!
    return {
      id: this.ids[slot]!,
      scope: this.scopes.scopes[this.scope[slot]!]!,
      kind: this.kindName(this.kind[slot]!),
      status: statuses[Math.log2(this.status[slot]!)]!,
      expiresAt: this.expiresAt[slot]!,
      moment: this.moment[slot]!,
      actor: actor === 0 ? null : this.actors[actor - 1]!,
      version: this.version[slot]!,
      terms: this.terms.itemsOf(slot),
      frequencies: this.terms.frequenciesOf(slot),
      tokens: this.tokens.itemsOf(slot),
      shape: this.shape[slot]!,
      vector: this.#readVector(slot),
    }
  }

  #readVector(slot: number): StoredVector | null {
    const space = this.space[slot]!
    if (space === 0) return null
    const name = this.#spaceNames[space - 1]!
    const place = this.vectorPlace(slot)
    return { space: name, values: this.vectorChunk(slot).slice(place, place + this.#spaces.get(name)!.dimensions) }
  }

  #writeVector(slot: number, vector: StoredVector | null): void {
    this.space[slot] = 0
    this.vectorAt[slot] = NO_VECTOR
    if (vector === null || !this.#accepts(vector.space)) return
    const unit = unitOf(vector.values)
    if (unit === null) return
    const space = this.#internSpace(vector.space, unit.length)
    // Nothing of another length can be compared with the rest of its space.
    if (space.dimensions !== unit.length) return
    const address = this.#vectors.reserve(unit.length)
    this.#vectors.chunks[chunkOf(address)]!.set(unit, placeOf(address))
    this.space[slot] = space.number + 1
    this.vectorAt[slot] = address
  }

  #kill(slot: number): void {
    this.visible.removed(slot)
    this.status[slot] = 0
    const scope = this.scope[slot]!
    const dead = (this.#deadInScope[scope] ?? 0) + 1
    this.#deadInScope[scope] = dead
    const slots = this.scopes.slots[scope]!
    if (dead < WORTH_CLEANING || 2 * dead < slots.length) return
    this.scopes.slots[scope] = slots.filter((other) => this.status[other] !== 0)
    this.#deadInScope[scope] = 0
  }

  #makeRoom(count: number): void {
    if (count <= this.status.length) return
    this.status = withRoom(this.status, count)
    this.scope = withRoom(this.scope, count)
    this.kind = withRoom(this.kind, count)
    this.expiresAt = withRoom(this.expiresAt, count)
    this.moment = withRoom(this.moment, count)
    this.arrival = withRoom(this.arrival, count)
    this.actor = withRoom(this.actor, count)
    this.shape = withRoom(this.shape, count)
    this.version = withRoom(this.version, count)
    this.length = withRoom(this.length, count)
    this.space = withRoom(this.space, count)
    this.vectorAt = withRoom(this.vectorAt, count)
    this.scores = withRoom(this.scores, count)
    this.scored = withRoom(this.scored, count)
  }

  #internKind(kind: string): number {
    const known = this.#kinds.get(kind)
    if (known !== undefined) return known
    const number = this.#kinds.size
    this.#kinds.set(kind, number)
    this.#kindNames.push(kind)
    return number
  }

  #internActor(actor: Actor): number {
    const key = `${actor.role}:${actor.name}`
    const known = this.#actorNumbers.get(key)
    if (known !== undefined) return known
    const number = this.actors.length
    this.#actorNumbers.set(key, number)
    this.actors.push(actor)
    return number
  }

  #internSpace(name: string, dimensions: number): { readonly number: number; readonly dimensions: number } {
    const known = this.#spaces.get(name)
    if (known !== undefined) return known
    const space = { number: this.#spaces.size, dimensions }
    this.#spaces.set(name, space)
    this.#spaceNames.push(name)
    return space
  }
}

/** The vector itself when it has length one already, a copy of length one otherwise; null for zeros. */
export function unitOf(values: Float32Array): Float32Array | null {
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += values[i]! * values[i]!
  if (squares === 0) return null
  return Math.abs(squares - 1) < 1e-6 ? values : normalise(values)
}
