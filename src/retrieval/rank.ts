import { compareIds } from '../contract/index.ts'
import type { Candidate } from './candidate.ts'
import type { SignalColumns, Signals } from './signals.ts'

/**
 * What each signal counts. Set by hand after linear fits on LoCoMo and on the assistant set agreed in sign and
 * mostly in size; fitted weights did worse on what they were not fitted to. Recall at 10 does not hang on
 * them: with all at 1 it falls by .002 on LoCoMo and by .013 on the assistant set.
 */
export const WEIGHTS = {
  meaning: 1,
  pieces: 1,
  coverage: 1.5,
  // The weights of what they stand for: of meaning; of pieces and coverage.
  withoutMeaning: 1,
  withoutPieces: 2.5,
  previous: 0.6,
  next: 0.6,
  secondPrevious: 1.8,
  secondNext: 0.5,
  previousQuestion: 1.5,
  threadMean: 1,
  threadBest: 1.5,
  askedActor: 1.2,
  askedActorBase: 1.8,
  endsInQuestion: -0.6,
  namesTime: 0.4,
  holdsName: 0.4,
  opensThread: 0.5,
  whenWithTime: 1.3,
  howManyWithNumber: 1,
  whereWithPlace: 2,
} as const satisfies Partial<Record<keyof Signals, number>>

const weights = Object.entries(WEIGHTS) as readonly [keyof typeof WEIGHTS, number][]

/** The weighted sums of the signals, one a candidate. They order the candidates of one query; they mean nothing by themselves. */
export function rankValues(signals: SignalColumns): Float64Array {
  const values = new Float64Array(signals.base.length)
  for (const [name, weight] of weights) {
    const column = signals[name]
    for (let i = 0; i < values.length; i++) values[i]! += weight * column[i]!
  }
  return values
}

/** A candidate and the value that orders it. */
export interface Ranked {
  readonly candidate: Candidate
  readonly value: number
}

/**
 * Orders candidates by value, best first; the record whose key is the query comes before all others, and
 * equal values are ordered by id. `values` holds one finite number per candidate, in order.
 */
export function rank(candidates: readonly Candidate[], values: ArrayLike<number>): readonly Ranked[] {
  return candidates
    .map((candidate, i) => ({ candidate, value: values[i] ?? 0 }))
    .sort(
      (a, b) =>
        Number(b.candidate.keyMatch) - Number(a.candidate.keyMatch) ||
        b.value - a.value ||
        compareIds(a.candidate.id, b.candidate.id),
    )
}
