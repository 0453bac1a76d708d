import { type ContextCandidate, eventText, validityText } from '../../context/index.ts'
import { type Skill, skillKind } from '../../kinds/index.ts'
import { statementForm } from '../../learning/index.ts'
import { inSession, type MemoryRecord, type ScopeFilter } from '../../model/index.ts'
import type { ContextSection } from '../../text/index.ts'
import { keyedScopes, readScope } from '../access.ts'
import type { Degradation } from '../api/searching.ts'
import { lookUp } from '../keyed.ts'
import { keyedPage } from '../keyed-page.ts'
import { listPage } from '../listing.ts'
import { runSearch } from '../search/run-search.ts'
import { parseSearch, type SearchInput } from '../search/search-input.ts'
import { argumentsDigest } from '../tokens.ts'
import type { Call } from '../verb.ts'
import { episodeKind } from './episodes/record.ts'
import { factKind } from './facts/fact.ts'
import { matchNeed } from './named/match-need.ts'

/** Kinds that search finds and that are shown in another way, or not at all. */
const namedKinds: ReadonlySet<string> = new Set(['procedural', 'tool'])
const summaryKind = 'summary'

/** What is looked at of each: more than a usual budget holds, and never a whole scope. */
const most = { profile: 100, pinned: 50, found: 60, recent: 6, skills: 3 }
/** So many of the last turns come before what was found of others: they say what the query is about. */
const turnsFirst = 2
const longestForm = 10_000

export interface ContextInput {
  readonly query: string
  readonly kinds?: readonly string[] | undefined
  readonly filter?: unknown
  readonly tags?: readonly string[] | undefined
  readonly minScore: number
  readonly zone: string
  readonly sections: readonly ContextSection[]
  readonly scope?: unknown
  readonly allScopes?: boolean | undefined
  readonly include?: 'shared' | undefined
  readonly signal?: AbortSignal | undefined
}

/** What may be shown, in the order in which it is wanted, and what may not. */
export interface Gathered {
  readonly candidates: readonly ContextCandidate[]
  readonly records: ReadonlyMap<string, MemoryRecord>
  readonly belowThreshold: readonly string[]
  readonly untrusted: readonly string[]
  readonly degraded: readonly Degradation[]
}

function whenOf(record: MemoryRecord, zone: string): string | undefined {
  const { eventTime, createdAt, kind } = record
  if (eventTime) return eventText(eventTime, zone)
  if (record.validFrom !== undefined || record.validTo !== undefined) return validityText(record, zone)
  return kind === episodeKind ? eventText({ start: createdAt }, zone) : undefined
}

function byOf({ kind, source }: MemoryRecord): string | undefined {
  if (kind !== episodeKind) return undefined
  return source.actor ?? (source.type === 'user' ? undefined : source.type)
}

function formOf({ kind, content, eventTime, source }: MemoryRecord, text: string): string {
  const said = text.length > longestForm ? text : statementForm(text)
  return JSON.stringify([
    said,
    eventTime?.start ?? null,
    kind === episodeKind ? (source.actor ?? null) : null,
    content === text,
  ])
}

function candidate(
  record: MemoryRecord,
  section: ContextSection,
  zone: string,
  text = record.content,
): ContextCandidate {
  const [when, by] = [whenOf(record, zone), byOf(record)]
  return {
    id: record.id,
    section,
    text,
    form: formOf(record, text),
    ...(when === undefined ? {} : { when }),
    ...(by === undefined ? {} : { by }),
    ...(record.trust === 'untrusted' ? { untrusted: true as const } : {}),
  }
}

const happened = ({ eventTime, createdAt }: MemoryRecord): number => Date.parse(eventTime?.start ?? createdAt)
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** A skill as one text: what it is for, and how it is done. */
function skillShown({ name, trigger, description, preconditions, steps, expectedOutcome }: Skill): string {
  const stepText = (step: Skill['steps'][number]) =>
    typeof step === 'string'
      ? step
      : [step.tool, step.arguments && JSON.stringify(step.arguments), step.notes].filter(Boolean).join(' ')
  return [
    [...new Set([name, description])].join(': '),
    ...(trigger === name || trigger === description ? [] : [`When: ${trigger}`]),
    ...(preconditions.length > 0 ? [`Before: ${preconditions.join('; ')}`] : []),
    ...steps.map((step, i) => `${i + 1}. ${stepText(step)}`),
    ...(expectedOutcome === '' ? [] : [`Then: ${expectedOutcome}`]),
  ].join('; ')
}

