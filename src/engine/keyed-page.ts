import { allScopes, anyOf, exactly, type Kind, type MemoryRecord, scopeKey } from '../model/index.ts'
import { type Access, keyedScopes, type ReadScope, readScope } from './access.ts'
import type { Core } from './core.ts'
import { nearestJudge } from './keyed.ts'
import { recordPage } from './record-page.ts'

export interface KeyedPage {
  readonly records: readonly MemoryRecord[]
  readonly nextCursor?: string | undefined
  /** Several scopes were looked at. */
  readonly several: boolean
}

/** A page of what has a key: of the exact scope, or of each key the nearest, or of all scopes. */
export async function keyedPage(
  core: Core,
  access: Access,
  input: ReadScope & { readonly cursor?: string | undefined; readonly signal?: AbortSignal | undefined },
  page: {
    readonly kind: Kind
    readonly order: 'updated' | 'oldest'
    readonly limit: number
    readonly digest: string
    /** What no query can say. */
    readonly accepts?: (record: MemoryRecord) => boolean
  },
): Promise<KeyedPage> {
  const { kind, order, limit, digest, accepts = () => true } = page
  if (input.allScopes) readScope(access, input)
  const scopes = input.allScopes ? null : keyedScopes(access, input)
  const filter = scopes ? anyOf(scopes.map(exactly)) : allScopes()
  const distances = new Map((scopes ?? []).map((scope, i) => [scopeKey(scope), i]).reverse() as [string, number][])
  const several = scopes === null || scopes.length > 1
  const query = { kinds: [kind], keyed: true }
  const nearest = nearestJudge(
    core,
    filter,
    { ...query, shared: scopes !== null && several, signal: input.signal },
    ({ key, scope }: MemoryRecord) =>
      key === undefined ? null : { name: key, distance: distances.get(scopeKey(scope)) ?? 0 },
  )
  const found = await recordPage(core, filter, {
    query: { ...query, order, limit },
    digest,
    cursor: input.cursor,
    signal: input.signal,
    judge: async (state) => {
      const isNearest = await nearest(state)
      return (record) => accepts(record) && isNearest(record)
    },
  })
  return { records: found.records, nextCursor: found.nextCursor, several }
}
