import type { HotAnswer, HotLease, HotTier, StoredRecord } from '../../contract/index.ts'
import type { ScopeFilter } from '../../model/index.ts'
import { type ColdSide, isRefusal } from './cold-side.ts'
import type { Reports } from './reports.ts'
import { type Trust, trustIn } from './trust.ts'

/** What a write does to the hot tier. */
export interface HotChange {
  /** Whatever the write may change. */
  readonly ids: readonly string[]
  /** Of those: what must not be left there, not even where nobody can read it. */
  readonly removed?: readonly string[] | undefined
}

/** The hot tier, as long as what it says can be relied on. */
export interface HotSide {
  /** @throws SetupError */
  open(): Promise<void>
  close(): Promise<void>
  /** Null when the tier can't be asked or did not answer: everything is a miss. */
  get(scope: ScopeFilter, ids: readonly string[]): Promise<readonly HotAnswer[] | null>
  /** Puts what readers found in the cold store. */
  fill(found: readonly { readonly stored: StoredRecord; readonly lease: string }[]): Promise<void>
  /** Runs a write of the cold store: what it changes is not answered from here until it is known how it ended. */
  write<T>(change: HotChange, work: () => Promise<T>, written: (result: T) => readonly StoredRecord[]): Promise<T>
  /** Asks the tier for something that is no entry; null when it can't be asked. @throws nothing */
  ask<T>(work: (tier: HotTier) => Promise<T>): Promise<T | null>
  /** The next look finds entries to be of former times. */
  flush(): Promise<void>
  readonly isOpen: boolean
  /** Why entries are not used at present; null when they are. */
  readonly distrust: string | null
}

export interface HotSideParts {
  readonly tier: HotTier
  readonly cold: ColdSide
  readonly reports: Reports
  readonly staleMs: number
  readonly behind: string | undefined
}

/** Writes of the cold store between a hold and a put, or what is done where the tier can't be told. */
function writer(tier: HotTier, trust: Trust, reports: Reports): HotSide['write'] {
  /** Leases for what is about to change; null when the tier can't be told. */
  async function hold({ ids, removed = [] }: HotChange): Promise<readonly string[] | null> {
    if (!trust.full) return null
    try {
      // Before, as a full server forgets where entries are; and after, as a reader may have filled one in between.
      if (removed.length > 0) await tier.evict(removed)
      const leases = await tier.hold(ids)
      if (removed.length > 0) await tier.evict(removed)
      return leases
    } catch (error) {
      trust.lose(error)
      reports.tell('hot', error, 'The hot tier could not be told of a write: it is not asked until it was emptied.')
      return null
    }
  }

  /** After a write that the tier was not told of before it. */
  async function takeBack(ids: readonly string[]): Promise<void> {
    if (trust.full) {
      try {
        await tier.evict(ids)
        return
      } catch (error) {
        trust.lose(error)
      }
    }
    await trust.leaveWord()
  }

  /** Entries and leases of held ids; they are misses already, so that nothing is out of date when this fails. */
  async function settle(leases: readonly HotLease[], stored: readonly StoredRecord[]): Promise<void> {
    const last = new Map(stored.map((each) => [each.record.id, each]))
    const puts = leases.flatMap(({ id, lease }) => {
      const each = last.get(id)
      return each === undefined || lease === '' ? [] : [{ stored: each, lease }]
    })
    const rest = leases.filter(({ id, lease }) => !last.has(id) && lease !== '')
    try {
      await Promise.all([
        puts.length > 0 ? tier.putIfNewer(puts) : undefined,
        rest.length > 0 ? tier.release(rest) : undefined,
      ])
    } catch (error) {
      reports.tell('hot', error, 'What was written could not be put into the hot tier; the cold store has it.')
    }
    // A full tier gives no lease: readers may have filled it meanwhile.
    const without = leases.filter(({ lease }) => lease === '').map(({ id }) => id)
    if (without.length > 0) await takeBack(without)
  }

  return async function write(change, work, written) {
    const { ids } = change
    if (ids.length === 0) return work()
    const held = await hold(change)
    const leases = held?.map((lease, i) => ({ id: ids[i] as string, lease })) ?? null
    try {
      const result = await work()
      if (leases === null) await takeBack(ids)
      else await settle(leases, written(result))
      return result
    } catch (error) {
      // Where it is not known whether it was written, held ids stay misses until their leases end.
      if (leases === null && !isRefusal(error)) await takeBack(ids)
      else if (leases !== null && isRefusal(error)) await settle(leases, [])
      throw error
    }
  }
}

export function hotSide({ tier, cold, reports, staleMs, behind }: HotSideParts): HotSide {
  const trust = trustIn({ tier, cold, staleMs, behind })
  return {
    open: trust.open,
    close: trust.close,

    async get(scope, ids) {
      if (!trust.usable) {
        if (!trust.full)
          reports.tell('hot', trust.failure, 'The hot tier is not asked for now; the cold store answers.')
        return null
      }
      try {
        return await tier.get(scope, ids)
      } catch (error) {
        reports.tell('hot', error, 'The hot tier did not answer; the cold store does.')
        return null
      }
    },

    async fill(found) {
      const entries = found.filter(({ lease }) => lease !== '')
      if (entries.length === 0 || !trust.full) return
      // What can't be kept is asked for again.
      await tier.putIfNewer(entries).catch((error: unknown) => {
        reports.tell('hot', error, 'What was read could not be put into the hot tier.')
      })
    },

    write: writer(tier, trust, reports),

    async ask(work) {
      if (!trust.usable) return null
      try {
        return await work(tier)
      } catch (error) {
        reports.tell('hot', error, 'The hot tier did not answer.')
        return null
      }
    },

    async flush() {
      if (!trust.full) return trust.leaveWord()
      try {
        await tier.flushEpoch()
      } catch (error) {
        trust.lose(error)
        await trust.leaveWord()
      }
    },

    get isOpen() {
      return trust.isOpen
    },

    get distrust() {
      return trust.reason
    },
  }
}