/** Reads what a context is made from: a search, and a few short lists. */
export async function gatherCandidates(call: Call, input: ContextInput): Promise<Gathered> {
  const { core, access } = call
  const { query, kinds, zone, sections, signal, minScore } = input
  const now = core.clock()
  const visible = readScope(access, input)
  const wanted = (section: ContextSection) => sections.includes(section)
  const ofKind = (kind: string) => kinds === undefined || kinds.includes(kind)
  const isBlank = query.trim() === ''

  const listed = async (
    scope: ScopeFilter,
    own: readonly string[] | undefined,
    order: 'oldest' | 'newest',
    limit: number,
    pinned?: true,
  ) => {
    const page = await listPage(
      core,
      scope,
      { kinds: own, order, limit, now, lifetimes: core.policies.lifetimes, ...(pinned ? { pinned } : {}) },
      { signal, bare: true },
    )
    return page.items.map(({ record }) => record)
  }

  const profile = async (): Promise<MemoryRecord[]> => {
    if (!wanted('profile') || input.allScopes) return []
    const scopes = keyedScopes(access, input)
    const [summary, facts] = await Promise.all([
      ofKind(summaryKind) ? lookUp(core, summaryKind, 'summary.profile', scopes, signal) : null,
      ofKind(factKind)
        ? keyedPage(core, access, input, {
            kind: factKind,
            order: 'updated',
            limit: most.profile,
            digest: argumentsDigest('context', {}),
            // Nobody vouches for it: it may be found, and is not who the user is.
            accepts: ({ trust }) => trust !== 'untrusted',
          })
        : null,
    ])
    // In the order of their keys, so that one more leaves the others where they were.
    const sorted = (facts?.records ?? []).toSorted(
      (a, b) => compareText(a.key ?? '', b.key ?? '') || compareText(a.id, b.id),
    )
    return [...(summary && summary.trust !== 'untrusted' && summary.status === 'live' ? [summary] : []), ...sorted]
  }

  const pinned = async (): Promise<MemoryRecord[]> => {
    if (!wanted('pinned')) return []
    const found = await listed(visible, kinds, 'oldest', most.pinned, true)
    return found.filter(({ kind }) => !namedKinds.has(kind))
  }

  const session = sessionOf(visible)
  const recent = async (): Promise<MemoryRecord[]> => {
    if (!wanted('episodes') || session === undefined) return []
    const own = inSession(visible, session)
    const [summary, turns] = await Promise.all([
      ofKind(summaryKind)
        ? lookUp(core, summaryKind, 'summary.session', keyedScopes(access, { scope: input.scope }), signal)
        : null,
      ofKind(episodeKind) ? listed(own, [episodeKind], 'newest', most.recent) : [],
    ])
    return [...(summary?.status === 'live' ? [summary] : []), ...turns]
  }

  const search = async () => {
    if (isBlank || !(wanted('facts') || wanted('episodes'))) return { found: [], degraded: [] }
    const { scope, allScopes, include, filter, tags } = input
    const given = {
      query,
      scope,
      allScopes,
      include,
      filter,
      tags,
      kinds,
      signal,
      limit: most.found,
      weights: { recency: 0 },
    }
    // Without recency: nothing is ordered by how long ago it was, or the same memory would read otherwise every day.
    return runSearch(core, parseSearch(call, given as SearchInput))
  }

  const skills = async () => {
    if (isBlank || !wanted('skills') || !ofKind(skillKind.kind)) return { fitting: [], degraded: [] }
    const { scope, allScopes, include } = input
    return matchNeed(call, skillKind, { query, scope, allScopes, include, signal, limit: most.skills }, false)
  }

  const [known, always, turns, searched, matched] = await Promise.all([
    profile(),
    pinned(),
    recent(),
    search(),
    skills(),
  ])

  const holds = ({ validTo }: MemoryRecord) => validTo === undefined || Date.parse(validTo) > now
  const hits = searched.found.map(({ stored, scored }) => ({ record: stored.record, score: scored.score }))
  const relevant = hits.filter(({ record, score }) => score >= minScore && holds(record)).map(({ record }) => record)
  const isEpisode = ({ kind }: MemoryRecord) => kind === episodeKind || kind === summaryKind
  const shownKind = ({ kind }: MemoryRecord) => !namedKinds.has(kind) || kinds?.includes(kind) === true
  const vouched = always.filter((record) => holds(record) && record.trust !== 'untrusted')
  const facts = [
    ...relevant.filter((record) => !isEpisode(record) && shownKind(record)),
    ...always.filter((record) => holds(record) && record.trust === 'untrusted'),
  ]
  const episodes = [...turns.slice(0, turnsFirst), ...relevant.filter(isEpisode), ...turns.slice(turnsFirst)]
  const timeline = [...new Map(episodes.map((record) => [record.id, record])).values()].sort(
    (a, b) => happened(a) - happened(b) || compareText(a.createdAt, b.createdAt) || compareText(a.id, b.id),
  )
  const places = new Map(timeline.map(({ id }, place) => [id, place]))
  const safeSkills = matched.fitting.filter(({ record }) => record.trust !== 'untrusted')

  return {
    candidates: [
      ...known.filter(holds).map((record) => candidate(record, 'profile', zone)),
      ...vouched.map((record) => candidate(record, 'pinned', zone)),
      ...(wanted('facts') ? facts.map((record) => candidate(record, 'facts', zone)) : []),
      ...(wanted('episodes')
        ? episodes.map((record) => ({ ...candidate(record, 'episodes', zone), place: places.get(record.id) }))
        : []),
      ...safeSkills.map(({ record, item }) => candidate(record, 'skills', zone, skillShown(item))),
    ],
    records: new Map(
      [...known, ...always, ...turns, ...relevant, ...matched.fitting.map(({ record }) => record)].map((record) => [
        record.id,
        record,
      ]),
    ),
    belowThreshold: hits
      .filter(({ record, score }) => score < minScore && holds(record) && shownKind(record))
      .map(({ record }) => record.id),
    untrusted: matched.fitting.filter(({ record }) => record.trust === 'untrusted').map(({ record }) => record.id),
    degraded: [...searched.degraded, ...matched.degraded],
  }
}

/** The session that is read in; undefined when it is none, or several. */
function sessionOf({ rules }: ScopeFilter): string | undefined {
  if (rules === 'all') return undefined
  const sessions = new Set(rules.flatMap(({ scope }) => (scope.sessionId === undefined ? [] : [scope.sessionId])))
  return sessions.size === 1 ? [...sessions][0] : undefined
}
