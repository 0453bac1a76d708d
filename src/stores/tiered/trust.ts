import { createHash } from 'node:crypto'
import type { HotTier } from '../../contract/index.ts'
import { MnemeError } from '../../errors/index.ts'
import type { ColdSide } from './cold-side.ts'
import { type Word, wordOfMouth } from './word.ts'

/** Whether what the hot tier says can be relied on, and what is done until it can. */
export interface Trust {
  /** @throws SetupError */
  open(): Promise<void>
  close(): Promise<void>
  /** The tier can be told of writes. */
  readonly full: boolean
  /** It can be asked as well: no word of others can have been missed. */
  readonly usable: boolean
  /** A write did not reach it: entries may be out of date until it was emptied. */
  lose(error: unknown): void
  /** Tells other processes that entries may be out of date. Never rejects: it is told as soon as it can be. */
  leaveWord(): Promise<void>
  readonly isOpen: boolean
  /** What it was lost by last. */
  readonly failure: unknown
  /** Why entries are not used at present; null when they are. */
  readonly reason: string | null
}

const longestTickMs = 500

export interface TrustParts {
  readonly tier: HotTier
  readonly cold: ColdSide
  readonly staleMs: number
  readonly behind: string | undefined
}

export function trustIn({ tier, cold, staleMs, behind }: TrustParts): Trust {
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

    get full() {
      return trusted()
    },

    get usable() {
      // With the cold store away no word can be read; what is here is then better than nothing.
      return trusted() && (cold.away || performance.now() - lookedAt <= staleMs)
    },

    lose(error) {
      reasons++
      failure = error
      void tick()
    },

    leaveWord,

    get isOpen() {
      return isOpen
    },

    get failure() {
      return failure
    },

    get reason() {
      if (trusted()) return null
      const code = MnemeError.is(failure) ? failure.code : 'unknown'
      return isOpen ? `a write could not reach it (${code}): not asked until it was emptied` : `not open yet (${code})`
    },
  }
}
