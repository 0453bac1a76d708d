import { createHash } from 'node:crypto'

/** What is left of an erased record: a hash of its id with the store's salt. The same id gives the same hash in one store only. */
export function erasedId(salt: string, id: string): string {
  return `erased:${createHash('sha256').update(salt).update('\u0000').update(id).digest('hex')}`
}
