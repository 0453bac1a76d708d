import { z } from 'zod'
import { InputError } from '../../errors/index.ts'
import { parseSkill, type Skill } from '../../kinds/index.ts'
import { parseWith } from '../../model/index.ts'

/** What somebody wants, and which skill is the right one. */
export interface Need {
  readonly text: string
  /** Null when none of the library fits. */
  readonly expected: string | null
  /** Figures are given for each group of needs. */
  readonly group: string
}

export interface SkillSet {
  readonly skills: readonly Skill[]
  readonly needs: readonly Need[]
}

const needSchema = z.looseObject({
  query: z.string(),
  expected: z.string().nullable(),
  group: z.string().default('all'),
})

/** A skill whose description says when to use it needs no trigger; fields that a skill does not have are passed over. */
const skillLineSchema = z.looseObject({
  name: z.unknown().optional(),
  trigger: z.unknown().optional(),
  description: z.unknown().optional(),
  steps: z.unknown().optional(),
})

function lineOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new InputError({ code: 'INVALID_ARGUMENT', message: `${path}: is no JSON.`, details: { path }, cause })
  }
}

function refuse(path: string, why: string): InputError {
  return new InputError({ code: 'INVALID_ARGUMENT', message: `${path}: ${why}`, details: { path } })
}

/**
 * Reads a file of JSON lines: skills `{ name, trigger, description?, steps? }` and then needs `{ query, expected, group? }`,
 * where `expected` is the name of a skill or null.
 * @throws InputError naming the line that is none of both, or that expects a skill which is not there
 */
export function skillSet(text: string): SkillSet {
  const skills = new Map<string, Skill>()
  const needs: Need[] = []
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const path = `line ${i + 1}`
    const json = lineOf(line, path)
    if (typeof json === 'object' && json !== null && 'query' in json) {
      const { query, expected, group } = parseWith(needSchema, json, path)
      if (expected !== null && !skills.has(expected)) throw refuse(path, 'expects a skill that no line before names.')
      needs.push({ text: query, expected, group })
      continue
    }
    const { name, description, trigger = description, steps } = parseWith(skillLineSchema, json, path)
    const skill = parseSkill({ name, trigger, description, steps }, path)
    if (skills.has(skill.name)) throw refuse(path, 'a skill of this name is there already.')
    skills.set(skill.name, skill)
  }
  if (skills.size === 0) throw refuse('file', 'has no skills.')
  return { skills: [...skills.values()], needs }
}
