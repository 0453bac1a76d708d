import type { KernelKind } from '../kernel/index.ts'
import type { Calibration } from './calibrate.ts'
import type { FetchFloats } from './exact-scores.ts'
import type { TurnOptions } from './in-turns.ts'
import type { Segment } from './segments.ts'
import type { VectorSum } from './vector-sum.ts'

export interface ArenaOptions {
  /** Numbers of a vector, 1..16384. */
  readonly dimensions: number
  /** @default 'wasm', which falls back to `plain` where it can't run. Both give the same answers to the last bit. */
  readonly kernel?: KernelKind | undefined
  /**
   * How many float32 rows may stay in memory. With more rows than that, an eighth of it holds those that were used last.
   * @default 200000
   */
  readonly floatRows?: 'all' | number | undefined
  /** Of an earlier arena with vectors of the same embedder. */
  readonly calibration?: Calibration | null | undefined
}

export interface NearestOptions extends TurnOptions {
  readonly limit: number
  /** Exact whatever the number of rows. @default false */
  readonly exact?: boolean | undefined
  /** Which of the rows may be found. */
  readonly allowed?: ((row: number) => boolean) | undefined
  /** Orders rows of equal score: negative when the first comes before the second. @default by row */
  readonly before?: ((a: number, b: number) => number) | undefined
  /** Needed once there are more rows than are kept in float32. */
  readonly floats?: FetchFloats | undefined
}

export interface NearRow {
  readonly row: number
  /** The float32 product of the row with the query, to the bit that `dotAll` answers. */
  readonly score: number
}

export interface CalibrateOptions extends TurnOptions {
  readonly queries?: readonly Float32Array[] | undefined
  readonly known?: Calibration | undefined
}

/** Unit vectors of one embedder by row number, searched fast. */
export interface VectorArena {
  readonly dimensions: number
  readonly kernel: KernelKind
  /** Rows in use. */
  readonly size: number
  /** Row numbers, in use or freed, are below this. */
  readonly rowCount: number
  /** Bytes of memory. */
  readonly byteLength: number

  /** Adds a vector; answers its row, which may be one that was freed. @throws InputError INVALID_ARGUMENT unless of length one or zero */
  append(unit: Float32Array): number
  /** Searches under way may see either vector. */
  set(row: number, unit: Float32Array): void
  /** Overwrites the vector with zeros. */
  free(row: number): void
  has(row: number): boolean
  /** True when the row is this vector, as far as its codes tell. */
  holds(row: number, unit: Float32Array): boolean
  /** The float32 row when it is in memory. A copy. */
  floatsOf(row: number): Float32Array | null

  /** Bytes of a row without its float32 numbers: those of `codesOf`. */
  readonly codeBytes: number
  /** The row without its float32 numbers. A copy. */
  codesOf(row: number): Uint8Array
  /** Adds a row by the codes that an arena of the same dimensions had for it, and by its float32 numbers where they are at hand. */
  appendCodes(codes: Uint8Array, unit?: Float32Array | null): number
  /** The same for the codes of many rows, side by side: they become neighbours, whatever rows are free. Answers the first one. */
  appendAllCodes(codes: Uint8Array): number

  /** Exact float32 products of rows with a vector; NaN for rows not in use. */
  dotAll(
    query: Float32Array,
    rows: ArrayLike<number>,
    options?: TurnOptions & Pick<NearestOptions, 'floats'>,
  ): Promise<Float32Array>
  /**
   * The rows nearest to a vector, best first, of `rows` (distinct) or of all when null.
   *
   * Up to 10,000 rows, and with `exact`, the answer is that of comparing every row (VEC-8). Above, rows are first told apart by the
   * signs of their numbers; what is found has its exact score, but a few of the best may be missing (VEC-9).
   * @throws InputError INVALID_ARGUMENT
   */
  nearest(query: Float32Array, rows: Uint32Array | null, options: NearestOptions): Promise<readonly NearRow[]>
  /** The sum of rows, to be kept up to date by the caller. */
  sum(rows: ArrayLike<number>, options?: TurnOptions): Promise<VectorSum>
  /** The product of a vector with the mean of rows. */
  meanCosine(query: Float32Array, rows: ArrayLike<number>, options?: TurnOptions): Promise<number>

  readonly calibration: Calibration | null
  /** True when searches of many rows would gain by a calibration: the first one, or another after the rows have doubled. */
  readonly calibrationDue: boolean
  /**
   * Learns from the rows what the first stage needs. Searches go on meanwhile.
   * @param options.queries recent queries, sixteen or more: they tell more than stored rows do
   * @param options.known what an arena of about the same rows has learnt: takes a twentieth of the time
   */
  calibrate(options?: CalibrateOptions): Promise<Calibration>

  /**
   * The arena without its float32 rows, in segments of 1024 rows; the head, at place 0, comes last. Each is made when asked for:
   * the arena must not change in between. Segments that were not stored make the others unusable, which loading notices.
   * @param options.changed only the head and what changed since it was saved or loaded
   */
  save(options?: { readonly changed?: boolean | undefined }): Iterable<Segment>
}
