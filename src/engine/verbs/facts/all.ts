import { z } from 'zod'
import { allScopes, anyOf, exactly, type MemoryRecord, scopeKey } from '../../../model/index.ts'
import { keyedScopes, readScope } from '../../access.ts'
import type { FactListResult } from '../../api/facts.ts'
import { defaultEntries, type Made, made, nearestJudge } from '../../keyed.ts'
import { recordPage } from '../../record-page.ts'
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
    const limit = limitOf(input.limit, defaultEntries)
    if (input.allScopes) readScope(access, input)
    const scopes = input.allScopes ? null : keyedScopes(access, input)
    const filter = scopes ? anyOf(scopes.map(exactly)) : allScopes()
    const distances = new Map((scopes ?? []).map((scope, i) => [scopeKey(scope), i]).reverse() as [string, number][])
    const several = scopes === null || scopes.length > 1
    const query = { kinds: [factKind], keyed: true }
    const { records, nextCursor } = await recordPage(core, filter, {
      query: { ...query, order: 'updated', limit },
      digest: argumentsDigest('facts.all', input),
      cursor: input.cursor,
      signal: input.signal,
      judge: nearestJudge(
        core,
        filter,
        { ...query, shared: scopes !== null && several, signal: input.signal },
        ({ key, scope }: MemoryRecord) =>
          key === undefined ? null : { name: key, distance: distances.get(scopeKey(scope)) ?? 0 },
      ),
    })
    const entries = records.map((record) => ({ ...factOf(record), ...(several ? { scope: record.scope } : {}) }))
    return { from: records, answer: { entries, ...(nextCursor === undefined ? {} : { nextCursor }) } }
  },
})
