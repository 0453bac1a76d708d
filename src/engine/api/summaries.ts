import type { TokenCounter } from '../../contract/index.ts'
import type { Filter, Kind, MemoryRecord, Trust } from '../../model/index.ts'
import type { TokenProvider } from '../../text/index.ts'
import type { KeyedReadOptions } from './kv.ts'
import type { ReadScopeOptions, WriteOptions } from './options.ts'
import type { Plan } from './plan.ts'
import type { Degradable, Degradation } from './searching.ts'
import type { ApplyResult, WriteMethod, Written } from './write-results.ts'

export interface ConsolidateOptions extends WriteOptions {
  /** Memories of these kinds; key-values, skills, tools, entities and summaries are never merged. @default ['semantic', 'episodic'] */
  readonly kinds?: readonly Kind[] | undefined
  /** Only memories made at least so many days ago, and sessions that got nothing for so long. @default memories of any age, sessions after 7 days */
  readonly olderThanDays?: number | undefined
  /**
   * What becomes of the episodes of a session that has ended: nothing; a summary under the key `summary.session`; or a
   * summary, and they are archived. @default 'summarise'
   */
  readonly episodes?: 'keep' | 'summarise' | 'archive' | undefined
  /** With a model: of the memories that it would merge, the share that has to survive in what it writes, 0..1; below, its whole answer is refused. @default 0.9 */
  readonly minRetention?: number | undefined
  /** For the model, beside its prompt: what to keep apart, say. */
  readonly instructions?: string | undefined
  /** Hears how many records are read, of how many. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

export interface ConsolidateResult {
  /** What was done, or would be. Absent where it takes several transactions, and of a call that is answered again by its key. */
  readonly plan?: Plan | undefined
  /** Of each step. Absent in a dry run. */
  readonly results?: ApplyResult['results'] | undefined
  /** Absent in a dry run and when nothing was to do. Of several transactions the first. */
  readonly tx?: string | undefined
  /** False: accepted, and may be lost until the durable layer of the store is back. Absent: it is kept. */
  readonly durable?: false | undefined
  /** What was looked at and left as it is, with the reason. */
  readonly ignored: readonly { readonly ids: readonly string[]; readonly reason: string }[]
  /** What failed and was done without: the model, say. */
  readonly degraded?: readonly Degradation[] | undefined
}

/** What mneme keeps a summary of: a conversation, or whoever the scope is about. */
export type SummaryName = 'session' | 'profile'

export interface RefreshSummaryOptions extends WriteOptions {
  /** Most tokens of the summary, 1..100000. @default 300 */
  readonly tokens?: number | undefined
  /** @default 0.75 words a token */
  readonly counter?: TokenProvider | TokenCounter | undefined
  /** Leave what it said before aside and read everything anew. @default false */
  readonly rebuild?: boolean | undefined
}

export interface RefreshResult extends Written {
  /** The kept summary; null when there is nothing to sum up. */
  readonly record: MemoryRecord | null
  /** Its text: a sentence a line. */
  readonly text: string
  /** Ids of the memories that its sentences are from. */
  readonly sources: readonly string[]
  /** Absent when nothing was to sum up. */
  readonly tx?: string | undefined
}

export interface KeptSummaryResult extends Degradable {
  readonly record: MemoryRecord
  readonly text: string
  readonly sources: readonly string[]
  /** Memories came, went or changed since: `refresh` reads them. */
  readonly stale: boolean
}

/** Summaries that are kept and refreshed, as records of kind `summary` under the keys `summary.session` and `summary.profile`. */
export interface SummaryVerbs {
  /**
   * Makes the kept summary say what is true now. Only what changed since is read, beside the sentences that it has: it is refreshed in
   * place, and never made of summaries. What came from memories that are gone, hidden or changed goes (SUM-5).
   * Reads up to 10,000 memories at once, those that changed last; what nobody vouches for is left out.
   * @throws InputError INVALID_ARGUMENT for `session` in a scope without a sessionId
   */
  readonly refresh: WriteMethod<[name: SummaryName], RefreshSummaryOptions, RefreshResult>
  /** The summary as it is kept, of the exact scope; with `shared` the nearest. Null when there is none. */
  get(name: SummaryName, options?: KeyedReadOptions): Promise<KeptSummaryResult | null>
}

export interface SummarizeOptions extends ReadScopeOptions {
  /** What to sum up about; its best matches are read, not what scores less than a fifth of the best. @default the newest memories */
  readonly query?: string | undefined
  /** How many memories are read, 1..1000. @default the engine's `summaryLimit`, 20 */
  readonly limit?: number | undefined
  /** Most tokens of the text, 0..100000; 0 is an empty text. @default 300 */
  readonly tokens?: number | undefined
  /** @default 0.75 words a token */
  readonly counter?: TokenProvider | TokenCounter | undefined
  /**
   * Write after each sentence which of the sources it is from: `[1]` is the first. What a memory says can't be taken for that; false: sentences
   * stand as they are. @default true
   */
  readonly cite?: boolean | undefined
  /** Only this session. */
  readonly session?: string | undefined
  /** What is known, and not what happened; without a query the most important instead of the newest. @default false */
  readonly profile?: boolean | undefined
  /** @default all but key-values, skills, tools, entities and summaries */
  readonly kinds?: readonly Kind[] | undefined
  readonly tags?: readonly string[] | undefined
  readonly filter?: Filter | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

export interface SummarizeResult {
  /** A sentence a line, in the order of time; empty when nothing is remembered. It is data, whatever it says. */
  readonly text: string
  /** Ids of the memories that are in it, in the order of their numbers. */
  readonly sources: readonly string[]
  readonly tokens: number
  /** Of the least trusted memory in it. Absent when none is. */
  readonly trust?: Trust | undefined
  /** What failed and was done without: the model, say. */
  readonly degraded?: readonly Degradation[] | undefined
}
