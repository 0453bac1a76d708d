import {
  type Claim,
  comparePositions,
  erasedId,
  type ListOrder,
  type ListQuery,
  matchesQuery,
  orderValue,
  type Page,
  type ReadOptions,
  type StoredRecord,
  type StoredVector,
  type VectorSpace,
} from '../../contract/index.ts'
import { formatInstant, ownerKey, type Revision, type ScopeFilter } from '../../model/index.ts'
import { bareOf, decodeBare, decodeJson, decodeStored, decodeVector, payloadOf } from './codec.ts'
import type { Call, Run } from './connection.ts'
import { conditionsOf } from './list-conditions.ts'
import { past } from './past.ts'
import { type Condition, found, ownersSeen, visible } from './scope-conditions.ts'
import { ownersNamed, ownersOf, reading, readingAtOnce, type Session } from './session.ts'
import { claimId, number, sortable } from './tokens.ts'

export async function get(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  ids: readonly string[],
  { asOf, bare }: ReadOptions,
): Promise<(StoredRecord | null)[]> {
  const { partition } = session
  if (ids.length === 0 && asOf === undefined) return []
  const { text, parameters } = visible('m', scope, partition)
  const uids = [...new Set(ids)].map(partition.uid)
  const within = asOf ? reading : readingAtOnce
  const known = await within(session, call, ownersOf(ids, partition), async (run) => {
    if (asOf)
      return past(session, run, asOf, { text: `m.uid IN $uids AND ${text}`, parameters: { ...parameters, uids } })
    const rows = await run(
      `UNWIND $uids AS uid MATCH (m:MnemeId {uid: uid}) WHERE m:Memory AND ${text} RETURN ${bare ? bareOf('m') : payloadOf('m')}`,
      { ...parameters, uids },
    )
    return rows.map(bare ? decodeBare : decodeStored)
  })
  const byId = new Map(known.map((stored) => [stored.record.id, stored]))
  const given = new Set<string>()
  return ids.map((id) => {
    const stored = byId.get(id) ?? null
    // What is asked for twice is handed out twice, each the caller's own.
    if (stored === null || !given.has(id)) {
      given.add(id)
      return stored
    }
    return structuredClone(stored)
  })
}

const orderColumns: Readonly<Record<ListOrder, string>> = {
  newest: 'createdAt',
  oldest: 'createdAt',
  updated: 'updatedAt',
  importance: 'importance',
  eventTime: 'moment',
}

/** Rows read at a time where a filter, which the server does not judge, may let few of them through. */
const filterBatch = 500

function place(stored: StoredRecord, order: ListOrder) {
  return { value: orderValue(stored.record, order), id: stored.record.id }
}

async function listPast(
  session: Session,
  run: Run,
  seen: Condition,
  query: ListQuery,
  asOf: NonNullable<ReadOptions['asOf']>,
) {
  const { order, limit, after } = query
  const items = (await past(session, run, asOf, seen, query.hash))
    .filter((stored) => matchesQuery(query, stored))
    .filter((stored) => after === undefined || comparePositions(place(stored, order), after, order) > 0)
    .sort((a, b) => comparePositions(place(a, order), place(b, order), order))
  return { items: items.slice(0, limit), more: items.length > limit }
}

export async function list(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  query: ListQuery,
  { asOf, bare }: ReadOptions,
): Promise<Page<StoredRecord>> {
  const { partition } = session
  const { order, limit } = query
  const seen = found('m', scope, partition)
  // What goes on after an answer holds the locks until its end.
  const within = asOf || query.filter ? reading : readingAtOnce
  return within(session, call, ownersSeen(scope, partition), async (run) => {
    if (asOf) return listPast(session, run, seen, query, asOf)
    const wanted = conditionsOf(query)
    const column = `m.${orderColumns[order]}`
    const [direction, beyond] = order === 'oldest' || order === 'eventTime' ? ['ASC', '>'] : ['DESC', '<']
    const items: StoredRecord[] = []
    const batch = query.filter === undefined ? limit + 1 : Math.max(limit + 1, filterBatch)
    for (let after = query.after; ; ) {
      const from = after && { value: after.value, sort: sortable(after.id) }
      const since = from
        ? ` AND (${column} ${beyond} $from.value OR (${column} = $from.value AND m.sort ${beyond} $from.sort))`
        : ''
      const rows = await run(
        `MATCH (m:Memory) WHERE ${seen.text} AND ${column} IS NOT NULL AND ${wanted.text}${since}
RETURN ${bare ? bareOf('m') : payloadOf('m')} ORDER BY ${column} ${direction}, m.sort ${direction} LIMIT $batch`,
        { ...seen.parameters, ...wanted.parameters, from: from ?? null, batch: number(batch) },
      )
      for (const row of rows) {
        const stored = bare ? decodeBare(row) : decodeStored(row)
        after = place(stored, order)
        // Analyses are left out of bare answers, so what looks at them is not judged again.
        if (matchesQuery({ ...query, withoutVector: undefined }, stored)) items.push(stored)
      }
      if (items.length > limit) return { items: items.slice(0, limit), more: true }
      if (rows.length < batch) return { items, more: false }
    }
  })
}

