import type { Transaction } from '../../../contract/index.ts'
import { ownerKey, type Scope, scopeFromKey, scopeKey } from '../../../model/index.ts'
import type { Query } from '../database.ts'
import { digestOf, lockNumber } from '../names.ts'
import { labelsOf } from '../scope-condition.ts'
import type { Session } from '../session.ts'
import type { Homes } from './draft.ts'
import type { Known } from './known.ts'

/** Keys of the scopes in which a transaction writes rows. */
function writtenScopes({ changes, idempotency }: Transaction): ReadonlySet<string> {
  const keys = new Set<string>()
  const add = (scope: Scope) => keys.add(scopeKey(scope))
  if (idempotency) add(idempotency.scope)
  for (const change of changes) {
    if (change.type === 'put') add(change.record.scope)
    if (change.type === 'journal') add(change.line.scope)
  }
  return keys
}

function lookUp(numbers: ReadonlyMap<string, number>, key: string): number {
  const number = numbers.get(key)
  if (number === undefined) throw new Error('postgres store: a scope without a number')
  return number
}

/** Numbers of all owners and scopes of a transaction; new ones are made, under the owners' locks. */
export async function makeHomes(
  query: Query,
  { identity }: Session,
  transaction: Transaction,
  known: Known,
): Promise<Homes> {
  const owners = new Map([...known.owners].map(([key, { id }]) => [key, id]))
  const scopes = new Map(known.scopes)
  const newScopes = [...writtenScopes(transaction)].filter((key) => !scopes.has(key))
  const ownerOf = (key: string) => ownerKey(scopeFromKey(key))
  const newOwners = [...new Set(newScopes.map(ownerOf))].filter((key) => !owners.has(key))
  if (newOwners.length > 0) {
    const rows = await query(
      'INSERT INTO {owners} (digest, key, lock, last_at) SELECT *, 0 FROM unnest($1::bytea[], $2::text[], $3::bigint[]) RETURNING id, key',
      [newOwners.map(digestOf), newOwners, newOwners.map((key) => lockNumber(identity, key))],
    )
    for (const row of rows) owners.set(row.key as string, row.id as number)
  }
  if (newScopes.length > 0) {
    const rows = newScopes.map((key) => ({
      digest: digestOf(key).toString('hex'),
      key,
      owner: lookUp(owners, ownerOf(key)),
      ...labelsOf(scopeFromKey(key)),
    }))
    const made = await query(
      `INSERT INTO {scopes} (digest, key, owner, app, usr, agent, session, namespace)
       SELECT decode(digest, 'hex'), key, owner, app, usr, agent, session, namespace
       FROM json_to_recordset($1) AS x(digest text, key text, owner bigint, app text, usr text, agent text, session text, namespace text[])
       RETURNING id, key`,
      [JSON.stringify(rows)],
    )
    for (const row of made) scopes.set(row.key as string, row.id as number)
  }
  return { owner: (key) => lookUp(owners, key), scope: (key) => lookUp(scopes, key) }
}
