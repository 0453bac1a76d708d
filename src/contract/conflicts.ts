import { ClosedError, ConflictError } from '../errors/index.ts'

/** A `version` precondition that does not hold. */
export function versionConflict(id: string): ConflictError {
  return new ConflictError({
    code: 'VERSION_CONFLICT',
    message: `commit: record ${JSON.stringify(id)} is not at the expected version. Nothing was written; read it again and retry.`,
    details: { precondition: 'version', id },
  })
}

/** A `noKey` or `noContent` precondition that does not hold. @param id of the record that is there */
export function presenceConflict(precondition: 'noKey' | 'noContent', id: string): ConflictError {
  const what = precondition === 'noKey' ? 'key' : 'content'
  return new ConflictError({
    code: 'CONFLICT',
    message: `commit: record ${JSON.stringify(id)} has this ${what} already. Nothing was written; read it and decide.`,
    details: { precondition, id },
  })
}

/** A put whose id belongs to a record, or the tombstone of one, in another exact scope. */
export function scopeConflict(id: string): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message: `commit: the id ${JSON.stringify(id)} belongs to another scope. Nothing was written; choose another id.`,
    details: { precondition: 'scope', id },
  })
}

/** A link whose end is not there. */
export function linkConflict(id: string): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message: `commit: a link needs record ${JSON.stringify(id)}, which does not exist. Nothing was written.`,
    details: { precondition: 'link', id },
  })
}

/** A transaction id that was used before, by a commit or an erase. */
export function transactionConflict(id: string, operation: 'commit' | 'erase' = 'commit'): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message: `${operation}: transaction ${JSON.stringify(id)} was committed before. Nothing was written; make a new id.`,
    details: { precondition: 'transaction', id },
  })
}

/** Lines of a transaction that is gone, which don't come next in their owner's chain. @throws ConflictError */
export function checkPlaceInJournal(gone: { readonly seq: number } | undefined, end: number): void {
  if (gone === undefined || gone.seq === end + 1) return
  throw new ConflictError({
    code: 'CONFLICT',
    message: `commit: journal line ${gone.seq} does not come next, after line ${end}. Nothing was written; read the journal's end again.`,
    details: { precondition: 'journal' },
  })
}

/** The same idempotency key with another digest. @param tx the transaction that used it first */
export function idempotencyConflict(tx: string): ConflictError {
  return new ConflictError({
    code: 'IDEMPOTENCY_CONFLICT',
    message: `commit: the idempotency key was used for another input, in transaction ${tx}. Use a new key for a new input.`,
    details: { tx },
  })
}

/** A call on a store that is not open. */
export function storeClosed(name: string): ClosedError {
  return new ClosedError({
    code: 'ENGINE_CLOSED',
    message: `${name} store: not open. Call open() first; after close() a store may be opened again.`,
  })
}
