import type { LoggedTransaction, MemoryStore, OperationOptions } from '../../contract/index.ts'
import { erasedId } from '../../contract/index.ts'
import { ConflictError, InputError, MnemeError } from '../../errors/index.ts'
import { align } from './align.ts'
import { catchUp } from './catch-up.ts'
import { copiedJournal } from './copied-journal.ts'
import { copiedTransaction } from './copied-transaction.ts'
import { differenceError } from './difference.ts'
import { logEntries, logPages } from './read-log.ts'
import { type StoreDigest, storeDigest } from './store-digest.ts'

export interface MigrateProgress {
  readonly phase: 'aligning' | 'copying' | 'comparing'
  /** That the target has by now. */
  readonly transactions: number
}

export interface MigrateStoreOptions extends OperationOptions {
  /** Write nothing: compare what is there. @default false */
  readonly verifyOnly?: boolean | undefined
  readonly onProgress?: ((progress: MigrateProgress) => void) | undefined
}

export interface MigrateStoreResult {
  /** Of the target, with those that were there before. */
  readonly transactions: number
  readonly records: number
  readonly links: number
  /** Lines. */
  readonly journal: number
  /** What this run brought: transactions and journal lines. */
  readonly copied: { readonly transactions: number; readonly journal: number }
  /** What stays behind: tombstones of erased records, which are hashes made with the source's secret. */
  readonly skipped: { readonly erased: number }
  /** The last transaction that both have; null for empty stores. */
  readonly upTo: string | null
  /** Of either store, SHA-256 in hex. */
  readonly digest: string
  /** Always true: whatever could not be verified rejects. */
  readonly verified: true
}

/** Comparisons begun anew because the source was written meanwhile. */
const mostRounds = 3

function refuseTiers(store: MemoryStore, which: string): void {
  if (store.migrateToCold === undefined) return
  throw new InputError({
    code: 'INVALID_ARGUMENT',
    message: `migrate: the ${which} store "${store.name}" is only a layer in front of a durable one. Name the durable store itself; what waits in front of it has to be moved first (migrateToCold).`,
    details: { which },
  })
}

async function isSame(from: MemoryStore, to: MemoryStore, call: OperationOptions): Promise<boolean> {
  if (from === to) return true
  if (from.place !== undefined && to.place !== undefined) return (await from.place(call)) === (await to.place(call))
  return Buffer.compare(await from.secret(call), await to.secret(call)) === 0
}

/** Whatever is said of a copy would be true of a store and itself, and nothing was copied. */
async function refuseSame(from: MemoryStore, to: MemoryStore, call: OperationOptions): Promise<void> {
  if (!(await isSame(from, to, call))) return
  throw new InputError({
    code: 'INVALID_ARGUMENT',
    message:
      'migrate: source and target are the same store. Nothing was written: give another file, schema or server as the target.',
    details: { reason: 'same' },
  })
}

function otherWriter(tx: string): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message: `migrate: somebody else wrote transaction ${JSON.stringify(tx)} to the target: another run is at work, or the target is in use. Let it end, then run again.`,
    details: { reason: 'in-use', tx },
  })
}

function stillWritten(upTo: string | null): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message: `migrate: copied up to transaction ${JSON.stringify(upTo)}, but not compared: the source is being written. Let its writers rest, then run again; it goes on from here.`,
    details: { reason: 'source-in-use' },
  })
}

function erasedMeanwhile(): ConflictError {
  return new ConflictError({
    code: 'CONFLICT',
    message:
      'migrate: records that the target holds were erased in the source since. Delete the target and begin with an empty one, so that nothing of them stays.',
    details: { reason: 'erased' },
  })
}

/** Hashes of erased ids by the salt that they were made with. */
type Erased = Map<string, Set<string>>

function noteErased({ changes }: LoggedTransaction, erased: Erased): void {
  for (const change of changes) {
    if (change.type !== 'remove' || change.salt === null) continue
    erased.set(change.salt, (erased.get(change.salt) ?? new Set()).add(change.id))
  }
}

