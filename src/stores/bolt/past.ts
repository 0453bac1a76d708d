import { type AsOf, decodeCursor, type StoredRecord } from '../../contract/index.ts'
import { decodeStored, payloadOf } from './codec.ts'
import type { Run } from './connection.ts'
import type { Condition } from './scope-conditions.ts'
import type { Session } from './session.ts'
import { number, token } from './tokens.ts'

/** That `t` was there already in the state that is read. @throws InputError INVALID_CURSOR */
export async function before({ partition }: Session, run: Run, asOf: AsOf): Promise<Condition> {
  if ('time' in asOf) return { text: 't.at <= $before', parameters: { before: number(asOf.time) } }
  const [log] = await run('MATCH (l:MnemeLog {uid: $uid}) RETURN l.position AS position', { uid: partition.uid('log') })
  const position = decodeCursor(asOf.position, (log?.position as number | undefined) ?? 0)
  return { text: 't.position <= $before', parameters: { before: number(position) } }
}

/** The records of then that the condition on `m` lets through, in no order. */
export async function past(
  session: Session,
  run: Run,
  asOf: AsOf,
  condition: Condition,
  hash?: string,
): Promise<StoredRecord[]> {
  const was = await before(session, run, asOf)
  const rows = await run(
    `MATCH (m:MnemeId) WHERE ${condition.text}
MATCH (m)-[:REVISION]->(r:MnemeRevision)<-[:CHANGED]-(t:MnemeTransaction) WHERE ${was.text}
WITH m, max(r.version) AS version
MATCH (m)-[:REVISION]->(r:MnemeRevision {version: version}) WHERE r.record IS NOT NULL${hash === undefined ? '' : ' AND r.hash = $hash'}
RETURN ${payloadOf('r')}`,
    { ...condition.parameters, ...was.parameters, ...(hash === undefined ? {} : { hash: token(hash) }) },
  )
  return rows.map(decodeStored)
}
