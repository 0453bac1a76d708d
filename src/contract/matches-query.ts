import { isExpired, isValidAt, type Kind, matchesFilter, momentOf, type Status } from '../model/index.ts'
import type { ListQuery } from './reading.ts'
import type { StoredRecord } from './stored-record.ts'

const live: readonly Status[] = ['live']

/** Names with `_` in front are mneme's own: conflicts, restore points and the like. */
export function isReservedKind(kind: Kind): boolean {
  return kind.startsWith('_')
}

/** Kinds as asked for; by default all but reserved ones. */
export function matchesKind(kinds: readonly Kind[] | undefined, kind: Kind): boolean {
  return kinds === undefined ? !isReservedKind(kind) : kinds.includes(kind)
}

/**
 * The one evaluator of list queries: whatever a store selects is checked with it (STO-LST-1).
 * Judges all conditions of the query on the record but `hash`, which only the store knows. Neither scope nor place
 * (`order`, `after`, `limit`) are looked at.
 */
export function matchesQuery(query: Omit<ListQuery, 'order' | 'limit'>, stored: StoredRecord): boolean {
  const { record } = stored
  const statuses = query.statuses ?? live
  if (!matchesKind(query.kinds, record.kind)) return false
  if (statuses !== 'any' && !statuses.includes(record.status)) return false
  if (query.key !== undefined && query.key !== record.key) return false
  if (query.keyed && record.key === undefined) return false
  if (query.pinned && !record.pinned) return false
  if (query.now !== undefined && isExpired(record, query.now, query.lifetimes)) return false
  if (query.since !== undefined && momentOf(record) < query.since) return false
  if (query.until !== undefined && momentOf(record) >= query.until) return false
  if (query.validAt !== undefined && !isValidAt(record, query.validAt)) return false
  if (query.withoutVector !== undefined && !lacksVector(stored, query.withoutVector)) return false
  if (query.tags !== undefined && !query.tags.every((tag) => record.tags.includes(tag))) return false
  return query.filter === undefined || matchesFilter(query.filter, record)
}

/** True when the record is searched (it has index terms) and has no vector in the space. */
export function lacksVector(stored: Pick<StoredRecord, 'analysis' | 'vector'>, space: string): boolean {
  return stored.vector?.space !== space && stored.analysis.terms.length > 0
}
