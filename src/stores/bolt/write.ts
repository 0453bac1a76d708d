import type { Transaction } from '../../contract/index.ts'
import { ownerKey, type Scope } from '../../model/index.ts'
import { encodeJson, encodePayload, memoryColumns } from './codec.ts'
import type { Run } from './connection.ts'
import { keyUid, type Loaded } from './load.ts'
import type { Plan, Version } from './plan.ts'
import type { Session } from './session.ts'
import { noteSpaces, spaceRows } from './spaces.ts'
import { number, scopeColumns, sortable, token } from './tokens.ts'

/** Properties of an owner's node, of which `userId` and `appId` find it. */
export function ownerProperties({ partition }: Session, scope: Scope) {
  const { appId, userId } = scope
  return {
    uid: partition.uid(ownerKey(scope)),
    store: partition.store,
    ...(appId === undefined ? {} : { appId: token(appId) }),
    ...(userId === undefined ? {} : { userId: token(userId) }),
  }
}

/** Whatever removed records left: contents of their versions, links, and those out of the log. */
const emptyRecords = [
  'UNWIND $uids AS uid MATCH (:MnemeId {uid: uid})-[:REVISION]->(r:MnemeRevision) REMOVE r.record, r.analysis, r.space, r.vector, r.references, r.hash, r.hashText',
  'UNWIND $uids AS uid MATCH (:MnemeId {uid: uid})-[l:LINK]-() DELETE l',
  'UNWIND $uids AS uid MATCH (:MnemeId {uid: uid})<-[:END]-(c:MnemeLinkChange) DETACH DELETE c',
] as const

/** Found by its token; itself beside it where that is another text. */
function hashColumns(hash: string) {
  const found = token(hash)
  return { hash: found, ...(found === hash ? {} : { hashText: JSON.stringify(hash) }) }
}

const ofTransaction = 'MATCH (t:MnemeTransaction {uid: $tx}) UNWIND $rows AS row'

