import {
  isReservedKind,
  type ReadOptions,
  type StatsQuery,
  type StoreStats,
  type VectorSpace,
} from '../../contract/index.ts'
import { isExpired, type Lifetimes, type ScopeFilter, type Status, scopeFromKey, scopeKey } from '../../model/index.ts'
import { jsonList } from './codec.ts'
import { type Connection, readValue } from './connection.ts'
import { loadAll, type Place } from './content.ts'
import type { SqliteValue } from './driver.ts'
import { allPlacesThen, pastOf } from './past.ts'
import type { Session } from './session.ts'
import type { Work } from './work.ts'

function sizeOf(db: Connection): number {
  const pages = readValue(db, 'PRAGMA page_count') as number
  return pages * (readValue(db, 'PRAGMA page_size') as number)
}

/** SQL that holds within a kind's lifetime, and for pinned records: only of those beyond it the log is looked into. */
function lifetimeCondition(lifetimes: Lifetimes | undefined, now: number): readonly [string, ...SqliteValue[]] {
  if (lifetimes === undefined) return ['true']
  const finite = (lifetime: number) => (Number.isFinite(lifetime) ? lifetime : null)
  const kinds = [...lifetimes.byKind].flatMap(([kind, lifetime]) => [kind, finite(lifetime)])
  const named = 'WHEN ? THEN ? '.repeat(lifetimes.byKind.size)
  const pinned = "(SELECT json_extract(v.record, '$.pinned') FROM log v WHERE v.rev = records.rev)"
  const lifetime = named === '' ? '?' : `CASE kind ${named}ELSE ? END`
  return [`coalesce(created_at + ${lifetime} > ?, true) OR ${pinned}`, ...kinds, finite(lifetimes.others), now]
}

function statsNow(db: Connection, session: Session, scope: ScopeFilter, { now, lifetimes }: StatsQuery): StoreStats {
  const visible = session.scopes.visible(scope)
  const ids = visible === null ? [] : [jsonList(visible.ids)]
  const seen = visible === null ? 'true' : 'scope IN (SELECT value FROM json_each(?))'
  const [lives, ...lifetimeValues] = lifetimeCondition(lifetimes, now)
  const counts = db
    .sql(
      `SELECT scope, kind, status, count(*) AS count FROM records WHERE ${seen} AND (expires_at IS NULL OR expires_at > ?) AND (${lives}) AND substr(kind, 1, 1) <> '_' GROUP BY scope, kind, status`,
    )
    .all(...ids, now, ...lifetimeValues)
  const spaces = db
    .sql(
      `SELECT s.name, s.dimensions, c.count FROM (SELECT space, count(*) AS count FROM records WHERE space IS NOT NULL AND ${seen} GROUP BY space) c JOIN spaces s ON s.id = c.space`,
    )
    .all(...ids)
  return {
    counts: counts.map((row) => ({
      scope: session.scopes.byId(row.scope as number),
      kind: row.kind as string,
      status: row.status as Status,
      count: row.count as number,
    })),
    sizeBytes: sizeOf(db),
    spaces: spaces.map((row) => ({
      space: row.name as string,
      dimensions: row.dimensions as number,
      count: row.count as number,
    })),
  }
}

function add<T extends { count: number }>(groups: Map<string, T>, key: readonly unknown[], group: Omit<T, 'count'>) {
  const name = JSON.stringify(key)
  const known = groups.get(name)
  if (known === undefined) groups.set(name, { ...group, count: 1 } as T)
  else known.count++
}

function* statsThen(db: Connection, places: readonly Place[], { now, lifetimes }: StatsQuery): Work<StoreStats> {
  type Count = { -readonly [K in keyof StoreStats['counts'][number]]: StoreStats['counts'][number][K] }
  const counts = new Map<string, Count>()
  const spaces = new Map<string, { space: string; dimensions: number; count: number }>()
  for (const place of places) {
    yield
    const stored = loadAll(db, [place])[0]?.stored
    if (stored === undefined) continue
    const { record, vector } = stored
    const { kind, status } = record
    const key = scopeKey(record.scope)
    if (vector !== null) {
      const dimensions = vector.values.length
      add(spaces, [vector.space, dimensions], { space: vector.space, dimensions })
    }
    if (isReservedKind(kind) || isExpired(record, now, lifetimes)) continue
    add(counts, [key, kind, status], { scope: scopeFromKey(key), kind, status })
  }
  return { counts: [...counts.values()], sizeBytes: sizeOf(db), spaces: [...spaces.values()] }
}

export function* stats(
  db: Connection,
  session: Session,
  scope: ScopeFilter,
  query: StatsQuery,
  asOf: ReadOptions['asOf'],
): Work<StoreStats> {
  if (asOf === undefined) return statsNow(db, session, scope, query)
  return yield* statsThen(db, allPlacesThen(db, session, scope, pastOf(db, session, asOf)), query)
}

/** A space stays known when its last vector goes. */
export function vectorSpaces(db: Connection): VectorSpace[] {
  return db
    .sql('SELECT name, dimensions FROM spaces')
    .all()
    .map((row) => ({ space: row.name as string, dimensions: row.dimensions as number }))
}
