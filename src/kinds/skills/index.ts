export {
  askJudge,
  defaultMinScore,
  judgedCandidates,
  judgeSkills,
  type MatchOptions,
  matchSkills,
  type SkillMatch,
  type SkillNeed,
} from './match-skills.ts'
export {
  maxExamples,
  type NewSkill,
  parseSkill,
  type Skill,
  type SkillExample,
  skillText,
  type ToolStep,
} from './skill.ts'
export { type SkillFile, skillFromMarkdown } from './skill-from-markdown.ts'
export { type SkillEntry, type SkillLibrary, skillLibrary } from './skill-library.ts'
export { skillToMarkdown } from './skill-to-markdown.ts'
export { successBound } from './success.ts'
