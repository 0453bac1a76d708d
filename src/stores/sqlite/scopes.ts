import { matchesScope, type Scope, type ScopeFilter, scopeFromKey, scopeKey } from '../../model/index.ts'
import type { Connection } from './connection.ts'

/** Filters whose matches are kept; the one unused longest goes first. */
const maxFilters = 512

/** Ids of the scopes that a filter lets through. */
export interface VisibleScopes {
  readonly ids: readonly number[]
  has(id: number): boolean
}

/** The scopes of the file, followed as they are added. Ids are never used twice, so one that went does no harm here. */
export interface Scopes {
  /** A fresh copy. */
  byId(id: number): Scope
  /** Null means all of them. */
  visible(filter: ScopeFilter): VisibleScopes | null
  /** How many scopes there are, at least. */
  count(): number
}

interface Matches extends VisibleScopes {
  /** How many of the known scopes were looked at. */
  seen: number
  readonly ids: number[]
  readonly set: Set<number>
}

function emptyMatches(): Matches {
  const set = new Set<number>()
  return { seen: 0, ids: [], set, has: (id) => set.has(id) }
}

export function followScopes(connection: Connection): Scopes {
  const keys = new Map<number, string>()
  const known: { readonly id: number; readonly scope: Scope }[] = []
  const filters = new Map<string, Matches>()

  function refresh(): void {
    const last = known.at(-1)?.id ?? 0
    for (const row of connection.sql('SELECT id, key FROM scopes WHERE id > ? ORDER BY id').all(last)) {
      const [id, key] = [row.id as number, row.key as string]
      keys.set(id, key)
      known.push({ id, scope: scopeFromKey(key) })
    }
  }

  /** Filters of exact scopes only need no walk. */
  function exact(filter: ScopeFilter): VisibleScopes | null {
    if (filter.rules === 'all' || filter.rules.some((rule) => rule.type !== 'exact')) return null
    const find = connection.sql('SELECT id FROM scopes WHERE key = ?')
    const ids = new Set(
      filter.rules.flatMap((rule) => (find.get(scopeKey(rule.scope))?.id as number | undefined) ?? []),
    )
    return { ids: [...ids], has: (id) => ids.has(id) }
  }

  function follow(filter: ScopeFilter): VisibleScopes {
    refresh()
    const key = JSON.stringify(filter.rules)
    const matches = filters.get(key) ?? emptyMatches()
    for (; matches.seen < known.length; matches.seen++) {
      const { id, scope } = known[matches.seen] as (typeof known)[number]
      if (!matchesScope(filter, scope)) continue
      matches.ids.push(id)
      matches.set.add(id)
    }
    filters.delete(key)
    filters.set(key, matches)
    if (filters.size > maxFilters) filters.delete(filters.keys().next().value as string)
    return matches
  }

  return {
    byId(id) {
      if (!keys.has(id)) refresh()
      return scopeFromKey(keys.get(id) as string)
    },
    visible: (filter) => (filter.rules === 'all' ? null : (exact(filter) ?? follow(filter))),
    count() {
      refresh()
      return known.length
    },
  }
}
