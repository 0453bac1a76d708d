/** The depths at which recall is measured. */
export const depths = [1, 3, 5, 10, 20, 50] as const

/** Recall reaches this deep: what a search is asked for. */
export const deepest = 50

/** Reciprocal rank counts the first evidence among so many. */
const reciprocalDepth = 10

/** Of one question, or the mean of several. */
export interface Metrics {
  /** Share of the evidence among the first k results, by the places of `depths`. */
  readonly recall: readonly number[]
  /** 1 / rank of the first evidence among the first 10; 0 when none is there. */
  readonly reciprocalRank: number
}

/**
 * How well a ranking finds the evidence (BEN-1).
 * @param ranked ids, best first
 * @param evidence at least one id, each once; one that is nowhere to be found counts as missed
 */
export function measure(ranked: readonly string[], evidence: readonly string[]): Metrics {
  const wanted = new Set(evidence)
  const found = (depth: number) => ranked.slice(0, depth).filter((id) => wanted.has(id)).length
  const first = ranked.slice(0, reciprocalDepth).findIndex((id) => wanted.has(id))
  return {
    recall: depths.map((depth) => found(depth) / wanted.size),
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
  }
}

/** The mean over questions, each counting the same; zeros for none. */
export function mean(all: readonly Metrics[]): Metrics {
  const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, all.length)
  return {
    recall: depths.map((_, i) => average(all.map(({ recall }) => recall[i]!))),
    reciprocalRank: average(all.map(({ reciprocalRank }) => reciprocalRank)),
  }
}

/** Recall at one of the depths. */
export function recallAt({ recall }: Metrics, depth: (typeof depths)[number]): number {
  return recall[depths.indexOf(depth)]!
}

/** True when any of `stale` is ranked above `newest`, or when it is found and `newest` is not (BEN-4). */
export function isStaleFirst(ranked: readonly string[], stale: readonly string[], newest: string): boolean {
  const rankOf = (id: string) => (ranked.includes(id) ? ranked.indexOf(id) : Number.POSITIVE_INFINITY)
  return stale.some((id) => rankOf(id) < rankOf(newest))
}

/** A threshold on the best score, and the share of questions of each sort whose best score stays under it. */
export interface Separation {
  readonly threshold: number
  readonly unanswerable: number
  readonly answerable: number
}

function shareUnder(scores: readonly number[], threshold: number): number {
  return scores.filter((score) => score < threshold).length / Math.max(1, scores.length)
}

/** What a threshold does to questions whose best scores are given. */
export function separationAt(
  threshold: number,
  unanswerable: readonly number[],
  answerable: readonly number[],
): Separation {
  return {
    threshold,
    unanswerable: shareUnder(unanswerable, threshold),
    answerable: shareUnder(answerable, threshold),
  }
}

/** The threshold, in hundredths, that tells the two sorts best apart; the lowest of several. */
export function bestSeparation(unanswerable: readonly number[], answerable: readonly number[]): Separation {
  const tried = Array.from({ length: 101 }, (_, i) => separationAt(i / 100, unanswerable, answerable))
  const gain = (at: Separation) => at.unanswerable - at.answerable
  return tried.reduce((best, at) => (gain(at) > gain(best) + 1e-12 ? at : best))
}

/** The value below which a share of the values lies, by nearest rank; 0 for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}
