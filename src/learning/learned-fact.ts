import type { EventTime } from '../model/index.ts'

/** A passage that shows where something was learnt: the words themselves, and the position of their message, from 0. */
export interface Evidence {
  readonly message: number
  readonly quote: string
}

/** What messages teach, before it is compared with what is known already. The same from rules and from models. */
export interface LearnedFact {
  /** A sentence that stands alone, in the third person: `Ann lives in Bonn`. */
  readonly content: string
  readonly kind: 'semantic' | 'episodic'
  /**
   * Names what it answers, where one thing can be true at a time: `user.home`. Another value under this key takes the place of the
   * one before. Absent: many such facts can be true side by side.
   */
  readonly key?: string | undefined
  /** What it is about, `user` or a name, and what is said of it: `home`, `likes`. */
  readonly subject: string
  readonly attribute: string
  readonly value: string
  /** `ends`: what was true of this subject, attribute and value is true no longer, and nothing takes its place. */
  readonly effect: 'asserts' | 'ends'
  /** When it happens or happened. */
  readonly eventTime?: EventTime | undefined
  /** From when, and until when, it is true: ISO 8601, UTC. */
  readonly validFrom?: string | undefined
  readonly validTo?: string | undefined
  /** 0..1. */
  readonly importance?: number | undefined
  readonly confidence: number
  readonly evidence: readonly Evidence[]
}
