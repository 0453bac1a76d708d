import { z } from 'zod'
import type { StoredRecord } from '../../../contract/index.ts'
import { keptValue } from '../../../kinds/index.ts'
import { exactly, type JsonValue, type Revision } from '../../../model/index.ts'
import { keyedScopes } from '../../access.ts'
import type { Fact, FactVersion } from '../../api/facts.ts'
import type { DeleteResult } from '../../api/write-results.ts'
import type { Core } from '../../core.ts'
import { keyField, lookUp, type Made, made, nearestOfKey, planRemoval, recordsOfKey } from '../../keyed.ts'
import { defineVerb, keyedReadOptions, writeOptions } from '../../verb.ts'
import { defineWrite, outcomeOf } from '../../write-verb.ts'
import { factKind, factOf } from './fact.ts'

export const factsGet = defineVerb({
  name: 'facts.get',
  summary: 'Show what is known under a name.',
  positional: ['key'],
  input: () => z.strictObject({ key: keyField(), ...keyedReadOptions }),
  writes: false,
  asKept: true,
  example: 'mneme facts get home.city --user ann',
  ...made,
  async run({ core, access }, input): Promise<Made<JsonValue>> {
    const record = await lookUp(core, factKind, input.key, keyedScopes(access, input), input.signal)
    return record ? { from: [record], answer: keptValue(record) } : { from: [], answer: null }
  },
})

export const factsEntry = defineVerb({
  name: 'facts.entry',
  summary: 'Show a fact with its source, confidence and version.',
  positional: ['key'],
  input: () => z.strictObject({ key: keyField(), ...keyedReadOptions }),
  writes: false,
  asKept: true,
  example: 'mneme facts entry home.city --user ann --reason "to send a letter"',
  ...made,
  async run({ core, access }, input): Promise<Made<Fact | null>> {
    const record = await lookUp(core, factKind, input.key, keyedScopes(access, input), input.signal)
    return record ? { from: [record], answer: factOf(record) } : { from: [], answer: null }
  },
})

export const factsDelete = defineWrite({
  name: 'facts.delete',
  summary: 'Delete a fact with all its former values.',
  positional: ['key'],
  input: () => z.strictObject({ key: keyField(), ...writeOptions }),
  example: 'mneme facts delete home.city --user ann',
  plan: async ({ core }, input, scope) =>
    planRemoval(core, await recordsOfKey(core, factKind, input.key, scope, input.signal)),
  answer: (answered): DeleteResult => ({ deleted: answered.extra as number, ...outcomeOf(answered) }),
})

/** What a record said while it was live, version by version; of the last one, what became of it. */
async function versionsOf(core: Core, { record }: StoredRecord, signal?: AbortSignal): Promise<FactVersion[]> {
  const revisions: readonly Revision[] = await core.store.revisions(exactly(record.scope), record.id, { signal })
  const lived = revisions.flatMap(({ record: then }) => (then?.status === 'live' ? [then] : []))
  // What was learnt together with what came after it was never live, and still was so.
  const live = lived.length === 0 && record.status === 'superseded' ? [record] : lived
  return live.map((then, i) => {
    const { status, validFrom, validTo } = i === live.length - 1 ? record : then
    const validity = {
      ...(validFrom === undefined ? {} : { validFrom }),
      ...(validTo === undefined ? {} : { validTo }),
    }
    // Between two versions of one record nothing ended: the later one took over.
    return { ...factOf(then), status: i === live.length - 1 ? status : 'superseded', ...validity }
  })
}

export const factsHistory = defineVerb({
  name: 'facts.history',
  summary: 'Show every value that a name had, oldest first.',
  positional: ['key'],
  input: () => z.strictObject({ key: keyField(), ...keyedReadOptions }),
  writes: false,
  asKept: true,
  example: 'mneme facts history home.city --user ann',
  ...made,
  async run({ core, access }, input): Promise<Made<readonly FactVersion[]>> {
    const found = await nearestOfKey(core, factKind, input.key, keyedScopes(access, input), input.signal)
    const versions = await Promise.all(found.map((one) => versionsOf(core, one, input.signal)))
    const answer = versions
      .flat()
      .sort((a, b) => a.version - b.version || Date.parse(a.updatedAt) - Date.parse(b.updatedAt))
    return { from: found.map(({ record }) => record), answer }
  },
})
