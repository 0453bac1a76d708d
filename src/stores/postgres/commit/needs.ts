import type { Claim, Precondition, StoreChange, Transaction } from '../../../contract/index.ts'
import { ownerKey, type Scope, scopeKey } from '../../../model/index.ts'

/** Everything that a transaction is about, known before anything is looked up. */
export interface Needs {
  /** Ids of records that it names. */
  readonly ids: readonly string[]
  /** Ids of records that it puts. */
  readonly puts: readonly string[]
  /** Keys of scopes that it names, with the scopes. */
  readonly scopes: ReadonlyMap<string, Scope>
  /** Keys of the owners of those scopes. */
  readonly owners: ReadonlySet<string>
  /** What its preconditions say that nobody holds, in order. */
  readonly claims: readonly Claim[]
  readonly links: readonly { readonly from: string; readonly to: string; readonly type: string }[]
}

function claimOf(required: Exclude<Precondition, { readonly type: 'version' }>): Claim {
  const { scope, kind } = required
  return required.type === 'noKey'
    ? { type: 'key', scope, kind, value: required.key }
    : { type: 'content', scope, kind, value: required.hash }
}

/** Ids of records that a change is about. */
export function idsOf(change: StoreChange): readonly string[] {
  if (change.type === 'put') return [change.record.id]
  if (change.type === 'remove') return [change.id]
  if (change.type === 'link') return [change.link.from, change.link.to]
  return change.type === 'unlink' ? [change.from, change.to] : []
}

/** The ends and the type of the link that a change is about. */
export function endsOf(change: StoreChange): Needs['links'] {
  if (change.type === 'link') return [change.link]
  return change.type === 'unlink' ? [{ from: change.from, to: change.to, type: change.linkType }] : []
}

export function needsOf({ requires, changes, idempotency }: Transaction): Needs {
  const ids = new Set<string>()
  const puts = new Set<string>()
  const scopes = new Map<string, Scope>()
  const owners = new Set<string>()
  const addScope = (scope: Scope) => {
    const key = scopeKey(scope)
    if (scopes.has(key)) return
    scopes.set(key, scope)
    owners.add(ownerKey(scope))
  }
  const claims: Claim[] = []
  if (idempotency) addScope(idempotency.scope)
  for (const required of requires) {
    if (required.type === 'version') ids.add(required.id)
    else {
      claims.push(claimOf(required))
      addScope(required.scope)
    }
  }
  for (const change of changes) {
    for (const id of idsOf(change)) ids.add(id)
    if (change.type === 'journal') addScope(change.line.scope)
    if (change.type !== 'put') continue
    puts.add(change.record.id)
    addScope(change.record.scope)
  }
  return { ids: [...ids], puts: [...puts], scopes, owners, claims, links: changes.flatMap(endsOf) }
}
