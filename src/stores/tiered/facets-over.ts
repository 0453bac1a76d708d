import type { Gate, MemoryStore, OperationOptions, SnapshotStore, StoredRecord } from '../../contract/index.ts'
import type { MnemeError } from '../../errors/index.ts'
import type { ScopeFilter } from '../../model/index.ts'
import { indexOf, type SearchFacets } from '../../retrieval/index.ts'
import { type ColdSide, isAway } from './cold-side.ts'
import { isMarked, unmarkedPlace } from './while-away.ts'

export interface FacetParts {
  readonly door: Gate
  readonly cold: ColdSide
  /** What the hot tier holds of a scope; fails with the given error when that can't be told. */
  held(scope: ScopeFilter, error: MnemeError): Promise<readonly StoredRecord[]>
}

type Optional = 'text' | 'vectors' | 'turns' | 'judges' | 'graph' | 'snapshots'

/** A place that the cold store never gave is in no snapshot: records that only the hot tier showed would not go from there with the log. */
function snapshotsOf(snapshots: SnapshotStore, { door, cold }: FacetParts): SnapshotStore {
  return {
    state: (name, options) =>
      door.run(options, async () => {
        try {
          return await cold.run(() => snapshots.state(name, options))
        } catch (error) {
          if (!isAway(error)) throw error
          // What is begun meanwhile is of no epoch of the cold store, so that no snapshot is made of it.
          return { generation: 'away', epoch: 'away', keys: [] }
        }
      }),
    read: (name, key, options) => door.run(options, () => cold.run(() => snapshots.read(name, key, options))),
    write: (name, change, options) =>
      door.run(options, async () => {
        const marked = change.parts.some(({ span }) => span && (isMarked(span.after) || isMarked(span.until)))
        return marked ? false : cold.run(() => snapshots.write(name, change, options))
      }),
    compare(a, b) {
      const [first, second] = [unmarkedPlace(a), unmarkedPlace(b)]
      if (first === null || second === null) return Number(first !== null) - Number(second !== null)
      return snapshots.compare(first, second)
    },
  }
}

/** How the cold store searches; while it is away, what the hot tier holds is searched. */
export function facetsOver(store: MemoryStore, parts: FacetParts): Pick<MemoryStore, Optional> {
  const { door, cold, held } = parts
  const { text, vectors, turns, judges, graph, snapshots } = store

  function orHeld<T>(
    scope: ScopeFilter,
    options: OperationOptions | undefined,
    work: () => Promise<T>,
    instead: (facets: SearchFacets) => Promise<T>,
  ): Promise<T> {
    return door.run(options, async () => {
      try {
        return await cold.run(work)
      } catch (error) {
        if (!isAway(error)) throw error
        return instead(indexOf(await held(scope, error)))
      }
    })
  }

  return {
    ...(text && {
      text: {
        match: (scope, terms, window, options) =>
          orHeld(
            scope,
            options,
            () => text.match(scope, terms, window, options),
            (facets) => facets.text.match(scope, terms, window, options),
          ),
      },
    }),
    ...(vectors && {
      vectors: {
        nearest: (scope, space, vector, window, options) =>
          orHeld(
            scope,
            options,
            () => vectors.nearest(scope, space, vector, window, options),
            (facets) => facets.vectors.nearest(scope, space, vector, window, options),
          ),
      },
    }),
    ...(turns && {
      turns: {
        actors: (scope, window, options) =>
          orHeld(
            scope,
            options,
            () => turns.actors(scope, window, options),
            (facets) => facets.turns.actors(scope, window, options),
          ),
        // Asked of past states only, which nothing but the cold store has.
        arrivals: (ids, options) => door.run(options, () => cold.run(() => turns.arrivals(ids, options))),
        describe: (scope, found, query, window, options) =>
          orHeld(
            scope,
            options,
            () => turns.describe(scope, found, query, window, options),
            (facets) => facets.turns.describe(scope, found, query, window, options),
          ),
      },
    }),
    ...(judges && { judges }),
    ...(graph && {
      graph: {
        walk: (scope, starts, view, options) =>
          door.run(options, () => cold.run(() => graph.walk(scope, starts, view, options))),
      },
    }),
    ...(snapshots && { snapshots: snapshotsOf(snapshots, parts) }),
  }
}
