import type { OperationOptions, SearchWindow, TextSearch, TurnSearch, VectorSearch } from '../../../contract/index.ts'
import type { ScopeFilter } from '../../../model/index.ts'
import type { Call, Database, Query } from '../database.ts'
import type { VectorForm } from './index-rows.ts'
import type { KnownScopes } from './known-scopes.ts'
import type { NearIndexes } from './near-indexes.ts'
import { matchText } from './text-search.ts'
import { actorsOf, arrivalsOf, describeTurns } from './turn-search.ts'
import { nearestVectors } from './vector-search.ts'
import { type Visible, visibleIn } from './window.ts'

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
  readonly scopes: KnownScopes
  /** Numbers of spaces, by dimensions and name. */
  readonly spaces: Map<string, number>
}

/** Runs work on the open store. */
export type OnSession = <T>(
  operation: string,
  options: OperationOptions,
  action: (session: SearchSession, call: Call) => Promise<T>,
  scope?: ScopeFilter,
) => Promise<T>

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
        session.database.transaction({ ...call, planned: true }, 'read', (query) => action(query, session)),
      scope,
    )
  }

  /** Of what a scope and a window let see. */
  const see = <T>(
    operation: string,
    scope: ScopeFilter,
    window: SearchWindow,
    options: OperationOptions | undefined,
    action: (query: Query, visible: Visible, session: SearchSession) => Promise<T>,
  ): Promise<T> =>
    read(operation, scope, options, (query, session) =>
      session.scopes.within(query, scope, (scopes) => action(query, visibleIn(scopes, window), session)),
    )

  return {
    judges: true,
    text: {
      match: (scope, terms, window, options) =>
        see('text.match', scope, window, options, (query, visible) => matchText(query, visible, terms, window)),
    },
    vectors: {
      nearest: (scope, space, vector, window, options) =>
        see('vectors.nearest', scope, window, options, (query, visible, session) =>
          nearestVectors(query, session, visible, { space, vector, window }),
        ),
    },
    turns: {
      actors: (scope, window, options) => see('turns.actors', scope, window, options, actorsOf),
      arrivals: (ids, options) => read('turns.arrivals', undefined, options, (query) => arrivalsOf(query, ids)),
      describe: (scope, found, asked, window, options) =>
        see('turns.describe', scope, window, options, (query, visible, session) =>
          describeTurns(query, session, visible, found, asked),
        ),
    },
  }
}
