import { setImmediate } from 'node:timers/promises'
import type { CommitResult, Transaction } from '../../contract/index.ts'
import { MnemeError } from '../../errors/index.ts'
import { checkTransaction, commit, writeTransaction } from './commit.ts'
import type { Connection } from './connection.ts'
import { backendFailure, isBusy } from './failure.ts'
import { retryWhileBusy } from './retry.ts'
import { type Call, type Session, transactAtOnce, write, writeNow } from './session.ts'
import { runAtOnce } from './work.ts'

/** A commit that waits for the writer. */
export interface Waiting {
  readonly transaction: Transaction
  readonly call: Call
  resolve(result: CommitResult): void
  reject(error: unknown): void
}

/** With more changes than this a commit gets a transaction of SQLite of its own, in which other work has its turns. */
const maxChanges = 64
/** A group ends after this time, so that other work of the process gets its turn. */
const sliceMilliseconds = 4

/** Tells the caller; only when the whole group is on the disk, or rolled back and tried one by one. */
type Settle = () => void

/** Leaves out those that were given up meanwhile. */
function stillWanted(group: readonly Waiting[]): Waiting[] {
  return group.filter(({ call: { signal }, reject }) => {
    if (signal?.aborted) reject(signal.reason)
    return !signal?.aborted
  })
}

type Checked = Parameters<typeof writeTransaction>[3]

/** One that is refused by its check has left nothing, so that the others go on. @throws all other failures, for the group */
function commitMember(db: Connection, session: Session, { transaction, resolve, reject }: Waiting): Settle {
  let checked: Checked
  try {
    checked = runAtOnce(checkTransaction(db, session, transaction))
  } catch (error) {
    if (!MnemeError.is(error)) throw error
    return () => reject(error)
  }
  const result = runAtOnce(writeTransaction(db, session, transaction, checked))
  return () => resolve(result)
}

/** A commit alone touches some eight pages; in a large one most of them are shared. */
function noteWritten({ checkpointer }: Session, { changes }: Transaction): void {
  checkpointer?.wrote(6 + 2 * changes.length)
}

/** Commits as many as fit into the time, at least one. @returns those that are left */
function commitGroup(session: Session, group: readonly Waiting[]): readonly Waiting[] {
  const settled = transactAtOnce(session, (db) => {
    const end = performance.now() + sliceMilliseconds
    const done: Settle[] = []
    for (const member of group) {
      if (done.length > 0 && performance.now() > end) break
      done.push(commitMember(db, session, member))
    }
    return done
  })
  for (const settle of settled) settle()
  for (const { transaction } of group.slice(0, settled.length)) noteWritten(session, transaction)
  return group.slice(settled.length)
}

/** What failed for all may be the fault of one: the others must not fail with it. */
async function commitOneByOne(session: Session, group: readonly Waiting[]): Promise<void> {
  for (const { transaction, call, resolve, reject } of group) {
    await writeNow(session, call, (db) => commit(db, session, transaction)).then(resolve, reject)
  }
}

async function commitWaiting(session: Session): Promise<void> {
  let group: readonly Waiting[] = session.waiting.splice(0)
  try {
    await retryWhileBusy({ operation: 'commit', timeoutMs: session.busyTimeoutMs }, () => {
      group = stillWanted(group)
      try {
        const left = group.length === 0 ? group : commitGroup(session, group)
        group = []
        session.waiting.unshift(...left)
      } catch (error) {
        if (isBusy(error) || group.length === 1) throw error
      }
    })
    await commitOneByOne(session, group)
  } catch (error) {
    for (const { reject } of group) reject(backendFailure('commit', error))
  }
  if (session.waiting.length > 0) schedule(session)
}

function schedule(session: Session): void {
  void session.writes(async () => {
    // Callers who were told of the last group write again: they are to be in the next one together.
    await setImmediate()
    await session.checkpointer?.pause()
    await commitWaiting(session)
  })
}

/**
 * Commits; small transactions that come at the same time share a transaction of SQLite, and thereby the cost of going
 * to the disk. Each is checked, refused, logged and answered as if it were alone.
 */
export function commitTogether(session: Session, call: Call, transaction: Transaction): Promise<CommitResult> {
  if (transaction.changes.length > maxChanges) {
    return write(session, call, (db) => commit(db, session, transaction)).finally(() =>
      noteWritten(session, transaction),
    )
  }
  return new Promise((resolve, reject) => {
    session.waiting.push({ transaction, call, resolve, reject })
    if (session.waiting.length === 1) schedule(session)
  })
}
