import {
  comparePositions,
  type ListQuery,
  matchesQuery,
  orderValue,
  type Page,
  type ReadOptions,
  type StoredRecord,
  type StoredVector,
} from '../../contract/index.ts'
import type { ScopeFilter } from '../../model/index.ts'
import { isHeldAnywhere } from './claims.ts'
import {
  accessOf,
  columnsFor,
  contentColumns,
  decodeVectorOf,
  jsonList,
  readColumns,
  type VectorRow,
  vectorColumns,
} from './codec.ts'
import type { Connection } from './connection.ts'
import { decodeUndamaged, type Loaded, loadAll, type Place, undamaged } from './content.ts'
import { hasContent } from './emptied.ts'
import { isCorrupt } from './failure.ts'
import { allPlacesThen, type Past, pastOf, placeThen } from './past.ts'
import { salvagePlaces } from './salvage.ts'
import { lastVersionOf } from './schema.ts'
import type { VisibleScopes } from './scopes.ts'
import { selectPlaces } from './select.ts'
import type { Session } from './session.ts'
import type { Work } from './work.ts'

/** Contents are loaded in pieces of this size. */
const chunk = 64
const maxBatch = 2048

function chunks<T>(items: readonly T[]): (readonly T[])[] {
  const parts: (readonly T[])[] = []
  for (let i = 0; i < items.length; i += chunk) parts.push(items.slice(i, i + chunk))
  return parts
}

const presentOf = (columns: string) =>
  `SELECT j.key AS place, v.scope, r.access_count, r.last_accessed_at, ${columns} FROM json_each(?) j CROSS JOIN log v ON v.rev = ${lastVersionOf('j.value')} CROSS JOIN records r ON r.scope = v.scope AND r.created_at = v.created_at AND r.id = v.id WHERE ${hasContent('v.record')}`
const present = new Map(readColumns.map((columns) => [columns, presentOf(columns)]))

/** Present contents of ids, at their places: a row for each id, so that one asked for twice gets two copies. */
function getNow(
  db: Connection,
  visible: VisibleScopes | null,
  ids: readonly string[],
  columns: string,
): (StoredRecord | null)[] {
  const found: (StoredRecord | null)[] = ids.map(() => null)
  for (const row of db.sql(present.get(columns) as string).all(jsonList(ids))) {
    if (visible !== null && !visible.has(row.scope as number)) continue
    found[row.place as number] = decodeUndamaged(row, accessOf(row))
  }
  return found
}

/** All at once; on damaged pages one by one, with null for what lies on them. */
function passingOver<Item>(
  ids: readonly string[],
  read: (some: readonly string[]) => readonly (Item | null)[],
): readonly (Item | null)[] {
  try {
    return read(ids)
  } catch (error) {
    if (!isCorrupt(error)) throw error
    return ids.length < 2 ? [null] : ids.flatMap((id) => passingOver([id], read))
  }
}

const presentVectors = `SELECT j.key AS place, ${vectorColumns} FROM json_each(?) j CROSS JOIN log v ON v.rev = ${lastVersionOf('j.value')} WHERE ${hasContent('v.record')}`

/** Vectors alone: a third of the pages and half of the time of whole records. */
function vectorsNow(db: Connection, ids: readonly string[]): (StoredVector | null)[] {
  const found: (StoredVector | null)[] = ids.map(() => null)
  for (const row of db.sql(presentVectors).all(jsonList(ids))) {
    found[row.place as number] = undamaged(() => decodeVectorOf(row as unknown as VectorRow))
  }
  return found
}

export function* vectorsOf(db: Connection, ids: readonly string[]): Work<(StoredVector | null)[]> {
  const found: (StoredVector | null)[] = []
  for (const part of chunks(ids)) {
    found.push(...passingOver(part, (some) => vectorsNow(db, some)))
    yield
  }
  return found
}

function getThen(
  db: Connection,
  session: Session,
  scope: ScopeFilter,
  ids: readonly string[],
  past: Past,
  columns: string,
): (StoredRecord | null)[] {
  const places = ids.map((id) => placeThen(db, session, scope, past, id))
  const loaded = loadAll(
    db,
    places.filter((place) => place !== null),
    columns,
  ).values()
  return places.map((place) => (place === null ? null : (loaded.next().value?.stored ?? null)))
}

