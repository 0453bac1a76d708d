import type { AsOf } from '../../contract/index.ts'
import type { Link, ScopeFilter } from '../../model/index.ts'
import { decodeJson } from './codec.ts'
import type { Call, Run } from './connection.ts'
import { linkName } from './load.ts'
import { before } from './past.ts'
import { type Condition, visible } from './scope-conditions.ts'
import { type Owners, reading, readingAtOnce, type Session } from './session.ts'

/** Owners of records and of those they are linked with: whoever removes one of them takes its links. */
function ownersAround(uids: readonly string[]): Owners {
  return {
    match: `UNWIND $lockedIds AS lockedId MATCH (i:MnemeId {uid: lockedId}) OPTIONAL MATCH (i)-[:LINK]-(j:MnemeId)
UNWIND [i.owner, j.owner] AS lockedOwner WITH DISTINCT lockedOwner MATCH (o:MnemeOwner {uid: lockedOwner})`,
    parameters: { lockedIds: uids },
  }
}

/** Links as they were, by replaying what the log says of them: of one owner, ticks are in the order of commits. */
async function linksAt(session: Session, run: Run, uids: readonly string[], asOf: AsOf): Promise<Link[]> {
  const was = await before(session, run, asOf)
  const rows = await run(
    `UNWIND $uids AS uid MATCH (:MnemeId {uid: uid})<-[:END]-(c:MnemeLinkChange)<-[:CHANGED]-(t:MnemeTransaction) WHERE ${was.text}
WITH DISTINCT t, c RETURN c.type AS type, c.link AS link ORDER BY t.tick, c.n`,
    { uids, ...was.parameters },
  )
  const links = new Map<string, Link>()
  for (const row of rows) {
    const link = decodeJson<Link>(row.link)
    const name = linkName(link.from, link.to, link.type)
    if (row.type === 'link') links.set(name, link)
    else links.delete(name)
  }
  return [...links.values()]
}

/** Which of the ids are of records that were visible then. */
async function visibleAt(
  session: Session,
  run: Run,
  seen: Condition,
  ids: readonly string[],
  asOf: AsOf,
): Promise<Set<string>> {
  const was = await before(session, run, asOf)
  const rows = await run(
    `MATCH (m:MnemeId) WHERE m.uid IN $uids AND ${seen.text}
MATCH (m)-[:REVISION]->(r:MnemeRevision)<-[:CHANGED]-(t:MnemeTransaction) WHERE ${was.text}
WITH m, max(r.version) AS version MATCH (m)-[:REVISION]->(r:MnemeRevision {version: version}) WHERE r.record IS NOT NULL
RETURN m.id AS id`,
    { uids: ids.map(session.partition.uid), ...seen.parameters, ...was.parameters },
  )
  return new Set(rows.map(({ id }) => id as string))
}

export async function links(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  ids: readonly string[],
  asOf: AsOf | undefined,
): Promise<Link[]> {
  const { partition } = session
  const uids = [...new Set(ids)].map(partition.uid)
  if (uids.length === 0 && asOf === undefined) return []
  const within = asOf ? reading : readingAtOnce
  return within(session, call, ownersAround(uids), async (run) => {
    if (asOf) {
      const changed = await linksAt(session, run, uids, asOf)
      const ends = [...new Set(changed.flatMap(({ from, to }) => [from, to]))]
      const there = await visibleAt(session, run, visible('m', scope, partition), ends, asOf)
      return changed.filter(({ from, to }) => there.has(from) && there.has(to))
    }
    const [one, other] = [visible('a', scope, partition), visible('b', scope, partition)]
    const rows = await run(
      `UNWIND $uids AS uid MATCH (i:MnemeId {uid: uid})-[l:LINK]-(:MnemeId) WITH DISTINCT l
WITH l, startNode(l) AS a, endNode(l) AS b WHERE ${one.text} AND ${other.text} RETURN l.link AS link ORDER BY a.uid, b.uid, l.name`,
      { uids, ...one.parameters },
    )
    return rows.map(({ link }) => decodeJson<Link>(link))
  })
}
