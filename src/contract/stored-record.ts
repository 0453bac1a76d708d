import type { MemoryRecord, RecordDraft } from '../model/index.ts'

/** What search needs to know about a record's text, made once at write by the engine; a store keeps it and may search it. */
export interface Analysis {
  /** Which analyser made it; another id means it must be made anew. */
  readonly analyser: string
  /** Index terms with their frequencies, ascending by term; empty for records that are not searched. */
  readonly terms: readonly (readonly [term: string, frequency: number])[]
  /** Distinct word-piece ids, ascending. */
  readonly tokens: readonly number[]
  /** Answer-shape bits. */
  readonly shape: number
}

export interface StoredVector {
  /** Id of the embedder that made it: vectors of different spaces are never compared. */
  readonly space: string
  /** Unit length, or all zeros when there was nothing to embed. */
  readonly values: Float32Array
}

/** A record with all that is kept beside it. */
export interface StoredRecord {
  readonly record: MemoryRecord
  readonly analysis: Analysis
  readonly vector: StoredVector | null
}

/** A draft that the store completes: version (last version of the id + 1) and times (moment of commit) where absent. */
export type PutRecord = RecordDraft & Partial<Pick<MemoryRecord, 'version' | 'createdAt' | 'updatedAt'>>

/** A vector that came late, or an analysis made anew. Ignored when the record has moved on to another version. */
export interface Derivation {
  readonly id: string
  readonly version: number
  readonly vector?: StoredVector | undefined
  readonly analysis?: Analysis | undefined
}

/** Somebody read a record: its access count + 1, its access time to the later one. Past revisions stay as they were put. */
export interface Touch {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  /** Not one read more but so many in all, unless there were more: what another store counted. 0..2³¹ */
  readonly count?: number | undefined
}
