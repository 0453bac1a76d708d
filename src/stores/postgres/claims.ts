import type { Claim } from '../../contract/index.ts'
import { scopeKey } from '../../model/index.ts'
import { digestOf, encodeName } from './names.ts'

const oldest = (type: Claim['type'], column: string) =>
  `(SELECT * FROM {records} k WHERE c.type = '${type}' AND k.${column} = c.value AND k.scope = s.id AND k.owner = s.owner
      AND k.kind = c.kind AND k.status = 'live' ORDER BY k.created_at, k.id LIMIT 1)`

/**
 * The oldest live record `r` that holds each claim, with the claim's number `n`. Four parameters: types, digests of scopes,
 * kinds and values.
 */
export function heldBy(claims: readonly Claim[]): string {
  // Most have claims of one type, and a statement of half the size is planned in half the time.
  const branches = [
    ...(claims.some(({ type }) => type === 'key') ? [oldest('key', 'key')] : []),
    ...(claims.some(({ type }) => type === 'content') ? [oldest('content', 'hash')] : []),
  ]
  return `unnest($1::text[], $2::bytea[], $3::text[], $4::text[]) WITH ORDINALITY c(type, digest, kind, value, n)
    JOIN {scopes} s ON s.digest = c.digest CROSS JOIN LATERAL (${branches.join(' UNION ALL ')}) r`
}

export function claimValues(claims: readonly Claim[]): unknown[] {
  return [
    claims.map(({ type }) => type),
    claims.map(({ scope }) => digestOf(scopeKey(scope))),
    claims.map(({ kind }) => encodeName(kind)),
    claims.map(({ value }) => encodeName(value)),
  ]
}
