import { type CommitResult, spacesOf, type Transaction } from '../../contract/index.ts'
import { ownerKey } from '../../model/index.ts'
import type { Call, Run } from './connection.ts'
import { load, nobody, ownersOfTransaction } from './load.ts'
import { type Plan, plan, type Replay } from './plan.ts'
import { ownersNamed, readingAtOnce, type Session } from './session.ts'
import { spaceName } from './spaces.ts'
import { indexVectors } from './vector-indexes.ts'
import { ownerProperties, write } from './write.ts'

/** Makes the nodes of owners who have none, ahead of their first commit: nobody waits for a commit because of it. */
export async function ensureOwners(session: Session, call: Call, transaction: Transaction): Promise<void> {
  const { changes, requires, idempotency } = transaction
  const scopes = [
    nobody,
    ...changes.flatMap((change) => {
      if (change.type === 'put') return [change.record.scope]
      return change.type === 'journal' ? [change.line.scope] : []
    }),
    ...requires.flatMap((required) => (required.type === 'version' ? [] : [required.scope])),
    ...(idempotency ? [idempotency.scope] : []),
  ]
  const rows = new Map(scopes.map((scope) => [ownerKey(scope), ownerProperties(session, scope)]))
  await session.connection.transact(call, (run) =>
    run('UNWIND $rows AS row MERGE (o:MnemeOwner {uid: row.uid}) ON CREATE SET o = row, o.turn = 0', {
      rows: [...rows.values()],
    }),
  )
}

/** Most owners and spaces that are kept in mind. */
const mostRemembered = 10_000

function remember({ owners: known, spaces }: Session, owners: Iterable<string>, { changes }: Transaction): void {
  if (known.size > mostRemembered) known.clear()
  for (const owner of owners) known.add(owner)
  const put = changes.map((change) => (change.type === 'put' ? change.vector : null))
  for (const space of spacesOf(put)) spaces.add(spaceName(space))
}

function lengthsOf({ changes }: Transaction): Set<number> {
  return new Set(
    changes.flatMap((change) => (change.type === 'put' && change.vector ? [change.vector.values.length] : [])),
  )
}

function isReplay(outcome: Plan | Replay): outcome is Replay {
  return 'replayed' in outcome
}

/** A deep copy: what was handed in is the caller's to change while this waits for the server. */
function copyOf(transaction: Transaction): Transaction {
  const { changes, ...rest } = transaction
  return {
    ...structuredClone(rest),
    changes: changes.map((change) => {
      if (change.type !== 'put') return structuredClone(change)
      const { vector, ...put } = change
      return { ...structuredClone(put), vector: vector && { space: vector.space, values: vector.values.slice() } }
    }),
  }
}

/** Whether a transaction is there, asked on a connection of its own and behind the locks of its owners. */
export function hasLanded(session: Session, call: Call, tx: string, owners: readonly string[]): Promise<boolean> {
  return readingAtOnce(session, call, ownersNamed(owners), async (run) => {
    const rows = await run('MATCH (t:MnemeTransaction {uid: $uid}) WHERE t.id IS NOT NULL RETURN t.id AS id', {
      uid: session.partition.uid(tx),
    })
    return rows.length > 0
  })
}

export interface Prepared {
  readonly result: CommitResult
  readonly owners: readonly string[]
}

/** Reads, judges and writes within a transaction that is open. */
export async function commitIn(
  session: Session,
  run: Run,
  transaction: Transaction,
  owners: Set<string>,
): Promise<Prepared> {
  const loaded = await load(session, run, transaction, owners)
  const outcome = plan(session, transaction, loaded)
  if (isReplay(outcome)) return { result: { ...outcome.replayed, replayed: true, records: [] }, owners: [] }
  await write(session, run, transaction, outcome, loaded)
  const { at, records } = outcome
  return {
    result: { tx: transaction.id, at, replayed: false, records: structuredClone(records) },
    owners: [...outcome.owners],
  }
}

export async function commit(session: Session, call: Call, given: Transaction): Promise<CommitResult> {
  const transaction = copyOf(given)
  const owners = new Set(ownersOfTransaction(transaction, session))
  let sure = [...owners].every((owner) => session.owners.has(owner))
  const { result } = await session.turns(owners, () =>
    session.connection.transact(call, (run) => commitIn(session, run, transaction, owners), {
      async prepare() {
        // After a first attempt too: an erase may have taken an owner away who was here before.
        if (!sure) await ensureOwners(session, call, transaction)
        sure = false
      },
      once: {
        tx: transaction.id,
        landed: ({ owners: whose, result: { tx } }) => hasLanded(session, call, tx, whose),
      },
    }),
  )
  remember(session, owners, transaction)
  indexVectors(session, lengthsOf(transaction))
  return result
}
