import type { ConflictPolicy } from '../kinds/index.ts'
import { compareTrust, type Trust } from '../model/index.ts'

/** One side of a contradiction, as far as it counts for who wins. */
export interface Side {
  readonly trust: Trust
  /** 0..1. */
  readonly confidence: number
  /** How many sources say so, independently of each other; from 1. @default 1 */
  readonly confirmations?: number | undefined
  /** When it was said, or from when it holds: epoch milliseconds. */
  readonly at: number
}

/** `keep`: what is known stays, and nothing is to be asked. `conflict`: both are kept apart until somebody decides. */
export type Verdict = 'supersede' | 'keep' | 'conflict'

/** Untrusted against trusted: never, whoever asks for it (TRU-1). */
export function mayReplace(known: Trust, incoming: Trust): boolean {
  return !(known === 'trusted' && incoming === 'untrusted')
}

/** Whether a source is trusted more than another. */
export function isMoreTrusted(one: Trust, other: Trust): boolean {
  return compareTrust(one, other) < 0
}

/** Said more often and with more certainty is more evidence; the smallest steps of floating point are none. */
function evidenceOf({ confidence, confirmations = 1 }: Side): number {
  return Math.round(confidence * Math.max(1, confirmations) * 1e9)
}

/** What was said later wins; of the same moment, what came in later. */
function byTime(known: Side, incoming: Side): Verdict {
  return incoming.at >= known.at ? 'supersede' : 'keep'
}

/**
 * Who wins between what is known and what was learned (CFL-2). What is not trusted never replaces what is: that is a conflict
 * whatever the policy, so that nothing a page or an assistant said takes the place of the user's own words.
 * - `newest`: what was said later.
 * - `evidence`: confidence times confirmations; with as much, what was said later. With less it waits as a conflict, where it can be confirmed.
 * - `trusted`: the more trusted; the less trusted waits as a conflict; equals by time.
 * - `ask`: always a conflict.
 */
export function judgeConflict(policy: ConflictPolicy, known: Side, incoming: Side): Verdict {
  if (policy === 'ask') return 'conflict'
  if (known.trust === 'trusted' && incoming.trust !== 'trusted') return 'conflict'
  if (policy === 'newest') return byTime(known, incoming)
  const difference =
    policy === 'trusted' ? compareTrust(known.trust, incoming.trust) : evidenceOf(incoming) - evidenceOf(known)
  if (difference === 0) return byTime(known, incoming)
  return difference > 0 ? 'supersede' : 'conflict'
}

/**
 * The same where a caller names what is to be replaced, by its key: the caller's own act. What comes last is newest, and an
 * assistant may set what its user said; what is untrusted still replaces nothing trusted (TRU-2).
 */
export function judgeNamed(policy: ConflictPolicy, known: Side, incoming: Side): Verdict {
  if (policy !== 'newest') return judgeConflict(policy, known, incoming)
  return mayReplace(known.trust, incoming.trust) ? 'supersede' : 'conflict'
}

/** Why nobody won, for whoever decides. Holds nothing of what the two say. */
export function whyConflict(policy: ConflictPolicy, known: Trust, incoming: Trust): string {
  if (known === 'trusted' && incoming !== 'trusted') return `what is ${incoming} contradicts what is trusted`
  if (policy === 'trusted' && isMoreTrusted(known, incoming)) return 'it is less trusted than what is known'
  if (policy === 'evidence') return 'less speaks for it than for what is known'
  return 'it contradicts what is known, and that is to be asked'
}
