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
  readonly partitions: number
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

/** What is asked of what a scope and a window let see. */
interface Look {
  readonly operation: string
  readonly scope: ScopeFilter
  readonly window: Pick<SearchWindow, 'statuses' | 'now' | 'lifetimes'>
  readonly options: OperationOptions | undefined
}

/**
 * Runs a part of the work with what may be seen, on any connection: parts of which none waits for another do so side by side.
 * @param how `sets`: it changes settings of its transaction
 */
export type Run = <T>(
  action: (query: Query, visible: Visible, session: SearchSession) => Promise<T>,
  how?: { readonly sets: boolean },
) => Promise<T>

/** Searching by the server itself: text, vectors and turns, with conditions judged there. */
export function searchFacets(on: OnSession): SearchFacets {
  /** One call, whose parts see the same. */
  const look = <T>({ operation, scope, window, options }: Look, action: (run: Run) => Promise<T>): Promise<T> =>
    on(
      operation,
      options ?? {},
      (session, call) => {
        const { within } = session.scopes.look(scope)
        return action((part, how) =>
          session.database.transaction({ ...call, planned: true, ...how }, 'read', (query) =>
            within(query, (numbers) => part(query, visibleIn(numbers, window, session.partitions), session)),
          ),
        )
      },
      scope,
    )

  return {
    judges: true,
    text: {
      match: (scope, terms, window, options) =>
        look({ operation: 'text.match', scope, window, options }, (run) =>
          run((query, visible) => matchText(query, visible, terms, window)),
        ),
    },
    vectors: {
      nearest: (scope, space, vector, window, options) =>
        look({ operation: 'vectors.nearest', scope, window, options }, (run) =>
          nearestVectors(run, { space, vector, window }),
        ),
    },
    turns: {
      actors: (scope, window, options) =>
        look({ operation: 'turns.actors', scope, window, options }, (run) => run(actorsOf)),
      arrivals: (ids, options) =>
        on('turns.arrivals', options ?? {}, (session, call) =>
          session.database.transaction({ ...call, planned: true }, 'read', (query) => arrivalsOf(query, ids)),
        ),
      describe: (scope, found, asked, window, options) =>
        look({ operation: 'turns.describe', scope, window, options }, (run) => describeTurns(run, found, asked)),
    },
  }
}
