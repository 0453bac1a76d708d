import type { StoredVector } from '../../contract/index.ts'
import { normalise } from '../../vector/index.ts'
import { floatRows, type VectorRows } from './vector-rows.ts'

/** The vectors of an index, of the spaces that it keeps. A slot has one at most; zero vectors find nothing and are kept as none. */
export class VectorSpaces {
  readonly #accepts: (space: string) => boolean
  readonly #rows = new Map<string, VectorRows>()

  constructor(accepts: (space: string) => boolean) {
    this.#accepts = accepts
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
    if (vector === null || !this.#accepts(vector.space)) return
    const unit = unitOf(vector.values)
    if (unit === null) return
    const rows = this.rowsOf(vector.space, unit.length)
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

  at(slot: number): StoredVector | null {
    for (const [space, rows] of this.#rows) {
      const values = rows.at(slot)
      if (values !== null) return { space, values }
    }
    return null
  }

  seal(segment: number): void {
    for (const rows of this.#rows.values()) rows.seal(segment)
  }

  /** Takes over what the rows of a segment were saved as; false when it is of other dimensions. Spaces not kept are passed over. */
  load(space: string, dimensions: number, segment: number, saved: readonly Uint8Array[]): boolean {
    if (!this.#accepts(space)) return true
    const rows = this.rowsOf(space, dimensions)
    return rows.dimensions === dimensions && rows.load(segment, saved)
  }

  rowsOf(space: string, dimensions: number): VectorRows {
    const known = this.#rows.get(space)
    if (known !== undefined) return known
    const rows = floatRows(dimensions)
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
