import type { StoredVector } from '../../contract/index.ts'
import { type Lifetimes, type Status, statuses } from '../../model/index.ts'
import { IdTable } from './id-table.ts'
import { type Actor, actorKey, type IndexedRecord } from './indexed-record.ts'
import { Interning } from './interning.ts'
import { RecentIds } from './recent-ids.ts'
import { ScopeDirectory } from './scope-directory.ts'
import { ScopeSlots } from './scope-slots.ts'
import { type Interned, type LogSpan, Segment } from './segment.ts'
import { placeOf, SEGMENT_SLOTS, segmentOf, slotAt } from './slots.ts'
import { passingKey, type TextKey } from './texts.ts'
import { type VectorOptions, VectorSpaces } from './vector-spaces.ts'
import { statusMask } from './visible-set.ts'
import { VisibleSets } from './visible-sets.ts'

/** So many more slots are in the table after each look-up: to make it at once would hold everything up. */
const TABLED_AT_ONCE = 4096
/** The status of a saved record that a later one follows: no search sees it. */
export const FORMER = 0x80

/**
 * The records of an index, one slot a version, in segments. A slot is written once: a record that changes moves to a new
 * one and leaves a dead one behind. So slots of a scope stand in the order of the log, whatever other scopes do, and
 * sums over them come out the same to the last bit (IDX-2).
 */
export class IndexState {
  readonly segments: Segment[] = []
  readonly scopes = new ScopeDirectory()
  readonly slotsOfScopes = new ScopeSlots(this.segments)
  readonly kinds = new Interning<string>((kind) => kind)
  readonly actors = new Interning<Actor>(actorKey)
  readonly vectors: VectorSpaces
  readonly visible = new VisibleSets(this)
  readonly lifetimes: Lifetimes | undefined
  /** Records in the index. */
  size = 0
  /** Places in the order of first writes are below it. */
  arrivals = 0

  readonly #options: VectorOptions
  readonly #slots: number
  /** Has the slots below `#tabled`: grows with each look-up until it has all. */
  readonly #ids = new IdTable(this)
  #tabled = 0
  readonly #recent = new RecentIds()
  /** Where in the log the next record comes from. */
  #span: LogSpan | null = null

  /**
   * @param options of the vectors
   * @param slots records of a segment, up to the default
   * @param lifetimes by which records expire beside their own expiry
   */
  constructor(options: VectorOptions, slots: number = SEGMENT_SLOTS, lifetimes?: Lifetimes) {
    this.#options = options
    this.#slots = slots
    this.lifetimes = lifetimes
    this.vectors = new VectorSpaces(options, (slot) => this.idOf(slot))
  }

  /** Slots are below it. */
  get end(): number {
    const last = this.segments.length - 1
    return last < 0 ? 0 : slotAt(last, this.segments[last]!.count)
  }

  /** Slots in use, those of dead records included. */
  get used(): number {
    return this.segments.reduce((sum, segment) => sum + segment.count, 0)
  }

