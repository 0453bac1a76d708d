import { isReservedKind, type ReadOptions, type StatsQuery, type StoreStats } from '../../contract/index.ts'
import { isExpired, type ScopeFilter, scopeFromKey, scopeKey } from '../../model/index.ts'
import { decodeJson } from './codec.ts'
import type { Call } from './connection.ts'
import { conditionsOf } from './list-conditions.ts'
import { past } from './past.ts'
import { found, ownersSeen } from './scope-conditions.ts'
import { reading, readingAtOnce, type Session } from './session.ts'

/** Counts by name, in the order of their first. */
function tally<T>() {
  const groups = new Map<string, { readonly of: T; count: number }>()
  return {
    add(of: T): void {
      const name = JSON.stringify(of)
      const group = groups.get(name) ?? { of, count: 0 }
      group.count++
      groups.set(name, group)
    },
    list: () => [...groups.values()].map(({ of, count }) => ({ ...of, count })),
  }
}

export async function stats(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  { now, lifetimes }: StatsQuery,
  { asOf }: ReadOptions,
): Promise<StoreStats> {
  const { partition } = session
  const seen = found('m', scope, partition)
  const within = asOf ? reading : readingAtOnce
  return within(session, call, ownersSeen(scope, partition), async (run) => {
    if (asOf) {
      const counts = tally<{ scope: StoreStats['counts'][number]['scope']; kind: string; status: never }>()
      const spaces = tally<{ space: string; dimensions: number }>()
      let sizeBytes = 0
      for (const { record, analysis, vector } of await past(session, run, asOf, seen)) {
        const { kind, status } = record
        sizeBytes += Buffer.byteLength(JSON.stringify({ record, analysis })) + (vector?.values.byteLength ?? 0)
        if (vector) spaces.add({ space: vector.space, dimensions: vector.values.length })
        if (isReservedKind(kind) || isExpired(record, now, lifetimes)) continue
        counts.add({ scope: scopeFromKey(scopeKey(record.scope)), kind, status: status as never })
      }
      return { counts: counts.list(), sizeBytes, spaces: spaces.list() }
    }
    const counted = conditionsOf({ statuses: 'any', now, lifetimes, order: 'oldest', limit: 1 })
    const [counts, sizes, spaces] = await Promise.all([
      run(
        `MATCH (m:Memory) WHERE ${seen.text} AND ${counted.text}
RETURN m.scope AS scope, m.kind AS kind, m.status AS status, count(*) AS count ORDER BY scope, kind, status`,
        { ...seen.parameters, ...counted.parameters },
      ),
      run(
        `MATCH (m:Memory) WHERE ${seen.text} RETURN coalesce(sum(m.bytes + 4 * coalesce(m.dimensions, 0)), 0) AS bytes`,
        seen.parameters,
      ),
      run(
        `MATCH (m:Memory) WHERE ${seen.text} AND m.space IS NOT NULL
RETURN m.space AS space, m.dimensions AS dimensions, count(*) AS count ORDER BY space, dimensions`,
        seen.parameters,
      ),
    ])
    return {
      counts: counts.map(
        (row) => ({ ...row, scope: scopeFromKey(row.scope as string) }) as StoreStats['counts'][number],
      ),
      sizeBytes: sizes[0]?.bytes as number,
      spaces: spaces.map((row) => ({ ...row, space: decodeJson<string>(row.space) }) as StoreStats['spaces'][number]),
    }
  })
}
