import { randomUUID } from 'node:crypto'
import type { MemoryStore, Transaction } from '../../../contract/index.ts'
import { MnemeError } from '../../../errors/index.ts'
import { putsOf } from './entry.ts'

function isConflict(error: unknown): boolean {
  return (
    MnemeError.is(error, 'CONFLICT') ||
    MnemeError.is(error, 'VERSION_CONFLICT') ||
    MnemeError.is(error, 'IDEMPOTENCY_CONFLICT')
  )
}

/**
 * Whatever was taken in is written: what it required then nobody could look up, and it was promised.
 * @returns ids of records that are not written, or not as they were told
 * @throws what the store throws
 */
export async function bring(store: MemoryStore, transaction: Transaction): Promise<readonly string[]> {
  const free = { ...transaction, requires: [], idempotency: undefined }
  // An id that has come to belong to another scope meanwhile.
  const anew = transaction.changes.map((change) =>
    change.type === 'put' ? { ...change, record: { ...change.record, id: randomUUID() } } : change,
  )
  const ids = putsOf(transaction).map(({ record }) => record.id)
  let refusal: unknown = null
  for (const attempt of [transaction, free, { ...free, changes: anew }]) {
    // Somebody brought it before, or it waits twice, or it was written after all when the answer was lost.
    if ((await store.transaction(transaction.id)) !== null) return ids
    try {
      const { replayed, tx } = await store.commit(attempt)
      // The call was made before: what this one told of was never written.
      const isAsTold = refusal === null && (!replayed || tx === transaction.id)
      return isAsTold ? [] : ids
    } catch (error) {
      if (!isConflict(error)) throw error
      refusal = error
    }
  }
  throw refusal
}
