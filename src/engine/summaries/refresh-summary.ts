import { hash } from 'node:crypto'
import type { ListQuery, StoredRecord } from '../../contract/index.ts'
import type { SummaryItem, SummarySentence } from '../../learning/index.ts'
import { expiryOf, formatInstant, type MemoryRecord, type Scope, type ScopeFilter } from '../../model/index.ts'
import type { Degradation } from '../api/searching.ts'
import type { Core } from '../core.ts'
import { holderOf, isGone } from '../keyed.ts'
import { listPage } from '../listing.ts'
import { removeStep } from '../verbs/kept-versions.ts'
import type { WorkStep } from '../work.ts'
import {
  asSentence,
  type KeptSentence,
  type SummaryData,
  type SummaryName,
  saidDigest,
  sourcesOf,
  summaryData,
  summaryDraft,
  summaryKey,
  summaryKind,
} from './kept-summary.ts'
import { isKept, isSummedUp, summaryItem } from './summary-items.ts'

const pageSize = 500

/** Chooses or writes the sentences of a summary from earlier ones and from memories. */
export type WriteSummary = (items: readonly SummaryItem[]) => Promise<{
  readonly sentences: readonly SummarySentence[]
  /** `rules`, or a prompt with its version. */
  readonly by: string
  readonly degraded: readonly Degradation[]
}>

export interface RefreshOptions {
  readonly name: SummaryName
  /** Where the summary is kept. */
  readonly scope: Scope
  /** What it is made from. */
  readonly from: ScopeFilter
  readonly write: WriteSummary
  /** Forget the summary before and read everything. */
  readonly rebuild?: boolean | undefined
  /** Memories that are being changed: they are read the next time. */
  readonly without?: ReadonlySet<string> | undefined
  readonly signal?: AbortSignal | undefined
}

/** A kept summary as it is, beside what became of its sources. */
export interface KeptSummary {
  readonly stored: StoredRecord
  /** Null where the record was changed by somebody else: it is made anew. */
  readonly data: SummaryData | null
  /** Sentences whose sources are all as they were. */
  readonly valid: readonly KeptSentence[]
  /** Sources that are still to be read, of sentences that are not valid any more. */
  readonly again: readonly MemoryRecord[]
  /** A source was deleted: its words must not stay in former versions either. */
  readonly purge: boolean
  readonly sources: ReadonlyMap<string, MemoryRecord>
}

/** The kept summary of this name in an exact scope, with each of its sentences held against its sources. */
export async function keptSummary(
  core: Core,
  { name, scope, from, signal }: Pick<RefreshOptions, 'name' | 'scope' | 'from' | 'signal'>,
): Promise<KeptSummary | null> {
  // One that has expired is hidden, and goes on when it is refreshed.
  const { taken: current } = await holderOf(core, summaryKind, summaryKey(name), scope, signal)
  if (!current) return null
  const data = summaryData(current.record)
  if (!data) return { stored: current, data, valid: [], again: [], purge: false, sources: new Map() }
  const ids = sourcesOf(data.sentences)
  const found = await core.store.get(from, ids, { signal, bare: true })
  const sources = new Map(found.flatMap((one) => (one ? [[one.record.id, one.record] as const] : [])))
  const usable = (id: string): MemoryRecord | undefined => {
    const record = sources.get(id)
    return record && isKept(record) && !isGone(core, record) ? record : undefined
  }
  const isAsSaid = ([id, said]: KeptSentence['from'][number]): boolean => {
    const record = usable(id)
    return record !== undefined && saidDigest(record) === said
  }
  const valid = data.sentences.filter(({ from: parts }) => parts.every(isAsSaid))
  const lost = data.sentences.filter((sentence) => !valid.includes(sentence))
  return {
    stored: current,
    data,
    valid,
    again: sourcesOf(lost).flatMap((id) => usable(id) ?? []),
    purge: ids.some((id) => !sources.has(id)),
    sources,
  }
}

interface Unread {
  readonly records: readonly MemoryRecord[]
  /** The latest change that was seen, epoch milliseconds, and a digest of all that changed at that very time. */
  readonly until: number
  readonly last: string
}

/** Of more memories at once, those that changed last are read. */
const mostRead = 10_000

function digestOf(records: readonly MemoryRecord[]): string {
  const versions = records.map(({ id, version }) => `${id} ${version}`).sort()
  return hash('sha256', JSON.stringify(versions), 'base64url').slice(0, 22)
}

