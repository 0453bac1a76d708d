import { isExpired, type MemoryRecord, scopeKey } from '../model/index.ts'
import { recency } from '../retrieval/index.ts'
import { halfLifeOf, type Policies } from './policy.ts'

const dayMs = 86_400_000

/** What a record is judged by. */
export type Judged = Pick<
  MemoryRecord,
  'id' | 'kind' | 'scope' | 'status' | 'pinned' | 'importance' | 'reliability' | 'createdAt' | 'updatedAt' | 'expiresAt'
>

/** What is to go, and why. */
export interface Doomed<Record extends Judged = MemoryRecord> {
  readonly record: Record
  readonly because: 'expired' | 'pruned' | 'evicted'
  /** In words, content-free. */
  readonly why: string
}

export interface RetentionOptions {
  readonly policies: Policies
  /** Epoch milliseconds. */
  readonly now: number
  /** Of kinds without a half-life of their own. */
  readonly halfLifeHours: number
}

/** How much a record is worth keeping, 0..1: importance · reliability · recency since it was changed last. */
function keepScore(record: Judged, { policies, now, halfLifeHours }: RetentionOptions): number {
  const halfLife = halfLifeOf(policies.of(record.kind), halfLifeHours)
  return record.importance * record.reliability * recency(Date.parse(record.updatedAt), now, halfLife)
}

/** Least worth keeping first; of equals the oldest, then by id. */
function compareWorth(a: { record: Judged; worth: number }, b: { record: Judged; worth: number }): number {
  return a.worth - b.worth || byAge(a.record, b.record)
}

function byAge(a: Judged, b: Judged): number {
  return Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1)
}

function grouped<Record extends Judged>(records: readonly Record[]): Record[][] {
  const groups = new Map<string, Record[]>()
  for (const record of records) {
    const key = JSON.stringify([record.kind, scopeKey(record.scope)])
    const group = groups.get(key)
    if (group) group.push(record)
    else groups.set(key, [record])
  }
  return [...groups.values()]
}

/** Beyond the kind's capacity in each exact scope. Pinned records count and stay. */
function evictions<Record extends Judged>(live: readonly Record[], options: RetentionOptions): Doomed<Record>[] {
  return grouped(live).flatMap((group) => {
    const { maxRecords } = options.policies.of((group[0] as Record).kind)
    if (maxRecords === undefined || group.length <= maxRecords) return []
    return group
      .filter(({ pinned }) => !pinned)
      .map((record) => ({ record, worth: keepScore(record, options) }))
      .sort(compareWorth)
      .slice(0, group.length - maxRecords)
      .map(
        ({ record }): Doomed<Record> => ({
          record,
          because: 'evicted',
          why: `beyond ${maxRecords} records of its kind and scope`,
        }),
      )
  })
}

/**
 * What the policies say is to go: expired, of too little reliability, beyond a kind's capacity, in this order. Each
 * record once. Pinned records stay, but for an expiry of their own (KND-3).
 */
export function doomed<Record extends Judged>(
  records: readonly Record[],
  options: RetentionOptions,
): readonly Doomed<Record>[] {
  const { policies, now } = options
  const gone: Doomed<Record>[] = []
  const live: Record[] = []
  for (const record of records) {
    const { pruneBelow } = policies.of(record.kind)
    if (isExpired(record, now, policies.lifetimes)) gone.push({ record, because: 'expired', why: 'expired' })
    else if (record.status !== 'live') continue
    else if (!record.pinned && record.reliability < pruneBelow)
      gone.push({ record, because: 'pruned', why: `reliability below ${pruneBelow}` })
    else live.push(record)
  }
  return [...gone, ...evictions(live, options)]
}

/** A one-off policy: what a caller wants forgotten. */
export type ForgetSelection =
  /** Of lower importance, 0..1. @default 0.3 */
  | { readonly strategy: 'importance'; readonly below?: number | undefined }
  /** Created more than so many days ago, above 0. */
  | { readonly strategy: 'age'; readonly olderThanDays: number }
  /** All but so many: the most important, of equals the newest, stay. Pinned records count and stay. */
  | { readonly strategy: 'capacity'; readonly keep: number }

const leastImportance = 0.3

/** The live records that a selection names; pinned ones never (KND-5). */
export function forgettable<Record extends Judged>(
  records: readonly Record[],
  selection: ForgetSelection,
  now: number,
): readonly Record[] {
  const loose = records.filter(({ pinned }) => !pinned)
  switch (selection.strategy) {
    case 'importance':
      return loose.filter(({ importance }) => importance < (selection.below ?? leastImportance))
    case 'age':
      return loose.filter(({ createdAt }) => Date.parse(createdAt) < now - selection.olderThanDays * dayMs)
    case 'capacity':
      return loose
        .sort((a, b) => a.importance - b.importance || byAge(a, b))
        .slice(0, Math.max(0, records.length - selection.keep))
  }
}
