import { z } from 'zod'
import { type Tool, toolKind } from '../../../kinds/index.ts'
import { keyedScopes } from '../../access.ts'
import { keyField, lookUp, type Made, made, nearestOfKey } from '../../keyed.ts'
import { defineVerb, keyedReadOptions } from '../../verb.ts'
import { versionsOf } from '../named/learn-version.ts'

export const toolsGet = defineVerb({
  name: 'tools.get',
  summary: 'Show the newest version of a tool by its name.',
  positional: ['name'],
  input: () => z.strictObject({ name: keyField(), ...keyedReadOptions }),
  writes: false,
  asKept: true,
  example: 'mneme tools get kettle --user ann',
  ...made,
  async run({ core, access }, input): Promise<Made<Tool | null>> {
    const record = await lookUp(core, toolKind.kind, input.name, keyedScopes(access, input), input.signal)
    return { from: record ? [record] : [], answer: record && toolKind.of(record) }
  },
})

export const toolsVersions = defineVerb({
  name: 'tools.versions',
  summary: 'Show every version of a tool, oldest first.',
  positional: ['name'],
  input: () => z.strictObject({ name: keyField(), ...keyedReadOptions }),
  writes: false,
  example: 'mneme tools versions kettle --user ann',
  ...made,
  async run({ core, access }, input): Promise<Made<{ readonly versions: readonly Tool[] }>> {
    const found = await nearestOfKey(core, toolKind.kind, input.name, keyedScopes(access, input), input.signal)
    return { from: found.map(({ record }) => record), answer: { versions: versionsOf(toolKind, found) } }
  },
})
