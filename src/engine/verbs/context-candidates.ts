import { type ContextCandidate, eventText, validityText } from '../../context/index.ts'
import type { Skill } from '../../kinds/index.ts'
import { contentForm } from '../../learning/index.ts'
import type { MemoryRecord } from '../../model/index.ts'
import type { ContextSection } from '../../text/index.ts'
import { summaryKind } from '../summaries/kept-summary.ts'
import type { ContextInput, ContextSources } from './context-sources.ts'
import { episodeKind } from './episodes/record.ts'

/** Kinds that are found by what is needed and shown with what they hold; what search finds of them is a name alone. */
const namedKinds: ReadonlySet<string> = new Set(['procedural', 'tool'])
/** So many of the last turns come before what was found of others: they say what the query is about. */
const turnsFirst = 2
/** Loses next to nothing of what answers a question; 0.15 loses a tenth of it (bench/results/2026-12-01-context-recall.md). */
const defaultMinScore = 0.1

/** What may be shown, in the order in which it is wanted, and what may not. */
export interface ContextCandidates {
  readonly candidates: readonly ContextCandidate[]
  /** The records that candidates are made of. */
  readonly records: ReadonlyMap<string, MemoryRecord>
  readonly belowThreshold: readonly string[]
  readonly untrusted: readonly string[]
}

function whenOf(record: MemoryRecord, zone: string): string | undefined {
  const { eventTime, createdAt, kind } = record
  if (eventTime) return eventText(eventTime, zone)
  return kind === episodeKind ? eventText({ start: createdAt }, zone) : validityText(record, zone)
}

function byOf({ kind, source }: MemoryRecord): string | undefined {
  if (kind !== episodeKind) return undefined
  return source.actor ?? (source.type === 'user' ? undefined : source.type)
}

/** Equal for what says the same: of the same time, and, of what was said, by the same speaker. */
function formOf({ kind, eventTime, source }: MemoryRecord, text: string): string {
  return JSON.stringify([
    contentForm(text),
    eventTime?.start ?? null,
    kind === episodeKind ? (source.actor ?? null) : null,
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

function stepText(step: Skill['steps'][number]): string {
  if (typeof step === 'string') return step
  return [step.tool, step.arguments && JSON.stringify(step.arguments), step.notes].filter(Boolean).join(' ')
}

/** A skill as one text: what it is for, and how it is done. */
function skillShown({ name, trigger, description, preconditions, steps, expectedOutcome }: Skill): string {
  return [
    [...new Set([name, description])].join(': '),
    ...(trigger === name || trigger === description ? [] : [`When: ${trigger}`]),
    ...(preconditions.length > 0 ? [`Before: ${preconditions.join('; ')}`] : []),
    ...steps.map((step, i) => `${i + 1}. ${stepText(step)}`),
    ...(expectedOutcome === '' ? [] : [`Then: ${expectedOutcome}`]),
  ].join('; ')
}

const happened = ({ eventTime, createdAt }: MemoryRecord): number => Date.parse(eventTime?.start ?? createdAt)

/** The place of each record in the order in which things happened; what sums them up comes before all of them. */
function timeline(records: readonly MemoryRecord[]): ReadonlyMap<string, number> {
  const isSummary = ({ kind }: MemoryRecord) => Number(kind === summaryKind)
  const sorted = records.toSorted(
    (a, b) =>
      isSummary(b) - isSummary(a) ||
      happened(a) - happened(b) ||
      Date.parse(a.createdAt) - Date.parse(b.createdAt) ||
      (a.id < b.id ? -1 : 1),
  )
  return new Map(sorted.map(({ id }, place) => [id, place]))
}

/** What of the sources may be shown, each in its section. @param now epoch milliseconds: what held until before is out */
export function candidatesOf(
  sources: ContextSources,
  { zone, kinds, sections, minScore = sources.isHandful ? 0 : defaultMinScore }: ContextInput,
  now: number,
): ContextCandidates {
  const holds = ({ validTo }: MemoryRecord) => validTo === undefined || Date.parse(validTo) > now
  const isShown = ({ kind }: MemoryRecord) => !namedKinds.has(kind) || kinds?.includes(kind) === true
  const isEpisode = ({ kind }: MemoryRecord) => kind === episodeKind || kind === summaryKind
  const isVouchedFor = ({ trust }: MemoryRecord) => trust !== 'untrusted'

  const hits = sources.hits.filter(({ record }) => holds(record) && isShown(record))
  const relevant = hits.filter(({ score }) => score >= minScore).map(({ record }) => record)
  const pinned = sources.pinned.filter((record) => holds(record) && isShown(record))
  const facts = [
    ...relevant.filter((record) => !isEpisode(record)),
    ...pinned.filter((record) => !isVouchedFor(record)),
  ]
  const { turns } = sources
  const episodes = [...turns.slice(0, turnsFirst), ...relevant.filter(isEpisode), ...turns.slice(turnsFirst)]
  const places = timeline(episodes)
  const skills = sources.skills.filter(({ record }) => isVouchedFor(record))

  const all = [
    ...sources.profile.filter(holds).map((record) => candidate(record, 'profile', zone)),
    ...pinned.filter(isVouchedFor).map((record) => candidate(record, 'pinned', zone)),
    ...facts.map((record) => candidate(record, 'facts', zone)),
    ...episodes.map((record) => ({ ...candidate(record, 'episodes', zone), place: places.get(record.id) })),
    ...skills.map(({ record, item }) => candidate(record, 'skills', zone, skillShown(item))),
  ]
  const read = [...sources.profile, ...pinned, ...relevant, ...turns, ...skills.map(({ record }) => record)]
  return {
    candidates: all.filter(({ section }) => sections.includes(section)),
    records: new Map(read.map((record) => [record.id, record])),
    belowThreshold: hits.filter(({ score }) => score < minScore).map(({ record }) => record.id),
    untrusted: sources.skills.filter(({ record }) => !isVouchedFor(record)).map(({ record }) => record.id),
  }
}
