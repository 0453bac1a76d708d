import {
  canonicalJson,
  compareTrust,
  equalJson,
  type JsonObject,
  type JsonValue,
  type MemoryRecord,
} from '../model/index.ts'
import { contentForm, foldedForm, statementForm } from './statements/index.ts'

/** Kinds that have names, versions or payloads of their own: what of them is the same is for their own verbs to say. */
const namedKinds: ReadonlySet<string> = new Set(['kv', 'procedural', 'tool', 'entity', 'summary'])

/** Whether records of a kind are merged at all. */
export function isMergedKind(kind: string): boolean {
  return !namedKinds.has(kind) && !kind.startsWith('_')
}

/**
 * Whether a record may be merged with others: live, without a key, and not untrusted. What nobody vouches for is neither put in
 * the place of something else nor strengthened by it.
 */
export function isMergeable({ kind, key, status, trust }: MemoryRecord): boolean {
  return status === 'live' && key === undefined && trust !== 'untrusted' && isMergedKind(kind)
}

const tripleFields: ReadonlySet<string> = new Set(['subject', 'attribute', 'value'])

/** Whether a record has a payload of its own. That of a learned fact says what its text says: of whom, what, and its value. */
export function hasPayload({ data }: Pick<MemoryRecord, 'data'>): boolean {
  if (data === undefined) return false
  if (data === null || typeof data !== 'object' || Array.isArray(data)) return true
  return !Object.entries(data).every(([field, value]) => tripleFields.has(field) && typeof value === 'string')
}

/**
 * Equal for records of one exact scope that are one memory said more than once: the same statement by the same speaker, about the
 * same time. What happened is the same only in the same words: two visits of a gym are two.
 */
export function sameness(record: MemoryRecord): string {
  const { kind, content, data, source, eventTime, validFrom, validTo } = record
  return canonicalJson([
    kind,
    contentForm(content, kind === 'episodic' ? foldedForm : statementForm),
    source.actor ?? null,
    eventTime ?? null,
    // Of what held for a time, the time is a part.
    validTo === undefined ? null : [validFrom ?? null, validTo],
    hasPayload(record) ? (data as JsonValue) : null,
  ])
}

const forEver = '9'
const expiry = ({ expiresAt }: MemoryRecord): string => expiresAt ?? forEver
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Which of equals is kept: first what must stay, then what is vouched for, lives longest, is surest and was there first. */
function compareKeepers(a: MemoryRecord, b: MemoryRecord, newestLivesLongest: boolean): number {
  return (
    Number(b.pinned) - Number(a.pinned) ||
    compareTrust(a.trust, b.trust) ||
    byText(expiry(b), expiry(a)) ||
    (newestLivesLongest ? byText(b.createdAt, a.createdAt) : 0) ||
    b.confidence - a.confidence ||
    b.importance - a.importance ||
    byText(a.createdAt, b.createdAt) ||
    byText(a.id, b.id)
  )
}

function canJoin(a: JsonObject, b: JsonObject): boolean {
  return Object.entries(b).every(([field, value]) => !Object.hasOwn(a, field) || equalJson(a[field] ?? null, value))
}

/** What the kept record says once it stands for another one too. Nothing that either says of itself is lost. */
function joined(keeper: MemoryRecord, loser: MemoryRecord): MemoryRecord {
  const tags = [...new Set([...keeper.tags, ...loser.tags])]
  const known = [keeper.validFrom, loser.validFrom].filter((time) => time !== undefined).sort()[0]
  const isOpen = keeper.validFrom === undefined || loser.validFrom === undefined || keeper.validTo !== undefined
  return {
    ...keeper,
    tags: tags.length > 1000 ? keeper.tags : tags,
    metadata: { ...keeper.metadata, ...loser.metadata },
    importance: Math.max(keeper.importance, loser.importance),
    confidence: Math.max(keeper.confidence, loser.confidence),
    ...(isOpen || known === undefined ? {} : { validFrom: known }),
  }
}

/** One memory said more than once. */
export interface Duplicates {
  /** The record that stays, and what it says from now on: the same record where nothing is added. */
  readonly keeper: MemoryRecord
  readonly after: MemoryRecord
  readonly losers: readonly MemoryRecord[]
}

/**
 * Which of the records with one `sameness` stays, and for which others. A pinned record is never given up, nor one that would live longer
 * than what is kept, or whose metadata contradict it. Null when there is nothing to merge.
 * @param newestLivesLongest of a kind whose records expire by age
 */
export function mergeDuplicates(
  records: readonly MemoryRecord[],
  { newestLivesLongest = false }: { readonly newestLivesLongest?: boolean } = {},
): Duplicates | null {
  const [keeper, ...rest] = [...records].sort((a, b) => compareKeepers(a, b, newestLivesLongest))
  if (!keeper) return null
  let after = keeper
  const losers: MemoryRecord[] = []
  for (const record of rest) {
    if (record.pinned || expiry(record) > expiry(keeper) || !canJoin(after.metadata, record.metadata)) continue
    if (newestLivesLongest && record.createdAt > keeper.createdAt) continue
    after = joined(after, record)
    losers.push(record)
  }
  if (losers.length === 0) return null
  const isChanged = !equalJson(after as never, keeper as never)
  return { keeper, after: isChanged ? after : keeper, losers }
}
