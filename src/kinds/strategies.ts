import type { Judge, RankedCandidate, RetrievalStrategy, StrategyQuery, StrategySources } from '../contract/index.ts'
import type { MemoryRecord } from '../model/index.ts'
import { terms } from '../text/index.ts'
import { type Brief, type Named, type NamedKind, skillKind, toolKind } from './named-kind.ts'
import { askJudge, judgedCandidates } from './skills/index.ts'
import { hasContent, triggerDistance } from './skills/trigger-match.ts'

/** Of the best by words, so many are looked through for a trigger: one that matches has few words beside those asked for. */
const lookedThrough = 20

/** Words and meaning alike, where nothing better is at hand. */
async function fused({ limit }: StrategyQuery, from: StrategySources): Promise<RankedCandidate[]> {
  const [text, near] = await Promise.all([from.text(), from.vector()])
  const share = near.length > 0 ? 0.5 : 1
  const scores = new Map<string, number>()
  for (const { id, score = 0 } of text) scores.set(id, share * score)
  for (const { id, score = 0 } of near) scores.set(id, (scores.get(id) ?? 0) + (1 - share) * score)
  const byId = new Map([...text, ...near].map((one) => [one.id, one]))
  return [...byId.values()]
    .map((one) => ({ ...one, score: scores.get(one.id) ?? 0 }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, limit)
}

/** What search finds without a strategy of its own. */
export const hybridStrategy: RetrievalStrategy = {
  rank: (query, from) => (from.hybrid ? from.hybrid(query.limit) : fused(query, from)),
}

function lastUse({ lastAccessedAt, createdAt }: MemoryRecord): number {
  return Date.parse(lastAccessedAt ?? createdAt)
}

/** What names the need or is named by it: the same words first, then the nearest in length, the most reliable, the newest version. */
function direct(
  { brief }: Pick<NamedKind<Named>, 'brief'>,
  query: string,
  candidates: readonly RankedCandidate[],
): RankedCandidate[] {
  if (!hasContent(query)) return []
  const wanted = terms(query)
  return candidates
    .flatMap((candidate) => {
      const told = brief(candidate.record)
      if (!told) return []
      const { name, trigger, version } = told
      const off = triggerDistance(wanted, terms(trigger), terms(name), hasContent(trigger))
      return off === null ? [] : [{ candidate, off, version }]
    })
    .sort(
      (a, b) =>
        a.off - b.off ||
        b.candidate.record.reliability - a.candidate.record.reliability ||
        b.version - a.version ||
        lastUse(b.candidate.record) - lastUse(a.candidate.record),
    )
    .map(({ candidate }) => ({ ...candidate, score: 1 }))
}

function withoutRepeats(candidates: readonly RankedCandidate[]): RankedCandidate[] {
  const first = new Map<string, RankedCandidate>()
  for (const one of candidates) if (!first.has(one.id)) first.set(one.id, one)
  return [...first.values()]
}

/**
 * First what matches by trigger or name, in both directions, with a score of 1, then the others as search finds them. With a
 * judge, and where no trigger matches, those that it chooses of at most 20, then memories that say nothing it could judge.
 */
function triggerStrategy(form: Pick<NamedKind<Named>, 'brief'>, judge: Judge | undefined): RetrievalStrategy {
  return {
    ...(judge ? { judge } : {}),
    async rank(query, from) {
      const { limit } = query
      const [ranked, worded] = await Promise.all([hybridStrategy.rank(query, from), from.text(lookedThrough)])
      const found = withoutRepeats([...ranked, ...worded])
      const named = direct(form, query.query, found)
      if (named.length > 0) return withoutRepeats([...named, ...ranked]).slice(0, limit)
      if (!judge || !hasContent(query.query)) return ranked
      const judged = (one: RankedCandidate) => form.brief(one.record) !== null
      const alike = found.filter(judged)
      const others = alike.length < judgedCandidates ? (await from.list()).filter(judged) : []
      const candidates = withoutRepeats([...alike, ...others]).slice(0, judgedCandidates)
      const chosen = await askJudge(judge, query.query, candidates, ({ id, record }) => ({
        id,
        trigger: (form.brief(record) as Brief).trigger,
      }))
      return [...chosen, ...ranked.filter((one) => !judged(one))].slice(0, limit)
    },
  }
}

export interface StrategyOptions {
  /** Chooses among skills and tools where no trigger matches. */
  readonly judge?: Judge | undefined
}

/** How each kind is found unless its policy says otherwise. A new table with every call. */
export function defaultStrategies({ judge }: StrategyOptions = {}): Record<string, RetrievalStrategy> {
  return {
    semantic: hybridStrategy,
    episodic: hybridStrategy,
    procedural: triggerStrategy(skillKind, judge),
    tool: triggerStrategy(toolKind, judge),
    kv: hybridStrategy,
    entity: hybridStrategy,
  }
}
