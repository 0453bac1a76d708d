import { z } from 'zod'
import { entityIn } from '../../../kinds/index.ts'
import type { EntityListResult } from '../../api/entities.ts'
import { defaultEntries, type Made, made } from '../../keyed.ts'
import { keyedPage } from '../../keyed-page.ts'
import { argumentsDigest } from '../../tokens.ts'
import { cursorField, defineVerb, limitField, limitOf, readOptions } from '../../verb.ts'
import { entityKind, knownEntity } from './find-entity.ts'

export const entitiesList = defineVerb({
  name: 'entities.list',
  summary: 'List who and what is known by name, in the order in which they became known.',
  positional: [],
  input: () =>
    z.strictObject({
      type: z.string().min(1).max(256).optional(),
      limit: limitField(),
      cursor: cursorField(),
      ...readOptions,
    }),
  writes: false,
  example: 'mneme entities list --type city --user ann',
  ...made,
  async run({ core, access }, input): Promise<Made<EntityListResult>> {
    const { type } = input
    const { records, nextCursor, several } = await keyedPage(core, access, input, {
      kind: entityKind,
      order: 'oldest',
      limit: limitOf(input.limit, defaultEntries),
      digest: argumentsDigest('entities.list', input),
      ...(type === undefined ? {} : { accepts: (record) => entityIn(record).type === type }),
    })
    const entities = records.map((record) => ({ ...knownEntity(record), ...(several ? { scope: record.scope } : {}) }))
    return { from: records, answer: { entities, ...(nextCursor === undefined ? {} : { nextCursor }) } }
  },
})
