import type { KernelMemory } from './kernel-memory.ts'

/** Rows of a block. Vectors lie in blocks; a table in the memory holds the address of each. */
export const blockRows = 1024
/** What the lengths of rows are a multiple of; the numbers past the dimensions are zeros. */
export const strideUnit = 64
/** Steps of quantised rows are whole numbers of one over this. */
export const stepsPerOne = 2 ** 21
/** The keys of `rate` are below this. */
export const scoreBins = 4096
/** Bytes of the traits at the end of a coded row. */
export const traitBytes = 8

/**
 * The inner loops of vector search, over numbers in one linear memory. There are two of them, compiled and plain, that give the
 * same results to the last bit (VEC-5).
 *
 * Parameters are addresses in the memory, or counts. `stride` is the length of a row in numbers. `table` holds the address of each
 * block of rows (uint32), and a column starts `column` bytes after its block does. The rows meant are those of a list of row
 * numbers (uint32), or `count` rows from `first` on when `list` is 0. A coded row is `stride` int8 codes and two float32 traits.
 * Histograms hold one uint32 a key, and are added to.
 */
export interface Kernel {
  readonly kind: KernelKind
  readonly memory: KernelMemory

  /** Products of float32 rows with the query, as float32 added up in one fixed order. */
  dots(table: number, list: number, first: number, count: number, stride: number, query: number, out: number): void

  /**
   * Turns float32 rows that lie side by side into coded rows. Their traits are the step, so that `code * step` comes near the
   * number, and a bound on the length of what is missing.
   */
  quantise(rows: number, count: number, stride: number, coded: number): void
  /** One bit a number, of coded rows side by side: whether `code * step` is above the mean (float32). */
  signs(coded: number, count: number, stride: number, mean: number, bits: number): void

  /** Keys (uint16) of rows of sign bits: how many of them are those of the query. */
  hamming(
    table: number,
    column: number,
    list: number,
    first: number,
    count: number,
    stride: number,
    query: number,
    keys: number,
    histogram: number,
  ): void

  /** Products (int32) of int8 rows, `width` bytes apart, with a query of int16. */
  products(
    table: number,
    list: number,
    first: number,
    count: number,
    stride: number,
    width: number,
    query: number,
    out: number,
  ): void
  /** Adds int8 rows, each times its weight (float32, in the order of the list), to `out` (float64), row after row. */
  blend(table: number, list: number, count: number, width: number, weights: number, out: number): void
  /**
   * Rates coded rows by their products with a query. With `score = product * step * scale` and `error = bound * spread + slack`: the
   * key (uint16) is the bin of `score + error`, and the histogram counts the bins of `score - error`. Bins start at `lowest`,
   * `perBin` of them to the unit; the first and the last one also hold what is beyond. Up to three keys past the last row are
   * overwritten, and as many products past the last one read.
   */
  rate(
    products: number,
    table: number,
    list: number,
    first: number,
    count: number,
    stride: number,
    scale: number,
    spread: number,
    slack: number,
    lowest: number,
    perBin: number,
    keys: number,
    histogram: number,
  ): void
  /**
   * Adds `code * step` of coded rows to `out` (float64), in whole numbers of `1 / stepsPerOne`. The `4 * stride` bytes after it
   * are room for parts of the sum, and zeros in the end.
   */
  sums(table: number, list: number, first: number, count: number, stride: number, out: number): void

  /** Writes the rows whose keys are in `[low, high)` to `out` (uint32), in order; answers how many there are. */
  collect(keys: number, list: number, first: number, count: number, low: number, high: number, out: number): number
}

export type KernelKind = 'wasm' | 'plain'
