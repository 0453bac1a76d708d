import type { Work } from './in-turns.ts'
import type { PreparedQuery } from './prepared-query.ts'
import type { Passes, Scan, Span } from './scan.ts'

/** Rows by codes that are compared in float32 beyond those asked for: codes misplace a row by a few ranks. */
const spare = 32
const spareShare = 1 / 8
/** Above every key. */
const noKey = 2 ** 16

/**
 * Every row that may be among the best `limit`, and few others: those whose score by codes, plus what codes may miss, reaches
 * what `limit` rows are sure to reach.
 */
export function* withinReach(scan: Scan, span: Span, query: PreparedQuery, limit: number): Work<Span> {
  yield* scan.rateCodes(span, query, true)
  return yield* scan.pick(span, scan.keyReaching(limit), noKey, null)
}

export interface FirstStage {
  readonly mean: Float32Array
  /** Rows that it leaves. */
  readonly k: number
  readonly passes: Passes
}

/** Rows that most probably hold the best `limit`: the best by codes of the `k` that share the most sign bits with the query. */
export function* likely(scan: Scan, span: Span, query: PreparedQuery, limit: number, first: FirstStage): Work<Span> {
  yield* scan.rateSigns(span, query, first.mean)
  const near = yield* nearest(scan, span, first)
  yield* scan.rateCodes(near, query, false)
  return yield* scan.pick(near, scan.keyReaching(Math.ceil(limit * (1 + spareShare)) + spare), noKey, null)
}

/** At least `k` rows that pass, of the highest keys; all that pass when there are fewer. */
function* nearest(scan: Scan, span: Span, { passes, k }: FirstStage): Work<Span> {
  let picked: Span | undefined
  let high = noKey
  for (let reached = k; ; reached *= 4) {
    const low = scan.keyReaching(reached)
    if (low < high) picked = yield* scan.pick(span, low, high, passes, picked)
    if (picked !== undefined && (picked.count >= k || low === 0)) return picked
    high = low
  }
}
