import type { JsonValue } from '../../model/index.ts'

/** Something that happened, as a row of a snapshot. */
export interface ApolliaEpisode {
  readonly id: string
  readonly namespace: string
  readonly agent_id: string | null
  readonly task_id: string | null
  readonly content: string
  /** 0..1. */
  readonly importance: number
  /** ISO 8601, UTC. */
  readonly created_at: string
  readonly expires_at: string | null
  /** An object as JSON text. */
  readonly metadata: string
}

/** What is known by name, as a row of a snapshot. */
export interface ApolliaFact {
  readonly id: string
  readonly namespace: string
  readonly key: string
  /** Any value as JSON text. */
  readonly value: string
  readonly source: string | null
  /** 0..1. */
  readonly confidence: number
  readonly created_at: string
  readonly updated_at: string
  readonly expires_at: string | null
}

/** How something is done, as a row of a snapshot. */
export interface ApolliaProcedure {
  readonly id: string
  readonly namespace: string
  readonly trigger: string
  readonly steps: readonly string[]
  readonly success_count: number
  readonly last_used_at: string
  readonly created_at: string
}

/** A snapshot of one namespace: `format_version` 1. */
export interface ApolliaDocument {
  readonly format_version: 1
  readonly namespace: string
  readonly exported_at: string
  readonly episodic: readonly ApolliaEpisode[]
  readonly semantic: readonly ApolliaFact[]
  readonly procedural: readonly ApolliaProcedure[]
}

/** Rows are read as they come: any JSON. */
export type Row = Readonly<Record<string, JsonValue>>

/** The arrays of a snapshot, in the order in which their rows are counted. */
export const tables = ['episodic', 'semantic', 'procedural'] as const
export type Table = (typeof tables)[number]
