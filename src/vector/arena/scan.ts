import { type Kernel, scoreBins } from '../kernel/index.ts'
import type { ArenaRows } from './arena-rows.ts'
import type { Work } from './in-turns.ts'
import { type PreparedQuery, signBits } from './prepared-query.ts'

/** Rows of one piece of work: some tens of microseconds each. */
const signPiece = 16_384
const codePiece = 2048
const pickPiece = 16_384
/** Rating goes on to a multiple of four rows. */
const overrun = 4

/** Rows of a scan: those of a list in its room, or, without one, all rows below `count`. */
export interface Span {
  /** Address of row numbers; 0 for none. */
  readonly list: number
  readonly count: number
}

/** Which rows may be picked; null for all. */
export type Passes = ((row: number) => boolean) | null

/** Scans rows for those that come near a query, in room of its own: one at a time. */
export class Scan {
  readonly #rows: ArenaRows
  readonly #kernel: Kernel
  readonly #codes: number
  readonly #bits: number
  readonly #products: number
  readonly #histogram: number
  readonly #bins: number
  readonly #sums: number
  /** Two lists of row numbers: what is picked from one goes into the other. */
  #lists: readonly number[] = [0, 0]
  #keys = 0
  #room = 0

  constructor(rows: ArenaRows) {
    const { areas, stride } = rows
    this.#rows = rows
    this.#kernel = rows.kernel
    this.#bins = Math.max(scoreBins, stride + 1)
    this.#codes = areas.take(2 * stride)
    this.#bits = areas.take(stride / 8)
    this.#products = areas.take(4 * (codePiece + overrun))
    this.#histogram = areas.take(4 * this.#bins)
    this.#sums = areas.take(12 * stride)
  }

  /** Copies row numbers into the scan's room. */
  list(rows: ArrayLike<number>): Span {
    this.#reserve(rows.length)
    const list = this.#lists[0]!
    this.#kernel.memory.u32.set(rows, list / 4)
    return { list, count: rows.length }
  }

  all(): Span {
    this.#reserve(this.#rows.count)
    return { list: 0, count: this.#rows.count }
  }

  /** Gives every row of a span a key by how many sign bits it shares with the query. */
  *rateSigns(span: Span, { unit }: PreparedQuery, mean: Float32Array): Work<void> {
    const { blocks, bitsColumn, stride } = this.#rows
    this.#kernel.memory.u8.set(signBits(unit, mean), this.#bits)
    this.#clear()
    for (let at = 0; at < span.count; at += signPiece) {
      const count = Math.min(signPiece, span.count - at)
      const keys = this.#keys + 2 * at
      const list = listAt(span, at)
      this.#kernel.hamming(blocks.table, bitsColumn, list, at, count, stride, this.#bits, keys, this.#histogram)
      yield
    }
  }

  /** Gives every row of a span a key by its codes: the score it may reach when `bounded`, the likely one otherwise. */
  *rateCodes(span: Span, query: PreparedQuery, bounded: boolean): Work<void> {
    const { blocks, stride, width } = this.#rows
    this.#kernel.memory.i16.set(query.codes, this.#codes / 2)
    this.#clear()
    const spread = bounded ? query.spread : 0
    const slack = bounded ? query.slack : 0
    for (let at = 0; at < span.count; at += codePiece) {
      const count = Math.min(codePiece, span.count - at)
      const list = listAt(span, at)
      this.#kernel.products(blocks.table, list, at, count, stride, width, this.#codes, this.#products)
      this.#kernel.rate(
        this.#products,
        blocks.table,
        list,
        at,
        count,
        stride,
        query.scale,
        spread,
        slack,
        query.lowest,
        query.perBin,
        this.#keys + 2 * at,
        this.#histogram,
      )
      yield
    }
  }

  /** How many rows each key counts, after a rating. A copy. */
  histogram(): Uint32Array {
    return this.#kernel.memory.u32.slice(this.#histogram / 4, this.#histogram / 4 + this.#bins)
  }

