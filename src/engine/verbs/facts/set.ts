import { z } from 'zod'
import type { PutRecord, StoredRecord } from '../../../contract/index.ts'
import { entryText, keptValue } from '../../../kinds/index.ts'
import {
  defaultTrust,
  equalJson,
  parseJson,
  parseNewMemory,
  type RecordDraft,
  type Scope,
  type Source,
  type SourceType,
  sourceTypes,
} from '../../../model/index.ts'
import type { FactOutcome, FactSetResult } from '../../api/facts.ts'
import { holderOf, keyField } from '../../keyed.ts'
import { type Call, writeOptions } from '../../verb.ts'
import { defineWrite, outcomeOf, type Planned } from '../../write-verb.ts'
import { planFirst, planSuccessor } from '../successor.ts'
import { unstamped } from '../unstamped.ts'
import { factKind } from './fact.ts'

interface SetInput {
  readonly key: string
  readonly value?: unknown
  readonly source?: unknown
  readonly confidence?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** A text is a type, or else a reference in the world of whoever says it. */
function sourceOf(given: unknown): unknown {
  if (typeof given !== 'string') return given
  return sourceTypes.includes(given as SourceType) ? { type: given } : { type: 'user', ref: given }
}

function draftOf({ core }: Call, { key, value, source, confidence }: SetInput, scope: Scope): Omit<RecordDraft, 'id'> {
  const data = parseJson(value, 'value')
  const memory = {
    kind: factKind,
    key,
    data,
    content: entryText(key, data),
    confidence,
    source: sourceOf(source) as Source | undefined,
  }
  return parseNewMemory(memory, { scope, importance: core.defaults.importance }, 'facts.set').draft
}

type Planning = Planned & { readonly extra: FactOutcome }

function unchanged(current: StoredRecord, outcome: FactOutcome, reason: string): Planning {
  const { id, scope, version } = current.record
  return { steps: [{ type: 'noop', before: current, reason }], refs: [{ id, scope, version }], extra: outcome }
}

/** The same value: said with more confidence it is the same fact, more certain. */
function planSame(current: StoredRecord, draft: Omit<RecordDraft, 'id'>, input: SetInput): Planning {
  if (draft.confidence <= current.record.confidence) return unchanged(current, 'duplicate', 'the same value is there')
  const said = input.source === undefined ? {} : { source: draft.source, trust: defaultTrust(draft.source.type) }
  const after: PutRecord = { ...unstamped(current.record), ...said, confidence: draft.confidence }
  const { id, scope } = after
  return { steps: [{ type: 'put', op: 'update', before: current, after }], refs: [{ id, scope }], extra: 'updated' }
}

async function planSet(call: Call, input: SetInput, scope: Scope): Promise<Planning> {
  const { core } = call
  const draft = draftOf(call, input, scope)
  const { taken, current } = await holderOf(core, factKind, input.key, scope, input.signal)
  if (!current) return { ...planFirst(core, taken, draft), extra: 'added' }
  if (equalJson(keptValue(current.record), draft.data)) return planSame(current, draft, input)
  if (draft.confidence < current.record.confidence)
    return unchanged(current, 'kept', 'the present value is more certain')
  return { ...planSuccessor(call, current, draft), extra: 'superseded' }
}

export const factsSet = defineWrite({
  name: 'facts.set',
  summary: 'Say what is known under a name; another value takes the place of the one before, which is kept.',
  positional: ['key', 'value'],
  input: () =>
    z.strictObject({
      key: keyField(),
      value: z.unknown(),
      source: z.union([z.string().min(1).max(8192), z.looseObject({})]).optional(),
      confidence: z.number().min(0).max(1).optional(),
      ...writeOptions,
    }),
  example: 'mneme facts set home.city Bremen --user ann --confidence 0.9',
  plan: planSet,
  answer(answered): FactSetResult {
    const [record, previous] = answered.records
    return {
      record: record as FactSetResult['record'],
      ...(previous ? { previous } : {}),
      ...outcomeOf(answered),
      outcome: answered.extra as FactOutcome,
    }
  },
})
