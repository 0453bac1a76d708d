import type { Scored } from './score.ts'

export interface SelectOptions {
  /** Drops lower scores, 0..1. @default 0 */
  readonly minScore?: number
  /** 0 keeps the order; towards 1, what is unlike the results before it comes first. @default 0 */
  readonly diversity?: number
  /** @default no limit */
  readonly limit?: number
  /** A candidate's unit vector, for `diversity`; without one, likeness is the share of common tokens. */
  readonly vectorOf?: (id: string) => Float32Array | null
}

/**
 * Picks results from scored candidates, best first. Stable: equals keep their order. With `diversity` by
 * maximal marginal relevance, where scores count as shares of the best; the first result stays the first.
 */
export function select(
  scored: readonly Scored[],
  { minScore = 0, diversity = 0, limit = scored.length, vectorOf }: SelectOptions = {},
): readonly Scored[] {
  const kept = scored.filter((result) => result.score >= minScore)
  if (diversity <= 0 || kept.length < 3) return kept.slice(0, limit)
  return diverse(kept, Math.min(1, diversity), limit, vectorOf ?? (() => null))
}

function diverse(
  kept: readonly Scored[],
  diversity: number,
  limit: number,
  vectorOf: (id: string) => Float32Array | null,
): readonly Scored[] {
  const best = kept[0]!.score
  const items = kept.map((result) => ({
    result,
    share: best > 0 ? result.score / best : 0,
    vector: vectorOf(result.candidate.id),
    tokens: new Set(result.candidate.tokens),
    // Likeness to the most alike of the results picked so far.
    likeness: 0,
  }))
  const picked: Scored[] = []
  const left = new Set(items)
  while (picked.length < limit) {
    let next: (typeof items)[number] | undefined
    let most = Number.NEGATIVE_INFINITY
    for (const item of left) {
      const value = (1 - diversity) * item.share - diversity * item.likeness
      if (value > most) {
        next = item
        most = value
      }
    }
    if (next === undefined) break
    left.delete(next)
    picked.push(next.result)
    for (const item of left) item.likeness = Math.max(item.likeness, likenessOf(item, next))
  }
  return picked
}

interface Likened {
  readonly vector: Float32Array | null
  readonly tokens: ReadonlySet<number>
}

/** 0..1: the cosine of the vectors, or the share of common tokens when one has no vector. */
function likenessOf(a: Likened, b: Likened): number {
  if (a.vector !== null && b.vector !== null) return Math.min(1, Math.max(0, dot(a.vector, b.vector)))
  let common = 0
  for (const token of a.tokens) if (b.tokens.has(token)) common += 1
  const all = a.tokens.size + b.tokens.size - common
  return all > 0 ? common / all : 0
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * (b[i] ?? 0)
  return sum
}
