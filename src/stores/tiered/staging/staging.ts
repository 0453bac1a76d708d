import {
  type Derivation,
  type EraseCounts,
  type MemoryStore,
  type OperationOptions,
  type SnapshotStore,
  type Touch,
  type Transaction,
  transactionConflict,
} from '../../../contract/index.ts'
import { allScopes, type Scope, type ScopeFilter } from '../../../model/index.ts'
import { committer, plainPuts } from './commit-staged.ts'
import { type Carry, type Promoter, promoter } from './promote.ts'
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
  readonly promote: Promoter['scope']
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

export const isOfSession = ({ sessionId }: Scope): boolean => sessionId !== undefined

/**
 * Keeps new memories of sessions staged: in the log, and nowhere counted or searched by who opens the store itself.
 * @param stages which exact scopes are those of sessions
 * @param carry how vectors that came while records were made get into those
 */
export function staging(
  cold: MemoryStore,
  stages: (scope: Scope) => boolean = isOfSession,
  carry: Carry = (late, options) => cold.derive(late, [], options),
): StagingStore {
  const promote = promoter(cold, carry)
  const commit = committer(cold, promote.transaction, stages)

  async function derive(derivations: readonly Derivation[], touched: readonly Touch[], options?: OperationOptions) {
    const ids = [...new Set([...derivations, ...touched].map(({ id }) => id))]
    const twins = ids.length === 0 ? [] : await cold.get(allScopes(), ids.map(twinId), { ...options, bare: true })
    const staged = new Set(ids.filter((_, i) => isStaged(twins[i])))
    const alsoTwins = <T extends { readonly id: string }>(all: readonly T[]): T[] =>
      // Both: which of them there will be is known to the store alone. The twin first, as it may become a record in between.
      all.flatMap((each) => (staged.has(each.id) ? [{ ...each, id: twinId(each.id) }, each] : [each]))
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
    // Before anything is made a record for an erase that is refused.
    if (options?.tx !== undefined && (await cold.transaction(options.tx, call))) throw transactionConflict(options.tx)
    const found = await cold.get(scope, wanted.map(twinId), { ...call, bare: true })
    for (const twin of found) if (isStaged(twin)) await promote.transaction(twin, call)
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
      const entries = await Promise.all(
        page.entries.map((entry) => showTransaction(cold, entry, { signal: options?.signal })),
      )
      return { ...page, entries }
    },
    async transaction(id, options) {
      const found = await cold.transaction(id, options)
      return found && showTransaction(cold, found, options)
    },
    stats: (scope, query, options) => statsStaged(cold, scope, query, options),
    async vectorsOf(ids, options) {
      const found = await cold.vectorsOf([...ids, ...ids.map(twinId)], options)
      return ids.map((_, i) => found[i] ?? found[ids.length + i] ?? null)
    },
    isPlain: (transaction) => plainPuts(transaction, stages) !== null,
    promote: promote.scope,
  }
}
