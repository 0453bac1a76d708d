import { type Skill, skillKind } from '../../kinds/index.ts'
import { inSession, type MemoryRecord, matchesFilter, parseFilter, type ScopeFilter } from '../../model/index.ts'
import type { ContextSection } from '../../text/index.ts'
import { keyedScopes, readScope } from '../access.ts'
import { isSearched } from '../analysis.ts'
import type { Degradation } from '../api/searching.ts'
import { lookUp } from '../keyed.ts'
import { keyedPage } from '../keyed-page.ts'
import { listPage } from '../listing.ts'
import { runSearch } from '../search/run-search.ts'
import { parseSearch, type SearchInput } from '../search/search-input.ts'
import { type SummaryName, summaryKey, summaryKind } from '../summaries/kept-summary.ts'
import { argumentsDigest } from '../tokens.ts'
import type { Call } from '../verb.ts'
import { episodeKind } from './episodes/record.ts'
import { factKind } from './facts/fact.ts'
import { matchNeed } from './named/match-need.ts'

/** What is looked at of each: more than a usual budget holds, and never a whole scope. */
const most = { profile: 100, pinned: 50, found: 60, turns: 6, skills: 3, listed: 100 }
/** Skills that fit are looked through for those that a filter lets pass. */
const mostSkillsToFilter = 50

/**
 * So few memories are shown whole: scores are measured against the mean of what may be seen, and say little where that is
 * a mean of next to nothing.
 */
const handful = 12

export interface ContextInput {
  readonly query: string
  readonly kinds?: readonly string[] | undefined
  readonly filter?: unknown
  readonly tags?: readonly string[] | undefined
  readonly minScore?: number | undefined
  readonly zone: string
  readonly sections: readonly ContextSection[]
  readonly scope?: unknown
  readonly allScopes?: boolean | undefined
  readonly include?: 'shared' | undefined
  readonly signal?: AbortSignal | undefined
}

