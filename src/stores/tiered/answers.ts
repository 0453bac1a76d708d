import type { HotTier, MemoryStore, StoredRecord } from '../../contract/index.ts'
import type { MnemeError } from '../../errors/index.ts'
import { matchesScope, type ScopeFilter } from '../../model/index.ts'
import { type ColdSide, isAway } from './cold-side.ts'
import type { HotSide } from './hot-side.ts'
import type { Reports } from './reports.ts'

export interface AnswerParts {
  readonly cold: ColdSide
  readonly hot: HotSide
  readonly reports: Reports
  /** What waits in a tier: entries of it may be gone already. */
  waitingIn(tier: HotTier): Promise<readonly StoredRecord[]>
  /** Brings what waits to be written; never rejects. */
  settle(): Promise<void>
}

/** Answers of the cold store, and what those who listen are given instead while it is away. */
export interface Answers {
  /** What the hot tier holds of a scope. @throws the error given, when that can't be told */
  held(scope: ScopeFilter, error: MnemeError): Promise<readonly StoredRecord[]>
  /** Asks the cold store; while it is away, answers from what the hot tier holds. @param canTell the tier can say something of it */
  orHeld<T>(
    scope: ScopeFilter,
    work: (cold: MemoryStore) => Promise<T>,
    instead: (entries: readonly StoredRecord[]) => T,
    canTell?: boolean,
  ): Promise<T>
  /** For what the hot tier can say nothing of. */
  orNothing<T>(work: (cold: MemoryStore) => Promise<T>, instead: () => T): Promise<T>
}

export function answersOf({ cold, hot, reports, waitingIn, settle }: AnswerParts): Answers {
  async function held(scope: ScopeFilter, error: MnemeError): Promise<readonly StoredRecord[]> {
    if (reports.listener === undefined) throw error
    const found = await hot.ask(async (asked) => {
      const entries: StoredRecord[] = []
      for await (const stored of asked.scan(scope)) entries.push(stored)
      const ids = new Set(entries.map(({ record }) => record.id))
      for (const stored of await waitingIn(asked))
        if (!ids.has(stored.record.id) && matchesScope(scope, stored.record.scope)) entries.push(stored)
      return entries
    })
    if (found === null) throw error
    reports.tell('cold', error, 'The cold store is away: only what the hot tier holds was looked at.')
    return found
  }

  async function orHeld<T>(
    scope: ScopeFilter,
    work: (cold: MemoryStore) => Promise<T>,
    instead: (entries: readonly StoredRecord[]) => T,
    canTell = true,
  ): Promise<T> {
    try {
      await settle()
      return await cold.run(work)
    } catch (error) {
      if (!isAway(error) || !canTell) throw error
      return instead(await held(scope, error))
    }
  }

  async function orNothing<T>(work: (cold: MemoryStore) => Promise<T>, instead: () => T): Promise<T> {
    try {
      return await cold.run(work)
    } catch (error) {
      if (!isAway(error) || reports.listener === undefined) throw error
      // With both away nobody is left to answer.
      if ((await hot.ask((asked) => asked.queue.size())) === null) throw error
      reports.tell('cold', error, 'The cold store is away: what only it knows was not looked at.')
      return instead()
    }
  }

  return { held, orHeld, orNothing }
}
