import type { ErrorCode } from '../errors/index.ts'

/** How one layer of a store fares. */
export interface TierHealth {
  readonly name: string
  readonly role: 'store' | 'hot' | 'cold'
  readonly status: 'ok' | 'degraded' | 'down'
  /** Of the question that was asked, milliseconds; absent when nothing answered. */
  readonly latencyMs?: number | undefined
  /** Why it is not ok: what failed, and what becomes of it. Never an address with a password. */
  readonly reason?: string | undefined
  /** Transactions that wait here for the tier behind. */
  readonly waiting?: number | undefined
  /** Transactions that waited for this tier, that it refused and that are kept apart in it; they do not go by themselves. */
  readonly setAside?: number | undefined
}

export interface StoreHealth {
  /** `degraded`: some answers are partial or slower, or some writes wait; `down`: nothing can be acknowledged. */
  readonly status: 'ok' | 'degraded' | 'down'
  readonly tiers: readonly TierHealth[]
}

/** A part of a store that could not do its part in one answer; the rest answered. */
export interface StoreDegradation {
  readonly stage: 'hot' | 'cold'
  readonly code: ErrorCode
  /** What was done without, and why, in words for people. */
  readonly message: string
}
