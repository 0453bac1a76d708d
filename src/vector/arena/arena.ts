import { InputError } from '../../errors/index.ts'
import { blockRows } from '../kernel/index.ts'
import { topK } from '../top-k.ts'
import type { ArenaRows } from './arena-rows.ts'
import {
  type Calibration,
  calibrationOf,
  calibrationQueries,
  type Depths,
  leftBySigns,
  measureDepths,
  sampleMean,
  signAll,
} from './calibrate.ts'
import { likely, withinReach } from './candidates.ts'
import { ExactScores } from './exact-scores.ts'
import { inTurns, type TurnOptions, Turnstile, turns, type Work } from './in-turns.ts'
import { prepareQuery } from './prepared-query.ts'
import { type Passes, Scan } from './scan.ts'
import { blockSegment, headSegment, type Segment } from './segments.ts'
import { requireUnit } from './unit-vector.ts'
import type { CalibrateOptions, NearestOptions, NearRow, VectorArena } from './vector-arena.ts'
import { type VectorSum, vectorSum } from './vector-sum.ts'

/** Up to so many rows every answer is exact: telling rows apart by sign bits first would save nothing. */
const exactRows = 10_000
const growthPerCalibration = 2

export class Arena implements VectorArena {
  readonly #rows: ArenaRows
  readonly #scan: Scan
  readonly #exact: ExactScores
  readonly #turnstile = new Turnstile()
  #calibration: Calibration | null
  /** Checksums of the blocks as they were saved last. */
  readonly #sums: number[]

  constructor(rows: ArenaRows, calibration: Calibration | null, sums: readonly number[]) {
    this.#rows = rows
    this.#scan = new Scan(rows)
    this.#exact = new ExactScores(rows)
    this.#calibration = calibration
    this.#sums = [...sums]
    if (calibration === null) return
    rows.setMean(paddedMean(rows, calibration))
  }

  get dimensions() {
    return this.#rows.dimensions
  }

  get kernel() {
    return this.#rows.kernel.kind
  }

  get size() {
    return this.#rows.size
  }

  get rowCount() {
    return this.#rows.count
  }

  get byteLength() {
    return this.#rows.kernel.memory.byteLength
  }

  get calibration() {
    return this.#calibration
  }

