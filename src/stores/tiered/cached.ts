import type {
  CommitResult,
  Derivation,
  EraseCounts,
  EraseStamp,
  HotAnswer,
  HotTier,
  MemoryStore,
  OperationOptions,
  ReadOptions,
  StoredRecord,
  Touch,
  Transaction,
} from '../../contract/index.ts'
import { BackendError, MnemeError } from '../../errors/index.ts'
import { type MemoryRecord, matchesScope, type ScopeFilter } from '../../model/index.ts'
import { type ColdSide, isAway } from './cold-side.ts'
import type { HotSide } from './hot-side.ts'
import { type Reports, reasonOf } from './reports.ts'

/** Reads and writes that concern the hot tier: it answers first, and is told of every write. */
export type Cached = Pick<MemoryStore, 'get' | 'commit' | 'derive' | 'erase'>

/** Records as they stand after a commit, of those that are still there at its end. */
function writtenBy({ changes }: Transaction, records: readonly MemoryRecord[]): StoredRecord[] {
  const left = new Map<string, StoredRecord>()
  let next = 0
  for (const change of changes) {
    if (change.type === 'remove') left.delete(change.id)
    if (change.type !== 'put') continue
    const record = records[next++]
    if (record) left.set(record.id, { record, analysis: change.analysis, vector: change.vector })
  }
  return [...left.values()]
}

function idsOf({ changes }: Transaction, type: 'put' | 'remove'): string[] {
  return changes.flatMap((change) => {
    if (change.type === 'put') return type === 'put' ? [change.record.id] : []
    return change.type === type ? [change.id] : []
  })
}

function refuseErase(error: unknown): never {
  if (!MnemeError.is(error)) throw error
  const reason = reasonOf(error)
  throw new BackendError({
    code: 'BACKEND_UNAVAILABLE',
    message: `tiered store: erase: what waits in the hot tier could not be brought into the cold store (${error.code}), and would come after the erase. Nothing was erased; try again when both answer.${reason === null ? '' : ` ${reason}`}`,
    details: { failure: error.code },
    cause: error,
  })
}

/** How commits reach the cold store. */
export interface Behind {
  commit(transaction: Transaction, options: OperationOptions | undefined): Promise<CommitResult>
  /** Brings what waits to be written; never rejects. */
  settle(): Promise<void>
  /** The same for what must not pass it by. @throws when it is not known that nothing waits any more */
  drain(): Promise<void>
  /** Erases from the cold store. */
  readonly erase: MemoryStore['erase']
  /** What waits in a tier: entries of it may be gone already. */
  waitingIn(tier: HotTier): Promise<readonly StoredRecord[]>
  /** Writes may be taken in while the cold store is away. */
  mayWait(transaction: Transaction): boolean
}

