import type { Cursor, MemoryStore, OperationOptions } from '../../contract/index.ts'
import { ConflictError } from '../../errors/index.ts'
import { logEntries } from './read-log.ts'

export interface Alignment {
  /** Of the source: right after the last transaction that both have. */
  readonly cursor: Cursor | null
  /** Of the last one that both have. */
  readonly tx: string | null
  /** How many both have. */
  readonly transactions: number
}

function foreign(tx: string): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message: `migrate: the target has transaction ${JSON.stringify(tx)}, which the source has not at this place. Nothing was written: give a target that is empty or that a former run began. If records were erased in the source since then, begin with an empty one.`,
    details: { reason: 'foreign', tx },
  })
}

/**
 * Reads both logs side by side: the target's must be the beginning of the source's (MIG-3).
 * @throws ConflictError CONFLICT when it is not
 */
export async function align(from: MemoryStore, to: MemoryStore, call: OperationOptions): Promise<Alignment> {
  let last: Alignment = { cursor: null, tx: null, transactions: 0 }
  const source = logEntries(from, null, call)
  try {
    for await (const { id } of logEntries(to, null, call)) {
      const { value } = await source.next()
      if (!value || value.id !== id) throw foreign(id)
      last = { cursor: value.cursor, tx: id, transactions: last.transactions + 1 }
    }
  } finally {
    await source.return(undefined)
  }
  return last
}