  get calibrationDue() {
    const { size } = this.#rows
    return size > exactRows && size >= growthPerCalibration * (this.#calibration?.rows ?? 0)
  }

  append(unit: Float32Array): number {
    return this.#rows.append(unit)
  }

  set(row: number, unit: Float32Array): void {
    this.#rows.set(row, unit)
  }

  free(row: number): void {
    this.#rows.free(row)
  }

  has(row: number): boolean {
    return this.#rows.live[row] === 1
  }

  holds(row: number, unit: Float32Array): boolean {
    return this.#rows.holds(row, unit)
  }

  floatsOf(row: number): Float32Array | null {
    return this.has(row) ? this.#rows.floats.read(row, this.dimensions) : null
  }

  get codeBytes() {
    return this.#rows.width
  }

  codesOf(row: number): Uint8Array {
    return this.#rows.codes(row).slice()
  }

  appendCodes(codes: Uint8Array, unit: Float32Array | null = null): number {
    return this.#rows.appendCodes(codes, unit)
  }

  appendAllCodes(codes: Uint8Array): number {
    return this.#rows.appendAllCodes(codes)
  }

  async dotAll(
    query: Float32Array,
    rows: ArrayLike<number>,
    options: TurnOptions & Pick<NearestOptions, 'floats'> = {},
  ): Promise<Float32Array> {
    requireUnit(query, this.dimensions)
    return this.#rows.reading(() => this.#exact.of(query, rows, options))
  }

  async nearest(query: Float32Array, rows: Uint32Array | null, options: NearestOptions): Promise<readonly NearRow[]> {
    requireUnit(query, this.dimensions)
    this.#requireKnown(rows ?? [])
    options.signal?.throwIfAborted()
    if (options.limit <= 0) return []
    // What the caller passed may change while others are served first.
    const given = this.#turnstile.isBusy ? (rows?.slice() ?? null) : rows
    const unit = query.slice()
    return this.#rows.reading(async () => {
      const found = await this.#turnstile.hold(() => inTurns(this.#candidates(unit, given, options), options))
      const scores = await this.#exact.of(unit, found, options)
      options.signal?.throwIfAborted()
      const best = topK(options.limit, options.before ?? ((a, b) => a - b))
      for (let i = 0; i < found.length; i++) if (!Number.isNaN(scores[i]!)) best.offer(found[i]!, scores[i]!)
      return best.ranked().map(({ item, score }) => ({ row: item, score }))
    })
  }

  async sum(rows: ArrayLike<number>, options?: TurnOptions): Promise<VectorSum> {
    for (let i = 0; i < rows.length; i++) this.#rows.requireLive(rows[i]!)
    const sums = new Float64Array(this.dimensions)
    const count = rows.length
    const given = this.#turnstile.isBusy ? Uint32Array.from(rows) : rows
    await this.#rows.reading(() =>
      this.#turnstile.hold(() => inTurns(this.#scan.addCodes(this.#scan.list(given), sums), options)),
    )
    return vectorSum(this.#rows, sums, count)
  }

  async meanCosine(query: Float32Array, rows: ArrayLike<number>, options?: TurnOptions): Promise<number> {
    requireUnit(query, this.dimensions)
    return (await this.sum(rows, options)).meanCosine(query)
  }

  async calibrate({ queries: recent = [], known, ...pacing }: CalibrateOptions = {}): Promise<Calibration> {
    for (const query of recent) requireUnit(query, this.dimensions)
    const rows = this.#rows
    const scan = this.#scan
    const run = (work: Work<void>): Promise<void> => this.#turnstile.hold(() => inTurns(work, pacing))
    return rows.reading(async () => {
      // Searches compare all codes until the new one is there.
      this.#calibration = null
      if (known !== undefined) {
        await run(signAll(rows, paddedMean(rows, known)))
        this.#calibration = known
        return known
      }
      await run(relativeToMean(rows, scan))
      const depths: Depths = { few: [], many: [] }
      const { queries, isStored } = calibrationQueries(rows, recent)
      const turn = turns(pacing)
      for (const query of queries) {
        await run(measureDepths(rows, scan, query, isStored, depths))
        if (turn.isOver) await turn.pause()
      }
      this.#calibration = calibrationOf(rows, depths, isStored)
      return this.#calibration
    })
  }

  *save({ changed = false }: { readonly changed?: boolean | undefined } = {}): Generator<Segment> {
    const rows = this.#rows
    const all = Array.from({ length: Math.ceil(rows.count / blockRows) }, (_, block) => block)
    for (const block of changed ? all.filter((one) => rows.changed.has(one)) : all) {
      const segment = blockSegment(rows, block)
      this.#sums[block] = segment.sum
      rows.changed.delete(block)
      yield segment
    }
    yield headSegment(rows, this.#calibration, this.#sums)
  }

  *#candidates(
    unit: Float32Array,
    rows: Uint32Array | null,
    { limit, exact = false, allowed }: NearestOptions,
  ): Work<Uint32Array> {
    const scan = this.#scan
    const { mean, stride } = this.#rows
    const passes = this.#passes(allowed)
    const query = prepareQuery(unit, stride)
    const span = rows === null ? scan.all() : scan.list(rows)
    const calibration = exact || span.count <= exactRows ? null : this.#calibration
    const k = calibration === null ? null : leftBySigns(calibration, span.count, limit)
    if (k !== null && mean !== null) return scan.rows(yield* likely(scan, span, query, limit, { passes, mean, k }))
    // Rows that must not be found must not count among those that are sure to reach a score either.
    const left = yield* scan.filter(span, passes)
    return scan.rows(left.count <= limit ? left : yield* withinReach(scan, left, query, limit))
  }

  #passes(allowed: ((row: number) => boolean) | undefined): Passes {
    const rows = this.#rows
    if (rows.size === rows.count) return allowed ?? null
    return (row) => rows.live[row] === 1 && (allowed === undefined || allowed(row))
  }

  #requireKnown(rows: ArrayLike<number>): void {
    const { count } = this.#rows
    for (let i = 0; i < rows.length; i++) {
      if (rows[i]! < count) continue
      throw new InputError({
        code: 'INVALID_ARGUMENT',
        message: `rows: ${rows[i]} is not a row of the vectors. Pass rows that append answered.`,
        details: { row: rows[i]!, rows: count },
      })
    }
  }
}

function paddedMean({ stride }: ArenaRows, { mean }: Calibration): Float32Array {
  const padded = new Float32Array(stride)
  padded.set(mean)
  return padded
}

function* relativeToMean(rows: ArenaRows, scan: Scan): Work<void> {
  yield* signAll(rows, yield* sampleMean(rows, scan))
}