export function* get(
  db: Connection,
  session: Session,
  scope: ScopeFilter,
  ids: readonly string[],
  { asOf, bare }: ReadOptions,
): Work<(StoredRecord | null)[]> {
  const columns = columnsFor(bare)
  const past = asOf === undefined ? null : pastOf(db, session, asOf)
  const visible = session.scopes.visible(scope)
  const found: (StoredRecord | null)[] = []
  for (const part of chunks(ids)) {
    found.push(
      ...(past === null
        ? passingOver(part, (some) => getNow(db, visible, some, columns))
        : getThen(db, session, scope, part, past, columns)),
    )
    yield
  }
  return found
}

function matches(query: ListQuery, loaded: Loaded | null): loaded is Loaded {
  if (loaded === null) return false
  return (query.hash === undefined || query.hash === loaded.hash) && matchesQuery(query, loaded.stored)
}

/** Selects by loading every candidate: for past states and damaged files, which have no index to go by. */
function* listFrom(
  db: Connection,
  places: Iterable<readonly Place[]>,
  query: ListQuery,
  columns: string,
): Work<Page<StoredRecord>> {
  const { order, after, limit } = query
  const found: { readonly rank: { readonly value: number; readonly id: string }; readonly place: Place }[] = []
  for (const part of places) {
    loadAll(db, part, columns).forEach((loaded, i) => {
      if (!matches(query, loaded)) return
      const { record } = loaded.stored
      const rank = { value: orderValue(record, order), id: record.id }
      if (after === undefined || comparePositions(rank, after, order) > 0) found.push({ rank, place: part[i] as Place })
    })
    yield
  }
  found.sort((a, b) => comparePositions(a.rank, b.rank, order))
  const items: StoredRecord[] = []
  for (const part of chunks(found.slice(0, limit))) {
    items.push(
      ...loadAll(
        db,
        part.map(({ place }) => place),
        columns,
      ).flatMap((loaded) => loaded?.stored ?? []),
    )
    yield
  }
  return { items, more: found.length > limit }
}

/** True when the columns alone can't tell whether a record is wanted. */
function needsContent({ filter, tags, validAt, withoutVector }: ListQuery): boolean {
  return [filter, tags, validAt, withoutVector].some((condition) => condition !== undefined)
}

function* listNow(
  db: Connection,
  session: Session,
  scope: ScopeFilter,
  query: ListQuery,
  columns: string,
): Work<Page<StoredRecord>> {
  const { limit } = query
  const visible = session.scopes.visible(scope)
  const items: StoredRecord[] = []
  let after = query.after
  for (let size = Math.min(maxBatch, limit + 1); ; size = Math.min(maxBatch, size * 2)) {
    const batch = needsContent(query) ? Math.max(size, chunk) : size
    const places = selectPlaces(db, session.scopes, visible, query, after, batch)
    for (const part of chunks(places)) {
      for (const loaded of loadAll(db, part, columns)) {
        if (!matches(query, loaded)) continue
        if (items.length === limit) return { items, more: true }
        items.push(loaded.stored)
      }
      yield
    }
    after = places.at(-1)
    if (places.length < batch || after === undefined) return { items, more: false }
  }
}

export function* list(
  db: Connection,
  session: Session,
  scope: ScopeFilter,
  query: ListQuery,
  { asOf, bare }: ReadOptions,
): Work<Page<StoredRecord>> {
  const columns = query.withoutVector === undefined ? columnsFor(bare) : contentColumns
  const { key } = query
  if (asOf !== undefined) {
    return yield* listFrom(db, chunks(allPlacesThen(db, session, scope, pastOf(db, session, asOf))), query, columns)
  }
  try {
    // Every search asks for its question as a key, which is mostly none.
    if (key !== undefined && !isHeldAnywhere(db, { type: 'key', value: key })) return { items: [], more: false }
    return yield* listNow(db, session, scope, query, columns)
  } catch (error) {
    if (!isCorrupt(error)) throw error
    return yield* listFrom(db, chunks(yield* salvagePlaces(db, scope)), query, columns)
  }
}
