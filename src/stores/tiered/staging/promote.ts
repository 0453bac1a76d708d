import type {
  Derivation,
  MemoryStore,
  MigrationCounts,
  OperationOptions,
  ReadOptions,
  StoredRecord,
} from '../../../contract/index.ts'
import { MnemeError } from '../../../errors/index.ts'
import { allScopes, type Scope, type ScopeFilter, within } from '../../../model/index.ts'
import { isRefusal } from '../cold-side.ts'
import { everyRecord } from '../every-record.ts'
import { idOfTwin, isStaged, markOf, promotion, promotionOf, stagedKind, stagingTransaction } from './twin.ts'

/** Every staged twin that a scope sees, oldest first, without analyses and vectors. */
export const stagedIn = (
  cold: MemoryStore,
  scope: ScopeFilter,
  options: ReadOptions | undefined,
): AsyncGenerator<StoredRecord> => everyRecord(cold, scope, { kinds: [stagedKind], limit: 500 }, options)

interface Staged {
  readonly twin: StoredRecord
  /** The record that is there under the same id: only who opens the cold store itself can have written it. */
  readonly record: StoredRecord | null
}

/** What a transaction staged, when, and nobody has made records of. All of it is of one exact scope. */
async function stagedBy(
  cold: MemoryStore,
  tx: string,
  options: OperationOptions | undefined,
): Promise<{ readonly at: number; readonly staged: readonly Staged[] }> {
  const transaction = await cold.transaction(tx, options)
  const twins = (transaction?.changes ?? []).flatMap((change) =>
    change.type === 'put' && change.kind === stagedKind ? [change.id] : [],
  )
  const found = await cold.get(allScopes(), [...twins, ...twins.map(idOfTwin)], options)
  const staged = twins.flatMap((_, i) => {
    const [twin, record] = [found[i], found[twins.length + i] ?? null]
    return isStaged(twin) ? [{ twin, record }] : []
  })
  return { at: transaction?.at ?? 0, staged }
}

/** Vectors that came to twins after they were read: their first versions have them. */
async function lateVectors(
  cold: MemoryStore,
  tx: string,
  staged: readonly Staged[],
  options: OperationOptions | undefined,
): Promise<Derivation[]> {
  const without = new Map(staged.flatMap(({ twin }) => (isWaiting(twin) ? [[twin.record.id, twin.record]] : [])))
  if (without.size === 0) return []
  const changes = (await cold.transaction(tx, options))?.changes ?? []
  return changes.flatMap((change): Derivation[] => {
    const twin = change.type === 'put' && change.stored?.vector ? without.get(change.id) : undefined
    if (twin === undefined || change.type !== 'put') return []
    return [{ id: idOfTwin(twin.id), version: twin.version, vector: change.stored?.vector ?? undefined }]
  })
}

/** Searched, and without a vector yet. */
function isWaiting({ vector, analysis }: StoredRecord): boolean {
  return vector === null && analysis.terms.length > 0
}

/** Writes vectors of records into the cold store, and tells of it whoever keeps copies. */
export type Carry = (late: readonly Derivation[], options: OperationOptions | undefined) => Promise<void>

/** Makes records of staged ones. */
export interface Promoter {
  /**
   * Of all that the transaction of one staged, in one commit, if nobody has done so before. How many it made.
   * @throws what the store throws
   */
  transaction(one: StoredRecord, options: OperationOptions | undefined): Promise<number>
  /**
   * Of all that is staged in a scope and finer ones, transaction by transaction in order. What one fails with, the others don't suffer
   * from, unless the store is away.
   * @param onFailure hears why something is left
   * @throws what the first failed with when none could be made
   */
  scope(
    scope: Scope,
    onFailure: (error: unknown) => void,
    options: OperationOptions | undefined,
  ): Promise<MigrationCounts>
}

export function promoter(cold: MemoryStore, carry: Carry): Promoter {
  async function transaction(one: StoredRecord, options: OperationOptions | undefined): Promise<number> {
    const tx = stagingTransaction(one)
    const { at, staged } = await stagedBy(cold, tx, options)
    if (staged.length === 0) return 0
    const versionOf = (id: string, stored: StoredRecord | null) =>
      ({ type: 'version', id, is: stored?.record.version ?? null }) as const
    let isMine = true
    try {
      await cold.commit(
        {
          id: promotionOf(tx),
          // No record's own time: an owner's time never goes back, and one of the future would hold for all that is written next.
          at,
          verb: 'migrate',
          requires: staged.flatMap(({ twin, record }) => [
            versionOf(twin.record.id, twin),
            versionOf(idOfTwin(twin.record.id), record),
          ]),
          // What is there is newer: it stays, and what was staged is of the past.
          changes: staged.flatMap(({ twin, record }) => (record === null ? promotion(twin) : [markOf(twin)])),
        },
        options,
      )
    } catch (error) {
      // Somebody else was first: with the versions of the twins, or, where its answer was lost, with this very transaction.
      if (MnemeError.is(error, 'VERSION_CONFLICT')) return 0
      if (!MnemeError.is(error, 'CONFLICT') || (await stagedBy(cold, tx, options)).staged.length > 0) throw error
      isMine = false
    }
    try {
      const late = await lateVectors(cold, tx, staged, options)
      if (late.length > 0) await carry(late, options)
    } catch {
      // The records are made, and without a vector: they wait for one as all such records do.
    }
    return isMine ? staged.filter(({ record }) => record === null).length : 0
  }

  async function all(
    scope: Scope,
    onFailure: (error: unknown) => void,
    options: OperationOptions | undefined,
  ): Promise<MigrationCounts> {
    const first = new Map<string, StoredRecord>()
    let total = 0
    for await (const twin of stagedIn(cold, within(scope), options)) {
      total++
      const tx = stagingTransaction(twin)
      if (!first.has(tx)) first.set(tx, twin)
    }
    let migrated = 0
    let failure: unknown = null
    for (const twin of first.values()) {
      try {
        migrated += await transaction(twin, options)
      } catch (error) {
        failure ??= error
        if (!isRefusal(error)) break
      }
    }
    if (failure !== null && migrated === 0) throw failure
    if (failure !== null) {
      onFailure(failure)
      return { migrated, remaining: total - migrated }
    }
    let remaining = 0
    for await (const _twin of stagedIn(cold, within(scope), options)) remaining++
    return { migrated, remaining }
  }

  return { transaction, scope: all }
}