  /** The highest key that at least `wanted` rows reach, by what the rating counted; 0 when there are not so many. */
  keyReaching(wanted: number): number {
    const from = this.#histogram / 4
    const { u32 } = this.#kernel.memory
    let seen = 0
    for (let key = this.#bins - 1; key > 0; key--) {
      seen += u32[from + key]!
      if (seen >= wanted) return key
    }
    return 0
  }

  /** Keys of a span's rows, after a rating. A copy. */
  keys(span: Span): Uint16Array {
    return this.#kernel.memory.u16.slice(this.#keys / 2, this.#keys / 2 + span.count)
  }

  /**
   * The rows of a rated span with keys in `[low, high)` that pass, in the span's order.
   * @param earlier rows picked from the same span before, which come first
   */
  *pick(span: Span, low: number, high: number, passes: Passes, earlier?: Span): Work<Span> {
    const list = span.list === this.#lists[0] ? this.#lists[1]! : this.#lists[0]!
    let picked = earlier?.count ?? 0
    for (let at = 0; at < span.count; at += pickPiece) {
      const count = Math.min(pickPiece, span.count - at)
      const keys = this.#keys + 2 * at
      const found = this.#kernel.collect(keys, listAt(span, at), at, count, low, high, list + 4 * picked)
      picked += passes === null ? found : this.#keep(list / 4 + picked, found, passes)
      yield
    }
    return { list, count: picked }
  }

  /** The rows of a span that pass, whatever their keys. */
  *filter(span: Span, passes: Passes): Work<Span> {
    if (passes === null) return span
    const list = span.list === this.#lists[0] ? this.#lists[1]! : this.#lists[0]!
    let picked = 0
    for (let at = 0; at < span.count; at += codePiece) {
      const count = Math.min(codePiece, span.count - at)
      const from = list / 4 + picked
      const { u32 } = this.#kernel.memory
      if (span.list === 0) for (let i = 0; i < count; i++) u32[from + i] = at + i
      else u32.copyWithin(from, span.list / 4 + at, span.list / 4 + at + count)
      picked += this.#keep(from, count, passes)
      yield
    }
    return { list, count: picked }
  }

  /** Row numbers of a span. A copy. */
  rows(span: Span): Uint32Array {
    const { u32 } = this.#kernel.memory
    if (span.list === 0) return Uint32Array.from({ length: span.count }, (_, row) => row)
    return u32.slice(span.list / 4, span.list / 4 + span.count)
  }

  /** Adds the codes of a span's rows to `sums`, in whole numbers of `1 / stepsPerOne`. */
  *addCodes(span: Span, sums: Float64Array): Work<void> {
    const { blocks, stride } = this.#rows
    for (let at = 0; at < span.count; at += codePiece) {
      const count = Math.min(codePiece, span.count - at)
      const from = this.#sums / 8
      this.#kernel.memory.f64.fill(0, from, from + stride)
      this.#kernel.sums(blocks.table, listAt(span, at), at, count, stride, this.#sums)
      const { f64 } = this.#kernel.memory
      for (let i = 0; i < sums.length; i++) sums[i]! += f64[from + i]!
      yield
    }
  }

  /** Moves those of the listed rows that pass to the front; answers how many there are. */
  #keep(from: number, count: number, passes: (row: number) => boolean): number {
    const { u32 } = this.#kernel.memory
    let kept = 0
    for (let i = 0; i < count; i++) {
      const row = u32[from + i]!
      if (passes(row)) u32[from + kept++] = row
    }
    return kept
  }

  #clear(): void {
    this.#kernel.memory.u32.fill(0, this.#histogram / 4, this.#histogram / 4 + this.#bins)
  }

  #reserve(count: number): void {
    if (count <= this.#room) return
    const { areas } = this.#rows
    if (this.#room > 0) {
      for (const list of this.#lists) areas.release(list, 4 * this.#room)
      areas.release(this.#keys, 2 * (this.#room + overrun))
    }
    this.#room = 2 ** Math.ceil(Math.log2(Math.max(1024, count)))
    this.#lists = [areas.take(4 * this.#room), areas.take(4 * this.#room)]
    this.#keys = areas.take(2 * (this.#room + overrun))
  }
}

function listAt(span: Span, at: number): number {
  return span.list === 0 ? 0 : span.list + 4 * at
}
