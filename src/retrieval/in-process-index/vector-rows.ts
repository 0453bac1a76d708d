import { setTimeout } from 'node:timers/promises'
import {
  type Calibration,
  createVectorArena,
  type KernelKind,
  leastQueries,
  topK,
  type VectorArena,
} from '../../vector/index.ts'
import { bytesOf, numbersIn } from './bytes.ts'
import { withRoom } from './columns.ts'
import { SEGMENT_SLOTS, slotAt } from './slots.ts'
import type { VisibleVectors } from './visible-vectors.ts'

/** A search for the nearest vectors. */
export interface NearestQuery {
  /** Of length one. */
  readonly vector: Float32Array
  /** The visible ones. */
  readonly among: VisibleVectors
  /** Which of them may be found; null for all. */
  readonly allowed: ((slot: number) => boolean) | null
  readonly limit: number
  readonly exact: boolean
  /** Orders slots of equal cosine. */
  readonly before: (a: number, b: number) => number
  readonly signal?: AbortSignal | undefined
}

export interface NearestRows {
  /** Best first. */
  readonly hits: readonly { readonly slot: number; readonly cosine: number }[]
  /** Visible vectors. */
  readonly vectors: number
  /** Mean of the cosines of those, 0 when there are none. */
  readonly meanCosine: number
}

export interface RowOptions {
  /** @default 'wasm' */
  readonly kernel?: KernelKind | undefined
  /** With no more vectors than that all of them stay in memory in single precision, with more the last used of an eighth. @default 200000 */
  readonly floatRows?: 'all' | number | undefined
  /** Fetches vectors of slots that are not in memory in single precision; null for one that is gone. */
  readonly fetch?: ((slots: readonly number[]) => Promise<readonly (Float32Array | null)[]>) | undefined
}

/**
 * Up to so many vectors the mean is exact, too: of a few, or of copies of one, it tells whether anything stands out at all,
 * and the codes of vectors are too coarse for that.
 */
const comparedWhole = 1_000
/** Up to so many vectors comparing all of them takes a millisecond: what is found is then of the visible ones alone. */
const exactRows = 30_000
const defaultFloatRows = 200_000
/** How many are fetched at a time by the way: about a millisecond. */
const fetchedByTheWay = 64
/** Who searches the same so often gets its vectors fetched by the way, where those of two such sets can be kept. */
const askedOften = 4
const keptSets = 1 / 16
/** How many of the last queries are kept to calibrate by. */
const keptQueries = 64

/** The unit vectors of one space by slot, in an arena. */
export class VectorRows {
  readonly arena: VectorArena
  readonly #options: RowOptions
  /** By slot: its row plus 1; 0 without a vector. */
  #rowOf = new Uint32Array(0)
  /** By row: the slot that has it, or had it last. */
  #slotOf = new Uint32Array(0)
  readonly #queries: Float32Array[] = []
  /** Searches under way, and rows to be freed when they have ended: each sees what there was when it began. */
  #searches = 0
  readonly #parted: number[] = []
  /** What was learnt of about these rows before; null when that is not known. */
  #learnt: Calibration | null = null
  /** Rows below it have been looked at for whether they are in memory in single precision. */
  #fetchedTo = Number.POSITIVE_INFINITY
  readonly #floatRows: number
  /** How often a set was searched that is fetched by the way. */
  readonly #asked = new WeakMap<VisibleVectors, number>()
  #toFetch: VisibleVectors | null = null

  constructor(dimensions: number, options: RowOptions) {
    const { kernel, floatRows = defaultFloatRows } = options
    this.arena = createVectorArena({ dimensions, kernel, floatRows })
    this.#floatRows = floatRows === 'all' ? Number.POSITIVE_INFINITY : floatRows
    this.#options = options
  }

  get dimensions(): number {
    return this.arena.dimensions
  }

