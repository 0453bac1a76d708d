import type { JournalLine } from '../../contract/index.ts'
import type { Scope } from '../../model/index.ts'
import type { ReadScopeOptions } from './options.ts'
import type { Degradable } from './searching.ts'

/** Who read or wrote what and why; never what it said. */
export interface JournalEntry extends JournalLine {
  /** 1, 2, 3 … in the chain of its owner: `appId` and `userId` of the scope. */
  readonly seq: number
  readonly at: string
  /** SHA-256 in hex of the digest before and this line. */
  readonly digest: string
}

export interface JournalOptions extends ReadScopeOptions {
  /** From then on. */
  readonly since?: string | undefined
  readonly actor?: string | undefined
  /** Lines that name one of these. */
  readonly ids?: readonly string[] | undefined
  readonly op?: 'read' | 'write' | undefined
  /** 1..1000. @default 100 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface JournalResult extends Degradable {
  /** Oldest first. */
  readonly entries: readonly JournalEntry[]
  readonly nextCursor?: string | undefined
}

export interface VerifyJournalResult extends Degradable {
  readonly ok: boolean
  /** Lines that were read and found whole. */
  readonly entries: number
  /** `seq` of the first line that does not fit, in the chain of `owner`. */
  readonly brokenAt?: number | undefined
  readonly owner?: Scope | undefined
}
