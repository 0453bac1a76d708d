import type { Derivation, StoredRecord, StoredVector, Touch } from '../../contract/index.ts'
import { formatInstant, type MemoryRecord } from '../../model/index.ts'
import { decodeJson, encodeVector, vectorColumns } from './codec.ts'
import type { Call, Run } from './connection.ts'
import { lockOwners, ownersOf, type Session } from './session.ts'
import { noteSpaces, spaceRows } from './spaces.ts'
import { number } from './tokens.ts'
import { indexVectors } from './vector-indexes.ts'

interface Known {
  readonly uid: string
  readonly version: number
  readonly record: string
  readonly analysis: string
  readonly dimensions: number | null
}

interface Late {
  /** Of the version too: what is kept of a record's past has late vectors. */
  readonly both: Record<string, unknown>
  /** Of the record's node alone. */
  readonly own: Record<string, unknown>
}

function touched(record: MemoryRecord, { at, count }: Touch): MemoryRecord {
  const last = record.lastAccessedAt === undefined ? at : Math.max(at, Date.parse(record.lastAccessedAt))
  const accessCount = count === undefined ? record.accessCount + 1 : Math.max(record.accessCount, count)
  return { ...record, accessCount, lastAccessedAt: formatInstant(last) }
}

async function known({ partition }: Session, run: Run, ids: readonly string[]): Promise<Map<string, Known>> {
  const rows = await run(
    'UNWIND $uids AS uid MATCH (m:MnemeId {uid: uid}) WHERE m:Memory RETURN m.id AS id, m.uid AS uid, m.version AS version, m.record AS record, m.analysis AS analysis, m.dimensions AS dimensions',
    { uids: ids.map(partition.uid) },
  )
  return new Map(rows.map((row) => [row.id as string, row as unknown as Known]))
}

function sizeOf(record: string, analysis: string): number | bigint {
  return number(Buffer.byteLength(record) + Buffer.byteLength(analysis))
}

/** Late vectors, analyses and access counts in one transaction. */
export async function derive(
  session: Session,
  call: Call,
  derivations: readonly Derivation[],
  touches: readonly Touch[],
): Promise<void> {
  const ids = [...new Set([...derivations, ...touches].map(({ id }) => id))]
  if (ids.length === 0) return
  // Kept now: what was handed in is the caller's to change while this waits for the server.
  const given = derivations.map(({ id, version, vector, analysis }) => ({
    id,
    version,
    vector: vector && { space: vector.space, values: vector.values.slice() },
    analysis: analysis && (JSON.parse(JSON.stringify(analysis)) as StoredRecord['analysis']),
  }))
  const uses = touches.map(({ id, at, count }) => ({ id, at, count }))
  const owners = ownersOf(ids, session.partition)
  const lengths = new Set<number>()
  await session.connection.transact(call, async (run) => {
    const [, records] = await Promise.all([run(lockOwners(owners), owners.parameters), known(session, run, ids)])
    const changes = new Map<string, Late>()
    const late = (id: string): Late => {
      const found = changes.get(id) ?? { both: {}, own: {} }
      changes.set(id, found)
      return found
    }
    const vectors: StoredVector[] = []
    for (const { id, version, vector, analysis } of given) {
      const record = records.get(id)
      if (record?.version !== version) continue
      const { both, own } = late(id)
      if (vector) {
        Object.assign(both, { space: JSON.stringify(vector.space), vector: encodeVector(vector.values) })
        // One of another length goes.
        if (record.dimensions !== null) own[`vector${record.dimensions}`] = null
        Object.assign(own, vectorColumns(vector))
        lengths.add(vector.values.length)
        vectors.push(vector)
      }
      if (analysis) {
        both.analysis = JSON.stringify(analysis)
        own.searched = analysis.terms.length > 0
      }
    }
    const counts = new Map<string, MemoryRecord>()
    for (const use of uses) {
      const { id } = use
      const kept = records.get(id)
      if (kept) counts.set(id, touched(counts.get(id) ?? decodeJson<MemoryRecord>(kept.record), use))
    }
    for (const [id, record] of counts) late(id).own.record = JSON.stringify(record)
    const rows = [...changes].map(([id, { both, own }]) => {
      const kept = records.get(id) as Known
      const bytes = sizeOf(
        (own.record as string | undefined) ?? kept.record,
        (both.analysis as string | undefined) ?? kept.analysis,
      )
      return {
        uid: kept.uid,
        version: number(kept.version),
        both,
        own: { ...own, bytes },
        past: Object.keys(both).length > 0,
      }
    })
    if (rows.length === 0) return
    await Promise.all([
      run('UNWIND $rows AS row MATCH (m:MnemeId {uid: row.uid}) SET m += row.both SET m += row.own', { rows }),
      run(
        'UNWIND $rows AS row MATCH (:MnemeId {uid: row.uid})-[:REVISION]->(r:MnemeRevision {version: row.version}) SET r += row.both',
        { rows: rows.filter(({ past }) => past) },
      ),
      ...(vectors.length === 0 ? [] : [noteVectors(session, run, vectors)]),
    ])
  })
  indexVectors(session, lengths)
}

function noteVectors(session: Session, run: Run, vectors: readonly StoredVector[]): Promise<unknown> {
  const uid = session.partition.uid('derived')
  return Promise.all([
    run(noteSpaces, { rows: spaceRows(session, vectors) }),
    run('MATCH (d:MnemeDerived {uid: $uid}) SET d.count = d.count + 1', { uid }),
  ])
}
