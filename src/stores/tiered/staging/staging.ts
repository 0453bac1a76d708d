import type {
  Derivation,
  EraseCounts,
  MemoryStore,
  OperationOptions,
  SnapshotStore,
  Touch,
  Transaction,
} from '../../../contract/index.ts'
import { allScopes, type Scope, type ScopeFilter } from '../../../model/index.ts'
import { committer, plainPuts } from './commit-staged.ts'
import { type Migrated, promoteScope, promoteTransaction } from './promote.ts'
import {
  getStaged,
  holdersStaged,
  isOwnKind,
  listStaged,
  revisionsStaged,
  showTransaction,
  statsStaged,
} from './read-staged.ts'
import { isStaged, twinId } from './twin.ts'

/** A store that shows what is staged in it as if it were committed. */
export interface StagingStore extends MemoryStore {
  /** Makes records of what is staged in a scope and finer ones. @param onFailure hears why something is left */
  promote(scope: Scope, onFailure: (error: unknown) => void, options?: OperationOptions): Promise<Migrated>
  /** It does nothing but add memories to one session: such a transaction is staged if all of them are new. */
  isPlain(transaction: Transaction): boolean
}

/** Snapshots of an index that has staged records: who opens the store itself makes others, which lack them. */
function ownSnapshots(snapshots: SnapshotStore): SnapshotStore {
  const own = (name: string) => `staged/${name}`
  return {
    state: (name, options) => snapshots.state(own(name), options),
    read: (name, key, options) => snapshots.read(own(name), key, options),
    write: (name, change, options) => snapshots.write(own(name), change, options),
    compare: (a, b) => snapshots.compare(a, b),
  }
}

/**
 * Keeps new memories of sessions staged: in the log, and nowhere counted or searched by who opens the store itself.
 * @param stages which exact scopes are those of sessions
 */
export function staging(
  cold: MemoryStore,
  stages: (scope: Scope) => boolean = ({ sessionId }) => sessionId !== undefined,
): StagingStore {
  const commit = committer(cold, stages)

  async function derive(derivations: readonly Derivation[], touched: readonly Touch[], options?: OperationOptions) {
    const ids = [...new Set([...derivations, ...touched].map(({ id }) => id))]
    const twins = ids.length === 0 ? [] : await cold.get(allScopes(), ids.map(twinId), { ...options, bare: true })
    const staged = new Set(ids.filter((_, i) => isStaged(twins[i])))
    const alsoTwins = <T extends { readonly id: string }>(all: readonly T[]): T[] =>
      // Both: which of them there will be is known to the store alone.
      all.flatMap((each) => (staged.has(each.id) ? [each, { ...each, id: twinId(each.id) }] : [each]))
    await cold.derive(alsoTwins(derivations), alsoTwins(touched), options)
  }

  /** Vectors that first versions of twins have, of those that still say something. */
  async function vectorsIn(scope: ScopeFilter, twin: string, options?: OperationOptions): Promise<number> {
    const [first] = await cold.revisions(scope, twin, options)
    const transaction = first?.record ? await cold.transaction(first.tx, options) : null
    const change = transaction?.changes.find((each) => each.type === 'put' && each.id === twin)
    return change?.type === 'put' && change.stored?.vector ? 1 : 0
  }

  /** Twins go with their records; what is counted are the records. */
  async function erase(
    scope: ScopeFilter,
    ids: readonly string[],
    options: Parameters<MemoryStore['erase']>[2],
  ): Promise<EraseCounts> {
    const wanted = [...new Set(ids)]
    const call = { signal: options?.signal }
    const found = await cold.get(scope, wanted.map(twinId), { ...call, bare: true })
    for (const twin of found) if (isStaged(twin)) await promoteTransaction(cold, twin, call)
    let [records, revisions, vectors] = [0, 0, 0]
    for (const id of wanted) {
      const past = (await cold.revisions(scope, twinId(id), call)).filter(({ op }) => op !== 'erase')
      if (past.length === 0) continue
      vectors += await vectorsIn(scope, twinId(id), call)
      revisions += past.length
      if (past.at(-1)?.record) records++
    }
    const counts = await cold.erase(scope, [...wanted, ...wanted.map(twinId)], options)
    return {
      ...counts,
      records: counts.records - records,
      revisions: counts.revisions - revisions,
      vectors: counts.vectors - vectors,
    }
  }

  // Searching natively would not find what is staged: the in-process index follows the log, which shows it.
  const { text: _text, vectors: _vectors, turns: _turns, judges: _judges, snapshots, ...rest } = cold
  return {
    ...rest,
    ...(snapshots && { snapshots: ownSnapshots(snapshots) }),
    get: (scope, ids, options) => getStaged(cold, scope, ids, options),
    async list(scope, query, options) {
      if (query.kinds?.some(isOwnKind)) {
        const kinds = query.kinds.filter((kind) => !isOwnKind(kind))
        return listStaged(cold, scope, { ...query, kinds }, options)
      }
      return listStaged(cold, scope, query, options)
    },
    holders: (claims, options) => holdersStaged(cold, claims, options),
    commit,
    derive: (derivations, touched, options) => derive(derivations, touched ?? [], options),
    erase,
    revisions: (scope, id, options) => revisionsStaged(cold, scope, id, options),
    async log(after, options) {
      const page = await cold.log(after, options)
      return { ...page, entries: page.entries.map(showTransaction) }
    },
    async transaction(id, options) {
      const found = await cold.transaction(id, options)
      return found && showTransaction(found)
    },
    stats: (scope, query, options) => statsStaged(cold, scope, query, options),
    async vectorsOf(ids, options) {
      const found = await cold.vectorsOf([...ids, ...ids.map(twinId)], options)
      return ids.map((_, i) => found[i] ?? found[ids.length + i] ?? null)
    },
    isPlain: (transaction) => plainPuts(transaction, stages) !== null,
    promote: (scope, onFailure, options) => promoteScope(cold, scope, onFailure, options),
  }
}
