import type { EventTime, Metadata } from '../../model/index.ts'
import type { ReadScopeOptions, WriteOptions } from './options.ts'
import type { ListResult } from './reading.ts'
import type { AddResult, WriteMethod } from './write-results.ts'

export interface EpisodeOptions extends WriteOptions {
  /** 0..1. @default the engine's */
  readonly importance?: number | undefined
  /** What it was done for; kept as `metadata.task`. */
  readonly task?: string | undefined
  /** When it happened: an ISO 8601 time with offset, or more about it. @default when it is recorded */
  readonly eventTime?: string | EventTime | undefined
  /** Milliseconds until it is forgotten. @default never */
  readonly expiresIn?: number | undefined
  readonly metadata?: Metadata | undefined
}

export interface TimelineOptions extends ReadScopeOptions {
  /** Events of which some lies in `[since, until)`. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  /** Only of this session. */
  readonly session?: string | undefined
  readonly task?: string | undefined
  /** 1..1000. @default 50 */
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** What happened, in order of time: memories of kind `episodic`. */
export interface EpisodeVerbs {
  /** Records an event. The same words twice are two events, unless both name the same time. */
  readonly record: WriteMethod<[content: string], EpisodeOptions, AddResult>
  /**
   * Events by the time at which they happened, earliest first; of one moment, as they were recorded. An event known to
   * the day takes the whole day in its zone, and so for other precisions.
   */
  timeline(options?: TimelineOptions): Promise<ListResult>
}
