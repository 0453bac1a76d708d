import { randomUUID } from 'node:crypto'
import {
  type EraseCounts,
  type EraseStamp,
  erasedId,
  type JournalEntry,
  journalDigest,
  namesAny,
  transactionConflict,
  withoutErased,
  withoutReferences,
} from '../../contract/index.ts'
import { type JsonValue, type MemoryRecord, ownerKey, type ScopeFilter } from '../../model/index.ts'
import { decodeJson, referencesOf } from './codec.ts'
import { hasLanded } from './commit.ts'
import type { Call, Row, Run } from './connection.ts'
import { nobody, ownerColumns, readOwner } from './load.ts'
import { lockLog, placeAll } from './log.ts'
import { visible } from './scope-conditions.ts'
import { lock, type Session } from './session.ts'
import { number, scopeColumns, token } from './tokens.ts'

interface Erased {
  readonly uid: string
  readonly id: string
  readonly owner: string
  readonly kind: string
  readonly version: number
  readonly present: boolean
  readonly revisions: number
  readonly vectors: number
  readonly hash: string
}

const nothing: EraseCounts = { records: 0, revisions: 0, vectors: 0, links: 0, journal: 0, idempotency: 0 }

async function findErased(session: Session, run: Run, scope: ScopeFilter, ids: readonly string[]): Promise<Erased[]> {
  const { partition, salt } = session
  const { text, parameters } = visible('m', scope, partition)
  const rows = await run(
    `MATCH (m:MnemeId) WHERE m.uid IN $uids AND ${text} OPTIONAL MATCH (m)-[:REVISION]->(r:MnemeRevision)
RETURN m.uid AS uid, m.id AS id, m.owner AS owner, m.kind AS kind, m.version AS version, m:Memory AS present,
count(r) AS revisions, count(r.vector) AS vectors`,
    { ...parameters, uids: [...new Set(ids)].map(partition.uid) },
  )
  return rows.map((row) => ({ ...(row as unknown as Erased), hash: erasedId(salt, row.id as string) }))
}

/** Cuts the journal; how many lines changed. Their transactions are added to `touched`. */
async function scrubJournal(
  { partition }: Session,
  run: Run,
  ids: ReadonlySet<string>,
  emptied: ReadonlySet<string>,
  touched: Set<string>,
): Promise<number> {
  const named = await run(
    'MATCH (j:MnemeJournal) WHERE j.store = $store AND ANY(id IN j.ids WHERE id IN $ids) RETURN DISTINCT j.owner AS owner',
    { store: partition.store, ids: [...ids].map(token) },
  )
  const owners = new Set([...named.map(({ owner }) => owner as string), ...emptied])
  let changed = 0
  for (const owner of owners) {
    const rows = await run('MATCH (j:MnemeJournal) WHERE j.owner = $owner RETURN j.line AS line ORDER BY j.seq', {
      owner,
    })
    let digest = ''
    const chain: JournalEntry[] = []
    for (const { line: text } of rows) {
      const line = decodeJson<JournalEntry>(text)
      const left = emptied.has(owner) ? null : withoutErased(line, ids)
      if (left !== line) {
        changed++
        touched.add(partition.uid(line.tx))
      }
      if (left === null) continue
      const { digest: _, ...entry } = { ...left, seq: chain.length + 1 }
      digest = journalDigest(digest, entry)
      chain.push({ ...entry, digest })
    }
    await run('MATCH (j:MnemeJournal) WHERE j.owner = $owner DELETE j', { owner })
    await run('UNWIND $rows AS row CREATE (j:MnemeJournal) SET j = row', {
      rows: chain.map((entry) => ({
        ...scopeColumns(partition, entry.scope),
        seq: number(entry.seq),
        tx: partition.uid(entry.tx),
        ids: entry.ids.map(token),
        line: JSON.stringify(entry),
      })),
    })
    await run('MATCH (o:MnemeOwner {uid: $owner}) SET o.seq = $seq, o.digest = $digest', {
      owner,
      seq: number(chain.length),
      digest,
    })
  }
  return changed
}

