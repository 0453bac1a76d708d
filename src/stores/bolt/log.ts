import {
  decodeCursor,
  encodeCursor,
  type LoggedChange,
  type LoggedTransaction,
  type LogPage,
  type OperationOptions,
} from '../../contract/index.ts'
import { type JsonValue, scopeFromKey } from '../../model/index.ts'
import { decodeJson, decodeStored, payloadOf } from './codec.ts'
import { type Call, type Row, type Run, StartOver } from './connection.ts'
import { lock, lockOwners, ownersNamed, type Session } from './session.ts'
import { number } from './tokens.ts'

interface Unplaced {
  readonly uid: string
  readonly tick: number
  readonly owners: readonly string[]
}

const unplacedQuery =
  'MATCH (t:MnemeUnplaced) WHERE t.store = $store RETURN t.uid AS uid, t.tick AS tick, t.owners AS owners'

async function unplaced({ partition }: Session, run: Run): Promise<Unplaced[]> {
  return (await run(unplacedQuery, { store: partition.store })) as unknown as Unplaced[]
}

/** Owners at a time that more may come to; beyond it the log starts over, on the locks of all of them. */
const mostRounds = 5

/**
 * Gives every transaction that is there, and has no place yet, the next place in the log. The lock of the log must be held. Owners are
 * locked in between and the transactions read once more: what of an owner was overlooked while it was being committed is seen
 * then, so that no later one of the same owner gets a place before it.
 */
export async function placeAll(session: Session, run: Run, last: number): Promise<number> {
  const locked = new Set<string>()
  let found = await unplaced(session, run)
  for (let round = 0; found.length > 0; round++) {
    if (round === mostRounds) throw new StartOver()
    const owners = new Set(found.flatMap((each) => each.owners))
    const more = [...owners].filter((owner) => !locked.has(owner))
    if (more.length === 0 || !session.dialect.locksReads) break
    const named = ownersNamed(more)
    await run(lockOwners(named), named.parameters)
    for (const owner of more) locked.add(owner)
    found = await unplaced(session, run)
  }
  if (found.length === 0) return last
  const inOrder = [...found].sort((a, b) => a.tick - b.tick || (a.uid < b.uid ? -1 : 1))
  await run(
    'UNWIND $rows AS row MATCH (t:MnemeTransaction {uid: row.uid}) REMOVE t:MnemeUnplaced SET t.position = row.position',
    { rows: inOrder.map(({ uid }, i) => ({ uid, position: number(last + 1 + i) })) },
  )
  await run('MATCH (l:MnemeLog {uid: $uid}) SET l.position = $position', {
    uid: session.partition.uid('log'),
    position: number(last + found.length),
  })
  return last + found.length
}

export const lockLog = `MATCH (l:MnemeLog {uid: $uid}) ${lock('l')} RETURN l.position AS position`

/** Reads the log behind its lock, when everything that was committed before has its place. */
function following<T>(session: Session, call: Call, body: (run: Run, last: number) => Promise<T>): Promise<T> {
  const uid = session.partition.uid('log')
  return session.connection.transact(call, async (run) => {
    const [log] = await run(lockLog, { uid })
    return body(run, await placeAll(session, run, (log?.position as number | undefined) ?? 0))
  })
}

export function head(session: Session, call: Call): Promise<string> {
  return following(session, call, async (_, last) => encodeCursor(last))
}

const transactionColumns =
  't.id AS id, t.position AS position, t.at AS at, t.verb AS verb, t.actor AS actor, t.reason AS reason, t.result AS result'

const changesQuery = `MATCH (t)-[:CHANGED]->(c) OPTIONAL MATCH (m:MnemeId)-[:REVISION]->(c)
RETURN t.position AS position, c.n AS n, c.type AS type, c.op AS op, c.kind AS kind, c.version AS version, c.hash AS hash, c.hashText AS hashText, c.link AS link,
c.previous AS previous, c.scope AS linkScope, m.id AS id, m.scope AS scope, ${payloadOf('c')} ORDER BY position, n`

function showChange(session: Session, row: Row): LoggedChange {
  const { kind, version } = row as { kind: string; version: number }
  if (row.type === 'link' || row.type === 'unlink') {
    const [link, scope] = [decodeJson<never>(row.link), decodeJson<never>(row.linkScope)]
    return row.type === 'link'
      ? { type: 'link', link, previous: decodeJson(row.previous), scope }
      : { type: 'unlink', link, scope }
  }
  if (row.type === 'erase')
    return { type: 'remove', op: 'erase', id: row.hash as string, salt: session.salt, kind, scope: null, version }
  const [id, scope, op] = [row.id as string, scopeFromKey(row.scope as string), row.op as never]
  if (row.type === 'remove') return { type: 'remove', op, id, salt: null, kind, scope, version }
  const hash = row.hashText === null ? (row.hash as string | null) : decodeJson<string>(row.hashText)
  return { type: 'put', op, id, kind, scope, version, hash, stored: row.record === null ? null : decodeStored(row) }
}

function showTransactions(session: Session, rows: readonly Row[], changes: readonly Row[]): LoggedTransaction[] {
  const byPosition = new Map<number, LoggedChange[]>()
  for (const row of changes) {
    const position = row.position as number
    const found = byPosition.get(position) ?? []
    found.push(showChange(session, row))
    byPosition.set(position, found)
  }
  return rows.map(({ id, position, at, verb, actor, reason, result }) => ({
    id: id as string,
    cursor: encodeCursor(position as number),
    at: at as number,
    verb: verb as string,
    ...(actor === null ? {} : { actor: decodeJson<string>(actor) }),
    ...(reason === null ? {} : { reason: decodeJson<string>(reason) }),
    ...(result === null ? {} : { result: decodeJson<JsonValue>(result) }),
    changes: byPosition.get(position as number) ?? [],
  }))
}

export function log(
  session: Session,
  call: Call,
  after: string | null,
  limit: NonNullable<(OperationOptions & { limit?: number })['limit']>,
): Promise<LogPage> {
  const { store, uid } = session.partition
  return following(session, call, async (run, last) => {
    const start = after === null ? 0 : decodeCursor(after, last)
    const parameters = { store, start: number(start), limit: number(limit) }
    const page =
      'MATCH (t:MnemeTransaction) WHERE t.store = $store AND t.position > $start WITH t ORDER BY t.position LIMIT $limit'
    const [derived, rows, changes] = await Promise.all([
      run(`MATCH (d:MnemeDerived {uid: $uid}) ${lock('d')} RETURN d.count AS count`, { uid: uid('derived') }),
      start === last ? [] : run(`${page} RETURN ${transactionColumns} ORDER BY position`, parameters),
      start === last ? [] : run(`${page} ${changesQuery}`, parameters),
    ])
    const entries = showTransactions(session, rows, changes)
    return { entries, cursor: entries.at(-1)?.cursor ?? encodeCursor(start), derived: String(derived[0]?.count) }
  })
}

export function transaction(session: Session, call: Call, id: string): Promise<LoggedTransaction | null> {
  const parameters = { uid: session.partition.uid(id) }
  return following(session, call, async (run) => {
    // One that an erase took out of the log has no id any more.
    const one = 'MATCH (t:MnemeTransaction {uid: $uid}) WHERE t.id IS NOT NULL'
    const [rows, changes] = await Promise.all([
      run(`${one} RETURN ${transactionColumns}`, parameters),
      run(`${one} ${changesQuery}`, parameters),
    ])
    return showTransactions(session, rows, changes)[0] ?? null
  })
}
