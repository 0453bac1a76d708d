import { setTimeout as pause } from 'node:timers/promises'
import { type CommitResult, type HotTier, stampRecord, type Transaction } from '../../../contract/index.ts'
import { BackendError, MnemeError } from '../../../errors/index.ts'
import { formatInstant } from '../../../model/index.ts'
import type { Reports } from '../reports.ts'
import { packed, putsOf } from './entry.ts'

/** Between attempts to push what may have been pushed. */
const pushPauses = [50, 200, 600]

/** What was promised to the caller stays as it was told. */
function timed(transaction: Transaction): Transaction {
  const now = formatInstant(transaction.at)
  const changes = transaction.changes.map((change) => {
    if (change.type !== 'put') return change
    const { createdAt = now, updatedAt = now } = change.record
    return { ...change, record: { ...change.record, createdAt, updatedAt } }
  })
  return { ...transaction, changes }
}

function outcomeUnknown(id: string, cause: unknown): BackendError {
  return new BackendError({
    code: 'BACKEND_UNAVAILABLE',
    message: `tiered store: commit: the cold store is away, and the hot tier was lost before its answer came. Transaction ${id} may wait there and be written later; ask for it before you try again.`,
    details: { operation: 'commit', tx: id, outcome: 'unknown' },
    cause,
  })
}

function tooMany(waiting: number): BackendError {
  return new BackendError({
    code: 'BACKEND_UNAVAILABLE',
    message: `tiered store: the cold store is away, and ${waiting} transactions wait for it already. Nothing was written; try again when it is back.`,
    details: { waiting },
  })
}

/**
 * Takes transactions into the hot tier.
 * @throws the error by which the cold store is away when one was not taken in, and one of its own when that is not known
 */
export function intake(
  tier: HotTier,
  reports: Reports,
  maxWaiting: number,
): (given: Transaction, away: MnemeError) => Promise<CommitResult> {
  /**
   * Pushes until an answer comes: what waits twice is written once. False when there is no room.
   * @throws the given error when it was not taken in, and one of its own when that is not known
   */
  async function push(id: string, entry: string, away: MnemeError): Promise<boolean> {
    let lost: unknown = null
    for (let attempt = 0; ; attempt++) {
      let isThere: boolean
      try {
        const isTaken = await tier.queue.push(entry, maxWaiting)
        if (isTaken || lost === null) return isTaken
        // It may itself be what fills the last place.
        isThere = (await tier.queue.peek(maxWaiting)).includes(entry)
      } catch (error) {
        if (MnemeError.is(error) && error.details.outcome === 'unknown') lost = error
        if (lost === null) throw away
        const milliseconds = pushPauses[attempt]
        if (milliseconds === undefined) throw outcomeUnknown(id, lost)
        await pause(milliseconds)
        continue
      }
      // Another process may have brought it, whose way to the cold store is open.
      if (!isThere) throw outcomeUnknown(id, lost)
      return true
    }
  }

  return async function takeIn(given, away) {
    const transaction = timed(given)
    const { id, at } = transaction
    if (!(await push(id, packed(transaction), away))) throw tooMany(maxWaiting)
    reports.tell('cold', away, 'The cold store is away: what was written waits in the hot tier and is not durable yet.')
    const records = putsOf(transaction).map(({ record }) =>
      stampRecord(record, { lastVersion: 0, createdAt: null, at }),
    )
    return { tx: id, at, replayed: false, durable: false, records }
  }
}