  /** Row of a slot; -1 without a vector. */
  rowOf(slot: number): number {
    return (this.#rowOf[slot] ?? 0) - 1
  }

  slotOf(row: number): number {
    return this.#slotOf[row]!
  }

  has(slot: number): boolean {
    return this.rowOf(slot) >= 0
  }

  /** Keeps a vector of length one for a slot without any. */
  set(slot: number, unit: Float32Array): void {
    this.#place(slot, this.arena.append(unit))
  }

  free(slot: number): void {
    const row = this.rowOf(slot)
    if (row < 0) return
    this.#rowOf[slot] = 0
    if (this.#searches > 0) this.#parted.push(row)
    else this.arena.free(row)
  }

  /** True when the slot has this vector; of one that is not in memory in single precision, as far as its codes tell. */
  holds(slot: number, unit: Float32Array): boolean {
    const row = this.rowOf(slot)
    if (row < 0 || !this.arena.holds(row, unit)) return false
    const kept = this.arena.floatsOf(row)
    return kept === null || Buffer.compare(bytesOf(kept), bytesOf(unit)) === 0
  }

  /** Takes over the vector of a slot of other rows, if there is one. */
  copy(slot: number, from: VectorRows, other: number): void {
    const row = from.rowOf(other)
    if (row < 0) return
    const unit = from.arena.floatsOf(row)
    if (unit === null) this.#fetchedTo = 0
    this.#place(slot, this.arena.appendCodes(from.arena.codesOf(row), unit))
  }

  async nearest(query: NearestQuery): Promise<NearestRows> {
    if (query.among.count <= comparedWhole) return this.#compareAll(query)
    const { vector, among, allowed, limit, exact, before, signal } = query
    if (this.#queries.push(vector.slice()) > keptQueries) this.#queries.shift()
    this.#noteAsked(among)
    await among.addUp(signal)
    const { rows, count: vectors } = among
    const meanCosine = among.meanCosine(vector)
    // A list of all rows would only have to be copied and checked.
    const isAll = vectors === this.arena.size && vectors === this.arena.rowCount
    const found = await this.#searching(() =>
      this.arena.nearest(vector, isAll ? null : rows, {
        limit,
        exact: exact || vectors <= exactRows,
        allowed: allowed === null ? undefined : (row) => allowed(this.slotOf(row)),
        before: (a, b) => before(this.slotOf(a), this.slotOf(b)),
        floats: (wanted) => this.#floats(wanted),
        signal,
      }),
    )
    return {
      hits: found.map(({ row, score }) => ({ slot: this.slotOf(row), cosine: within1(score) })),
      vectors,
      meanCosine,
    }
  }

  /** The same cosines as those of a search, in the order of the slots; null without a vector. */
  async cosines(
    unit: Float32Array,
    slots: readonly number[],
    signal?: AbortSignal,
  ): Promise<readonly (number | null)[]> {
    const places: number[] = []
    const rows: number[] = []
    for (let place = 0; place < slots.length; place++) {
      const row = this.rowOf(slots[place]!)
      if (row < 0) continue
      places.push(place)
      rows.push(row)
    }
    const scores = await this.#searching(() =>
      this.arena.dotAll(unit, rows, { floats: (wanted) => this.#floats(wanted), signal }),
    )
    const cosines = new Array<number | null>(slots.length).fill(null)
    for (let i = 0; i < places.length; i++) {
      const score = scores[i]!
      if (!Number.isNaN(score)) cosines[places[i]!] = within1(score)
    }
    return cosines
  }

  get calibration(): Calibration | null {
    return this.arena.calibration ?? this.#learnt
  }

  /** True when there is a calibration that was not given. */
  get hasLearnt(): boolean {
    return this.calibration !== this.#learnt
  }

  /** Takes over the calibration that was saved with the rows, or that has been saved now. */
  know(calibration: Calibration): void {
    this.#learnt = calibration
  }

  /** True when `prepare` has something to do. */
  get preparationDue(): boolean {
    return this.arena.calibrationDue || this.#knowsTooLittle || this.#fetchesByTheWay || this.#toFetch !== null
  }

  get #wasAsked(): boolean {
    return this.#queries.length >= leastQueries
  }

  /** What was learnt from stored rows serves until there are questions to learn from. */
  get #knowsTooLittle(): boolean {
    return this.arena.calibration?.asked === false && this.#wasAsked
  }

  /** Makes searches faster: learns how to tell many vectors apart, and fetches those that were loaded without single precision. */
  async prepare(signal: AbortSignal): Promise<void> {
    if (this.arena.calibrationDue || this.#knowsTooLittle) {
      const { arena } = this
      const learnt = this.#learnt
      const serves = learnt !== null && arena.size < 2 * learnt.rows && (learnt.asked || !this.#wasAsked)
      await arena.calibrate({ queries: [...this.#queries], known: serves ? learnt : undefined, signal })
    }
    for (; this.#fetchesByTheWay; this.#fetchedTo += fetchedByTheWay) {
      const count = Math.min(fetchedByTheWay, this.arena.rowCount - this.#fetchedTo)
      await this.#keep(
        Uint32Array.from({ length: count }, (_, i) => this.#fetchedTo + i),
        signal,
      )
    }
    const rows = this.#toFetch?.rows.slice() ?? new Uint32Array(0)
    this.#toFetch = null
    for (let at = 0; at < rows.length; at += fetchedByTheWay)
      await this.#keep(rows.slice(at, at + fetchedByTheWay), signal)
  }

  /** What is compared stays in memory. */
  async #keep(rows: Uint32Array, signal: AbortSignal): Promise<void> {
    const zeros = new Float32Array(this.dimensions)
    await this.#searching(() => this.arena.dotAll(zeros, rows, { floats: (wanted) => this.#floats(wanted), signal }))
    // Searches go first: they fetch what they need.
    await setTimeout(1, undefined, { signal, ref: false })
  }

  /** Where not all can be kept, those of a scope that is asked again and again are fetched once. */
  #noteAsked(among: VisibleVectors): void {
    if (this.arena.rowCount <= this.#floatRows || among.count > this.#floatRows * keptSets) return
    const times = (this.#asked.get(among) ?? 0) + 1
    this.#asked.set(among, times)
    if (times === askedOften) this.#toFetch = among
  }

  get #fetchesByTheWay(): boolean {
    return this.#fetchedTo < this.arena.rowCount && this.arena.rowCount <= this.#floatRows
  }

  /** The vectors of the first places of a segment, without their float32 numbers: for `load`. */
  save(segment: number, end: number): readonly Uint8Array[] {
    const places: number[] = []
    for (let place = 0; place < end; place++) if (this.has(slotAt(segment, place))) places.push(place)
    const { codeBytes } = this.arena
    const codes = new Uint8Array(places.length * codeBytes)
    places.forEach((place, i) => {
      codes.set(this.arena.codesOf(this.rowOf(slotAt(segment, place))), i * codeBytes)
    })
    return places.length === 0 ? [] : [bytesOf(Uint16Array.from(places)), codes]
  }

  /** Takes over what was saved. False when it is not of these rows: nothing is taken over then. */
  load(segment: number, saved: readonly Uint8Array[]): boolean {
    if (saved.length === 0) return true
    const [placeBytes, codes] = saved
    if (placeBytes === undefined || codes === undefined) return false
    const places = numbersIn(Uint16Array, placeBytes)
    const { length } = places
    const { codeBytes } = this.arena
    if (codes.length !== length * codeBytes || places.some((place) => place >= SEGMENT_SLOTS)) return false
    if (length > 0) this.#fetchedTo = 0
    const first = this.arena.appendAllCodes(codes)
    const base = slotAt(segment, 0)
    this.#rowOf = withRoom(this.#rowOf, base + SEGMENT_SLOTS)
    this.#slotOf = withRoom(this.#slotOf, first + length)
    const [rowOf, slotOf] = [this.#rowOf, this.#slotOf]
    for (let i = 0; i < length; i++) {
      const slot = base + places[i]!
      rowOf[slot] = first + i + 1
      slotOf[first + i] = slot
    }
    return true
  }

  async #compareAll({ vector, among, allowed, limit, before, signal }: NearestQuery): Promise<NearestRows> {
    const slots = Array.from(among.rows, (row) => this.slotOf(row))
    const cosines = await this.cosines(vector, slots, signal)
    const best = topK(limit, before)
    let sum = 0
    let compared = 0
    slots.forEach((slot, i) => {
      const cosine = cosines[i]!
      if (cosine === null) return
      sum += cosine
      compared++
      if (cosine >= best.floor && (allowed === null || allowed(slot))) best.offer(slot, cosine)
    })
    return {
      hits: best.ranked().map(({ item, score }) => ({ slot: item, cosine: score })),
      vectors: slots.length,
      meanCosine: compared === 0 ? 0 : sum / compared,
    }
  }

  #place(slot: number, row: number): void {
    this.#rowOf = withRoom(this.#rowOf, slot + 1)
    this.#rowOf[slot] = row + 1
    this.#slotOf = withRoom(this.#slotOf, row + 1)
    this.#slotOf[row] = slot
  }

  async #searching<T>(search: () => Promise<T>): Promise<T> {
    this.#searches++
    try {
      return await search()
    } finally {
      this.#searches--
      if (this.#searches === 0) for (const row of this.#parted.splice(0)) this.arena.free(row)
    }
  }

  async #floats(rows: Uint32Array): Promise<readonly (Float32Array | null)[]> {
    const fetch = this.#options.fetch as NonNullable<RowOptions['fetch']>
    const found = await fetch(Array.from(rows, (row) => this.slotOf(row)))
    // The store may have gone on to another vector, of whatever length.
    return found.map((unit) => (unit?.length === this.dimensions ? unit : null))
  }
}

// Vectors of single precision are of length one to seven digits: their product may pass 1.
function within1(score: number): number {
  return Math.max(-1, Math.min(1, score))
}
