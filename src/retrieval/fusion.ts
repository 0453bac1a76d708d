import { compareIds } from '../contract/index.ts'
import { InputError } from '../errors/index.ts'
import type { Candidate } from './candidate.ts'

/** Merges ranked lists of ids into one value per id, higher is better. An id it leaves out is not found. */
export type Fusion = (lists: readonly (readonly string[])[]) => ReadonlyMap<string, number>

export interface FusionOptions {
  /** How little the first ranks stand out; above 0. @default 60 */
  readonly k?: number
}

/**
 * Reciprocal rank fusion: an id at rank r of a list, from 1, adds 1 / (k + r). An id that a list repeats
 * counts once, at its first rank. Best first; equal values keep the order in which ids were first seen.
 *
 * @throws InputError `INVALID_ARGUMENT` for a `k` that is not a finite number above 0 (RNK-22)
 */
export function reciprocalRankFusion(
  lists: readonly (readonly string[])[],
  { k = 60 }: FusionOptions = {},
): ReadonlyMap<string, number> {
  if (!Number.isFinite(k) || k <= 0) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: 'k of rank fusion must be a finite number above 0; the usual value is 60.',
      details: { argument: 'k' },
    })
  }
  const values = new Map<string, number>()
  for (const list of lists) {
    const seen = new Set<string>()
    for (const [i, id] of list.entries()) {
      if (seen.has(id)) continue
      seen.add(id)
      values.set(id, (values.get(id) ?? 0) + 1 / (k + i + 1))
    }
  }
  return new Map([...values].sort((a, b) => b[1] - a[1]))
}

/** The candidates that text search found and those that have a vector: each list best first, ties by id. */
export function rankedLists(candidates: readonly Candidate[]): readonly [text: string[], vector: string[]] {
  const listBy = (value: (candidate: Candidate) => number | null, above: number): string[] =>
    candidates
      .map((candidate) => ({ id: candidate.id, value: value(candidate) ?? Number.NEGATIVE_INFINITY }))
      .filter((entry) => entry.value > above)
      .sort((a, b) => b.value - a.value || compareIds(a.id, b.id))
      .map((entry) => entry.id)
  return [listBy((candidate) => candidate.bm25, 0), listBy((candidate) => candidate.cosine, Number.NEGATIVE_INFINITY)]
}
