import type { Claim } from '../../contract/index.ts'
import { scopeKey } from '../../model/index.ts'
import { digestOf, encodeName } from './names.ts'

/**
 * The oldest live record `r` that holds each claim, with the claim's number `n`. Four parameters: types, digests of scopes,
 * kinds and values.
 */
export const heldBy = `unnest($1::text[], $2::bytea[], $3::text[], $4::text[]) WITH ORDINALITY c(type, digest, kind, value, n)
  JOIN {scopes} s ON s.digest = c.digest
  CROSS JOIN LATERAL (
    (SELECT * FROM {records} k WHERE c.type = 'key' AND k.key = c.value AND k.scope = s.id AND k.owner = s.owner
      AND k.kind = c.kind AND k.status = 'live' ORDER BY k.created_at, k.id LIMIT 1)
    UNION ALL
    (SELECT * FROM {records} h WHERE c.type = 'content' AND h.hash = c.value AND h.scope = s.id AND h.owner = s.owner
      AND h.kind = c.kind AND h.status = 'live' ORDER BY h.created_at, h.id LIMIT 1)
  ) r`

export function claimValues(claims: readonly Claim[]): unknown[] {
  return [
    claims.map(({ type }) => type),
    claims.map(({ scope }) => digestOf(scopeKey(scope))),
    claims.map(({ kind }) => encodeName(kind)),
    claims.map(({ value }) => encodeName(value)),
  ]
}
