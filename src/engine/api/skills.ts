import type { Judge } from '../../contract/index.ts'
import type { NewSkill, Skill, SkillExample } from '../../kinds/index.ts'
import type { MemoryRecord } from '../../model/index.ts'
import type { KeyedReadOptions } from './kv.ts'
import type { ReadScopeOptions, WriteOptions } from './options.ts'
import type { ReportResult } from './retention.ts'
import type { Degradable, Degradation } from './searching.ts'
import type { WriteMethod, WriteResult } from './write-results.ts'

export type SkillOutcome = 'added' | 'superseded' | 'updated' | 'duplicate'

export interface SkillLearnResult extends WriteResult {
  /** What the name stands for now. */
  readonly skill: Skill
  /** `superseded`: a new version, the one before is kept; `updated`: in its place; `duplicate`: the same skill is there. */
  readonly outcome: SkillOutcome
  /** The version before, when a new one took its place. */
  readonly previous?: MemoryRecord
}

export interface SkillReadFileResult extends SkillLearnResult {
  /** Fields of the file's head that have no place in a skill. */
  readonly ignored: readonly string[]
}

export interface SkillMatchOptions extends ReadScopeOptions {
  /** Only versions from this one on. */
  readonly minVersion?: number | undefined
  /** Only the skill of this name. */
  readonly name?: string | undefined
  /** Only skills of at least this reliability, 0..1. */
  readonly minReliability?: number | undefined
  /** 1..1000. @default 3 */
  readonly limit?: number | undefined
  /** What the best one must reach to be a match at all, 0..1. @default 0.39 among up to ten skills, 0.51 among a hundred, 0.6 among 500 */
  readonly minScore?: number | undefined
  /** Chooses among the 20 most alike where no trigger matches; sees only what passed the other options. */
  readonly judge?: Judge | undefined
}

export interface MatchedSkill {
  readonly id: string
  readonly skill: Skill
  /** How well it fits, 0..1; 1 for a match by trigger, less for others. */
  readonly score: number
  readonly by: 'trigger' | 'ranked' | 'judged'
  /** 0..1, moved by reports. */
  readonly reliability: number
  /** The share of uses that succeeds at least, with 95 % confidence; 0 without reports. */
  readonly successBound: number
}

export interface SkillMatchResult {
  /** Best first; none when none fits. */
  readonly matches: readonly MatchedSkill[]
  readonly degraded?: readonly Degradation[]
}

export interface SkillReportOptions extends WriteOptions {
  readonly success: boolean
  /** A case in which it worked, kept with the skill; with a success only. */
  readonly example?: Omit<SkillExample, 'occurredAt'> | undefined
}

/** How things are done: memories of kind `procedural` with a name, their versions and how often they worked. */
export interface SkillVerbs {
  /** Another skill of the same name is its next version; the one before is kept. The same one twice is one. */
  readonly learn: WriteMethod<[skill: NewSkill], WriteOptions, SkillLearnResult>
  /** The skills that fit a need in the user's own words; none when none does. */
  match(query: string, options?: SkillMatchOptions): Promise<SkillMatchResult>
  /** Says whether a use worked. @throws NotFoundError RECORD_NOT_FOUND */
  readonly report: WriteMethod<[name: string, outcome: SkillReportOptions], SkillReportOptions, ReportResult>
  /** Every version of a name, oldest first. */
  versions(name: string, options?: KeyedReadOptions): Promise<{ readonly versions: readonly Skill[] } & Degradable>
  /** Makes an earlier version the newest one. @throws NotFoundError RECORD_NOT_FOUND */
  readonly rollback: WriteMethod<[name: string, version: number], WriteOptions, SkillLearnResult>
  /** As a SKILL.md; null when there is no such skill. */
  toMarkdown(name: string, options?: KeyedReadOptions): Promise<string | null>
  /** Learns what a SKILL.md says. */
  readonly fromMarkdown: WriteMethod<[text: string], WriteOptions, SkillReadFileResult>
}
