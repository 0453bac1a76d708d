import { compareIds, type JournalEnd, type JournalEntry } from '../../contract/index.ts'
import { ownerKey, type ScopeFilter } from '../../model/index.ts'
import { decodeJson } from './codec.ts'
import type { Call } from './connection.ts'
import { found, ownersSeen } from './scope-conditions.ts'
import { readingAtOnce, type Session } from './session.ts'
import { number } from './tokens.ts'

export async function journal(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  after: number,
  limit: number,
): Promise<JournalEntry[]> {
  const { partition } = session
  const { text, parameters } = found('j', scope, partition)
  const rows = await readingAtOnce(session, call, ownersSeen(scope, partition), (run) =>
    run(
      // Lines of one seq are not parted: the last one of the page has its fellows with it.
      `MATCH (j:MnemeJournal) WHERE ${text} AND j.seq > $after WITH j.seq AS seq ORDER BY seq LIMIT $limit WITH max(seq) AS last
MATCH (j:MnemeJournal) WHERE ${text} AND j.seq > $after AND j.seq <= last RETURN j.line AS line`,
      { ...parameters, after: number(after), limit: number(limit) },
    ),
  )
  return rows
    .map(({ line }) => decodeJson<JournalEntry>(line))
    .sort((a, b) => a.seq - b.seq || compareIds(ownerKey(a.scope), ownerKey(b.scope)))
}

export async function journalEnds({ connection, partition }: Session, call: Call): Promise<JournalEnd[]> {
  const rows = await connection.transact(call, (run) =>
    run('MATCH (o:MnemeOwner) WHERE o.store = $store AND o.seq > 0 RETURN o.owner AS owner, o.seq AS seq', {
      store: partition.store,
    }),
  )
  return rows as unknown as JournalEnd[]
}
