import { setTimeout as pause } from 'node:timers/promises'
import type { CommitResult, StoreChange, Transaction } from '../../../contract/index.ts'
import { BackendError, MnemeError } from '../../../errors/index.ts'
import type { Call } from '../database.ts'
import { backendFailure, isConnectionLost, isRace } from '../failure.ts'
import { findTransaction } from '../log.ts'
import type { NamesInUse, Session } from '../session.ts'
import { check } from './check.ts'
import { draftOf } from './draft.ts'
import { makeHomes } from './homes.ts'
import { indexDraft } from './index-draft.ts'
import { lockAndRead } from './known.ts'
import { needsOf } from './needs.ts'
import { write } from './write.ts'

/** Everything is written then, and nobody sees it: for tests that hold a commit there. */
export type BeforeVisible = (transaction: Transaction) => Promise<void>

function namesIn(changes: readonly StoreChange[]): NamesInUse {
  const analysers = new Set<string>()
  const spaces = new Map<string, { readonly name: string; readonly dimensions: number }>()
  for (const change of changes) {
    if (change.type !== 'put') continue
    analysers.add(change.analysis.analyser)
    if (change.vector === null) continue
    const { space: name, values } = change.vector
    spaces.set(`${values.length} ${name}`, { name, dimensions: values.length })
  }
  return { analysers: [...analysers], spaces: [...spaces.values()] }
}

/** How far an attempt came. */
interface Progress {
  /** The server may have committed it. */
  isSent: boolean
}

/** Null: an owner was not locked that should have been; the next attempt knows it. */
function attempt(
  session: Session,
  call: Call,
  transaction: Transaction,
  progress: Progress,
  beforeVisible: BeforeVisible | undefined,
): Promise<CommitResult | null> {
  const needs = needsOf(transaction)
  return session.database.writing(call, async (query, commit) => {
    const known = await lockAndRead(query, session, transaction, needs)
    if (!known.isLocked) return null
    const checked = check(transaction, known)
    if ('replayed' in checked) return checked
    const homes = await makeHomes(query, session, transaction, known)
    const draft = draftOf(transaction, checked, known, homes, session.salt)
    const sent = write(query, session, transaction, checked, draft, homes)
    // They are awaited, though maybe not before one of them fails.
    for (const statement of sent) statement.catch(() => undefined)
    await indexDraft(query, session, draft, sent)
    if (beforeVisible !== undefined) {
      await Promise.all(sent)
      await beforeVisible(transaction)
    }
    progress.isSent = true
    await Promise.all([...sent, commit()])
    return { tx: transaction.id, at: checked.at, replayed: false, records: draft.answers }
  })
}

/** The answer of a transaction that was committed, but whose answer was lost; null when it was not. */
async function answerOf(session: Session, call: Call, id: string): Promise<CommitResult | null> {
  const found = await findTransaction(session, { ...call, signal: undefined }, id, { locked: true })
  if (found === null) return null
  const records = found.changes.flatMap((change) =>
    change.type === 'put' && change.stored ? [change.stored.record] : [],
  )
  return { tx: id, at: found.at, replayed: false, records }
}

const maxRaces = 50
const maxLosses = 3
/** A server that starts again is waited for, about as long. */
const recoveryPauses = [50, 100, 200, 400, 800, 1600, 3200]

function outcomeUnknown(id: string, cause: unknown): BackendError {
  return new BackendError({
    code: 'BACKEND_UNAVAILABLE',
    message: `postgres store: commit: the connection was lost before the answer came, and the server can't be asked. Transaction ${id} may have been written; ask for it before you try again.`,
    details: { operation: 'commit', tx: id, outcome: 'unknown' },
    cause,
  })
}

/** Asks over new connections, until one of them answers. */
async function recover(session: Session, call: Call, id: string, lost: unknown): Promise<CommitResult | null> {
  for (const milliseconds of recoveryPauses) {
    try {
      return await answerOf(session, call, id)
    } catch (error) {
      if (!MnemeError.is(error, 'BACKEND_UNAVAILABLE')) throw error
      await pause(milliseconds)
    }
  }
  throw outcomeUnknown(id, lost)
}

/**
 * Two round trips where every scope is known: locks and everything that is to be checked, then all that is written and the
 * end. Lost races are begun anew; of a lost connection the outcome is looked up.
 */
export async function commit(
  session: Session,
  call: Call,
  transaction: Transaction,
  beforeVisible?: BeforeVisible,
): Promise<CommitResult> {
  await session.numbers.prepare(call, namesIn(transaction.changes))
  let losses = 0
  for (let races = 1; ; races++) {
    const progress: Progress = { isSent: false }
    try {
      const result = await attempt(session, call, transaction, progress, beforeVisible)
      if (result !== null) return result
    } catch (error) {
      if (isConnectionLost(error) && progress.isSent) {
        const result = await recover(session, call, transaction.id, error)
        if (result !== null) return result
      }
      const isWorthIt = progress.isSent ? ++losses < maxLosses : session.database.isStale(error)
      const mayWork = races < maxRaces && (isConnectionLost(error) ? isWorthIt : isRace(error))
      if (call.signal?.aborted) throw call.signal.reason
      if (!mayWork) throw backendFailure(call.operation, error)
    }
    await pause(Math.random() * 2 * races)
  }
}
