import { blockRows, stepsPerOne } from '../kernel/index.ts'
import type { ArenaRows } from './arena-rows.ts'
import type { Work } from './in-turns.ts'
import { prepareQuery } from './prepared-query.ts'
import type { Scan } from './scan.ts'

/** Plain data, to be stored and given back: what the first stage of a search needs to know of the vectors. */
export interface Calibration {
  /** Of the vectors: sign bits are taken relative to it, for many embedders' vectors all point much the same way. */
  readonly mean: readonly number[]
  /** How many vectors there were. */
  readonly rows: number
  /**
   * How many rows the first stage must leave for searches of up to ten results, and of up to two hundred; null when so many would
   * be left that the stage is of no use. Codes of all rows are compared then.
   */
  readonly few: number | null
  readonly many: number | null
  /** False when stored rows stood in for questions, which lie farther from rows than rows from each other. */
  readonly asked: boolean
}

const fewLimit = 10
const manyLimit = 200
/** Share of the best ten that must be left. Aimed a little above the .98 that is promised, since the sample is small. */
const fewRecall = 0.99
/** Share of the best two hundred: a search weighs the far ones least, and each percent of them costs more than the one before. */
const manyRecall = 0.94
const meanSample = 20_000
/** The mean is rounded to steps that no single vector of so many moves it by: it is kept where nothing may be left of one. */
const meanSteps = 1024
const mostQueries = 48
/** With fewer questions stored rows stand in for them. */
export const leastQueries = 16
/** Questions need two to three times what stored rows need that stand in for them (measured on three embedders). */
const storedFactor = 3
const least = 500
/** Past this share of the rows the second stage costs what the first one saves. */
const largestShare = 1 / 8
/** Grows with the rows, and shrinks more slowly with the part of them that is searched. */
const shrinking = 0.5

/** How many rows the first stage leaves of `count`, for the best `limit`; null when it is of no use. */
export function leftBySigns({ few, many, rows }: Calibration, count: number, limit: number): number | null {
  const base = limit <= fewLimit ? few : many
  if (base === null) return null
  const ratio = count / Math.max(1, rows)
  const scaled = base * Math.max(1, limit / manyLimit) * (ratio > 1 ? ratio : ratio ** shrinking)
  const left = Math.ceil(Math.max(least, scaled, 2 * limit))
  return left <= count * largestShare ? left : null
}

/** The mean of a sample of the rows. */
export function* sampleMean(rows: ArenaRows, scan: Scan): Work<Float32Array> {
  const sample = sampleRows(rows, meanSample)
  const sums = new Float64Array(rows.dimensions)
  yield* scan.addCodes(scan.list(sample), sums)
  const mean = new Float32Array(rows.stride)
  for (let i = 0; i < sums.length; i++) {
    // Plain data knows no zero below zero.
    mean[i] = Math.round((sums[i]! / stepsPerOne / Math.max(1, sample.length)) * meanSteps) / meanSteps + 0
  }
  return mean
}

/** Makes all sign bits relative to a mean. */
export function* signAll(rows: ArenaRows, mean: Float32Array): Work<void> {
  rows.setMean(mean)
  for (let block = 0; block * blockRows < rows.count; block++) {
    rows.sign(block)
    yield
  }
}

/** Vectors to calibrate with. */
export function calibrationQueries(
  rows: ArenaRows,
  recent: readonly Float32Array[],
): { readonly queries: readonly Float32Array[]; readonly isStored: boolean } {
  if (recent.length >= leastQueries) return { queries: spread(recent, mostQueries), isStored: false }
  return { queries: sampleRows(rows, mostQueries).map((row) => codedRow(rows, row)), isStored: true }
}

/** How many rows stand before each of the best ones in the order of the first stage. */
export interface Depths {
  readonly few: number[]
  readonly many: number[]
}

/** Adds the depths of a query's best rows. */
export function* measureDepths(
  rows: ArenaRows,
  scan: Scan,
  unit: Float32Array,
  isStored: boolean,
  depths: Depths,
): Work<void> {
  const query = prepareQuery(unit, rows.stride)
  const all = scan.all()
  yield* scan.rateCodes(all, query, false)
  const low = scan.keyReaching(manyLimit + 1)
  const scores = scan.keys(all)
  const best = scan.rows(yield* scan.pick(all, low, 2 ** 16, (row) => rows.live[row] === 1))
  const order = best.sort((a, b) => scores[b]! - scores[a]!)
  yield* scan.rateSigns(all, query, rows.mean!)
  const before = rowsAbove(scan.histogram())
  // A stored row that stands in for a question finds itself first.
  const from = isStored ? 1 : 0
  const keys = scan.keys(all)
  for (const [rank, row] of order.subarray(from, from + manyLimit).entries()) {
    const depth = before[keys[row]!]!
    depths.many.push(depth)
    if (rank < fewLimit) depths.few.push(depth)
  }
}

export function calibrationOf(rows: ArenaRows, depths: Depths, isStored: boolean): Calibration {
  const factor = isStored ? storedFactor : 1
  const left = (depth: number): number => Math.max(least, Math.ceil((factor * (depth + 1)) / 100) * 100)
  const useful = (k: number): number | null => (k <= rows.size * largestShare ? k : null)
  const all = left(quantile(depths.many, manyRecall))
  const nearest = left(quantile(depths.few, fewRecall))
  // Nearest neighbours of stored rows may be their near copies, which says nothing of questions.
  const few = isStored ? Math.max(nearest, all / 2) : nearest
  return {
    mean: [...rows.mean!.subarray(0, rows.dimensions)],
    rows: rows.size,
    few: useful(few),
    many: useful(Math.max(few, all)),
    asked: !isStored,
  }
}

function rowsAbove(histogram: Uint32Array): Uint32Array {
  const above = new Uint32Array(histogram.length)
  for (let key = histogram.length - 2; key >= 0; key--) above[key] = above[key + 1]! + histogram[key + 1]!
  return above
}

function quantile(numbers: readonly number[], share: number): number {
  if (numbers.length === 0) return Number.POSITIVE_INFINITY
  const sorted = Float64Array.from(numbers).sort()
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!
}

/** About `most` rows in use, taken evenly over all. */
function sampleRows(rows: ArenaRows, most: number): number[] {
  const step = Math.max(1, rows.count / most)
  const sample: number[] = []
  for (let at = step / 2; at < rows.count; at += step) if (rows.live[Math.floor(at)] === 1) sample.push(Math.floor(at))
  return sample
}

/** The row as its codes give it. */
function codedRow(rows: ArenaRows, row: number): Float32Array {
  const { i8 } = rows.kernel.memory
  const codes = rows.coded(row)
  const vector = Float32Array.from({ length: rows.dimensions }, (_, i) => i8[codes + i]!)
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}

/** At most `most` items, taken evenly over the whole. */
function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items]
  return Array.from({ length: most }, (_, i) => items[Math.floor(((i + 0.5) * items.length) / most)]!)
}
