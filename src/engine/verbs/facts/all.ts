import { z } from 'zod'
import type { FactListResult } from '../../api/facts.ts'
import { defaultEntries, type Made, made } from '../../keyed.ts'
import { keyedPage } from '../../keyed-page.ts'
import { argumentsDigest } from '../../tokens.ts'
import { cursorField, defineVerb, limitField, limitOf, readOptions } from '../../verb.ts'
import { factKind, factOf } from './fact.ts'

export const factsAll = defineVerb({
  name: 'facts.all',
  summary: 'List what is known by name, most recently written first.',
  positional: [],
  input: () => z.strictObject({ limit: limitField(), cursor: cursorField(), ...readOptions }),
  writes: false,
  example: 'mneme facts all --user ann --limit 20',
  ...made,
  async run({ core, access }, input): Promise<Made<FactListResult>> {
    const { records, nextCursor, several } = await keyedPage(core, access, input, {
      kind: factKind,
      order: 'updated',
      limit: limitOf(input.limit, defaultEntries),
      digest: argumentsDigest('facts.all', input),
    })
    const entries = records.map((record) => ({ ...factOf(record), ...(several ? { scope: record.scope } : {}) }))
    return { from: records, answer: { entries, ...(nextCursor === undefined ? {} : { nextCursor }) } }
  },
})
