import { z } from 'zod'
import { keyedScopes } from '../../access.ts'
import type { KnownEntity } from '../../api/entities.ts'
import { keyField, type Made, made } from '../../keyed.ts'
import { defineVerb, keyedReadOptions } from '../../verb.ts'
import { findEntity, knownEntity } from './find-entity.ts'

export const entitiesGet = defineVerb({
  name: 'entities.get',
  summary: 'Show an entity by its name or one of its aliases.',
  positional: ['name'],
  input: () => z.strictObject({ name: keyField(), ...keyedReadOptions }),
  writes: false,
  asKept: true,
  example: 'mneme entities get Kiel --user ann',
  ...made,
  async run({ core, access }, input): Promise<Made<KnownEntity | null>> {
    for (const scope of keyedScopes(access, input)) {
      const found = await findEntity(core, input.name, scope, input.signal)
      if (found) return { from: [found.record], answer: knownEntity(found.record) }
    }
    return { from: [], answer: null }
  },
})
