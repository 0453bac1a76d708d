import type { ListQuery } from '../../contract/index.ts'
import type { Condition } from './scope-conditions.ts'
import { number, token } from './tokens.ts'

/** The conditions of a list query on `m`, but for `filter`, which is judged on what comes back. */
export function conditionsOf(query: ListQuery): Condition {
  const parameters: Record<string, unknown> = {}
  const parts: string[] = []
  const where = (text: string, values: Readonly<Record<string, unknown>> = {}) => {
    parts.push(text)
    Object.assign(parameters, values)
  }
  const { statuses = ['live'], kinds, key, hash, tags, since, until, validAt, now, lifetimes, withoutVector } = query
  if (kinds) where('m.kind IN $kinds', { kinds })
  else where("NOT m.kind STARTS WITH '_'")
  if (statuses !== 'any') where('m.status IN $statuses', { statuses })
  if (key !== undefined) where('m.key = $key', { key: token(key) })
  if (query.keyed) where('m.key IS NOT NULL')
  if (query.pinned) where('m.pinned')
  if (hash !== undefined) where('m.hash = $hash', { hash: token(hash) })
  if (tags?.length) where('ALL(tag IN $tags WHERE tag IN m.tags)', { tags: tags.map(token) })
  if (since !== undefined) where('m.moment >= $since', { since: number(since) })
  if (until !== undefined) where('m.moment < $until', { until: number(until) })
  if (validAt !== undefined)
    where('(m.validFrom IS NULL OR m.validFrom <= $validAt) AND (m.validTo IS NULL OR m.validTo > $validAt)', {
      validAt: number(validAt),
    })
  if (now !== undefined) where('(m.expiresAt IS NULL OR m.expiresAt > $now)', { now: number(now) })
  if (now !== undefined && lifetimes !== undefined) {
    const kindsOfOwn = [...lifetimes.byKind].map(([kind, lifetime]) => ({ kind, born: bornAfter(now, lifetime) }))
    where(
      '(m.pinned OR m.createdAt > coalesce(head([each IN $lifetimes WHERE each.kind = m.kind | each.born]), $bornAfter))',
      { lifetimes: kindsOfOwn, bornAfter: bornAfter(now, lifetimes.others) },
    )
  }
  if (withoutVector !== undefined)
    where('m.searched AND (m.space IS NULL OR m.space <> $withoutVector)', {
      withoutVector: JSON.stringify(withoutVector),
    })
  return { text: parts.length === 0 ? 'true' : parts.join(' AND '), parameters }
}

/** What was made later than this is still alive. */
function bornAfter(now: number, lifetime: number): number | bigint {
  return lifetime === Number.POSITIVE_INFINITY ? -Number.MAX_VALUE : number(now - lifetime)
}
