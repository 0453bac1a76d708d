import type { OperationOptions, TextSearch, TurnSearch, VectorSearch } from '../../../contract/index.ts'
import type { ScopeFilter } from '../../../model/index.ts'
import type { Call, Database, Query } from '../database.ts'
import type { VectorForm } from './index-rows.ts'
import type { NearIndexes } from './near-indexes.ts'
import { matchText } from './text-search.ts'
import { actorsOf, arrivalsOf, describeTurns } from './turn-search.ts'
import { nearestVectors } from './vector-search.ts'

export interface SearchFacets {
  readonly text: TextSearch
  readonly vectors: VectorSearch
  readonly turns: TurnSearch
  readonly judges: true
}

/** What searches run on: of an open store. */
export interface SearchSession {
  readonly database: Database
  readonly form: VectorForm
  readonly near: NearIndexes
}

/** Runs work on the open store. */
export type OnSession = <T>(
  operation: string,
  options: OperationOptions,
  action: (session: SearchSession, call: Call) => Promise<T>,
  scope?: ScopeFilter,
) => Promise<T>

/** To compile a plan takes longer than what it is for. */
const settings = 'SET LOCAL jit = off'

/** Searching by the server itself: text, vectors and turns, with conditions judged there. */
export function searchFacets(on: OnSession): SearchFacets {
  function read<T>(
    operation: string,
    scope: ScopeFilter | undefined,
    options: OperationOptions | undefined,
    action: (query: Query, session: SearchSession) => Promise<T>,
  ): Promise<T> {
    return on(
      operation,
      options ?? {},
      (session, call) =>
        session.database.transaction(call, 'read', async (query) => {
          const [, answer] = await Promise.all([query(settings), action(query, session)])
          return answer
        }),
      scope,
    )
  }

  return {
    judges: true,
    text: {
      match: (scope, terms, window, options) =>
        read('text.match', scope, options, (query) => matchText(query, scope, terms, window)),
    },
    vectors: {
      nearest: (scope, space, vector, window, options) =>
        read('vectors.nearest', scope, options, (query, { form, near }) =>
          nearestVectors(query, form, near, { scope, space, vector, window }),
        ),
    },
    turns: {
      actors: (scope, window, options) =>
        read('turns.actors', scope, options, (query) => actorsOf(query, scope, window)),
      arrivals: (ids, options) => read('turns.arrivals', undefined, options, (query) => arrivalsOf(query, ids)),
      describe: (scope, found, asked, window, options) =>
        read('turns.describe', scope, options, (query, { form }) =>
          describeTurns(query, form, scope, found, asked, window),
        ),
    },
  }
}
