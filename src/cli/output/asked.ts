import type { MemoryRecord } from '../../model/index.ts'

/** What was asked, as far as showing the answer to people needs it. */
export interface Asked {
  /** The options of the call. */
  readonly options: Readonly<Record<string, unknown>>
  /** The text that was looked for. */
  readonly query?: unknown
  /** Options that say the same place again: `--db ./memory.db --user ann`. */
  readonly place: string
  /** Memories that the answer names and does not hold, by id. */
  readonly records: ReadonlyMap<string, MemoryRecord>
  /** There is more than the answer shows. */
  readonly more: boolean
}