/** In other records, past versions included, the hash takes the place of the id. */
async function scrubReferences({ partition }: Session, run: Run, hashes: ReadonlyMap<string, string>): Promise<void> {
  const tokens = [...hashes.keys()].map(token)
  for (const [match, node] of [
    ['MATCH (n:MnemeId) WHERE n.store = $store AND n.references IS NOT NULL', 'n'],
    ['MATCH (m:MnemeId)-[:REVISION]->(n:MnemeRevision) WHERE m.store = $store AND n.references IS NOT NULL', 'n'],
  ] as const) {
    const rows = await run(
      `${match} AND ANY(id IN ${node}.references WHERE id IN $tokens) RETURN DISTINCT n.record AS record`,
      { store: partition.store, tokens },
    )
    await run(
      `UNWIND $rows AS row ${match} AND n.record = row.old SET n.record = row.record, n.references = row.references`,
      {
        store: partition.store,
        rows: rows.map((row) => {
          const record = withoutReferences(decodeJson<MemoryRecord>(row.record), hashes)
          return { old: row.record, record: JSON.stringify(record), references: referencesOf(record) }
        }),
      },
    )
  }
}

/** Transactions whose results name one of the ids. */
async function resultsNaming({ partition }: Session, run: Run, ids: ReadonlySet<string>): Promise<string[]> {
  const rows = await run(
    'MATCH (t:MnemeTransaction) WHERE t.store = $store AND t.result IS NOT NULL AND ANY(each IN $needles WHERE t.result CONTAINS each) RETURN t.uid AS uid, t.result AS result',
    { store: partition.store, needles: [...ids].map((id) => JSON.stringify(id)) },
  )
  return rows.filter((row) => namesAny(decodeJson<JsonValue>(row.result), ids)).map(({ uid }) => uid as string)
}

