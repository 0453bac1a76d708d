import type { Kind } from '../../model/index.ts'
import type { WriteOptions } from './options.ts'
import type { Plan } from './plan.ts'
import type { Degradation } from './searching.ts'
import type { ApplyResult } from './write-results.ts'

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
  /** What was looked at and left as it is, with the reason. */
  readonly ignored: readonly { readonly ids: readonly string[]; readonly reason: string }[]
  /** What failed and was done without: the model, say. */
  readonly degraded?: readonly Degradation[] | undefined
}