export async function holders(
  session: Session,
  call: Call,
  claims: readonly Claim[],
): Promise<(StoredRecord | null)[]> {
  const { partition } = session
  if (claims.length === 0) return []
  const wanted = claims.map(({ type, scope, kind, value }) => ({
    type,
    uid: claimId(partition, type, scope, kind, value),
  }))
  const owners = ownersNamed([...new Set(claims.map(({ scope }) => partition.uid(ownerKey(scope))))])
  const answers = await readingAtOnce(session, call, owners, async (run) => {
    const ask = async (type: Claim['type'], property: string) => {
      const uids = [...new Set(wanted.filter((each) => each.type === type).map(({ uid }) => uid))]
      if (uids.length === 0) return []
      return run(
        `UNWIND $uids AS claim MATCH (m:Memory {${property}: claim}) WITH claim, m ORDER BY m.createdAt, m.sort
WITH claim, head(collect(m)) AS m RETURN claim, ${payloadOf('m')}`,
        { uids },
      )
    }
    return (await Promise.all([ask('key', 'keyClaim'), ask('content', 'contentClaim')])).flat()
  })
  const rows = new Map(answers.map((row) => [row.claim as string, row]))
  return wanted.map(({ uid }) => {
    const row = rows.get(uid)
    return row === undefined ? null : decodeStored(row)
  })
}

/** The one tombstone of an erased id. */
function erasedRevision(row: Readonly<Record<string, unknown>>): Revision {
  return {
    id: row.hash as string,
    version: row.version as number,
    tx: row.tx as string,
    at: formatInstant(row.at as number),
    op: 'erase',
    record: null,
  }
}

export async function revisions(session: Session, call: Call, scope: ScopeFilter, id: string): Promise<Revision[]> {
  const { partition, salt } = session
  const { text, parameters } = visible('m', scope, partition)
  const [erased, rows] = await readingAtOnce(session, call, ownersOf([id], partition), (run) =>
    Promise.all([
      run('MATCH (e:MnemeErased {uid: $uid}) RETURN e.hash AS hash, e.version AS version, e.tx AS tx, e.at AS at', {
        uid: partition.uid(erasedId(salt, id)),
      }),
      run(
        `MATCH (m:MnemeId {uid: $uid}) WHERE ${text} MATCH (m)-[:REVISION]->(r:MnemeRevision)<-[:CHANGED]-(t:MnemeTransaction)
RETURN r.version AS version, r.op AS op, r.at AS at, r.record AS record, t.id AS tx, t.actor AS actor, t.reason AS reason
ORDER BY r.version`,
        { ...parameters, uid: partition.uid(id) },
      ),
    ]),
  )
  return [
    ...erased.map(erasedRevision),
    ...rows.map((row) => ({
      id,
      version: row.version as number,
      tx: row.tx as string,
      at: formatInstant(row.at as number),
      op: row.op as Revision['op'],
      ...(row.actor === null ? {} : { actor: decodeJson<string>(row.actor) }),
      ...(row.reason === null ? {} : { reason: decodeJson<string>(row.reason) }),
      record: row.record === null ? null : decodeJson<NonNullable<Revision['record']>>(row.record),
    })),
  ]
}

export async function vectorsOf(
  session: Session,
  call: Call,
  ids: readonly string[],
): Promise<(StoredVector | null)[]> {
  const { partition, connection } = session
  if (ids.length === 0) return []
  const rows = await connection.transact(call, (run) =>
    run(
      'UNWIND $uids AS uid MATCH (m:MnemeId {uid: uid}) WHERE m:Memory AND m.vector IS NOT NULL RETURN m.id AS id, m.space AS space, m.vector AS vector',
      { uids: [...new Set(ids)].map(partition.uid) },
    ),
  )
  const byId = new Map(rows.map((row) => [row.id as string, row]))
  return ids.map((id) => {
    const row = byId.get(id)
    return row === undefined ? null : decodeVector(row.space, row.vector)
  })
}

export async function vectorSpaces({ connection, partition }: Session, call: Call): Promise<VectorSpace[]> {
  const rows = await connection.transact(call, (run) =>
    run('MATCH (s:MnemeSpace) WHERE s.store = $store RETURN s.space AS space, s.dimensions AS dimensions', {
      store: partition.store,
    }),
  )
  // Before lengths were noted there were none: 0 is of no vector, so whoever compares has to count.
  return rows.map(({ space, dimensions }) => ({
    space: decodeJson<string>(space),
    dimensions: Number(dimensions ?? 0),
  }))
}
