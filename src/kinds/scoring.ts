import type { Kind } from '../model/index.ts'
import type { Factors } from '../retrieval/index.ts'
import { halfLifeOf, type KindPolicy, type Policies } from './policy.ts'

/** What moves the scores of one kind beside relevance. */
export interface Scoring {
  /** 0..10 each; 0 takes a factor out. */
  readonly weights: Factors
  readonly halfLifeHours: number
}

/** What a call may say of scoring; the rest is as the kind has it, then as the engine has it. */
export interface ScoringInput {
  readonly weights?: { readonly [factor in keyof Factors]?: number | undefined } | undefined
  readonly halfLifeHours?: number | undefined
}

/** How memories of several kinds are scored: one way for all of them, or each kind in its own. */
export interface KindScoring {
  of(kind: Kind): Scoring
  /** Every way in which one of the kinds is scored. */
  readonly ways: readonly Scoring[]
}

function scoringOf(policy: KindPolicy, given: ScoringInput, otherwise: Scoring): Scoring {
  const weight = (factor: keyof Factors) =>
    given.weights?.[factor] ?? policy.weights?.[factor] ?? otherwise.weights[factor]
  return {
    weights: { recency: weight('recency'), importance: weight('importance'), reliability: weight('reliability') },
    halfLifeHours: given.halfLifeHours ?? halfLifeOf(policy, otherwise.halfLifeHours),
  }
}

function isSame(a: Scoring, b: Scoring): boolean {
  const { recency, importance, reliability } = a.weights
  return (
    a.halfLifeHours === b.halfLifeHours &&
    recency === b.weights.recency &&
    importance === b.weights.importance &&
    reliability === b.weights.reliability
  )
}

/**
 * How the kinds that a search may find are scored: the call before the kind's policy, that before the engine (KND-12).
 * @param kinds those asked for; undefined is every kind
 */
export function kindScoring(
  policies: Policies,
  kinds: readonly Kind[] | undefined,
  given: ScoringInput,
  otherwise: Scoring,
): KindScoring {
  const of = (kind: Kind) => scoringOf(policies.of(kind), given, otherwise)
  const asked = kinds && kinds.length > 0 ? kinds : policies.scored.length > 0 ? [...policies.scored, ''] : ['']
  const ways: Scoring[] = []
  for (const kind of asked) {
    const way = of(kind)
    if (!ways.some((known) => isSame(known, way))) ways.push(way)
  }
  return { of, ways }
}
