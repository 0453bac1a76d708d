import { InputError } from '../../errors/index.ts'
import type { ArenaRows } from './arena-rows.ts'
import { type TurnOptions, turns } from './in-turns.ts'

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
  async of(
    unit: Float32Array,
    wanted: ArrayLike<number>,
    options: TurnOptions & { readonly floats?: FetchFloats | undefined },
  ): Promise<Float32Array> {
    const turn = turns(options)
    const scores = new Float32Array(wanted.length).fill(Number.NaN)
    const missing: number[] = []
    for (let from = 0; from < wanted.length; from += group) {
      this.#fromMemory(unit, wanted, from, scores, missing)
      if (turn.isOver) await turn.pause()
    }
    for (let at = 0; at < missing.length; at += fetched) {
      const places = missing.slice(at, at + fetched)
      const rows = Uint32Array.from(places, (place) => wanted[place]!)
      const vectors = await fetchAll(options.floats, rows)
      options.signal?.throwIfAborted()
      this.#fromVectors(unit, vectors, rows, places, scores)
    }
    return scores
  }

  /** Compares a group of rows; adds the places of those that are in use and not in memory to `missing`. */
  #fromMemory(
    unit: Float32Array,
    wanted: ArrayLike<number>,
    from: number,
    scores: Float32Array,
    missing: number[],
  ): void {
    const { floats, live, kernel, stride } = this.#rows
    const { u32, f32 } = kernel.memory
    const found: number[] = []
    for (let place = from; place < Math.min(wanted.length, from + group); place++) {
      const row = wanted[place]!
      if (live[row] !== 1) continue
      const kept = floats.place(row)
      if (kept < 0) missing.push(place)
      else u32[this.#places / 4 + found.push(place) - 1] = kept
    }
    if (found.length === 0) return
    this.#putQuery(unit)
    kernel.dots(floats.blocks.table, this.#places, 0, found.length, stride, this.#query, this.#scores)
    for (let i = 0; i < found.length; i++) scores[found[i]!] = f32[this.#scores / 4 + i]!
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
