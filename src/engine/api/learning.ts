import type { ConflictPolicy } from '../../kinds/index.ts'
import type { IgnoreReason } from '../../learning/index.ts'
import type { WriteOptions } from './options.ts'
import type { Plan } from './plan.ts'
import type { Degradation } from './searching.ts'
import type { ApplyResult, WriteMethod } from './write-results.ts'

/** One message of a conversation, as callers give it. */
export interface MessageInput {
  /** Only what `user` says is taken as said by a person. */
  readonly role: 'user' | 'assistant' | 'system' | 'tool'
  readonly content: string | readonly { readonly type: 'text'; readonly text: string }[]
  /** Who speaks, as they are called: `Ann`. 1 to 1024 characters. */
  readonly name?: string | undefined
  /**
   * When it was said: ISO 8601 with an offset.
   * @default when the message before it was, the first ones when the next was; now where none has a time
   */
  readonly at?: string | undefined
  /** IANA zone of the speaker, or an offset such as `+02:00`. @default UTC */
  readonly zone?: string | undefined
}

/** What is learnt from messages, or from a text that the user said. */
export type LearnInput = string | readonly MessageInput[]

export interface LearnOptions extends WriteOptions {
  /**
   * How: a model's reading, rules alone, or the turns as they are. `auto`: the model where there is one, and rules where there is
   * none or it fails. @default 'auto'
   */
  readonly mode?: 'auto' | 'model' | 'rules' | 'verbatim' | undefined
  /** For the model, beside its prompt: what to look for, what to leave out. 1 to 8,192 characters. Rules pass over it. */
  readonly instructions?: string | undefined
  /** Most alike memories that each fact is compared with, 1..50. @default the engine's `similar`, 5 */
  readonly similar?: number | undefined
  /** When the model fails: keep the turns as episodes, or drop them. @default 'keep' */
  readonly onFailure?: 'keep' | 'drop' | undefined
  /** Who wins when a fact contradicts what is known. @default as the policy of its kind says */
  readonly onConflict?: ConflictPolicy | undefined
}

/** A message, or a part of one, that taught nothing. */
export interface IgnoredPart {
  /** `messages[3]`. */
  readonly message: string
  readonly reason: IgnoreReason
  /** Of a message that is learnt from otherwise, the words that are not. */
  readonly quote?: string | undefined
}

export interface LearnResult {
  /** What was done, or would be, with the words that each step comes from. */
  readonly plan: Plan
  /** What became of each step of the plan, in its order. Not of a dry run. */
  readonly results?: ApplyResult['results'] | undefined
  /** The transaction, for `undo`. Absent when nothing was written. */
  readonly tx?: string | undefined
  /** False: accepted, and may be lost until the durable layer of the store is back. Absent: it is kept. */
  readonly durable?: false | undefined
  readonly ignored: readonly IgnoredPart[]
  /** Trouble of the model or the embedder, and what was done instead. */
  readonly degraded?: readonly Degradation[] | undefined
}

/** A dry run: the plan, to be reviewed and applied with `apply`. */
export type LearnDryRun = Omit<LearnResult, 'tx' | 'results' | 'durable'> & {
  readonly tx?: undefined
  readonly results?: undefined
}

export type LearnMethod = WriteMethod<[messages: LearnInput], LearnOptions, LearnResult, LearnDryRun>
