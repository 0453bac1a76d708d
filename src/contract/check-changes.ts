import { ownerKey, type Scope, scopeKey } from '../model/index.ts'
import { linkConflict, scopeConflict } from './conflicts.ts'
import type { Transaction } from './transaction.ts'

/** Where an id belongs, for good, and whether there is a record of it. */
export interface Place {
  readonly scope: Scope
  readonly present: boolean
}

/**
 * Checks that every change can be applied, in order, and tells whose commit it is: the keys of its owners. For stores that have all
 * they need at hand.
 * @param placeOf how an id stands before the transaction; undefined for an unknown one
 * @throws ConflictError CONFLICT
 */
export function checkChanges(
  { changes, idempotency }: Pick<Transaction, 'changes' | 'idempotency'>,
  placeOf: (id: string) => Place | undefined,
): Set<string> {
  const owners = new Set<string>()
  const places = new Map<string, Place>()
  const place = (id: string) => places.get(id) ?? placeOf(id)
  if (idempotency) owners.add(ownerKey(idempotency.scope))
  for (const change of changes) {
    if (change.type === 'put') {
      const { id, scope } = change.record
      const known = place(id)
      if (known && scopeKey(known.scope) !== scopeKey(scope)) throw scopeConflict(id)
      places.set(id, { scope, present: true })
      owners.add(ownerKey(scope))
    } else if (change.type === 'remove') {
      const known = place(change.id)
      if (!known?.present) continue
      places.set(change.id, { scope: known.scope, present: false })
      owners.add(ownerKey(known.scope))
    } else if (change.type === 'journal') {
      owners.add(ownerKey(change.line.scope))
    } else {
      for (const id of change.type === 'link' ? [change.link.from, change.link.to] : [change.from, change.to]) {
        const known = place(id)
        if (known?.present) owners.add(ownerKey(known.scope))
        else if (change.type === 'link') throw linkConflict(id)
      }
    }
  }
  return owners
}
