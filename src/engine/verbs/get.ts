import { z } from 'zod'
import type { AsOf } from '../../contract/index.ts'
import { isExpired, type MemoryRecord, parseInstant } from '../../model/index.ts'
import { readScope } from '../access.ts'
import { type Call, defineVerb, idField, readOptions, timeField } from '../verb.ts'

/** A moment of the past as the stores want it. */
export function asOfTime(value: string | undefined): AsOf | undefined {
  return value === undefined ? undefined : { time: parseInstant(value, 'asOf') }
}

interface GetInput {
  readonly asOf?: string | undefined
  readonly scope?: unknown
  readonly allScopes?: boolean | undefined
  readonly include?: 'shared' | undefined
  readonly signal?: AbortSignal | undefined
}

async function getRecords(call: Call, ids: readonly string[], input: GetInput): Promise<(MemoryRecord | null)[]> {
  const { store, clock, touches, policies } = call.core
  const asOf = asOfTime(input.asOf)
  const found = await store.get(readScope(call.access, input), ids, { asOf, signal: input.signal, bare: true })
  // Of a past state, what had expired by then is out; of the present, what has by now.
  const now = asOf && 'time' in asOf ? asOf.time : clock()
  return found.map((stored) => {
    if (!stored || isExpired(stored.record, now, policies.lifetimes)) return null
    return asOf ? stored.record : touches.withCounts(stored.record)
  })
}

export const get = defineVerb({
  name: 'get',
  summary: 'Show a memory of any status.',
  positional: ['id'],
  input: () => z.strictObject({ id: idField(), asOf: timeField(), ...readOptions }),
  writes: false,
  asKept: true,
  shows: (record: MemoryRecord | null) => (record === null ? [] : [record]),
  example: 'mneme get ID --user ann',
  run: async (call, input) => (await getRecords(call, [input.id], input))[0] ?? null,
})

export const getMany = defineVerb({
  name: 'getMany',
  summary: 'Show several memories, in order.',
  positional: ['ids'],
  input: () => z.strictObject({ ids: z.array(idField()).max(10_000), asOf: timeField(), ...readOptions }),
  writes: false,
  asKept: true,
  shows: (records: readonly (MemoryRecord | null)[]) => records.filter((record) => record !== null),
  example: 'mneme get-many \'["ID", "ID"]\' --user ann',
  run: async (call, input): Promise<readonly (MemoryRecord | null)[]> => getRecords(call, input.ids, input),
})
