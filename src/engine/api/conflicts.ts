import type { MemoryRecord, NewMemory, Scope, SourceType } from '../../model/index.ts'
import type { ReadScopeOptions, WriteOptions } from './options.ts'
import type { Degradable } from './searching.ts'
import type { WriteMethod, Written } from './write-results.ts'

/** A passage, or what stands for one, that speaks for a side of a contradiction. */
export interface ConflictEvidence {
  /** When it was said, or heard. */
  readonly at: string
  /** The words. */
  readonly quote?: string
  /** Where they stood, such as `messages[3]`. */
  readonly message?: string
  readonly source: SourceType
  readonly actor?: string
  readonly ref?: string
}

/** Two memories that can't both be, of which nobody has said yet which is kept. */
export interface Conflict {
  /** For `conflicts.resolve`. */
  readonly id: string
  readonly scope: Scope
  /** Why it was not decided. */
  readonly why: string
  readonly createdAt: string
  /** What is known: live, and found by recall. */
  readonly first: MemoryRecord
  /** What came in: quarantined, and in no recall. */
  readonly second: MemoryRecord
  /** Of each side, oldest first. */
  readonly evidence: { readonly first: readonly ConflictEvidence[]; readonly second: readonly ConflictEvidence[] }
}

export interface ConflictListOptions extends ReadScopeOptions {
  /** 1..1000. @default 50 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface ConflictListResult extends Degradable {
  /** Newest first. */
  readonly conflicts: readonly Conflict[]
  readonly nextCursor?: string
}

export interface ResolveOptions extends WriteOptions {
  /**
   * `first`: what is known stays, the other becomes invalid. `second`: what came in takes the place of what is known, which is
   * superseded. `both`: both are true; of two with one key the second goes on without it. `neither`: both become invalid.
   * May be left out with `merged`.
   */
  readonly keep?: 'first' | 'second' | 'both' | 'neither' | undefined
  /** A memory, or its text, that takes the place of both, whatever `keep` says; what it does not say it has from the first. */
  readonly merged?: string | Partial<NewMemory> | undefined
}

export interface ResolveResult extends Written {
  readonly tx: string
  readonly resolution: 'first' | 'second' | 'both' | 'neither' | 'merged'
  /** Both sides as they are now. */
  readonly first: MemoryRecord
  readonly second: MemoryRecord
  /** What took the place of both. */
  readonly merged?: MemoryRecord
}

/** Contradictions that wait for somebody to decide. */
export interface ConflictVerbs {
  /** The open ones. One whose sides changed so that nothing is left to decide is not among them (CFL-4). */
  list(options?: ConflictListOptions): Promise<ConflictListResult>
  /**
   * Decides one, in one transaction.
   * @throws NotFoundError RECORD_NOT_FOUND; ConflictError CONFLICT for one that is decided already, or whose sides have changed
   */
  readonly resolve: WriteMethod<[id: string], ResolveOptions, ResolveResult>
}
