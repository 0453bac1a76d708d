import type { Derivation, Touch } from '../../contract/index.ts'
import { encodeAnalysis, encodeVector } from './content.ts'
import type { Call, Query } from './database.ts'
import { identityColumns, refuseOther } from './made-anew.ts'
import { encodeName } from './names.ts'
import { indexAgain } from './search/index.ts'
import type { NamesInUse, Session } from './session.ts'
import { floor } from './whole-number.ts'

/** What is derived of one version, the last word of each. */
type Merged = Pick<Derivation, 'id' | 'version' | 'vector' | 'analysis'>

function merge(derivations: readonly Derivation[]): Merged[] {
  const merged = new Map<string, Merged>()
  for (const { id, version, vector, analysis } of derivations) {
    const key = JSON.stringify([id, version])
    const before = merged.get(key)
    merged.set(key, { id, version, vector: vector ?? before?.vector, analysis: analysis ?? before?.analysis })
  }
  return [...merged.values()]
}

interface Uses {
  readonly id: string
  /** So many in all, at least; ... */
  readonly least: number
  /** ... and so many more. */
  readonly count: number
  readonly at: number
}

/** How often each id was touched, and when last. */
function sumUp(touched: readonly Touch[]): Uses[] {
  const sums = new Map<string, Uses>()
  for (const { id, at, count: inAll } of touched) {
    const { least, count } = sums.get(id) ?? { least: 0, count: 0 }
    sums.set(id, {
      id,
      // Of what comes in between, each counts on top of the former.
      least: inAll === undefined ? least : Math.max(least, inAll - count),
      count: inAll === undefined ? count + 1 : count,
      at: Math.max(sums.get(id)?.at ?? floor(at), floor(at)),
    })
  }
  return [...sums.values()]
}

function namesIn(derivations: readonly Merged[]): NamesInUse {
  return {
    spaces: derivations.flatMap(({ vector }) =>
      vector === undefined ? [] : [{ name: vector.space, dimensions: vector.values.length }],
    ),
    analysers: derivations.flatMap(({ analysis }) => analysis?.analyser ?? []),
  }
}

/** The record's present version, when it is the one that is meant. */
const meant = '{ids} i ON i.id = x.id JOIN {records} r ON r.owner = i.owner AND r.id = i.id AND r.version = x.version'

function storeVectors(query: Query, session: Session, derivations: readonly Merged[]): Promise<unknown> | null {
  const values: Buffer[] = []
  let start = 1
  const rows = derivations.flatMap(({ id, version, vector }) => {
    if (vector === undefined) return []
    const value = encodeVector(vector.values)
    values.push(value)
    const space = session.numbers.space(vector.space, vector.values.length)
    const row = { id: encodeName(id), version, space, start, length: value.length }
    start += value.length
    return [row]
  })
  if (rows.length === 0) return null
  const slot = Math.floor(Math.random() * 64)
  return query(
    `WITH stored AS (
       INSERT INTO {vectors} (owner, id, version, space, value)
       SELECT r.owner, r.id, r.version, x.space, substr($2::bytea, x.start, x.length)
       FROM json_to_recordset($1) AS x(id text, version bigint, space integer, start integer, length integer) JOIN ${meant}
       ON CONFLICT (owner, id, version) DO UPDATE SET space = excluded.space, value = excluded.value
       RETURNING owner, id, space
     ), named AS (
       UPDATE {records} r SET space = stored.space FROM stored WHERE r.owner = stored.owner AND r.id = stored.id
     )
     UPDATE {derived} SET count = count + 1 WHERE slot = $3 AND EXISTS (SELECT FROM stored)`,
    [JSON.stringify(rows), Buffer.concat(values), slot],
  )
}

function storeAnalyses(query: Query, session: Session, derivations: readonly Merged[]): Promise<unknown> | null {
  const rows = derivations.flatMap(({ id, version, analysis }) =>
    analysis === undefined
      ? []
      : [
          {
            id: encodeName(id),
            version,
            analyser: session.numbers.analyser(analysis.analyser),
            analysis: encodeAnalysis(analysis),
            searched: analysis.terms.length > 0,
          },
        ],
  )
  if (rows.length === 0) return null
  return query(
    `WITH found AS (
       SELECT r.owner, r.id, r.version, x.analyser, x.analysis, x.searched
       FROM json_to_recordset($1) AS x(id text, version bigint, analyser integer, analysis text, searched boolean) JOIN ${meant}
     ), renewed AS (
       UPDATE {revisions} v SET analyser = found.analyser, analysis = found.analysis FROM found
       WHERE v.owner = found.owner AND v.id = found.id AND v.version = found.version
     )
     UPDATE {records} r SET searched = found.searched FROM found WHERE r.owner = found.owner AND r.id = found.id`,
    [JSON.stringify(rows)],
  )
}

function touchAll(query: Query, touched: readonly Touch[]): Promise<unknown> | null {
  if (touched.length === 0) return null
  const rows = sumUp(touched).map(({ id, ...sum }) => ({ id: encodeName(id), ...sum }))
  return query(
    `UPDATE {records} r SET access_count = greatest(r.access_count, x.least) + x.count, last_accessed_at = greatest(r.last_accessed_at, x.at)
     FROM json_to_recordset($1) AS x(id text, least bigint, count bigint, at bigint) JOIN {ids} i ON i.id = x.id
     WHERE r.owner = i.owner AND r.id = i.id`,
    [JSON.stringify(rows)],
  )
}

/** Under the locks of the owners, like a commit: of rows alone, two could wait for each other. */
const takeLocks = `SELECT number, pg_advisory_xact_lock(number), ${identityColumns} FROM (
    SELECT DISTINCT o.lock AS number FROM {ids} i JOIN {owners} o ON o.id = i.owner WHERE i.id = ANY($1::text[])
    ORDER BY 1 OFFSET 0) wanted`

export async function derive(
  session: Session,
  call: Call,
  derivations: readonly Derivation[],
  touched: readonly Touch[],
): Promise<void> {
  const merged = merge(derivations)
  const ids = [...new Set([...merged, ...touched].map(({ id }) => encodeName(id)))]
  if (ids.length === 0) return
  await session.numbers.prepare(call, namesIn(merged))
  await session.database.transaction(call, 'write', async (query) => {
    const [, locked] = await Promise.all([
      query('SELECT pg_advisory_xact_lock_shared($1)', [session.storeLock]),
      query(takeLocks, [ids]),
      storeVectors(query, session, merged),
      storeAnalyses(query, session, merged),
      touchAll(query, touched),
    ])
    // Without one none of the ids is there, and nothing was written.
    if (locked[0] !== undefined) refuseOther(session, locked[0])
    await indexAgain(
      query,
      session.form,
      merged.map(({ id }) => id),
    )
  })
}
