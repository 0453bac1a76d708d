import {
  type AsOf,
  type Claim,
  compareIds,
  comparePositions,
  decodeCursor,
  encodeCursor,
  erasedId,
  isReservedKind,
  type JournalEnd,
  type JournalEntry,
  type ListQuery,
  type LoggedChange,
  type LoggedTransaction,
  type LogPage,
  matchesQuery,
  orderValue,
  type Page,
  type StatsQuery,
  type StoredRecord,
  type StoredVector,
  type StoreStats,
  spacesOf,
  type VectorSpace,
} from '../../contract/index.ts'
import {
  formatInstant,
  isExpired,
  type Link,
  matchesScope,
  ownerKey,
  type Revision,
  type ScopeFilter,
  scopeKey,
} from '../../model/index.ts'
import {
  claimName,
  copyStored,
  type Head,
  type KeptChange,
  type KeptTransaction,
  lastVersion,
  linkKey,
  type State,
} from './state.ts'

/** Whether something of that moment and position was there already in the state that is read. */
type Before = (place: { readonly at: number; readonly position: number }) => boolean

function before(state: State, asOf: AsOf): Before {
  if ('time' in asOf) return ({ at }) => at <= asOf.time
  const last = decodeCursor(asOf.position, state.position)
  return ({ position }) => position <= last
}

interface Seen {
  readonly head: Head
  readonly stored: StoredRecord
  readonly hash: string | null
}

/** How to look at a head: now, or in a past state. */
function viewOf(state: State, asOf: AsOf | undefined): (head: Head) => Seen | null {
  if (asOf === undefined) {
    return (head) => head.current && { head, stored: head.current, hash: lastVersion(head).hash }
  }
  const was = before(state, asOf)
  return (head) => {
    const version = head.versions.findLast(({ transaction }) => was(transaction))
    return version?.stored ? { head, stored: version.stored, hash: version.hash } : null
  }
}

function* visible(state: State, scope: ScopeFilter, asOf: AsOf | undefined, key?: string): Generator<Seen> {
  const view = viewOf(state, asOf)
  for (const head of key === undefined ? state.heads.values() : (state.keyed.get(key) ?? [])) {
    const seen = matchesScope(scope, head.scope) ? view(head) : null
    if (seen) yield seen
  }
}

export function get(state: State, scope: ScopeFilter, ids: readonly string[], asOf?: AsOf): (StoredRecord | null)[] {
  const view = viewOf(state, asOf)
  return ids.map((id) => {
    const head = state.heads.get(id)
    const seen = head && matchesScope(scope, head.scope) ? view(head) : null
    return seen && copyStored(seen.stored)
  })
}

export function vectorsOf({ heads }: State, ids: readonly string[]): (StoredVector | null)[] {
  return ids.map((id) => {
    const vector = heads.get(id)?.current?.vector
    return vector ? { space: vector.space, values: vector.values.slice() } : null
  })
}

export function list(state: State, scope: ScopeFilter, query: ListQuery, asOf?: AsOf): Page<StoredRecord> {
  const { order, after, limit } = query
  const found = []
  for (const { stored, hash } of visible(state, scope, asOf, query.key)) {
    if (query.hash !== undefined && query.hash !== hash) continue
    if (!matchesQuery(query, stored)) continue
    const place = { value: orderValue(stored.record, order), id: stored.record.id }
    if (after === undefined || comparePositions(place, after, order) > 0) found.push({ stored, place })
  }
  found.sort((a, b) => comparePositions(a.place, b.place, order))
  return { items: found.slice(0, limit).map(({ stored }) => copyStored(stored)), more: found.length > limit }
}

export function revisions(state: State, scope: ScopeFilter, id: string): Revision[] {
  const erased = state.erased.get(erasedId(state.salt, id))
  const head = state.heads.get(id)
  const versions = head && matchesScope(scope, head.scope) ? head.versions : []
  return [
    ...(erased ? [structuredClone(erased)] : []),
    ...versions.map(({ version, transaction: { id: tx, at, actor, reason }, op, stored }) => ({
      id,
      version,
      tx,
      at: formatInstant(at),
      op,
      ...(actor === undefined ? {} : { actor }),
      ...(reason === undefined ? {} : { reason }),
      record: stored && structuredClone(stored.record),
    })),
  ]
}

function showChange(change: KeptChange): LoggedChange {
  if (change.type !== 'put') return structuredClone(change)
  const { head, version, kind } = change
  return {
    type: 'put',
    op: version.op,
    id: head.id,
    kind,
    scope: structuredClone(head.scope),
    version: version.version,
    hash: version.stored && version.hash,
    stored: version.stored && copyStored(version.stored),
  }
}

