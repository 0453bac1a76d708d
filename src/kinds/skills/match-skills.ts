import type { Judge } from '../../contract/index.ts'
import { InputError } from '../../errors/index.ts'
import { terms } from '../../text/index.ts'
import { dot } from '../../vector/index.ts'
import { contentOf, type LibraryEntry, type SkillLibrary } from './skill-library.ts'
import { hasContent, triggerDistance } from './trigger-match.ts'

/** What somebody wants to be done, in their own words. */
export interface SkillNeed {
  readonly text: string
  /** Made by the embedder of the entries, of length 1; null when there is none. */
  readonly vector: Float32Array | null
}

export interface SkillMatch {
  readonly id: string
  /** How well it fits, 0..1, comparable between needs; 1 for a match by trigger, less for others. */
  readonly score: number
  /** `trigger`: need or trigger holds the other's words, or the need is the name. `ranked`: likeness. `judged`: a judge chose it. */
  readonly by: 'trigger' | 'ranked' | 'judged'
}

export interface MatchOptions {
  /** Most matches. @default 3 */
  readonly limit?: number | undefined
  /** What the best must reach, 0..1, for likeness to count as a match. @default `defaultMinScore` of the number of skills */
  readonly minScore?: number | undefined
}

/** Most candidates that a judge sees. */
export const judgedCandidates = 20

// Up to this many skills one threshold does. From there on it goes up with the logarithm of their number: the best of many that
// do not fit is nearer than the best of few. Set on the needs marked `dev` in `bench/data`, with libraries of 10 to 500; the last
// digits with all of them, so that four of five needs that none of 500 fits are answered with none.
const FEW = 10
const FEW_MIN_SCORE = 0.39
const PER_DOUBLING = 0.03752

/**
 * What the best of so many skills must reach to be a match at all: 0.39 for up to ten, 0.51 for a hundred, 0.6 for five hundred.
 * With the built-in embedder about four of five needs that no skill fits are then answered with none.
 */
export function defaultMinScore(skills: number): number {
  return Math.min(1, FEW_MIN_SCORE + PER_DOUBLING * Math.log2(Math.max(skills, FEW) / FEW))
}

// Of what orders the entries; the rest is how much of the need is covered. Set on the needs marked `dev`: from .5 to .65 all are alike.
const COSINE_SHARE = 0.6

// How much of the entry the need covers counts less than the others: a short need covers little of a skill that says much.
const BACK_SHARE = 0.25
const FIT_SHARE = (1 - BACK_SHARE) / 2

// Only a trigger makes a match certain.
const MOST_LIKE = 0.99

const defaultLimit = 3

/** Matches by trigger in both directions, whole words only: the same words first, then the nearest in length, then what is more reliable, then newer versions. */
function byTrigger({ entries }: SkillLibrary, text: string): readonly LibraryEntry[] {
  if (!hasContent(text)) return []
  const wanted = terms(text)
  return entries
    .flatMap((entry) => {
      const off = triggerDistance(wanted, entry.triggerTerms, entry.nameTerms, entry.saysSomething)
      return off === null ? [] : [{ entry, off }]
    })
    .sort(
      (a, b) =>
        a.off - b.off ||
        (b.entry.reliability ?? 1) - (a.entry.reliability ?? 1) ||
        b.entry.skill.version - a.entry.skill.version,
    )
    .map(({ entry }) => entry)
}

interface Likeness {
  /** What orders the entries. */
  readonly value: number
  /** How well it fits, 0..1: what says whether it is a match at all. */
  readonly fit: number
}

function cosines({ entries }: SkillLibrary, vector: Float32Array | null): readonly (number | null)[] {
  const known = entries.map((entry) =>
    vector === null || entry.vector === null ? null : Math.min(1, dot(vector, entry.vector)),
  )
  // With some embedders any two texts are much alike. What the least alike tenth has, everything has.
  const sorted = known.filter((cosine) => cosine !== null).sort((a, b) => a - b)
  const common = Math.max(0, sorted[Math.floor(sorted.length / 10)] ?? 0)
  return known.map((cosine) =>
    cosine === null || common >= 1 || sorted.length < 10 ? cosine : (cosine - common) / (1 - common),
  )
}

/**
 * How near anything can come to a need, 0..1: the likeness of the need as a whole to its two most telling word pieces. What is
 * about one thing can be met closely; of what is about many things, a skill that fits is still only alike in part.
 */
function focusOf({ table, worthOf }: SkillLibrary, wanted: readonly number[]): number {
  const worths = wanted.map(worthOf)
  // Of each piece with the sum of all, each as long as it is worth.
  const shares = wanted.map((piece) =>
    table.similarities(piece, wanted).reduce((sum, alike, i) => sum + worths[i]! * alike, 0),
  )
  const length = Math.sqrt(shares.reduce((sum, share, i) => sum + worths[i]! * share, 0))
  if (!(length > 0)) return 1
  const [first = 1, second = first] = shares.map((share) => share / length).sort((a, b) => b - a)
  return Math.min(1, Math.max((first + second) / 2, 0.1))
}

/**
 * How alike a need and each entry are, in three ways: the cosine of their vectors, how much of the need is covered by the
 * entry's word pieces, each by the nearest in meaning and weighted by rarity, and the other way round, how much of the entry the
 * need covers. The first two say which entry is the best one. All three, measured by how near anything can come to the need,
 * say whether it is a match.
 */
