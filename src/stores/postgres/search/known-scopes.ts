import type { ScopeFilter } from '../../../model/index.ts'
import type { Query } from '../database.ts'
import { createParameters } from '../parameters.ts'
import { scopeCondition } from '../scope-condition.ts'

/** Numbers of scopes that are let through. */
export interface ScopeNumbers {
  readonly all: readonly number[]
  /** Those of sessions. */
  readonly sessions: readonly number[]
  /** Whose they are, each once. */
  readonly owners: readonly number[]
}

/** Filters whose scopes are remembered; of larger ones they are asked for each time. */
const mostFilters = 500
const mostScopes = 2000

/**
 * Which scopes a filter lets through. What it was the last time is taken for true while the server is asked once more, so
 * that nobody waits for the answer; where it is another one by now, the work is done again.
 */
export interface KnownScopes {
  /** For the parts of one call, which ask the server once. */
  look(filter: ScopeFilter): ScopesLook
}

export interface ScopesLook {
  /** @param action gets null for all there are */
  within<T>(query: Query, action: (scopes: ScopeNumbers | null) => Promise<T>): Promise<T>
}

async function scopesOf(query: Query, filter: ScopeFilter): Promise<ScopeNumbers> {
  const parameters = createParameters()
  const condition = scopeCondition(filter, 's', parameters)
  const rows = await query(
    `SELECT s.id, s.owner, s.session IS NOT NULL AS session FROM {scopes} s WHERE ${condition} ORDER BY s.id`,
    parameters.values,
    'steady',
  )
  const idsOf = (some: typeof rows) => some.map((row) => row.id as number)
  return {
    all: idsOf(rows),
    sessions: idsOf(rows.filter(({ session }) => session === true)),
    owners: [...new Set(rows.map(({ owner }) => owner as number))],
  }
}

export function createKnownScopes(): KnownScopes {
  const known = new Map<string, ScopeNumbers>()

  function remember(name: string, scopes: ScopeNumbers): void {
    known.delete(name)
    if (scopes.all.length > mostScopes) return
    known.set(name, scopes)
    const [oldest] = known.keys()
    if (known.size > mostFilters && oldest !== undefined) known.delete(oldest)
  }

  return {
    look(filter) {
      if (filter.rules === 'all') return { within: (_, action) => action(null) }
      const name = JSON.stringify(filter.rules)
      let asked: Promise<ScopeNumbers> | undefined
      const ask = (query: Query) => {
        const answer = scopesOf(query, filter)
        // One who asks anew, as his connection was lost, gets an answer of his own.
        answer.catch(() => {
          if (asked === answer) asked = undefined
        })
        return answer
      }
      return {
        async within(query, action) {
          asked ??= ask(query)
          const guess = known.get(name)
          if (guess === undefined) {
            const scopes = await asked
            remember(name, scopes)
            return action(scopes)
          }
          const [scopes, answer] = await Promise.all([asked, action(guess)])
          remember(name, scopes)
          const isSame =
            scopes.all.length === guess.all.length && scopes.all.every((scope, i) => scope === guess.all[i])
          return isSame ? answer : action(scopes)
        },
      }
    },
  }
}
