import {
  type CommitResult,
  checkPlaceInJournal,
  idempotencyConflict,
  linkConflict,
  presenceConflict,
  scopeConflict,
  type Transaction,
  transactionConflict,
  versionConflict,
} from '../../../contract/index.ts'
import { ownerKey, type Scope, scopeKey } from '../../../model/index.ts'
import type { Known } from './known.ts'
import { endsOf } from './needs.ts'

function checkPreconditions({ requires }: Transaction, known: Known): void {
  let claim = 0
  for (const required of requires) {
    if (required.type === 'version') {
      const head = known.heads.get(required.id)
      const version = head === undefined || head.createdAt === null ? null : head.version
      if (version !== required.is) throw versionConflict(required.id)
      continue
    }
    const holder = known.holders[claim++] ?? null
    if (holder !== null) throw presenceConflict(required.type, holder)
  }
}

interface Place {
  readonly scopeKey: string
  readonly owner: string
  readonly present: boolean
}

/** Checks that every change can be applied, in order. @returns the keys of the owners whose commit it is, in the order in which they are named */
function checkChanges({ idempotency, changes }: Transaction, { heads }: Known): ReadonlySet<string> {
  const owners = new Set<string>()
  const places = new Map<string, Place>()
  const place = (id: string): Place | undefined => {
    const head = heads.get(id)
    const before = head && { scopeKey: head.scopeKey, owner: head.ownerKey, present: head.createdAt !== null }
    return places.get(id) ?? before
  }
  const isOf = (scope: Scope) => owners.add(ownerKey(scope))
  if (idempotency) isOf(idempotency.scope)
  for (const change of changes) {
    if (change.type === 'put') {
      const { id, scope } = change.record
      const known = place(id)
      const key = scopeKey(scope)
      if (known !== undefined && known.scopeKey !== key) throw scopeConflict(id)
      places.set(id, { scopeKey: key, owner: ownerKey(scope), present: true })
      isOf(scope)
    } else if (change.type === 'remove') {
      const known = place(change.id)
      if (known?.present !== true) continue
      places.set(change.id, { ...known, present: false })
      owners.add(known.owner)
    } else if (change.type === 'journal') isOf(change.line.scope)
    else {
      for (const { from, to } of endsOf(change)) {
        for (const id of [from, to]) {
          const known = place(id)
          if (known?.present) owners.add(known.owner)
          else if (change.type === 'link') throw linkConflict(id)
        }
      }
    }
  }
  return owners
}

/** A transaction that may be written. */
export interface Checked {
  readonly owners: ReadonlySet<string>
  /** Epoch milliseconds of the commit. */
  readonly at: number
}

/**
 * Looks at idempotency first, then at the transaction's id, then at preconditions in order, then at the changes.
 * @returns the earlier answer when the idempotency key was used before
 * @throws ConflictError
 */
export function check(transaction: Transaction, known: Known): CommitResult | Checked {
  const { id, idempotency, gone, changes } = transaction
  const { usedKey } = known
  const [first] = changes
  if (gone && first?.type === 'journal') {
    const owner = ownerKey(first.line.scope)
    checkPlaceInJournal(gone, known.owners.get(owner)?.journalSeq ?? 0)
    return { owners: new Set([owner]), at: transaction.at }
  }
  if (idempotency && usedKey) {
    if (usedKey.digest !== idempotency.digest) throw idempotencyConflict(usedKey.tx)
    return { tx: usedKey.tx, at: usedKey.at, replayed: true, records: [] }
  }
  if (known.isUsed) throw transactionConflict(id)
  checkPreconditions(transaction, known)
  const owners = checkChanges(transaction, known)
  const lastAts = [...owners].map((owner) => known.owners.get(owner)?.lastAt ?? transaction.at)
  return { owners, at: lastAts.reduce((latest, at) => Math.max(latest, at), transaction.at) }
}
