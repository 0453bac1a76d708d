import type { Judge } from '../../contract/index.ts'
import type { NewTool, Tool } from '../../kinds/index.ts'
import type { MemoryRecord } from '../../model/index.ts'
import type { KeyedReadOptions } from './kv.ts'
import type { ReadScopeOptions, WriteOptions } from './options.ts'
import type { ReportOptions, ReportResult } from './retention.ts'
import type { Degradable, Degradation } from './searching.ts'
import type { SkillOutcome } from './skills.ts'
import type { WriteMethod, WriteResult } from './write-results.ts'

export interface ToolLearnResult extends WriteResult {
  /** What the name stands for now. */
  readonly tool: Tool
  /**
   * `superseded`: a new version, the one before is kept; `duplicate`: the same tool is there; `updated`: in its place, as the
   * policy has it, or because only the description of an implementation changed.
   */
  readonly outcome: SkillOutcome
  /** The version before, when a new one took its place. */
  readonly previous?: MemoryRecord
}

export interface ToolMatchOptions extends ReadScopeOptions {
  /** Only versions from this one on. */
  readonly minVersion?: number | undefined
  /** Only the tool of this name. */
  readonly name?: string | undefined
  /** Only tools of at least this reliability, 0..1. */
  readonly minReliability?: number | undefined
  /** 1..1000. @default 3 */
  readonly limit?: number | undefined
  /** What the best one must reach to be a match at all, 0..1. @default 0.27 among up to ten tools, 0.42 among 500 */
  readonly minScore?: number | undefined
  /** Chooses among the 20 most alike where none is named or described so; `trigger` is the description. */
  readonly judge?: Judge | undefined
}

export interface MatchedTool {
  readonly id: string
  readonly tool: Tool
  /** How well it fits, 0..1; 1 where the need names or describes it. */
  readonly score: number
  readonly by: 'trigger' | 'ranked' | 'judged'
  /** 0..1, moved by reports. */
  readonly reliability: number
  /** The share of uses that succeeds at least, with 95 % confidence; 0 without reports. */
  readonly successBound: number
}

export interface ToolMatchResult {
  /** Best first; none when none fits. */
  readonly matches: readonly MatchedTool[]
  readonly degraded?: readonly Degradation[]
}

/** What tools there are: memories of kind `tool` with a name, their versions and how often they worked. Nothing runs them. */
export interface ToolVerbs {
  /**
   * Another tool of the same name is its next version; the one before is kept. The same one twice is one (TSP-4).
   * @throws InputError UNKNOWN_FIELD, INVALID_RECORD naming the field
   */
  readonly learn: WriteMethod<[tool: NewTool], WriteOptions, ToolLearnResult>
  /** The newest version of a name; null when there is none. */
  get(name: string, options?: KeyedReadOptions): Promise<Tool | null>
  /** The tools that can do what is needed, in the user's own words; none when none can. */
  match(query: string, options?: ToolMatchOptions): Promise<ToolMatchResult>
  /** Says whether a use worked. @throws NotFoundError RECORD_NOT_FOUND */
  readonly report: WriteMethod<[name: string, outcome: ReportOptions], ReportOptions, ReportResult>
  /** Every version of a name, oldest first. */
  versions(name: string, options?: KeyedReadOptions): Promise<{ readonly versions: readonly Tool[] } & Degradable>
  /** Makes an earlier version the newest one. @throws NotFoundError RECORD_NOT_FOUND */
  readonly rollback: WriteMethod<[name: string, version: number], WriteOptions, ToolLearnResult>
}
