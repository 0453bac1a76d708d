import { z } from 'zod'
import type { StoredRecord } from '../../contract/index.ts'
import { namedKindOf, reliabilityAfter } from '../../kinds/index.ts'
import type { JsonObject, JsonValue, RecordDraft } from '../../model/index.ts'
import type { ReportResult } from '../api/retention.ts'
import { type Call, idField, writeOptions } from '../verb.ts'
import { type Answered, defineWrite, outcomeOf, type Planned, requireRecord } from '../write-verb.ts'
import { keptRemovals, removeStep } from './kept-versions.ts'
import { unstamped } from './unstamped.ts'

/** A skill or a tool counts its outcomes itself. */
function counted(data: JsonValue | undefined, success: boolean): JsonValue | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return data
  const { successes = 0, failures = 0, ...rest } = data as JsonObject
  if (typeof successes !== 'number' || typeof failures !== 'number') return data
  return { ...rest, successes: successes + Number(success), failures: failures + Number(!success) }
}

/** @param payload in place of the one that the record has */
export async function planReport(
  call: Call,
  before: StoredRecord,
  success: boolean,
  payload?: JsonValue,
): Promise<Planned> {
  const { record } = before
  const policy = call.core.policies.of(record.kind)
  const reliability = reliabilityAfter(record.reliability, success, policy)
  if (!success && !record.pinned && reliability < policy.pruneBelow) {
    const steps = [
      removeStep(before, `reliability below ${policy.pruneBelow}`),
      ...(await keptRemovals(call.core, [before])),
    ]
    return { steps, refs: [], extra: { pruned: true } }
  }
  const given = payload ?? record.data
  const data = namedKindOf(record.kind) ? counted(given, success) : given
  const after: RecordDraft = { ...unstamped(record), reliability, ...(data === undefined ? {} : { data }) }
  return {
    steps: [{ type: 'put', op: 'report', before, after }],
    refs: [{ id: record.id, scope: record.scope }],
    extra: { pruned: false },
  }
}

export function answerReport(answered: Answered): ReportResult {
  return {
    record: answered.records[0] ?? null,
    pruned: (answered.extra as { pruned: boolean }).pruned,
    ...outcomeOf(answered),
  }
}

export const report = defineWrite({
  name: 'report',
  summary: 'Say whether a memory proved right or useful: its reliability follows, and one that fails too often goes.',
  positional: ['id'],
  input: () => z.strictObject({ id: idField(), success: z.boolean(), ...writeOptions }),
  example: 'mneme report ID --success --user ann',
  plan: async (call, input) =>
    planReport(call, await requireRecord(call, input.id, input.scope, input.signal), input.success),
  answer: answerReport,
})