export function showTransaction(kept: KeptTransaction): LoggedTransaction {
  const { position, id, at, verb, actor, reason, result, changes } = kept
  return {
    id,
    cursor: encodeCursor(position),
    at,
    verb,
    ...(actor === undefined ? {} : { actor }),
    ...(reason === undefined ? {} : { reason }),
    ...(result === undefined ? {} : { result: structuredClone(result) }),
    changes: changes.map(showChange),
  }
}

export function log(state: State, after: string | null, limit = 1000): LogPage {
  const start = after === null ? 0 : decodeCursor(after, state.position)
  const first = state.log.findLastIndex(({ position }) => position <= start) + 1
  const entries = state.log.slice(first, first + limit).map(showTransaction)
  return { entries, cursor: entries.at(-1)?.cursor ?? encodeCursor(start), derived: String(state.derived) }
}

/** The links of a past state, from the log. */
function linksAt(state: State, was: Before): Iterable<Link> {
  const links = new Map<string, Link>()
  for (const entry of state.log.filter(was)) {
    for (const change of entry.changes) {
      if (change.type === 'link') links.set(linkKey(change.link), change.link)
      if (change.type === 'unlink') links.delete(linkKey(change.link))
    }
  }
  return links.values()
}

export function links(state: State, scope: ScopeFilter, ids: readonly string[], asOf?: AsOf): Link[] {
  const touched = new Set(ids)
  const view = viewOf(state, asOf)
  const isVisible = (id: string) => {
    const head = state.heads.get(id)
    return head !== undefined && matchesScope(scope, head.scope) && view(head) !== null
  }
  const all = asOf === undefined ? state.links.values() : linksAt(state, before(state, asOf))
  return [...all]
    .filter(({ from, to }) => (touched.has(from) || touched.has(to)) && isVisible(from) && isVisible(to))
    .map((link) => structuredClone(link))
}

export function journal(state: State, scope: ScopeFilter, after: number, limit: number): JournalEntry[] {
  const lines = [...state.chains.values()]
    .flat()
    .filter((line) => line.seq > after && matchesScope(scope, line.scope))
    .sort((a, b) => a.seq - b.seq || compareIds(ownerKey(a.scope), ownerKey(b.scope)))
  const last = lines[limit - 1]
  const page = last === undefined ? lines.slice(0, limit) : lines.filter((line) => line.seq <= last.seq)
  return structuredClone(page)
}

export function journalEnds({ chains }: State): JournalEnd[] {
  return [...chains].flatMap(([owner, lines]) => (lines.length > 0 ? { owner, seq: lines.length } : []))
}

/** Adds one to the group of a key, made by `make` when it is new. */
function countIn<T extends { count: number }>(groups: Map<string, T>, key: unknown, make: () => T): void {
  const name = JSON.stringify(key)
  const group = groups.get(name) ?? make()
  group.count++
  groups.set(name, group)
}

export function stats(state: State, scope: ScopeFilter, { now, lifetimes }: StatsQuery, asOf?: AsOf): StoreStats {
  const counts = new Map<
    string,
    { -readonly [K in keyof StoreStats['counts'][number]]: StoreStats['counts'][number][K] }
  >()
  const spaces = new Map<string, { space: string; dimensions: number; count: number }>()
  let sizeBytes = 0
  for (const { head, stored } of visible(state, scope, asOf)) {
    const { record, analysis, vector } = stored
    const { kind, status } = record
    sizeBytes += Buffer.byteLength(JSON.stringify({ record, analysis })) + (vector?.values.byteLength ?? 0)
    if (vector) {
      const { space, values } = vector
      countIn(spaces, [space, values.length], () => ({ space, dimensions: values.length, count: 0 }))
    }
    if (isReservedKind(kind) || isExpired(record, now, lifetimes)) continue
    countIn(counts, [scopeKey(head.scope), kind, status], () => ({
      scope: structuredClone(head.scope),
      kind,
      status,
      count: 0,
    }))
  }
  return { counts: [...counts.values()], sizeBytes, spaces: [...spaces.values()] }
}

export function vectorSpaces({ heads }: State): VectorSpace[] {
  return spacesOf([...heads.values()].map(({ current }) => current?.vector))
}

/** The oldest of those that hold a claim. */
export function holderOf(state: State, ...claim: Parameters<typeof claimName>): StoredRecord | undefined {
  const held = [...(state.claims.get(claimName(...claim)) ?? [])].flatMap(({ current }) => current ?? [])
  const place = ({ record }: StoredRecord) => ({ value: orderValue(record, 'oldest'), id: record.id })
  return held.sort((a, b) => comparePositions(place(a), place(b), 'oldest'))[0]
}

export function holders(state: State, claims: readonly Claim[]): (StoredRecord | null)[] {
  return claims.map(({ type, scope, kind, value }) => {
    const holder = holderOf(state, type === 'key' ? 'noKey' : 'noContent', scope, kind, value)
    return holder ? copyStored(holder) : null
  })
}
