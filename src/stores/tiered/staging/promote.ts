import type { Derivation, MemoryStore, OperationOptions, StoredRecord } from '../../../contract/index.ts'
import { MnemeError } from '../../../errors/index.ts'
import { allScopes, type Scope, type ScopeFilter, within } from '../../../model/index.ts'
import { isRefusal } from '../cold-side.ts'
import { idOfTwin, isStaged, promotion, stagedKind, stagingTransaction } from './twin.ts'

const pageSize = 500

/** Every staged twin that a scope sees, oldest first, without analyses and vectors. */
export async function* stagedIn(
  cold: MemoryStore,
  scope: ScopeFilter,
  options: Parameters<MemoryStore['list']>[2],
): AsyncGenerator<StoredRecord> {
  let after: { readonly value: number; readonly id: string } | undefined
  for (;;) {
    const query = { kinds: [stagedKind], statuses: 'any', order: 'oldest', limit: pageSize, after } as const
    const page = await cold.list(scope, query, { ...options, bare: true })
    yield* page.items
    const last = page.items.at(-1)?.record
    if (!page.more || last === undefined) return
    after = { value: Date.parse(last.createdAt), id: last.id }
  }
}

interface Staged {
  /** When it was staged, epoch milliseconds. */
  readonly at: number
  /** All of one exact scope. */
  readonly twins: readonly StoredRecord[]
}

/** What a transaction staged and nobody has made records of. */
async function stagedBy(cold: MemoryStore, tx: string, options: OperationOptions | undefined): Promise<Staged> {
  const transaction = await cold.transaction(tx, options)
  const ids = transaction?.changes.flatMap((change) =>
    change.type === 'put' && change.kind === stagedKind ? [change.id] : [],
  )
  const found = await cold.get(allScopes(), ids ?? [], options)
  return { at: transaction?.at ?? 0, twins: found.filter(isStaged) }
}

/** Vectors that came to twins after they were read: their first versions have them. */
async function carryVectors(
  cold: MemoryStore,
  tx: string,
  twins: readonly StoredRecord[],
  options: OperationOptions | undefined,
): Promise<void> {
  const without = new Map(twins.filter(isWaiting).map(({ record }) => [record.id, record]))
  if (without.size === 0) return
  const changes = (await cold.transaction(tx, options))?.changes ?? []
  const late = changes.flatMap((change): Derivation[] => {
    const twin = change.type === 'put' && change.stored?.vector ? without.get(change.id) : undefined
    if (twin === undefined || change.type !== 'put') return []
    return [{ id: idOfTwin(twin.id), version: twin.version, vector: change.stored?.vector ?? undefined }]
  })
  if (late.length > 0) await cold.derive(late, [], options)
}

/** Searched, and without a vector yet. */
function isWaiting({ vector, analysis }: StoredRecord): boolean {
  return vector === null && analysis.terms.length > 0
}

/**
 * Makes records of what one transaction staged, in one commit, if nobody has done so before. How many it made.
 * @throws what the store throws
 */
export async function promoteTransaction(
  cold: MemoryStore,
  one: StoredRecord,
  options: OperationOptions | undefined,
): Promise<number> {
  const tx = stagingTransaction(one)
  const { at, twins } = await stagedBy(cold, tx, options)
  if (twins.length === 0) return 0
  try {
    await cold.commit(
      {
        id: `${tx}~promoted`,
        // No record's own time: an owner's time never goes back, and one of the future would hold for all that is written next.
        at,
        verb: 'migrate',
        requires: twins.map(({ record }) => ({ type: 'version', id: record.id, is: record.version }) as const),
        changes: twins.flatMap(promotion),
      },
      options,
    )
    await carryVectors(cold, tx, twins, options)
    return twins.length
  } catch (error) {
    // Somebody else was first: with the versions of the twins, or, where its answer was lost, with this very transaction.
    if (MnemeError.is(error, 'VERSION_CONFLICT')) return 0
    if (MnemeError.is(error, 'CONFLICT') && (await stagedBy(cold, tx, options)).twins.length === 0) return 0
    throw error
  }
}

export interface Migrated {
  readonly migrated: number
  readonly remaining: number
}

/**
 * Makes records of all that is staged in a scope and finer ones, transaction by transaction in order. What one fails with, the others don't
 * suffer from, unless the store is away.
 * @param onFailure hears why something is left
 * @throws what the first failed with when none could be made
 */
export async function promoteScope(
  cold: MemoryStore,
  scope: Scope,
  onFailure: (error: unknown) => void,
  options: OperationOptions | undefined,
): Promise<Migrated> {
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
      migrated += await promoteTransaction(cold, twin, options)
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