function likeness(library: SkillLibrary, need: SkillNeed): readonly Likeness[] {
  const { entries, table, pieces, worth } = library
  const wanted = table.tokens(contentOf(need.text))
  const covered = new Float64Array(entries.length)
  let wantedWorth = 0
  const nearest = new Float32Array(pieces.length)
  for (const piece of wanted) {
    const alike = table.similarities(piece, pieces)
    for (let place = 0; place < alike.length; place++) {
      if (alike[place]! > nearest[place]!) nearest[place] = alike[place]!
    }
    const pieceWorth = library.worthOf(piece)
    wantedWorth += pieceWorth
    entries.forEach(({ all }, i) => {
      let best = 0
      for (const place of all) if (alike[place]! > best) best = alike[place]!
      covered[i]! += pieceWorth * best
    })
  }
  const found = cosines(library, need.vector)
  const focus = focusOf(library, wanted)
  return entries.map(({ told }, i) => {
    let toldWorth = 0
    let toldCovered = 0
    for (const place of told) {
      toldWorth += worth[place]!
      toldCovered += worth[place]! * nearest[place]!
    }
    const coverage = wantedWorth > 0 ? covered[i]! / wantedWorth : 0
    const cosine = found[i] ?? coverage
    const back = toldWorth > 0 ? toldCovered / toldWorth : 0
    return {
      value: COSINE_SHARE * cosine + (1 - COSINE_SHARE) * coverage,
      fit: Math.min(MOST_LIKE, Math.max(0, (FIT_SHARE * (cosine + coverage) + BACK_SHARE * back) / focus)),
    }
  })
}

/** Every entry, best first. The best has the strongest fit that there is, the others a share of it by what orders them. */
function byLikeness(library: SkillLibrary, need: SkillNeed): readonly { entry: LibraryEntry; score: number }[] {
  const alike = likeness(library, need)
  const strongest = alike.reduce((most, { fit }) => Math.max(most, fit), 0)
  const best = alike.reduce((most, { value }) => Math.max(most, value), 0)
  return library.entries
    .map((entry, i) => ({ entry, score: best > 0 ? strongest * Math.max(0, alike[i]!.value / best) : 0 }))
    .sort((a, b) => b.score - a.score)
}

/**
 * The skills that fit a need, best first; none when none does (SKL-6 to SKL-9). Those that match by trigger come first, then,
 * when the best of them fits, those most alike.
 */
export function matchSkills(
  library: SkillLibrary,
  need: SkillNeed,
  { limit = defaultLimit, minScore = defaultMinScore(library.entries.length) }: MatchOptions = {},
): readonly SkillMatch[] {
  const direct = byTrigger(library, need.text)
  const matches: SkillMatch[] = direct.map(({ id }) => ({ id, score: 1, by: 'trigger' }))
  if (matches.length >= limit || !hasContent(need.text)) return matches.slice(0, limit)
  const ranked = byLikeness(library, need)
  if ((ranked[0]?.score ?? 0) < minScore) return matches
  const taken = new Set(direct)
  // Where nothing matches by trigger, the best one reaching the threshold is enough: the right one may be second or third.
  const least = matches.length > 0 ? minScore : 0
  for (const { entry, score } of ranked) {
    if (score >= least && score > 0 && !taken.has(entry)) matches.push({ id: entry.id, score, by: 'ranked' })
  }
  return matches.slice(0, limit)
}

/**
 * What a judge chooses, in its order. Positions that there are not are passed over, repeated ones count once. What it throws is
 * thrown. @throws InputError INVALID_ARGUMENT when its answer is no list
 */
export async function askJudge<Candidate>(
  judge: Judge,
  need: string,
  candidates: readonly Candidate[],
  shown: (candidate: Candidate) => { readonly id: string; readonly trigger: string },
): Promise<readonly Candidate[]> {
  if (candidates.length === 0) return []
  const positions: unknown = await judge(need, candidates.map(shown))
  if (!Array.isArray(positions)) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: 'judge: must give a list of positions among the candidates, an empty one for none.',
    })
  }
  return [...new Set<unknown>(positions)].flatMap((position) =>
    Number.isInteger(position) ? (candidates[position as number] ?? []) : [],
  )
}

/** As `matchSkills`, but where no trigger matches a judge chooses among the most alike, at most 20, whatever their score (SKL-10). */
export async function judgeSkills(
  library: SkillLibrary,
  need: SkillNeed,
  judge: Judge,
  { limit = defaultLimit }: Pick<MatchOptions, 'limit'> = {},
): Promise<readonly SkillMatch[]> {
  const direct = matchSkills(library, need, { limit, minScore: Number.POSITIVE_INFINITY })
  if (direct.length > 0 || library.entries.length === 0 || !hasContent(need.text)) return direct
  const candidates = byLikeness(library, need).slice(0, judgedCandidates)
  const chosen = await askJudge(judge, need.text, candidates, ({ entry: { id, skill } }) => ({
    id,
    trigger: skill.trigger,
  }))
  return chosen.slice(0, limit).map(({ entry, score }) => ({ id: entry.id, score, by: 'judged' }))
}