  /** An empty state that keeps the same spaces. */
  empty(): IndexState {
    return new IndexState(this.#options, this.#slots, this.lifetimes)
  }

  segmentAt(slot: number): Segment {
    return this.segments[segmentOf(slot)]!
  }

  lives(slot: number): boolean {
    // Not even a number at the end of a segment that has less than its slots.
    return this.segmentAt(slot).columns.status[placeOf(slot)]! > 0
  }

  /** The living slot of a record. */
  slotOf(id: string): number | undefined {
    return this.#find(passingKey(id))
  }

  idOf(slot: number): string {
    // What was shown is often found again.
    return this.#recent.idOf(slot) ?? this.#recent.add(slot, this.segmentAt(slot).ids.at(placeOf(slot)))
  }

  isAt(slot: number, key: TextKey): boolean {
    return this.segmentAt(slot).ids.is(placeOf(slot), key)
  }

  hashAt(slot: number): number {
    return this.segmentAt(slot).ids.hashAt(placeOf(slot))
  }

  arrivalOf(slot: number): number {
    return this.segmentAt(slot).columns.arrival[placeOf(slot)]!
  }

  versionOf(slot: number): number {
    return this.segmentAt(slot).columns.version[placeOf(slot)]!
  }

  /** A record with index terms; others are no turns and speak for no actor. */
  isSearched(slot: number): boolean {
    return this.segmentAt(slot).hasTerms(placeOf(slot))
  }

  /**
   * Says where in the log what is staged next comes from. A segment ends where a transaction does, unless that one alone
   * is too much for it.
   */
  begin(span: LogSpan, records: number): void {
    this.#span = span
    if (this.segments.at(-1)?.hasRoomFor(records, this.#slots) === false) this.seal()
  }

  /** What is staged next begins a segment. */
  seal(): void {
    const last = this.segments.length - 1
    if (last < 0 || this.segments[last]!.count === 0) return
    this.segments[last]!.seal()
    this.segments.push(new Segment())
  }

  /** Writes a record into a new slot that no search sees before `reveal`. */
  stage(record: IndexedRecord): number {
    if (this.segments.length === 0) this.segments.push(new Segment())
    if (!this.segments.at(-1)!.hasRoomFor(1, this.#slots)) this.seal()
    const number = this.segments.length - 1
    const segment = this.segments[number]!
    const slot = slotAt(number, segment.append(record, this.#intern(record)))
    if (this.#span !== null) segment.extend(this.#span)
    this.vectors.set(slot, record.vector)
    return slot
  }

  /**
   * Makes a staged slot the state of its record.
   * @param arrival its place in the order of first writes, when it is known already
   */
  reveal(slot: number, status: Status, arrival?: number): void {
    const { columns, ids } = this.segmentAt(slot)
    const place = placeOf(slot)
    const key = ids.keyAt(place)
    const former = this.#find(key)
    const stays = former !== undefined && this.#scopeOf(former) === columns.scope[place]
    const arrived = arrival ?? (stays ? this.arrivalOf(former) : this.arrivals)
    columns.arrival[place] = arrived
    this.arrivals = Math.max(this.arrivals, arrived + 1)
    if (former !== undefined) this.#kill(former)
    columns.status[place] = statusMask([status])
    if (slot < this.#tabled) this.#ids.set(key, slot)
    this.#enlist(slot)
    this.visible.added(slot)
  }

  remove(id: string): void {
    const slot = this.slotOf(id)
    if (slot !== undefined) this.#kill(slot)
  }

  /** A vector that came late, of a slot without any. */
  setVector(slot: number, vector: StoredVector): void {
    this.vectors.set(slot, vector)
    this.visible.embedded(slot)
    this.segmentAt(slot).revision++
  }

  /**
   * Takes over a segment that was saved, as the last one.
   * @param succeeding true when earlier segments may hold former versions of its records that are not marked as dead
   */
  attach(segment: Segment, succeeding: boolean): number {
    if (succeeding) this.#table(Number.POSITIVE_INFINITY)
    this.seal()
    if (this.segments.at(-1)?.count === 0) this.segments.pop()
    const number = this.segments.length
    this.segments.push(segment)
    const { status, arrival } = segment.columns
    const { count } = segment
    this.slotsOfScopes.forget()
    for (let place = 0; place < count; place++) {
      if (status[place] === 0) continue
      this.size++
      if (arrival[place]! >= this.arrivals) this.arrivals = arrival[place]! + 1
      if (succeeding) this.#succeedAt(segment, slotAt(number, place))
    }
    if (succeeding) this.#tabled = slotAt(number, count)
    return number
  }

  /** Frees the vectors of the dead records of a segment. */
  freeDead(number: number): void {
    const { columns, count } = this.segments[number]!
    const { status } = columns
    for (let place = status.indexOf(0); place >= 0 && place < count; place = status.indexOf(0, place + 1)) {
      this.vectors.free(slotAt(number, place))
    }
  }

  /** Takes away what is only there to be succeeded and was not. */
  killFormer(): void {
    for (const slot of this.liveSlots()) {
      if (this.segmentAt(slot).columns.status[placeOf(slot)] === FORMER) this.#kill(slot)
    }
  }

  /** False when no record has a key of this hash. */
  mayHaveKey(hash: number): boolean {
    return this.segments.some((segment) => segment.hasKeys && segment.columns.keyHash.includes(hash))
  }

  /** Living slots, ascending. */
  *liveSlots(from = 0): Iterable<number> {
    for (let number = segmentOf(from); number < this.segments.length; number++) {
      const segment = this.segments[number]!
      for (let place = number === segmentOf(from) ? placeOf(from) : 0; place < segment.count; place++) {
        if (segment.columns.status[place] !== 0) yield slotAt(number, place)
      }
    }
  }

  /** The record of a living slot as it was staged, its vector aside. */
  read(slot: number): IndexedRecord & { readonly vector: null } {
    const segment = this.segmentAt(slot)
    const { columns } = segment
    const place = placeOf(slot)
    const actor = columns.actor[place]!
    const { id, ...rest } = segment.recordAt(place)
    return {
      id,
      scope: this.scopes.scopes[columns.scope[place]!]!,
      kind: this.kinds.values[columns.kind[place]!]!,
      status: statuses[Math.log2(columns.status[place]!)]!,
      actor: actor === 0 ? null : this.actors.values[actor - 1]!,
      ...rest,
      vector: null,
    }
  }

  #succeedAt({ ids }: Segment, slot: number): void {
    const key = ids.keyAt(placeOf(slot))
    const former = this.#ids.find(key)
    if (former >= 0 && this.lives(former)) this.#succeed(former, slot)
    this.#ids.set(key, slot)
  }

  /** Lets a saved slot take the place of a former one, which may have arrived anew since that was saved. */
  #succeed(former: number, slot: number): void {
    const segment = this.segmentAt(slot)
    const arrival = this.arrivalOf(former)
    if (segment.columns.arrival[placeOf(slot)] !== arrival) {
      segment.columns.arrival[placeOf(slot)] = arrival
      segment.revision++
    }
    this.#kill(former)
  }

  #find(key: TextKey): number | undefined {
    this.#table(TABLED_AT_ONCE)
    const slot = this.#ids.find(key)
    return slot >= 0 && this.lives(slot) ? slot : this.#findUntabled(key)
  }

  #findUntabled(key: TextKey): number | undefined {
    const first = segmentOf(this.#tabled)
    for (let number = first; number < this.segments.length; number++) {
      const { ids, count, columns } = this.segments[number]!
      let place = number === first ? placeOf(this.#tabled) : 0
      if (place >= count) continue
      for (place = ids.placeOf(key, place); place >= 0; place = ids.placeOf(key, place + 1)) {
        if (columns.status[place] !== 0) return slotAt(number, place)
      }
    }
    return undefined
  }

  /** Puts so many more slots into the table of ids. */
  #table(most: number): void {
    for (let left = most; left > 0; ) {
      const number = segmentOf(this.#tabled)
      const segment = this.segments[number]
      if (segment === undefined) return
      const place = placeOf(this.#tabled)
      if (place < segment.count) {
        if (segment.columns.status[place] !== 0) this.#ids.set(segment.ids.keyAt(place), this.#tabled)
        this.#tabled++
        left--
      } else if (number + 1 < this.segments.length) this.#tabled = slotAt(number + 1, 0)
      else return
    }
  }

  #scopeOf(slot: number): number {
    return this.segmentAt(slot).columns.scope[placeOf(slot)]!
  }

  #enlist(slot: number): void {
    this.size++
    this.slotsOfScopes.added(this.#scopeOf(slot), slot)
  }

  #kill(slot: number): void {
    this.visible.removed(slot)
    this.segmentAt(slot).columns.status[placeOf(slot)] = 0
    this.vectors.free(slot)
    this.size--
    this.slotsOfScopes.removed(this.#scopeOf(slot), (other) => this.lives(other))
  }

  #intern(record: IndexedRecord): Interned {
    return {
      scope: this.scopes.numberOf(record.scope),
      kind: this.kinds.numberOf(record.kind),
      actor: record.actor === null ? 0 : this.actors.numberOf(record.actor) + 1,
    }
  }
}