/** What changed since a summary was made, newest change first; of everything, when there is none. */
export async function unreadRecords(
  core: Core,
  { name, from, signal }: Pick<RefreshOptions, 'name' | 'from' | 'signal'>,
  { data, id }: { readonly data: Pick<SummaryData, 'until' | 'last'> | null; readonly id?: string | undefined },
  most = mostRead,
): Promise<Unread> {
  // What was archived because this summary stands for it was read.
  const isOwn = ({ status, supersededBy }: MemoryRecord) =>
    data !== null && status === 'archived' && supersededBy === id
  const since = data?.until ?? Number.NEGATIVE_INFINITY
  const changedOf = ({ updatedAt }: MemoryRecord) => Date.parse(updatedAt)
  const seen: MemoryRecord[] = []
  for (let after: ListQuery['after']; ; ) {
    signal?.throwIfAborted()
    const { lifetimes } = core.policies
    const query = { statuses: ['live', 'archived'] as const, now: core.clock(), lifetimes, order: 'updated' as const }
    const { items, more } = await listPage(core, from, { ...query, limit: pageSize, after }, { signal, bare: true })
    for (const { record } of items)
      if (isSummedUp(record.kind) && changedOf(record) >= since && !isOwn(record)) seen.push(record)
    const last = items.at(-1)?.record
    if (!more || !last || changedOf(last) < since || seen.length >= most) break
    after = { value: changedOf(last), id: last.id }
  }
  const until = seen[0] ? changedOf(seen[0]) : (data?.until ?? 0)
  const last = digestOf(seen.filter((record) => changedOf(record) === until))
  // Nothing tells apart what came before and after within the last millisecond: if it holds anything else by now, all of it is new.
  const isRead = data !== null && digestOf(seen.filter((record) => changedOf(record) === since)) === data.last
  const fresh = seen.filter((record) => changedOf(record) > since || !isRead)
  const records = fresh.filter((record) => isKept(record) && !(name === 'profile' && record.kind === 'episodic'))
  return { records: records.slice(0, most), until, last }
}

/** What a refresh comes to. */
export interface Refreshed {
  readonly steps: readonly WorkStep[]
  readonly sentences: readonly SummarySentence[]
  /** The summary as it will be; null where nothing is left to say. */
  readonly record: { readonly id: string; readonly scope: Scope; readonly version?: number } | null
  readonly degraded: readonly Degradation[]
}

/**
 * Makes a kept summary say what is true now: only what changed since is read, with the sentences that it has already, and it is
 * replaced in place (SUM-4). What came from memories that are gone, hidden or changed goes (SUM-5).
 */
export async function refreshSummary(core: Core, options: RefreshOptions): Promise<Refreshed> {
  const { name, scope, write, rebuild = false, without = new Set() } = options
  const kept = await keptSummary(core, options)
  const data = rebuild ? null : (kept?.data ?? null)
  const unread = await unreadRecords(core, options, { data, id: kept?.stored.record.id })
  const valid = data ? (kept as KeptSummary).valid : []
  const seen = new Set(unread.records.map(({ id }) => id))
  const again = data ? (kept as KeptSummary).again.filter(({ id }) => !seen.has(id)) : []
  const fresh = [...unread.records, ...again].filter(({ id }) => !without.has(id))
  const isSame = data !== null && fresh.length === 0 && valid.length === data.sentences.length
  if (
    kept &&
    data &&
    isSame &&
    unread.until === data.until &&
    unread.last === data.last &&
    !isGone(core, kept.stored.record)
  ) {
    const { id, version } = kept.stored.record
    const steps: WorkStep[] = [{ type: 'noop', before: kept.stored, reason: 'nothing new since' }]
    return { steps, sentences: valid.map(asSentence), record: { id, scope, version }, degraded: [] }
  }
  const before = valid.map((sentence): SummaryItem => {
    const { text, ...rest } = asSentence(sentence)
    return { ...rest, content: text, whole: true }
  })
  const written = isSame
    ? { sentences: valid.map(asSentence), by: data.by, degraded: [] }
    : await write([...before, ...fresh.map(summaryItem)])
  if (written.sentences.length === 0) {
    const steps = kept ? [removeStep(kept.stored, 'nothing is left of what it was made from')] : []
    return { steps, sentences: [], record: null, degraded: written.degraded }
  }
  const records = new Map([...(kept?.sources ?? []), ...fresh.map((record) => [record.id, record] as const)])
  const next: SummaryData = {
    sentences: written.sentences.map((sentence) => ({
      ...sentence,
      from: sentence.from.map((id): [string, string] => [id, saidDigest(records.get(id) as MemoryRecord)]),
    })),
    read: (data?.read ?? 0) + unread.records.length,
    until: unread.until,
    last: unread.last,
    by: written.by,
  }
  // It goes with the first of its sources to go.
  const { lifetimes } = core.policies
  const ends = Math.min(...sourcesOf(next.sentences).map((id) => expiryOf(records.get(id) as MemoryRecord, lifetimes)))
  const expiresAt = Number.isFinite(ends) ? formatInstant(ends) : undefined
  const id = kept?.stored.record.id ?? core.ids()
  const after = summaryDraft({ id, scope, name, expiresAt }, next, kept?.stored)
  const reason = kept ? `${unread.records.length} memories since` : `${unread.records.length} memories`
  const put: WorkStep = { type: 'put', op: kept ? 'update' : 'add', before: kept?.stored ?? null, after, reason }
  // Removed first: what former versions say of a deleted memory goes too.
  const purge = kept?.purge ? [removeStep(kept.stored, 'a memory that it was made from was deleted')] : []
  return { steps: [...purge, put], sentences: written.sentences, record: { id, scope }, degraded: written.degraded }
}