/** @throws ConflictError when the target has what was erased in the source after it was copied (MIG-6) */
async function refuseErased(to: MemoryStore, erased: Erased, call: OperationOptions): Promise<void> {
  if (erased.size === 0) return
  for await (const { changes } of logEntries(to, null, call)) {
    for (const change of changes) {
      if (change.type !== 'put') continue
      for (const [salt, hashes] of erased) if (hashes.has(erasedId(salt, change.id))) throw erasedMeanwhile()
    }
  }
}

/**
 * Copies all that a store holds into another, transaction by transaction: the log with its ids and moments, every version,
 * links, journals, vectors and access counts. Both are opened and stay open. The target must be empty or hold the
 * beginning of the same log, from an earlier run that was ended at any moment: it goes on from there. Nobody else may write to the
 * target; the source may be in use, and is followed to its end. Idempotency keys and tombstones of erased
 * records stay behind (MIG-1 to MIG-10).
 * @throws ConflictError CONFLICT (details: reason `foreign`, `in-use`, `erased`, `journal`, `source-in-use`, `different`),
 * InputError INVALID_ARGUMENT for a tiered store and for one and the same, and whatever the stores throw
 */
export async function migrateStore(
  from: MemoryStore,
  to: MemoryStore,
  options: MigrateStoreOptions = {},
): Promise<MigrateStoreResult> {
  const { onProgress } = options
  const call: OperationOptions = { signal: options.signal }
  refuseTiers(from, 'source')
  refuseTiers(to, 'target')
  await from.open(call)
  await to.open(call)
  await refuseSame(from, to, call)
  onProgress?.({ phase: 'aligning', transactions: 0 })
  const start = await from.head(call)
  let { cursor, tx: upTo, transactions } = await align(from, to, call)
  const copied = { transactions: 0, journal: 0 }
  const isResumed = transactions > 0
  const erased: Erased = new Map()
  const journal = await copiedJournal(from, to, call, (count) => {
    copied.journal += count
  })

  async function copy(entry: LoggedTransaction): Promise<void> {
    const transaction = copiedTransaction(entry, await journal.take(entry.id))
    try {
      await to.commit(transaction, call)
    } catch (error) {
      if (MnemeError.is(error, 'CONFLICT') && (await to.transaction(entry.id, call)) !== null) {
        throw otherWriter(entry.id)
      }
      throw error
    }
    await journal.written(entry.id)
    if (isResumed) noteErased(entry, erased)
    copied.transactions++
    transactions++
    cursor = entry.cursor
    upTo = entry.id
    onProgress?.({ phase: 'copying', transactions })
  }

  /** Up to the end of the log, and of every journal. */
  async function copyRest(): Promise<void> {
    await journal.refresh()
    for await (const entries of logPages(from, cursor, call)) {
      await journal.refresh()
      await journal.prepare(
        new Set(entries.map(({ id }) => id)),
        entries.reduce((latest, { at }) => Math.max(latest, at), Number.NEGATIVE_INFINITY),
      )
      for (const entry of entries) {
        call.signal?.throwIfAborted()
        await copy(entry)
      }
    }
    await journal.prepare(new Set(), Number.POSITIVE_INFINITY)
    for await (const entry of logEntries(from, start, call)) noteErased(entry, erased)
    await refuseErased(to, erased, call)
    await catchUp(from, to, call)
  }

  async function hasGrown(derived: string): Promise<boolean> {
    const page = await from.log(cursor, { ...call, limit: 1 })
    return page.entries.length > 0 || page.derived !== derived
  }

  for (let round = 1; ; round++) {
    if (!options.verifyOnly) await copyRest()
    const { derived } = await from.log(cursor, { ...call, limit: 1 })
    onProgress?.({ phase: 'comparing', transactions })
    const digests: { from: StoreDigest; to: StoreDigest } = {
      from: await storeDigest(from, call),
      to: await storeDigest(to, call),
    }
    if (digests.from.digest === digests.to.digest) {
      const { records, links, journal: lines } = digests.to.counts
      return {
        transactions,
        records,
        links,
        journal: lines,
        copied,
        skipped: { erased: digests.from.erased },
        upTo,
        digest: digests.to.digest,
        verified: true,
      }
    }
    if (options.verifyOnly || !(await hasGrown(derived))) throw await differenceError(from, to, digests, call)
    if (round === mostRounds) throw stillWritten(upTo)
  }
}