export function cached(cold: ColdSide, hot: HotSide, reports: Reports, waiting: Behind): Cached {
  /** What can't be written now stays readable in the hot tier. */
  async function mustAnswer(): Promise<void> {
    if (cold.away) await cold.run((store) => store.head())
  }

  /** Null while the cold store is away, for who takes an answer that lacks something. */
  async function behind(
    scope: ScopeFilter,
    ids: readonly string[],
    options: ReadOptions | undefined,
  ): Promise<readonly (StoredRecord | null)[] | null> {
    try {
      await waiting.settle()
      return await cold.run((store) => store.get(scope, ids, options))
    } catch (error) {
      if (reports.listener === undefined || !isAway(error)) throw error
      reports.tell('cold', error, 'The cold store is away: records that the hot tier does not hold were not looked at.')
      return null
    }
  }

  /** With what waits: those that the tier held of it may be gone, as it was emptied or they were old. */
  async function orWaiting(
    scope: ScopeFilter,
    ids: readonly string[],
    held: readonly (StoredRecord | null)[],
  ): Promise<readonly (StoredRecord | null)[]> {
    const records = (await hot.ask((tier) => waiting.waitingIn(tier))) ?? []
    const visible = records.filter(({ record }) => matchesScope(scope, record.scope))
    const byId = new Map(visible.map((stored) => [stored.record.id, stored]))
    return held.map((stored, i) => stored ?? byId.get(ids[i] as string) ?? null)
  }

  async function get(
    scope: ScopeFilter,
    ids: readonly string[],
    options: ReadOptions | undefined,
  ): Promise<readonly (StoredRecord | null)[]> {
    if (options?.asOf !== undefined || ids.length === 0)
      return (await behind(scope, ids, options)) ?? ids.map(() => null)
    const answers: readonly HotAnswer[] =
      (await hot.get(scope, ids)) ?? ids.map(() => ({ state: 'miss', lease: '' }) as const)
    const missing = ids.flatMap((id, i) => {
      const answer = answers[i] as HotAnswer
      return answer.state === 'miss' ? [{ id, i, lease: answer.lease }] : []
    })
    const held = answers.map((answer) => (answer.state === 'hit' ? answer.stored : null))
    if (missing.length === 0) return held
    if (cold.away) {
      const all = await orWaiting(scope, ids, held)
      if (missing.every(({ i }) => all[i] !== null)) return all
    }
    // What is to be kept has to be read whole.
    const bare = options?.bare && missing.every(({ lease }) => lease === '')
    // All of them, not only what is missing: of two tiers each has its moment, and a transaction would be seen in part.
    const found = await behind(scope, ids, { ...options, bare })
    if (found === null) return orWaiting(scope, ids, held)
    const fills = new Map<string, { stored: StoredRecord; lease: string }>()
    for (const { id, i, lease } of missing) {
      const stored = found[i]
      if (stored) fills.set(id, { stored, lease })
    }
    await hot.fill([...fills.values()])
    return found
  }

  async function commit(transaction: Transaction, options: OperationOptions | undefined): Promise<CommitResult> {
    if (!waiting.mayWait(transaction)) await mustAnswer()
    const removed = idsOf(transaction, 'remove')
    const ids = [...new Set([...idsOf(transaction, 'put'), ...removed])]
    return hot.write(
      { ids, removed },
      () => waiting.commit(transaction, options),
      ({ records }) => writtenBy(transaction, records),
    )
  }

  async function derive(
    derivations: readonly Derivation[],
    touched: readonly Touch[],
    options: OperationOptions | undefined,
  ): Promise<void> {
    const counted = touched.filter(({ count }) => count !== undefined)
    const ids = [...new Set([...derivations, ...counted].map(({ id }) => id))]
    await mustAnswer()
    await waiting.settle()
    await hot.write(
      { ids },
      () => cold.run((store) => store.derive(derivations, touched, options)),
      () => [],
    )
    // Of what is held only uses are counted here: the rest is read anew.
    const uses = touched.filter(({ count }) => count === undefined)
    if (uses.length > 0) await hot.ask((tier) => tier.touch(uses))
  }

  async function erase(
    scope: ScopeFilter,
    ids: readonly string[],
    options: (OperationOptions & EraseStamp) | undefined,
  ): Promise<EraseCounts> {
    await mustAnswer()
    // What waits would come after it, and bring back what it is to take away.
    await waiting.drain().catch(refuseErase)
    // Others may have named the erased ones: their entries are those of before. Also when there was nothing left to erase, or its id was
    // used, as that may be the second call after one whose answer was lost.
    const flush = async () => (ids.length > 0 ? hot.flush() : undefined)
    try {
      const counts = await hot.write(
        { ids: [...new Set(ids)], removed: ids },
        () => waiting.erase(scope, ids, options),
        () => [],
      )
      await flush()
      return counts
    } catch (error) {
      if (MnemeError.is(error, 'CONFLICT')) await flush()
      throw error
    }
  }

  return {
    get: (scope, ids, options) => get(scope, ids, options),
    commit: (transaction, options) => commit(transaction, options),
    derive: (derivations, touched, options) => derive(derivations, touched ?? [], options),
    erase: (scope, ids, options) => erase(scope, ids, options),
  }
}
