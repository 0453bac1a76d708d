import type {
  OperationOptions,
  SearchWindow,
  TextSearch,
  TurnSearch,
  VectorHits,
  VectorSearch,
} from '../../../contract/index.ts'
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
  /** It changes settings of its transaction. @default false */
  readonly sets?: boolean
}

/** Searching by the server itself: text, vectors and turns, with conditions judged there. */
export function searchFacets(on: OnSession): SearchFacets {
  const look = <T>(
    { operation, scope, window, options, sets }: Look,
    action: (query: Query, visible: Visible, session: SearchSession) => Promise<T>,
  ): Promise<T> =>
    on(
      operation,
      options ?? {},
      (session, call) =>
        session.database.transaction({ ...call, planned: true, sets }, 'read', (query) =>
          session.scopes.within(query, scope, (scopes) =>
            action(query, visibleIn(scopes, window, session.partitions), session),
          ),
        ),
      scope,
    )

  return {
    judges: true,
    text: {
      match: (scope, terms, window, options) =>
        look({ operation: 'text.match', scope, window, options }, (query, visible) =>
          matchText(query, visible, terms, window),
        ),
    },
    vectors: {
      async nearest(scope, space, vector, window, options) {
        const ask = (sets: boolean) =>
          look({ operation: 'vectors.nearest', scope, window, options, sets }, (query, visible, session) =>
            nearestVectors(query, session, visible, { space, vector, window, maySet: sets }),
          )
        // An index is asked with settings of its own, which most searches need not.
        return ((await ask(false)) ?? (await ask(true))) as VectorHits
      },
    },
    turns: {
      actors: (scope, window, options) => look({ operation: 'turns.actors', scope, window, options }, actorsOf),
      arrivals: (ids, options) =>
        on('turns.arrivals', options ?? {}, (session, call) =>
          session.database.transaction({ ...call, planned: true }, 'read', (query) => arrivalsOf(query, ids)),
        ),
      describe: (scope, found, asked, window, options) =>
        describeTurns((action) => look({ operation: 'turns.describe', scope, window, options }, action), found, asked),
    },
  }
}
