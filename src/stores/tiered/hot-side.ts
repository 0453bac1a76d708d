import { createHash } from 'node:crypto'
import type { HotAnswer, HotLease, HotTier, StoredRecord } from '../../contract/index.ts'
import { MnemeError } from '../../errors/index.ts'
import type { ScopeFilter } from '../../model/index.ts'
import { type ColdSide, isRefusal } from './cold-side.ts'
import type { Reports } from './reports.ts'
import { type Word, wordOfMouth } from './word.ts'

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

const longestTickMs = 500

export interface HotSideParts {
  readonly tier: HotTier
  readonly cold: ColdSide
  readonly reports: Reports
  readonly staleMs: number
  readonly behind: string | undefined
}

export function hotSide({ tier, cold, reports, staleMs, behind }: HotSideParts): HotSide {
  const word = wordOfMouth(cold)
  let timer: NodeJS.Timeout | undefined
  let ticking: Promise<void> | null = null
  let isOpen = false
  let name = behind
  /** Set while entries may be out of date; grows with each reason, so that a flush on its way does not hide a later one. */
  let reasons = 0
  let failure: unknown = null
  /** The last word of another process is known as it was then. */
  let lookedAt = Number.NEGATIVE_INFINITY
  /** A word that could not be left. */
  let owed = false

  const trusted = (): boolean => isOpen && reasons === 0
  // With the cold store away no word can be read; what is here is then better than nothing.
  const usable = (): boolean => trusted() && (cold.away || performance.now() - lookedAt <= staleMs)

  function distrust(error: unknown): void {
    reasons++
    failure = error
    void tick()
  }

  /** Named after the store behind, so that tiers of different stores never meet. */
  async function openTier(): Promise<void> {
    name ??= createHash('sha256')
      .update('mneme hot tier')
      .update(await cold.run((store) => store.secret()))
      .digest('base64url')
      .slice(0, 22)
    await tier.open({ behind: name })
    isOpen = true
  }

  async function look(): Promise<void> {
    if (!isOpen) await openTier()
    const started = performance.now()
    if (owed) await leaveWord()
    const found: Word | null = await word.read().catch((error: unknown) => {
      if (!cold.away) throw error
      return null
    })
    if (found?.unsettled && reasons === 0) reasons++
    if (reasons > 0) {
      const before = reasons
      await tier.flushEpoch()
      owed = false
      if (found?.unsettled) await word.settle(found)
      if (reasons === before) reasons = 0
    }
    if (found !== null) lookedAt = started
    if (reasons === 0) failure = null
  }

  function tick(): Promise<void> {
    ticking ??= look()
      .catch((error: unknown) => {
        failure ??= error
      })
      .finally(() => {
        ticking = null
      })
    return ticking
  }

  async function leaveWord(): Promise<void> {
    try {
      await word.leave()
    } catch {
      // What was written stays written; the word follows as soon as the cold store takes it, unless a flush makes it needless.
      owed = true
    }
  }

  /** Leases for what is about to change; null when the tier can't be told. */
  async function hold({ ids, removed = [] }: HotChange): Promise<readonly string[] | null> {
    if (!trusted()) return null
    try {
      // Before, as a full server forgets where entries are; and after, as a reader may have filled one in between.
      if (removed.length > 0) await tier.evict(removed)
      const leases = await tier.hold(ids)
      if (removed.length > 0) await tier.evict(removed)
      return leases
    } catch (error) {
      distrust(error)
      reports.tell('hot', error, 'The hot tier could not be told of a write: it is not asked until it was emptied.')
      return null
    }
  }

  /** After a write that the tier was not told of before it. */
  async function takeBack(ids: readonly string[]): Promise<void> {
    if (trusted()) {
      try {
        await tier.evict(ids)
        return
      } catch (error) {
        distrust(error)
      }
    }
    await leaveWord()
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

  return {
    async open() {
      reasons = 0
      owed = false
      lookedAt = Number.NEGATIVE_INFINITY
      if (name !== undefined || !cold.away) await openTier()
      await tick()
      timer = setInterval(() => void tick(), Math.min(staleMs / 2, longestTickMs)).unref()
    },

    async close() {
      clearInterval(timer)
      await ticking
      isOpen = false
      await tier.close()
    },

    async get(scope, ids) {
      if (!usable()) {
        if (!trusted()) reports.tell('hot', failure, 'The hot tier is not asked for now; the cold store answers.')
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
      if (entries.length === 0 || !trusted()) return
      // What can't be kept is asked for again.
      await tier.putIfNewer(entries).catch((error: unknown) => {
        reports.tell('hot', error, 'What was read could not be put into the hot tier.')
      })
    },

    async write(change, work, written) {
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
    },

    async ask(work) {
      if (!usable()) return null
      try {
        return await work(tier)
      } catch (error) {
        reports.tell('hot', error, 'The hot tier did not answer.')
        return null
      }
    },

    async flush() {
      if (!trusted()) return leaveWord()
      try {
        await tier.flushEpoch()
      } catch (error) {
        distrust(error)
        await leaveWord()
      }
    },

    get isOpen() {
      return isOpen
    },

    get distrust() {
      if (trusted()) return null
      const code = MnemeError.is(failure) ? failure.code : 'unknown'
      return isOpen ? `a write could not reach it (${code}): not asked until it was emptied` : `not open yet (${code})`
    },
  }
}
