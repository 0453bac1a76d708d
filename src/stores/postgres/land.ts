import { setTimeout as pause } from 'node:timers/promises'
import { BackendError, MnemeError } from '../../errors/index.ts'
import type { Call, Query } from './database.ts'
import { backendFailure, isConnectionLost, isRace } from './failure.ts'
import { encodeName, lockNumber } from './names.ts'
import type { Session } from './session.ts'

/** Everything of a transaction is written then, and nobody sees it: for tests that hold one there. */
export type BeforeVisible = (transaction: { readonly id: string }) => Promise<void>

/**
 * Commits, with the last statements, which need not have been answered. Gives back the answer, which counts as soon as the server may
 * have committed.
 */
export type Seal<T> = (answer: T, sent?: readonly Promise<unknown>[]) => Promise<T>

export interface Landing<T> {
  readonly call: Call
  /** Of the transaction. Whoever writes under it holds `transactionLock` of it. */
  readonly id: string
  /** Null: it has to be begun anew. Without `seal` nothing is kept. */
  readonly attempt: (query: Query, seal: Seal<T>) => Promise<T | null>
  readonly beforeVisible?: BeforeVisible | undefined
}

/** Number of the lock that whoever writes a transaction of this id holds. */
export function transactionLock({ identity }: Pick<Session, 'identity'>, id: string): number {
  return lockNumber(identity, `transaction ${id}`)
}

const maxRaces = 50
const maxLosses = 3
const recoveryPauses = [50, 100, 200, 400, 800, 1600, 3200]
/** A server that starts again is waited for so long; one that is silent is asked once, as that takes longer than this. */
const longestRecovery = recoveryPauses.reduce((sum, pause) => sum + pause)

/** Waits until nobody is about to commit the transaction, so that the answer is final. */
function hasLanded(session: Session, { operation }: Call, id: string): Promise<boolean> {
  return session.database.transaction({ operation }, 'read', async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [transactionLock(session, id)])
    const found = await query('SELECT 1 FROM {transactions} WHERE id = $1 AND NOT gone', [encodeName(id)])
    return found.length > 0
  })
}

function outcomeUnknown(operation: string, id: string, cause: unknown): BackendError {
  return new BackendError({
    code: 'BACKEND_UNAVAILABLE',
    message: `postgres store: ${operation}: the connection was lost before the answer came, and the server can't be asked. Transaction ${id} may have been written; ask for it before you try again.`,
    details: { operation, tx: id, outcome: 'unknown' },
    cause,
  })
}

/** Asks over new connections, until one of them answers. */
async function recover(session: Session, call: Call, id: string): Promise<boolean> {
  let failure: unknown
  const began = performance.now()
  for (const milliseconds of recoveryPauses) {
    try {
      return await hasLanded(session, call, id)
    } catch (error) {
      failure = error
      if (!MnemeError.is(error, 'BACKEND_UNAVAILABLE') || performance.now() - began > longestRecovery) break
      await pause(milliseconds)
    }
  }
  throw outcomeUnknown(call.operation, id, failure)
}

/** Makes sure of a write: lost races are begun anew; of a connection that was lost at the end the outcome is looked up. */
export async function land<T>(session: Session, { call, id, attempt, beforeVisible }: Landing<T>): Promise<T> {
  let losses = 0
  for (let races = 1; ; races++) {
    let sealed = null as { readonly answer: T } | null
    try {
      const result = await session.database.writing(call, (query, commit) =>
        attempt(query, async (answer, sent = []) => {
          if (beforeVisible !== undefined) {
            await Promise.all(sent)
            await beforeVisible({ id })
          }
          sealed = { answer }
          await Promise.all([...sent, commit()])
          return answer
        }),
      )
      if (result !== null) return result
    } catch (error) {
      const isLost = isConnectionLost(error)
      if (isLost && sealed !== null && (await recover(session, call, id))) return sealed.answer
      const isWorthIt = sealed !== null ? ++losses < maxLosses : session.database.isStale(error)
      const mayWork = races < maxRaces && (isLost ? isWorthIt : isRace(error) || session.database.isStale(error))
      if (call.signal?.aborted) throw call.signal.reason
      if (!mayWork) throw backendFailure(call.operation, error)
    }
    await pause(Math.random() * 2 * races)
  }
}