/** Sends all that a plan writes, without waiting in between. */
export async function write(
  session: Session,
  run: Run,
  transaction: Transaction,
  plan: Plan,
  loaded: Loaded,
): Promise<void> {
  const { partition } = session
  const { uid, store } = partition
  const { id: tx, verb, actor, reason, result, idempotency } = transaction
  const { at, tick, versions, heads, removed, linkChanges, links, lines } = plan
  const sent: Promise<unknown>[] = []
  const send = (text: string, parameters: Record<string, unknown>) => sent.push(run(text, parameters))
  const each = (text: string, rows: readonly unknown[]) => rows.length > 0 && send(text, { tx: uid(tx), rows })

  if (!transaction.gone)
    send('CREATE (t:MnemeTransaction:MnemeUnplaced) SET t = $row', {
      row: {
        uid: uid(tx),
        store,
        id: tx,
        at: number(at),
        tick: number(tick),
        owners: [...plan.owners],
        verb,
        actor: encodeJson(actor),
        reason: encodeJson(reason),
        result: encodeJson(result),
      },
    })
  if (removed.size > 0) for (const text of emptyRecords) send(text, { uids: [...removed].map(uid) })

  const fresh = [...heads.keys()].filter((id) => !loaded.heads.has(id))
  each('UNWIND $rows AS row CREATE (:MnemeId {uid: row})', fresh.map(uid))
  const last = new Map(versions.map((version) => [version.id, version]))
  const rowOf = (version: Version) => ({
    uid: uid(version.id),
    revision: {
      n: number(version.n),
      type: version.type,
      version: number(version.version),
      op: version.op,
      kind: version.kind,
      at: number(at),
      ...(version.hash === null || version.stored === null ? {} : hashColumns(version.hash)),
    },
    payload: version.stored === null ? {} : encodePayload(version.stored),
  })
  const current = versions.filter((version) => last.get(version.id) === version && version.stored !== null)
  each(
    `${ofTransaction} MATCH (m:MnemeId {uid: row.uid})
SET m:Memory SET m = row.columns SET m += row.payload
CREATE (m)-[:REVISION]->(r:MnemeRevision)<-[:CHANGED]-(t) SET r = row.revision SET r += row.payload`,
    current.map((version) => ({
      ...rowOf(version),
      columns: memoryColumns(partition, version.stored as NonNullable<Version['stored']>, version.hash),
    })),
  )
  each(
    `${ofTransaction} MATCH (m:MnemeId {uid: row.uid})
CREATE (m)-[:REVISION]->(r:MnemeRevision)<-[:CHANGED]-(t) SET r = row.revision SET r += row.payload`,
    versions.filter((version) => !current.includes(version)).map(rowOf),
  )
  each(
    'UNWIND $rows AS row MATCH (m:MnemeId {uid: row.uid}) REMOVE m:Memory SET m = row.columns',
    [...heads.values()]
      .filter(({ present }) => !present)
      .map(({ id, scope, kind, version }) => ({
        uid: uid(id),
        columns: {
          uid: uid(id),
          id,
          ...scopeColumns(partition, scope),
          kind,
          version: number(version),
          sort: sortable(id),
        },
      })),
  )

  const changed = [...links.values()].map(({ link, present, existed }) => ({
    present,
    existed,
    row: {
      a: uid(link.from),
      b: uid(link.to),
      name: token(link.type),
      type: link.type.toWellFormed(),
      weight: link.weight,
      link: JSON.stringify(link),
    },
  }))
  const rows = (filter: (each: (typeof changed)[number]) => boolean) => changed.filter(filter).map(({ row }) => row)
  each(
    'UNWIND $rows AS row MATCH (a:MnemeId {uid: row.a})-[l:LINK {name: row.name}]->(b:MnemeId {uid: row.b}) DELETE l',
    rows(({ present, existed }) => existed && !present),
  )
  // One that went with a record in between is made anew, so all are merged.
  each(
    `UNWIND $rows AS row MATCH (a:MnemeId {uid: row.a}) MATCH (b:MnemeId {uid: row.b})
MERGE (a)-[l:LINK {name: row.name}]->(b) SET l.type = row.type, l.weight = row.weight, l.link = row.link`,
    rows(({ present }) => present),
  )
  each(
    `${ofTransaction} MATCH (a:MnemeId {uid: row.a}) MATCH (b:MnemeId {uid: row.b})
CREATE (t)-[:CHANGED]->(c:MnemeLinkChange) SET c = row.columns MERGE (c)-[:END]->(a) MERGE (c)-[:END]->(b)`,
    linkChanges.map(({ n, type, link, previous, scope }) => ({
      a: uid(link.from),
      b: uid(link.to),
      columns: {
        n: number(n),
        type,
        at: number(at),
        link: JSON.stringify(link),
        previous: JSON.stringify(previous),
        scope: JSON.stringify(scope),
      },
    })),
  )
  each(
    'UNWIND $rows AS row CREATE (j:MnemeJournal) SET j = row',
    lines.map((entry) => ({
      ...scopeColumns(partition, entry.scope),
      seq: number(entry.seq),
      tx: uid(tx),
      ids: entry.ids.map(token),
      line: JSON.stringify(entry),
    })),
  )
  const chainEnds = new Map(lines.map((entry) => [uid(ownerKey(entry.scope)), entry]))
  each(
    'UNWIND $rows AS row MATCH (o:MnemeOwner {uid: row.uid}) SET o += row.columns',
    [...plan.owners].map((owner) => {
      const end = chainEnds.get(owner)
      return {
        uid: owner,
        columns: {
          // No clock has moved by what is gone.
          ...(transaction.gone ? {} : { lastAt: number(at), tick: number(tick) }),
          ...(end === undefined ? {} : { seq: number(end.seq), digest: end.digest, owner: ownerKey(end.scope) }),
        },
      }
    }),
  )
  if (idempotency) {
    const { scope, key, digest, expiresAt } = idempotency
    send('MERGE (k:MnemeKey {uid: $uid}) SET k += $columns', {
      uid: keyUid(session, scope, key),
      columns: {
        store,
        owner: uid(ownerKey(scope)),
        tx,
        txUid: uid(tx),
        at: number(at),
        digest,
        expiresAt: number(expiresAt),
      },
    })
  }
  each(
    noteSpaces,
    spaceRows(
      session,
      versions.map(({ stored }) => stored?.vector),
    ),
  )
  await Promise.all(sent)
}
