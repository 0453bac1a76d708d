import type { ReadScopeOptions, WriteOptions } from './options.ts'
import type { Written } from './write-results.ts'

export interface ExportOptions extends ReadScopeOptions {
  /**
   * `apollia-1`: the events, facts and procedures of the exact scope as one document of format_version 1, all that has no
   * place in it left out.
   * @default 'jsonl'
   */
  readonly format?: 'jsonl' | 'apollia-1' | undefined
  /** Write the vectors too. @default false */
  readonly vectors?: boolean | undefined
}

export interface ImportRow {
  /** 1 for the first line; of a snapshot, the first row, counted through all of them. */
  readonly row: number
  readonly id?: string
  readonly outcome: 'imported' | 'updated' | 'skipped' | 'failed'
  readonly reason?: string
}
export interface ImportOptions extends WriteOptions {
  /**
   * `apollia-1`: a document of format_version 1. Its rows land in the scope of the call; an id or a name that is there is left
   * alone, and `mode: 'replace'` first takes away the scope's events, facts and procedures.
   * `mneme` and `jsonl`: what export writes as `jsonl`, which mneme alone does.
   * @default 'mneme'
   */
  readonly format?: 'mneme' | 'jsonl' | 'apollia-1' | undefined
  /** Write into every scope that the file names; the root engine only. @default false: only records inside the scope of the call */
  readonly allScopes?: boolean | undefined
  /** Hears how many texts are embedded; of an import in several transactions, how many records are written. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  /** `replace` deletes what the target scopes hold and the file does not. @default 'merge' */
  readonly mode?: 'merge' | 'replace' | undefined
  /** What to do when an id is there already with other content; a snapshot always skips it. @default 'error' */
  readonly ifExists?: 'error' | 'update' | 'skip' | undefined
}
export interface ImportResult extends Written {
  readonly imported: number
  readonly updated: number
  readonly skipped: number
  readonly failed: number
  readonly rows: readonly ImportRow[]
  /** Absent when nothing was written. Of several transactions the first: `undo` takes all of them back. */
  readonly tx?: string | undefined
}
export type ImportSource = string | AsyncIterable<string> | { readonly path: string }
