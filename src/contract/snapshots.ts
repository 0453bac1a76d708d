import type { OperationOptions } from './embedder.ts'
import type { Cursor } from './reading.ts'

/** A piece of a snapshot. */
export interface SnapshotPart {
  /** Unlike any other of the snapshot, and of what it was before. */
  readonly key: string
  /**
   * The stretch of the log, after a position up to and with another, whose records are in it: the part goes with the
   * first of them that is removed or erased. Null when nothing of any record is in it.
   */
  readonly span: { readonly after: Cursor | null; readonly until: Cursor } | null
  readonly chunks: readonly Uint8Array[]
}

export interface SnapshotState {
  /** Another one after every removal and erase, and with every epoch. */
  readonly generation: string
  /** Another one after analyses were made anew: what was made of the log before is out of date without an entry there. */
  readonly epoch: string
  /** Of the parts that are there. */
  readonly keys: readonly string[]
}

/**
 * Bytes that were made of the log and are kept beside it, so that they need not be made again: whatever is lost of them
 * is lost without harm. Of a removed or erased record nothing can be read back once that has resolved (IDX-15).
 */
export interface SnapshotStore {
  state(name: string, options?: OperationOptions): Promise<SnapshotState>
  /** Null when the part is not there, or not to the last byte what was written. The bytes are the caller's. */
  read(name: string, key: string, options?: OperationOptions): Promise<readonly Uint8Array[] | null>
  /**
   * Adds parts; `only` names the ones that stay, by default all. False, and nothing written, when another generation
   * than the given one has come: records may have gone that are in the parts.
   */
  write(
    name: string,
    change: {
      readonly generation: string
      readonly parts: readonly SnapshotPart[]
      readonly only?: readonly string[] | undefined
    },
    options?: OperationOptions,
  ): Promise<boolean>
  /** Below 0 when one position of the log comes before another. @throws InputError INVALID_CURSOR */
  compare(a: Cursor, b: Cursor): number
}