/** What a context may be made from, read but not chosen. */
export interface ContextSources {
  /** What is known by name, in the order of the keys; what sums it up before. */
  readonly profile: readonly MemoryRecord[]
  /** Oldest first. */
  readonly pinned: readonly MemoryRecord[]
  /** What sums up the session, then its last turns, newest first. */
  readonly turns: readonly MemoryRecord[]
  /** Best first; of a handful all there are, those that were not found with a score of 0, oldest first. */
  readonly hits: readonly { readonly record: MemoryRecord; readonly score: number }[]
  /** There are so few that may be found that no threshold tells them apart. */
  readonly isHandful: boolean
  readonly skills: readonly { readonly record: MemoryRecord; readonly item: Skill }[]
  readonly degraded: readonly Degradation[]
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const byKey = (a: MemoryRecord, b: MemoryRecord): number =>
  compareText(a.key ?? '', b.key ?? '') || compareText(a.id, b.id)

/** Reads what a context is made from: one search, one look for skills, and a few short lists. */
export async function readSources(call: Call, input: ContextInput): Promise<ContextSources> {
  const { core, access } = call
  const { query, kinds, sections, tags, signal } = input
  const isBlank = query.trim() === ''
  const now = core.clock()
  const visible = readScope(access, input)
  const filter = input.filter === undefined ? undefined : parseFilter(input.filter)
  const wanted = (...any: readonly ContextSection[]) => any.some((section) => sections.includes(section))
  const ofKind = (kind: string) => kinds === undefined || kinds.includes(kind)
  const passes = (record: MemoryRecord): boolean =>
    (tags === undefined || tags.every((tag) => record.tags.includes(tag))) &&
    (filter === undefined || matchesFilter(filter, record))

  /** The summary that is kept, in the nearest of the scopes. */
  const summary = async (name: SummaryName, include?: 'shared'): Promise<MemoryRecord[]> => {
    if (!ofKind(summaryKind) || input.allScopes) return []
    const scopes = keyedScopes(access, { scope: input.scope, include })
    const found = await lookUp(core, summaryKind, summaryKey(name), scopes, signal)
    return found && found.status === 'live' && found.trust !== 'untrusted' && passes(found) ? [found] : []
  }

  const list = async (
    scope: ScopeFilter,
    own: { kinds: readonly string[] | undefined; order: 'oldest' | 'newest'; limit: number; pinned?: boolean },
  ): Promise<MemoryRecord[]> => {
    const query = { ...own, tags, filter, now, lifetimes: core.policies.lifetimes }
    const { items } = await listPage(core, scope, query, { signal, bare: true })
    return items.map(({ record }) => record)
  }

  const profile = async (): Promise<MemoryRecord[]> => {
    if (!wanted('profile') || input.allScopes) return []
    const facts = async () => {
      if (!ofKind(factKind)) return []
      const page = await keyedPage(core, access, input, {
        kind: factKind,
        order: 'updated',
        limit: most.profile,
        digest: argumentsDigest('context', {}),
        // Nobody vouches for it: it may be found, and is not who the user is.
        accepts: (record) => record.trust !== 'untrusted' && passes(record),
      })
      return page.records.toSorted(byKey)
    }
    return (await Promise.all([summary('profile', input.include), facts()])).flat()
  }

  const pinned = () =>
    wanted('pinned') ? list(visible, { kinds, order: 'oldest', limit: most.pinned, pinned: true }) : []

  const turns = async (): Promise<MemoryRecord[]> => {
    const session = sessionOf(visible)
    if (!wanted('episodes') || session === undefined) return []
    const last = ofKind(episodeKind)
      ? list(inSession(visible, session), { kinds: [episodeKind], order: 'newest', limit: most.turns })
      : []
    return (await Promise.all([summary('session'), last])).flat()
  }

  const search = async () => {
    if (isBlank || !wanted('facts', 'episodes')) return { hits: [], isHandful: false, degraded: [] }
    const { scope, allScopes, include } = input
    // Without recency: nothing is ordered by how long ago it was, or the same memory would read otherwise every day.
    const options = { filter: input.filter, tags, kinds, limit: most.found, weights: { recency: 0 } }
    const given = { query, scope, allScopes, include, signal, ...options } as SearchInput
    const request = parseSearch(call, given)
    const { found, degraded } = await runSearch(core, request)
    const hits = found.map(({ stored, scored }) => ({ record: stored.record, score: scored.score }))
    const { statuses, now, lifetimes } = request
    const window = { statuses, now, lifetimes, kinds, limit: 1 }
    const isHandful =
      hits.length <= handful && (await core.facets.text.match(visible, [], window, { signal })).documents <= handful
    if (!isHandful) return { hits, isHandful, degraded }
    const shown = new Set(hits.map(({ record }) => record.id))
    const all = await list(visible, { kinds, order: 'oldest', limit: most.listed })
    const rest = all.filter((record) => isSearched(record) && !shown.has(record.id))
    return { hits: [...hits, ...rest.map((record) => ({ record, score: 0 }))], isHandful, degraded }
  }

  const skills = async () => {
    if (isBlank || !wanted('skills') || !ofKind(skillKind.kind)) return { fitting: [], degraded: [] }
    const { scope, allScopes, include } = input
    const limit = tags === undefined && filter === undefined ? most.skills : mostSkillsToFilter
    return matchNeed(call, skillKind, { query, scope, allScopes, include, signal, limit }, false)
  }

  const [known, always, recent, searched, matched] = await Promise.all([
    profile(),
    pinned(),
    turns(),
    search(),
    skills(),
  ])
  return {
    profile: known,
    pinned: always,
    turns: recent,
    hits: searched.hits,
    isHandful: searched.isHandful,
    skills: matched.fitting.filter(({ record }) => passes(record)).slice(0, most.skills),
    degraded: [...searched.degraded, ...matched.degraded],
  }
}

/** The session that is read in; undefined when it is none, or several. */
function sessionOf({ rules }: ScopeFilter): string | undefined {
  if (rules === 'all') return undefined
  const sessions = new Set(rules.flatMap(({ scope }) => (scope.sessionId === undefined ? [] : [scope.sessionId])))
  return sessions.size === 1 ? [...sessions][0] : undefined
}