async function eraseIn(
  session: Session,
  run: Run,
  scope: ScopeFilter,
  wanted: readonly string[],
  stamp: { readonly tx: string; readonly at: number | undefined },
): Promise<EraseCounts> {
  const { uid, store } = session.partition
  const [log] = await run(lockLog, { uid: uid('log') })
  const owners = await run(
    `MATCH (o:MnemeOwner) WHERE o.store = $store WITH o ORDER BY o.uid ${lock('o')} RETURN ${ownerColumns}`,
    { store },
  )
  const taken = await run('MATCH (t:MnemeTransaction {uid: $uid}) RETURN t.uid', { uid: uid(stamp.tx) })
  if (taken.length > 0) throw transactionConflict(stamp.tx, 'erase')
  const last = await placeAll(session, run, log?.position as number)
  const erased = await findErased(session, run, scope, wanted)
  if (erased.length === 0) return nothing
  const ids = new Set(erased.map(({ id }) => id))
  const uids = erased.map((each) => each.uid)
  const whose = new Set(erased.map(({ owner }) => owner))
  const lastAts = owners
    .map(readOwner)
    .filter((owner) => whose.has(owner.uid))
    .map((owner) => owner.lastAt ?? 0)

  const one = async (text: string, parameters: Record<string, unknown>) => (await run(text, parameters))[0] as Row
  const { links } = await one(
    'MATCH (m:MnemeId)-[l:LINK]-() WHERE m.uid IN $uids WITH DISTINCT l DELETE l RETURN count(l) AS links',
    { uids },
  )
  const touched = new Set<string>(await resultsNaming(session, run, ids))
  const changed = await run(
    'MATCH (m:MnemeId)-[:REVISION]->(r:MnemeRevision)<-[:CHANGED]-(t:MnemeTransaction) WHERE m.uid IN $uids RETURN DISTINCT t.uid AS uid',
    { uids },
  )
  for (const row of changed) touched.add(row.uid as string)
  await run('MATCH (m:MnemeId)<-[:END]-(c:MnemeLinkChange) WHERE m.uid IN $uids WITH DISTINCT c DETACH DELETE c', {
    uids,
  })
  await run('MATCH (m:MnemeId)-[:REVISION]->(r:MnemeRevision) WHERE m.uid IN $uids DETACH DELETE r', { uids })
  await run('MATCH (m:MnemeId) WHERE m.uid IN $uids DETACH DELETE m', { uids })
  const left = await run('UNWIND $owners AS owner MATCH (m:MnemeId {owner: owner}) RETURN DISTINCT owner', {
    owners: [...whose],
  })
  const emptied = new Set(whose)
  for (const { owner } of left) emptied.delete(owner as string)
  await scrubReferences(session, run, new Map(erased.map(({ id, hash }) => [id, hash])))
  const journal = await scrubJournal(session, run, ids, emptied, touched)
  await run('UNWIND $uids AS uid MATCH (t:MnemeTransaction {uid: uid}) REMOVE t.actor, t.reason, t.result', {
    uids: [...touched],
  })
  const { keys } = await one(
    `MATCH (k:MnemeKey) WHERE k.store = $store AND (k.txUid IN $txs OR k.owner IN $emptied) DELETE k RETURN count(k) AS keys`,
    { store, txs: [...touched], emptied: [...emptied] },
  )
  // Their ids stay used, and nothing else of them is kept.
  await run(
    'UNWIND $uids AS uid MATCH (t:MnemeTransaction {uid: uid}) WHERE NOT (t)-[:CHANGED]->() SET t = {uid: uid, store: $store}',
    { uids: [...touched], store },
  )

  const at = Math.max(stamp.at ?? 0, ...lastAts)
  const tick = Math.max(...owners.map((row) => readOwner(row).tick)) + 1
  await run('CREATE (t:MnemeTransaction) SET t = $row', {
    row: {
      uid: uid(stamp.tx),
      store,
      id: stamp.tx,
      at: number(at),
      tick: number(tick),
      owners: [uid(ownerKey(nobody))],
      verb: 'erase',
      position: number(last + 1),
    },
  })
  await run('MATCH (l:MnemeLog {uid: $uid}) SET l.position = $position', {
    uid: uid('log'),
    position: number(last + 1),
  })
  await run(
    `MATCH (t:MnemeTransaction {uid: $tx}) UNWIND $rows AS row CREATE (t)-[:CHANGED]->(c:MnemeErasure) SET c = row.change
MERGE (e:MnemeErased {uid: row.uid}) SET e += row.erased`,
    {
      tx: uid(stamp.tx),
      rows: erased.map(({ hash, kind, version }, n) => ({
        uid: uid(hash),
        change: { n: number(n), type: 'erase', kind, version: number(version + 1), hash },
        erased: { store, hash, version: number(version + 1), tx: stamp.tx, at: number(at) },
      })),
    },
  )
  await run('MATCH (o:MnemeOwner) WHERE o.uid IN $owners SET o.lastAt = $at, o.tick = $tick', {
    owners: [...whose],
    at: number(at),
    tick: number(tick),
  })
  await run('MATCH (o:MnemeOwner) WHERE o.uid IN $owners DELETE o', {
    owners: [...emptied].filter((owner) => owner !== uid(ownerKey(nobody))),
  })
  for (const owner of emptied) session.owners.delete(owner)
  return {
    records: erased.filter(({ present }) => present).length,
    revisions: erased.reduce((sum, each) => sum + each.revisions, 0),
    vectors: erased.reduce((sum, each) => sum + each.vectors, 0),
    links: links as number,
    journal,
    idempotency: keys as number,
  }
}

/** Alone in the store: it touches records, journals and results of owners that it only finds while it works. */
export function erase(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  ids: readonly string[],
  stamp: EraseStamp,
): Promise<EraseCounts> {
  const wanted = [...ids]
  const tx = stamp.tx ?? randomUUID()
  return session.connection.transact(call, (run) => eraseIn(session, run, scope, wanted, { tx, at: stamp.at }), {
    once: { tx, landed: () => hasLanded(session, call, tx, [session.partition.uid(ownerKey(nobody))]) },
  })
}
