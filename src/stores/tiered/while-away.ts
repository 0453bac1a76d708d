import {
  type Claim,
  comparePositions,
  isReservedKind,
  type ListQuery,
  type LogPage,
  matchesQuery,
  orderValue,
  type Page,
  type StatsQuery,
  type StoreCount,
  type StoredRecord,
  type StoreStats,
} from '../../contract/index.ts'
import { allScopes, exactly, isExpired, matchesScope, type ScopeFilter, scopeKey } from '../../model/index.ts'

/**
 * What can be told of the records of the hot tier alone, while the cold store is away. A place in the log that was handed out meanwhile is
 * one of the cold store with a mark: there the log goes on later.
 */
const mark = '~hot'

export function markedPlace(place: string | null): string {
  return `${place ?? ''}${mark}`
}

export function isMarked(place: string | null): boolean {
  return place?.endsWith(mark) ?? false
}

/** The place in the log of the cold store; null for its beginning. */
export function unmarkedPlace(place: string | null): string | null {
  if (place === null || !place.endsWith(mark)) return place
  return place.length === mark.length ? null : place.slice(0, -mark.length)
}

function visible(held: readonly StoredRecord[], scope: ScopeFilter): StoredRecord[] {
  return held.filter(({ record }) => matchesScope(scope, record.scope))
}

/** @param query without a digest, which entries don't have */
export function listHeld(held: readonly StoredRecord[], scope: ScopeFilter, query: ListQuery): Page<StoredRecord> {
  const { order, after, limit } = query
  const found = visible(held, scope).flatMap((stored) => {
    const place = { value: orderValue(stored.record, order), id: stored.record.id }
    const fits = matchesQuery(query, stored) && (after === undefined || comparePositions(place, after, order) > 0)
    return fits ? [{ stored, place }] : []
  })
  found.sort((a, b) => comparePositions(a.place, b.place, order))
  return { items: found.slice(0, limit).map(({ stored }) => stored), more: found.length > limit }
}

export function countHeld(held: readonly StoredRecord[], scope: ScopeFilter, query: StatsQuery): StoreStats {
  const counts = new Map<string, { -readonly [Field in keyof StoreCount]: StoreCount[Field] }>()
  const spaces = new Map<string, { space: string; dimensions: number; count: number }>()
  let sizeBytes = 0
  for (const { record, analysis, vector } of visible(held, scope)) {
    sizeBytes += Buffer.byteLength(JSON.stringify({ record, analysis })) + (vector?.values.byteLength ?? 0)
    if (vector !== null) {
      const dimensions = vector.values.length
      const name = JSON.stringify([vector.space, dimensions])
      const group = spaces.get(name) ?? { space: vector.space, dimensions, count: 0 }
      spaces.set(name, { ...group, count: group.count + 1 })
    }
    if (isReservedKind(record.kind) || isExpired(record, query.now, query.lifetimes)) continue
    const { scope: where, kind, status } = record
    const name = JSON.stringify([scopeKey(where), kind, status])
    const group = counts.get(name) ?? { scope: where, kind, status, count: 0 }
    counts.set(name, { ...group, count: group.count + 1 })
  }
  return { counts: [...counts.values()], sizeBytes, spaces: [...spaces.values()] }
}

/** Of keys the oldest live holder; who holds a content, entries don't tell. */
export function holdersHeld(held: readonly StoredRecord[], claims: readonly Claim[]): (StoredRecord | null)[] {
  return claims.map(({ type, scope, kind, value }) => {
    if (type === 'content') return null
    const query = { kinds: [kind], key: value, order: 'oldest', limit: 1 } as const
    return listHeld(held, exactly(scope), query).items[0] ?? null
  })
}

/**
 * Every entry as one transaction, once; after it nothing is new.
 * @param derived of the last page of the cold store
 */
export function logHeld(held: readonly StoredRecord[], after: string | null, derived: string): LogPage {
  if (isMarked(after)) return { entries: [], cursor: after as string, derived }
  const cursor = markedPlace(after)
  const changes = visible(held, allScopes()).map((stored) => {
    const { id, kind, scope, version } = stored.record
    return { type: 'put', op: 'add', id, kind, scope, version, hash: null, stored } as const
  })
  return { entries: [{ id: 'hot-tier', cursor, at: Date.now(), verb: 'hot-tier', changes }], cursor, derived }
}
