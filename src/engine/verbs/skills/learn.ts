import { z } from 'zod'
import { parseSkill, type Skill, skillFromMarkdown, skillKind } from '../../../kinds/index.ts'
import type { SkillLearnResult, SkillOutcome, SkillReadFileResult } from '../../api/skills.ts'
import { keyField } from '../../keyed.ts'
import { writeOptions } from '../../verb.ts'
import { type Answered, defineWrite } from '../../write-verb.ts'
import { answerLearnt, planLearn, planRollback } from '../named/learn-version.ts'

function answerSkill(answered: Answered): SkillLearnResult {
  const { item, ...rest } = answerLearnt<Skill>(skillKind, answered)
  return { ...rest, skill: item }
}

export const skillsLearn = defineWrite({
  name: 'skills.learn',
  summary: 'Learn how something is done; another skill of the same name is its next version.',
  positional: ['skill'],
  input: () => z.strictObject({ skill: z.unknown(), ...writeOptions }),
  example: 'mneme skills learn \'{"trigger": "brew tea", "steps": ["boil water", "wait four minutes"]}\' --user ann',
  plan: (call, input, scope) => planLearn(call, skillKind, parseSkill(input.skill), scope, input.signal),
  answer: answerSkill,
})

export const skillsRollback = defineWrite({
  name: 'skills.rollback',
  summary: 'Make an earlier version of a skill the newest one.',
  positional: ['name', 'version'],
  input: () => z.strictObject({ name: keyField(), version: z.int().min(1), ...writeOptions }),
  example: 'mneme skills rollback "brew tea" 1 --user ann',
  plan: (call, input, scope) => planRollback(call, skillKind, input, scope),
  answer: answerSkill,
})

export const skillsFromMarkdown = defineWrite({
  name: 'skills.fromMarkdown',
  summary: 'Learn what a SKILL.md says.',
  positional: ['text'],
  input: () => z.strictObject({ text: z.string(), ...writeOptions }),
  example: 'mneme skills to-markdown "brew tea" --user ann | mneme skills from-markdown - --user bob',
  async plan(call, input, scope) {
    const { skill, ignored } = await skillFromMarkdown(input.text)
    const planned = await planLearn(call, skillKind, skill, scope, input.signal)
    return { ...planned, extra: { outcome: planned.extra, ignored: [...ignored] } }
  },
  answer(answered): SkillReadFileResult {
    const { outcome, ignored } = answered.extra as unknown as { outcome: SkillOutcome; ignored: string[] }
    return { ...answerSkill({ ...answered, extra: outcome }), ignored }
  },
})
