import { InputError } from '../../errors/index.ts'
import type { ArenaRows } from './arena-rows.ts'

/** Fetches float32 rows that are not in memory, in order; null for a row that is gone. */
export type FetchFloats = (rows: Uint32Array) => Promise<readonly (Float32Array | null)[]>

/** Rows that are compared in one call of the kernel. */
const group = 512
/** Rows that are fetched at a time. */
const fetched = 256

/** Float32 products of rows with a query: the same numbers whether rows are in memory or fetched. */
export class ExactScores {
  readonly #rows: ArenaRows
  readonly #query: number
  readonly #places: number
  readonly #scores: number
  readonly #staged: number
  readonly #stagedTable: number

  constructor(rows: ArenaRows) {
    const { areas, stride, kernel } = rows
    this.#rows = rows
    this.#query = areas.take(4 * stride)
    this.#places = areas.take(4 * group)
    this.#scores = areas.take(4 * group)
    this.#staged = areas.take(4 * stride * stagedRows)
    this.#stagedTable = areas.take(4)
    kernel.memory.u32[this.#stagedTable / 4] = this.#staged
  }

  /** NaN for rows that are not in use. */
  async of(unit: Float32Array, wanted: ArrayLike<number>, fetch: FetchFloats | undefined): Promise<Float32Array> {
    const scores = new Float32Array(wanted.length).fill(Number.NaN)
    const missing = this.#fromMemory(unit, wanted, scores)
    for (let at = 0; at < missing.length; at += fetched) {
      const places = missing.slice(at, at + fetched)
      const rows = Uint32Array.from(places, (place) => wanted[place]!)
      const vectors = await fetchAll(fetch, rows)
      this.#fromVectors(unit, vectors, rows, places, scores)
    }
    return scores
  }

  /** Answers the places of rows that are in use and not in memory. */
  #fromMemory(unit: Float32Array, wanted: ArrayLike<number>, scores: Float32Array): number[] {
    const { floats, live } = this.#rows
    const missing: number[] = []
    const found: number[] = []
    this.#putQuery(unit)
    for (let place = 0; place < wanted.length; place++) {
      const row = wanted[place]!
      if (live[row] !== 1) continue
      if (floats.place(row) < 0) missing.push(place)
      else if (found.push(place) === group) this.#compare(found, wanted, scores)
    }
    this.#compare(found, wanted, scores)
    return missing
  }

  /** Empties the list of places. */
  #compare(places: number[], wanted: ArrayLike<number>, scores: Float32Array): void {
    if (places.length === 0) return
    const { floats, kernel, stride } = this.#rows
    const { u32, f32 } = kernel.memory
    const list = this.#places / 4
    for (let i = 0; i < places.length; i++) u32[list + i] = floats.place(wanted[places[i]!]!)
    kernel.dots(floats.blocks.table, this.#places, 0, places.length, stride, this.#query, this.#scores)
    for (let i = 0; i < places.length; i++) scores[places[i]!] = f32[this.#scores / 4 + i]!
    places.length = 0
  }

  #fromVectors(
    unit: Float32Array,
    vectors: readonly (Float32Array | null)[],
    rows: Uint32Array,
    places: readonly number[],
    scores: Float32Array,
  ): void {
    const { floats, kernel, stride, live, dimensions } = this.#rows
    this.#putQuery(unit)
    const staged = this.#staged / 4
    let waiting: number[] = []
    const compare = (): void => {
      kernel.dots(this.#stagedTable, 0, 0, waiting.length, stride, this.#query, this.#scores)
      for (let i = 0; i < waiting.length; i++) scores[waiting[i]!] = kernel.memory.f32[this.#scores / 4 + i]!
      waiting = []
    }
    for (let i = 0; i < rows.length; i++) {
      const vector = vectors[i]
      const row = rows[i]!
      // Freed while it was fetched.
      if (vector === null || vector === undefined || live[row] !== 1) continue
      if (vector.length !== dimensions) throw wrongLength(vector.length, dimensions)
      floats.keep(row, vector)
      const at = staged + waiting.length * stride
      kernel.memory.f32.set(vector, at)
      kernel.memory.f32.fill(0, at + dimensions, at + stride)
      if (waiting.push(places[i]!) === stagedRows) compare()
    }
    if (waiting.length > 0) compare()
  }

  #putQuery(unit: Float32Array): void {
    const { kernel, stride } = this.#rows
    kernel.memory.f32.set(unit, this.#query / 4)
    kernel.memory.f32.fill(0, this.#query / 4 + unit.length, this.#query / 4 + stride)
  }
}

const stagedRows = 32

async function fetchAll(fetch: FetchFloats | undefined, rows: Uint32Array): Promise<readonly (Float32Array | null)[]> {
  if (fetch === undefined) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: `floats: ${rows.length} rows are no longer in memory. Pass a function that fetches them.`,
      details: { rows: rows.length },
    })
  }
  return fetch(rows)
}

function wrongLength(given: number, expected: number): InputError {
  return new InputError({
    code: 'INVALID_ARGUMENT',
    message: `floats: a fetched vector has ${given} numbers where ${expected} belong. Fetch what was appended.`,
    details: { given, expected },
  })
}
