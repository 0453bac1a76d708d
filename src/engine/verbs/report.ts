import { z } from 'zod'
import type { StoredRecord } from '../../contract/index.ts'
import { reliabilityAfter } from '../../kinds/index.ts'
import type { JsonObject, JsonValue, RecordDraft } from '../../model/index.ts'
import type { ReportResult } from '../api/retention.ts'
import { idField, writeOptions } from '../verb.ts'
import { defineWrite, outcomeOf, requireRecord } from '../write-verb.ts'
import { unstamped } from './add-planning.ts'
import { removeStep } from './maintain.ts'

/** A skill or a tool counts its outcomes itself. */
function counted(data: JsonValue | undefined, success: boolean): JsonValue | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data
  const { successes = 0, failures = 0, ...rest } = data as JsonObject
  if (typeof successes !== 'number' || typeof failures !== 'number') return data
  return { ...rest, successes: successes + Number(success), failures: failures + Number(!success) }
}

const countingKinds = new Set(['procedural', 'tool'])

export const report = defineWrite({
  name: 'report',
  summary: 'Say whether a memory proved right or useful: its reliability follows, and one that fails too often goes.',
  positional: ['id'],
  input: z.strictObject({ id: idField, success: z.boolean(), ...writeOptions }),
  example: 'mneme report ID --success --user ann',
  async plan(call, input) {
    const { policies } = call.core
    const before: StoredRecord = await requireRecord(call, input.id, input.scope, input.signal)
    const { record } = before
    const policy = policies.of(record.kind)
    const reliability = reliabilityAfter(record.reliability, input.success, policy)
    const ref = { id: record.id, scope: record.scope }
    if (!input.success && !record.pinned && reliability < policy.pruneBelow) {
      return {
        steps: [removeStep(before, `reliability below ${policy.pruneBelow}`)],
        refs: [],
        extra: { pruned: true },
      }
    }
    const data = countingKinds.has(record.kind) ? counted(record.data, input.success) : record.data
    const after: RecordDraft = { ...unstamped(record), reliability, ...(data === undefined ? {} : { data }) }
    return { steps: [{ type: 'put', op: 'report', before, after }], refs: [ref], extra: { pruned: false } }
  },
  answer: (answered): ReportResult => ({
    record: answered.records[0] ?? null,
    pruned: (answered.extra as { pruned: boolean }).pruned,
    ...outcomeOf(answered),
  }),
})
