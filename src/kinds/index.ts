/** How each kind of memory lives. Pure functions on plain data: the engine's verbs carry out what they say. */
export {
  type Entity,
  entityData,
  entityIn,
  entityText,
  isCalled,
  mergedEntity,
  nameForm,
  parseEntity,
} from './entity.ts'
export { eventPeriod, isIn, longestReach, type Period } from './event-period.ts'
export { maxName } from './fields.ts'
export { entryText, indexMark, isIndexed, keptValue } from './keyed.ts'
export { type Named, type NamedKind, namedKindOf, skillKind, toolKind, withoutUses } from './named-kind.ts'
export {
  type ConflictPolicy,
  conflictPolicies,
  conflictPolicyField,
  createPolicies,
  type KindPolicy,
  type KindPolicyInput,
  kindPoliciesSchema,
  type Policies,
  reliabilityAfter,
} from './policy.ts'
export {
  type Doomed,
  doomed,
  type ForgetSelection,
  forgettable,
  type Judged,
  type RetentionOptions,
} from './retention.ts'
export { type KindScoring, kindScoring, type Scoring, type ScoringInput } from './scoring.ts'
export {
  defaultMinScore,
  judgeSkills,
  type MatchOptions,
  matchSkills,
  maxExamples,
  type NewSkill,
  parseSkill,
  type Skill,
  type SkillEntry,
  type SkillExample,
  type SkillFile,
  type SkillLibrary,
  type SkillMatch,
  type SkillNeed,
  skillFromMarkdown,
  skillLibrary,
  skillText,
  skillToMarkdown,
  successBound,
  type ToolStep,
} from './skills/index.ts'
export { defaultStrategies, hybridStrategy, type StrategyOptions } from './strategies.ts'
export { type NewTool, parseTool, type Tool, toolFromPayload } from './tools/index.ts'
