import { z } from 'zod'
import { type Skill, skillToMarkdown } from '../../../kinds/index.ts'
import type { MemoryRecord, Scope } from '../../../model/index.ts'
import { keyedScopes } from '../../access.ts'
import type { Core } from '../../core.ts'
import { isGone, keyField, lookUp, type Made, made, recordsOfKey } from '../../keyed.ts'
import { defineVerb, keyedReadOptions } from '../../verb.ts'
import { skillKind, skillOf } from './skill-record.ts'

function skillsOf(records: readonly MemoryRecord[]): Skill[] {
  return records.flatMap((record) => skillOf(record) ?? []).sort((a, b) => a.version - b.version)
}

async function recordsOf(core: Core, name: string, scope: Scope, signal?: AbortSignal): Promise<MemoryRecord[]> {
  const found = await recordsOfKey(core, skillKind, name, scope, signal)
  return found.flatMap(({ record }) => (isGone(core, record) ? [] : [record]))
}

/** Every version of a name in an exact scope, oldest first. */
export async function versionsOf(core: Core, name: string, scope: Scope, signal?: AbortSignal): Promise<Skill[]> {
  return skillsOf(await recordsOf(core, name, scope, signal))
}

export const skillsVersions = defineVerb({
  name: 'skills.versions',
  summary: 'Show every version of a skill, oldest first.',
  positional: ['name'],
  input: z.strictObject({ name: keyField, ...keyedReadOptions }),
  writes: false,
  example: 'mneme skills versions "brew tea" --user ann',
  ...made,
  async run({ core, access }, input): Promise<Made<{ readonly versions: readonly Skill[] }>> {
    for (const scope of keyedScopes(access, input)) {
      const from = await recordsOf(core, input.name, scope, input.signal)
      if (from.length > 0) return { from, answer: { versions: skillsOf(from) } }
    }
    return { from: [], answer: { versions: [] } }
  },
})

export const skillsToMarkdown = defineVerb({
  name: 'skills.toMarkdown',
  summary: 'Show a skill as a SKILL.md.',
  positional: ['name'],
  input: z.strictObject({ name: keyField, ...keyedReadOptions }),
  writes: false,
  example: 'mneme skills to-markdown "brew tea" --user ann',
  ...made,
  async run({ core, access }, input): Promise<Made<string | null>> {
    const record = await lookUp(core, skillKind, input.name, keyedScopes(access, input), input.signal)
    const skill = record && skillOf(record)
    return skill ? { from: [record], answer: skillToMarkdown(skill) } : { from: [], answer: null }
  },
})
