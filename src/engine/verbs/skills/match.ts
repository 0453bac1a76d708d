import { skillKind, successBound } from '../../../kinds/index.ts'
import type { MatchedSkill, SkillMatchResult } from '../../api/skills.ts'
import { type Made, made } from '../../keyed.ts'
import { defineVerb } from '../../verb.ts'
import { matchInput, matchNeed } from '../named/match-need.ts'

export const skillsMatch = defineVerb({
  name: 'skills.match',
  summary: 'Find the skills that fit a need, in your own words; none when none does.',
  positional: ['query'],
  input: matchInput,
  writes: false,
  example: 'mneme skills match "I am thirsty, something hot please" --user ann',
  ...made,
  async run(call, input): Promise<Made<SkillMatchResult>> {
    const { fitting, degraded } = await matchNeed(call, skillKind, input)
    const matches = fitting.map(({ record: { id, reliability }, item: skill, score, by }): MatchedSkill => {
      const bound = successBound(skill.successes, skill.failures)
      return { id, skill, score, by, reliability, successBound: bound }
    })
    return {
      from: fitting.map(({ record }) => record),
      answer: { matches, ...(degraded.length > 0 ? { degraded } : {}) },
    }
  },
})
