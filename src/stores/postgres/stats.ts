import {
  isReservedKind,
  type ReadOptions,
  type StatsQuery,
  type StoreStats,
  type VectorSpace,
} from '../../contract/index.ts'
import { isExpired, type ScopeFilter, type Status, scopeFromKey, scopeKey } from '../../model/index.ts'
import type { Call, Query } from './database.ts'
import { lifetimeCondition, notReserved } from './list.ts'
import { decodeName } from './names.ts'
import { createParameters } from './parameters.ts'
import { readPast, recordsThen } from './past.ts'
import { scopeCondition } from './scope-condition.ts'
import type { Session } from './session.ts'
import { floor } from './whole-number.ts'

async function readSize(query: Query, { schema }: Session): Promise<number> {
  const [row] = await query(
    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS size FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'",
    [schema],
  )
  return row?.size as number
}

function statsNow(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  { now, lifetimes }: StatsQuery,
): Promise<StoreStats> {
  return session.database.transaction(call, 'snapshot', async (query) => {
    const counting = createParameters()
    const naming = createParameters()
    const from = 'FROM {scopes} s JOIN {records} r ON r.scope = s.id AND r.owner = s.owner'
    const [counts, spaces, sizeBytes] = await Promise.all([
      query(
        `SELECT s.key, r.kind, r.status, count(*) AS count ${from}
         WHERE ${scopeCondition(scope, 's', counting)} AND ${notReserved('r')}
           AND (r.expires_at IS NULL OR r.expires_at > ${counting.add(floor(now))})
           AND ${lifetimeCondition('r', lifetimes, now, counting)} GROUP BY s.id, s.key, r.kind, r.status`,
        counting.values,
      ),
      query(
        `SELECT p.name, p.dimensions, c.count FROM (
           SELECT r.space, count(*) AS count ${from} WHERE r.space IS NOT NULL AND ${scopeCondition(scope, 's', naming)} GROUP BY r.space) c
         JOIN {spaces} p ON p.id = c.space`,
        naming.values,
      ),
      readSize(query, session),
    ])
    return {
      counts: counts.map((row) => ({
        scope: scopeFromKey(row.key as string),
        kind: decodeName(row.kind as string),
        status: row.status as Status,
        count: row.count as number,
      })),
      sizeBytes,
      spaces: spaces.map((row) => ({
        space: decodeName(row.name as string),
        dimensions: row.dimensions as number,
        count: row.count as number,
      })),
    }
  })
}

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] }

function count<T extends { count: number }>(
  groups: Map<string, T>,
  key: readonly unknown[],
  group: Omit<T, 'count'>,
): void {
  const name = JSON.stringify(key)
  const known = groups.get(name)
  if (known === undefined) groups.set(name, { ...group, count: 1 } as T)
  else known.count++
}

function statsThen(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  { now, lifetimes }: StatsQuery,
  asOf: NonNullable<ReadOptions['asOf']>,
): Promise<StoreStats> {
  return session.database.transaction(call, 'snapshot', async (query, beyond) => {
    const counts = new Map<string, Mutable<StoreStats['counts'][number]>>()
    const spaces = new Map<string, Mutable<StoreStats['spaces'][number]>>()
    for await (const { stored } of recordsThen(query, scope, await readPast(beyond, session, asOf))) {
      const { record, vector } = stored
      const { kind, status } = record
      if (vector !== null) {
        const dimensions = vector.values.length
        count(spaces, [vector.space, dimensions], { space: vector.space, dimensions })
      }
      if (isReservedKind(kind) || isExpired(record, now, lifetimes)) continue
      count(counts, [scopeKey(record.scope), kind, status], { scope: record.scope, kind, status })
    }
    return {
      counts: [...counts.values()],
      sizeBytes: await readSize(query, session),
      spaces: [...spaces.values()],
    }
  })
}

export function stats(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  query: StatsQuery,
  asOf: ReadOptions['asOf'],
): Promise<StoreStats> {
  return asOf === undefined ? statsNow(session, call, scope, query) : statsThen(session, call, scope, query, asOf)
}

/** A space stays known when its last vector goes. */
export async function vectorSpaces(session: Session, call: Call): Promise<VectorSpace[]> {
  const rows = await session.database.transaction(call, 'read', (query) =>
    query('SELECT name, dimensions FROM {spaces}'),
  )
  return rows.map((row) => ({ space: decodeName(row.name as string), dimensions: row.dimensions as number }))
}
