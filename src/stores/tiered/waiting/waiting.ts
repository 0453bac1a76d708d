import type { CommitResult, HotTier, MemoryStore, OperationOptions, Transaction } from '../../../contract/index.ts'
import { type ColdSide, isAway } from '../cold-side.ts'
import type { Reports } from '../reports.ts'
import { bring } from './bring.ts'
import { idsIn, unpacked } from './entry.ts'
import { intake } from './intake.ts'
import { asideKind, type SetAside } from './set-aside.ts'

/** Transactions that wait in the hot tier for the cold store, in the order of their coming. */
export interface Waiting {
  /** Commits; while the cold store is away, what may wait is taken in. */
  commit(transaction: Transaction, options: OperationOptions | undefined): Promise<CommitResult>
  /** Brings what waits into the cold store. Never rejects: what can't go yet waits on. */
  settle(): Promise<void>
  /** The same for what must not pass it by, whichever process left it. @throws when it is not known that nothing waits any more */
  drain(): Promise<void>
  /** Erases from the cold store, and from what of it is set aside. */
  readonly erase: MemoryStore['erase']
  open(): void
  close(): Promise<void>
}

const pageSize = 100
const tickMs = 500
/** How often it is looked for what others set aside. */
const countMs = 30_000

/** Why not all could be brought. */
interface Stop {
  readonly at: 'hot' | 'cold'
  readonly error: unknown
}

export interface WaitingParts {
  readonly tier: HotTier
  readonly cold: ColdSide
  readonly reports: Reports
  readonly maxWaiting: number
  readonly aside: SetAside
  /** Whether a transaction does nothing but add memories to a session. */
  mayWait(transaction: Transaction): boolean
}

export function waitingRoom(parts: WaitingParts): Waiting {
  const { tier, cold, reports, maxWaiting, aside, mayWait } = parts
  const takeIn = intake(tier, reports, maxWaiting)
  let maybe = true
  let running: Promise<Stop | null> | null = null
  let timer: NodeJS.Timeout | undefined
  /** Transactions that are set aside, whoever did it; null before the first look. */
  let setAside: number | null = null
  let countedAt = Number.NEGATIVE_INFINITY

  async function recount(): Promise<void> {
    countedAt = performance.now()
    setAside = await cold.run(() => aside.count())
  }

  /** Ids of records that can no longer be told. What the store does not take must hold up neither what comes after it nor an erase. */
  async function bringOne(entry: string): Promise<readonly string[]> {
    try {
      return await cold.run((store) => bring(store, unpacked(entry)))
    } catch (error) {
      if (isAway(error)) throw error
      // A store that takes nothing at all fails here as well, and all goes on waiting.
      await cold.run(() => aside.keep(entry, error))
      setAside = null
      reports.tell('cold', error, 'The cold store refused a transaction that waited for it: it is set aside.')
      return idsIn(entry)
    }
  }

  /** Where it stopped; null when nothing waits any more. */
  async function bringAll(): Promise<Stop | null> {
    let at: Stop['at'] = 'hot'
    try {
      for (;;) {
        const entries = await tier.queue.peek(pageSize)
        if (entries.length === 0) {
          maybe = false
          return null
        }
        for (const entry of entries) {
          at = 'cold'
          const untold = await bringOne(entry)
          at = 'hot'
          if (untold.length > 0) await tier.evict(untold)
          await tier.queue.shift(entry)
        }
      }
    } catch (error) {
      return { at, error }
    }
  }

  function bringNow(): Promise<Stop | null> {
    running ??= bringAll().finally(() => {
      running = null
    })
    return running
  }

  /** @throws what the cold store throws when it is away; that the hot tier does not answer is no obstacle */
  async function flush(): Promise<void> {
    if (!maybe) return
    const stop = await bringNow()
    if (stop === null) return
    if (stop.at === 'cold' && isAway(stop.error)) throw stop.error
    reports.tell(stop.at, stop.error, 'What waits in the hot tier could not be brought, and was not looked at.')
  }

  async function tick(): Promise<void> {
    // Who can't look does not know.
    if (!maybe) maybe = (await tier.queue.size().catch(() => 1)) > 0
    await flush()
    if (performance.now() - countedAt > countMs) await recount()
  }

  return {
    async commit(transaction, options) {
      try {
        await flush()
        return await cold.run((store) => store.commit(transaction, options))
      } catch (error) {
        if (!isAway(error) || !mayWait(transaction)) throw error
        maybe = true
        return takeIn(transaction, error)
      }
    },
    async settle() {
      // That the cold store is away is found out, and told, by the call that comes next.
      await flush().catch(() => undefined)
      if (setAside === null && !cold.away) await recount().catch(() => undefined)
      if (setAside) {
        const message = `${setAside} transactions that waited for the cold store were refused and are set aside, in records of kind ${asideKind}: what they added is only there.`
        reports.tell('cold', null, message)
      }
    },
    async drain() {
      // What was looked for before may have come since.
      await running
      const stop = await bringNow()
      if (stop !== null) throw stop.error
    },
    async erase(scope, ids, options) {
      const counts = await cold.run(() => aside.erase(scope, ids, options))
      // Whoever asks next counts anew.
      setAside = null
      return counts
    },
    open() {
      maybe = true
      setAside = null
      timer = setInterval(() => void tick().catch(() => undefined), tickMs).unref()
    },
    async close() {
      clearInterval(timer)
      await running
    },
  }
}
