import type { StoredVector } from '../../contract/index.ts'
import { type Calibration, normalise } from '../../vector/index.ts'
import { type RowOptions, VectorRows } from './vector-rows.ts'

/** Fetches vectors of length one by the ids of their records; null for one that is gone. */
export type FetchVectors = (space: string, ids: readonly string[]) => Promise<readonly (Float32Array | null)[]>

export interface VectorOptions extends Pick<RowOptions, 'kernel' | 'floatRows'> {
  /** Which vector spaces are kept. */
  readonly accepts: (space: string) => boolean
  /** Needed unless all vectors stay in memory in single precision. */
  readonly fetch?: FetchVectors | undefined
}

/** The vectors of an index, of the spaces that it keeps. A slot has one at most; zero vectors find nothing and are kept as none. */
export class VectorSpaces {
  readonly #options: VectorOptions
  readonly #idOf: (slot: number) => string
  readonly #rows = new Map<string, VectorRows>()

  constructor(options: VectorOptions, idOf: (slot: number) => string) {
    this.#options = options
    this.#idOf = idOf
  }

  /** Names of the spaces that have held vectors, with their rows. */
  get spaces(): Iterable<readonly [string, VectorRows]> {
    return this.#rows
  }

  /** Undefined for a space without vectors. */
  of(space: string): VectorRows | undefined {
    return this.#rows.get(space)
  }

  /** Puts a vector, or none, in place of the one that the slot has. */
  set(slot: number, vector: StoredVector | null): void {
    this.free(slot)
    if (vector === null || !this.#options.accepts(vector.space)) return
    const unit = unitOf(vector.values)
    if (unit === null) return
    const rows = this.#rowsOf(vector.space, unit.length)
    // Nothing of another length can be compared with the rest of its space.
    if (rows.dimensions === unit.length) rows.set(slot, unit)
  }

  free(slot: number): void {
    for (const rows of this.#rows.values()) rows.free(slot)
  }

  has(slot: number): boolean {
    for (const rows of this.#rows.values()) if (rows.has(slot)) return true
    return false
  }

  /** Takes over the vector of a slot of another index that keeps the same spaces. */
  copy(slot: number, from: VectorSpaces, other: number): void {
    for (const [space, rows] of from.#rows) {
      if (rows.has(other)) this.#rowsOf(space, rows.dimensions).copy(slot, rows, other)
    }
  }

  /** Takes over what the rows of a segment were saved as; false when it is of other dimensions. Spaces not kept are passed over. */
  load(space: string, dimensions: number, segment: number, saved: readonly Uint8Array[]): boolean {
    if (!this.#options.accepts(space)) return true
    const rows = this.#rowsOf(space, dimensions)
    return rows.dimensions === dimensions && rows.load(segment, saved)
  }

  /** By space. */
  get calibrations(): Readonly<Record<string, Calibration>> {
    return Object.fromEntries(
      [...this.#rows].flatMap(([space, { calibration }]) => (calibration === null ? [] : [[space, calibration]])),
    )
  }

  /** True when there are calibrations that `know` was not told. */
  get hasLearnt(): boolean {
    return [...this.#rows.values()].some(({ hasLearnt }) => hasLearnt)
  }

  /** Takes over calibrations that were saved, or takes note that they are. */
  know(calibrations: Readonly<Record<string, Calibration>>): void {
    for (const [space, calibration] of Object.entries(calibrations)) this.#rows.get(space)?.know(calibration)
  }

  /** True when `prepare` has something to do. */
  get preparationDue(): boolean {
    return [...this.#rows.values()].some((rows) => rows.preparationDue)
  }

  /** Makes searches faster, in spaces for which it is time. Fails when aborted, and when vectors can't be fetched. */
  async prepare(signal: AbortSignal): Promise<void> {
    for (const rows of this.#rows.values()) await rows.prepare(signal)
  }

  #rowsOf(space: string, dimensions: number): VectorRows {
    const known = this.#rows.get(space)
    if (known !== undefined) return known
    const { kernel, floatRows, fetch } = this.#options
    const ofSlots = (slots: readonly number[]) => fetch!(space, slots.map(this.#idOf))
    const rows = new VectorRows(dimensions, { kernel, floatRows, fetch: fetch && ofSlots })
    this.#rows.set(space, rows)
    return rows
  }
}

/** The vector itself when it has length one already, a copy of length one otherwise; null for zeros. */
export function unitOf(values: Float32Array): Float32Array | null {
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += values[i]! * values[i]!
  if (squares === 0) return null
  return Math.abs(squares - 1) < 1e-6 ? values : normalise(values)
}
