import { z } from 'zod'
import { type Skill, skillKind, skillToMarkdown } from '../../../kinds/index.ts'
import { keyedScopes } from '../../access.ts'
import { keyField, lookUp, type Made, made, nearestOfKey } from '../../keyed.ts'
import { defineVerb, keyedReadOptions } from '../../verb.ts'
import { versionsOf } from '../named/learn-version.ts'

export const skillsVersions = defineVerb({
  name: 'skills.versions',
  summary: 'Show every version of a skill, oldest first.',
  positional: ['name'],
  input: () => z.strictObject({ name: keyField(), ...keyedReadOptions }),
  writes: false,
  example: 'mneme skills versions "brew tea" --user ann',
  ...made,
  async run({ core, access }, input): Promise<Made<{ readonly versions: readonly Skill[] }>> {
    const found = await nearestOfKey(core, skillKind.kind, input.name, keyedScopes(access, input), input.signal)
    return { from: found.map(({ record }) => record), answer: { versions: versionsOf(skillKind, found) } }
  },
})

export const skillsToMarkdown = defineVerb({
  name: 'skills.toMarkdown',
  summary: 'Show a skill as a SKILL.md.',
  positional: ['name'],
  input: () => z.strictObject({ name: keyField(), ...keyedReadOptions }),
  writes: false,
  asKept: true,
  example: 'mneme skills to-markdown "brew tea" --user ann',
  ...made,
  async run({ core, access }, input): Promise<Made<string | null>> {
    const record = await lookUp(core, skillKind.kind, input.name, keyedScopes(access, input), input.signal)
    const skill = record && skillKind.of(record)
    return skill ? { from: [record], answer: skillToMarkdown(skill) } : { from: [], answer: null }
  },
})
