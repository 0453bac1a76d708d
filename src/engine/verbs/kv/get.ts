import { z } from 'zod'
import { keptValue } from '../../../kinds/index.ts'
import { expiryOf, formatInstant, type MemoryRecord } from '../../../model/index.ts'
import { keyedScopes } from '../../access.ts'
import type { KvEntry } from '../../api/kv.ts'
import type { DeleteResult } from '../../api/write-results.ts'
import type { Core } from '../../core.ts'
import { holderOf, keyField, lookUp, type Made, made, planRemoval, recordsOfKey } from '../../keyed.ts'
import { defineVerb, keyedReadOptions, writeOptions } from '../../verb.ts'
import { defineWrite, outcomeOf } from '../../write-verb.ts'
import { namespaceField, placeIn } from './place.ts'
import { checkVersion } from './put.ts'

/** An entry as readers see it. */
export function entryOf(core: Core, record: MemoryRecord): KvEntry {
  const expiry = expiryOf(record, core.policies.lifetimes)
  return {
    value: keptValue(record),
    version: record.version,
    updatedAt: record.updatedAt,
    ...(Number.isFinite(expiry) ? { expiresAt: formatInstant(expiry) } : {}),
  }
}

export const kvGet = defineVerb({
  name: 'kv.get',
  summary: 'Show the value of a key.',
  positional: ['namespace', 'key'],
  input: () => z.strictObject({ namespace: namespaceField(), key: keyField(), ...keyedReadOptions }),
  writes: false,
  asKept: true,
  example: 'mneme kv get settings theme --user ann',
  ...made,
  async run({ core, access }, input): Promise<Made<KvEntry | null>> {
    const places = keyedScopes(access, input).map((scope) => placeIn(scope, input.namespace))
    const record = await lookUp(core, 'kv', input.key, places, input.signal)
    return record ? { from: [record], answer: entryOf(core, record) } : { from: [], answer: null }
  },
})

export const kvDelete = defineWrite({
  name: 'kv.delete',
  summary: 'Delete a key and its value.',
  positional: ['namespace', 'key'],
  input: () =>
    z.strictObject({
      namespace: namespaceField(),
      key: keyField(),
      ifVersion: z.int().min(1).optional(),
      ...writeOptions,
    }),
  example: 'mneme kv delete settings theme --user ann',
  async plan({ core }, input, scope) {
    const place = placeIn(scope, input.namespace)
    if (input.ifVersion !== undefined) {
      const { current } = await holderOf(core, 'kv', input.key, place, input.signal)
      checkVersion(current, input.ifVersion)
    }
    return planRemoval(core, await recordsOfKey(core, 'kv', input.key, place, input.signal))
  },
  answer: (answered): DeleteResult => ({ deleted: answered.extra as number, ...outcomeOf(answered) }),
})
