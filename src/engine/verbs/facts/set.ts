import { z } from 'zod'
import type { PutRecord, StoredRecord } from '../../../contract/index.ts'
import { entryText, keptValue } from '../../../kinds/index.ts'
import { isMoreTrusted, mayReplace } from '../../../learning/index.ts'
import {
  equalJson,
  type MemoryRecord,
  parseJson,
  parseNewMemory,
  type RecordDraft,
  type Scope,
  type Source,
  type Trust,
  trustLevels,
} from '../../../model/index.ts'
import { sourceOfText } from '../../../transfer/index.ts'
import type { FactOutcome, FactSetResult } from '../../api/facts.ts'
import { type ConflictPlan, contradicts } from '../../conflict-steps.ts'
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
  readonly trust?: Trust | undefined
  readonly signal?: AbortSignal | undefined
}

function draftOf(
  { core }: Call,
  { key, value, source, confidence, trust }: SetInput,
  scope: Scope,
): Omit<RecordDraft, 'id'> {
  const data = parseJson(value, 'value')
  const memory = {
    kind: factKind,
    key,
    data,
    content: entryText(key, data),
    confidence,
    trust,
    source: (typeof source === 'string' ? sourceOfText(source) : source) as Source | undefined,
  }
  return parseNewMemory(memory, { scope, importance: core.defaults.importance }, 'facts.set').draft
}

type Extra = FactOutcome | { readonly outcome: 'conflict'; readonly conflict: string }
type Planning = Planned & { readonly extra: Extra }

function unchanged(current: StoredRecord, outcome: FactOutcome, reason: string): Planning {
  const { id, scope, version } = current.record
  return { steps: [{ type: 'noop', before: current, reason }], refs: [{ id, scope, version }], extra: outcome }
}

/** The same value: said with more confidence, or by whom is trusted more, it is the same fact, more certain (TRU-6). */
function planSame(current: StoredRecord, draft: Omit<RecordDraft, 'id'>, input: SetInput): Planning {
  const { confidence, trust } = current.record
  const isConfirmed = draft.confidence >= confidence && isMoreTrusted(draft.trust, trust)
  // Who is trusted less makes nothing more certain.
  const isSurer = draft.confidence > confidence && mayReplace(trust, draft.trust)
  if (!isConfirmed && !isSurer) return unchanged(current, 'duplicate', 'the same value is there')
  const said = input.source === undefined && !isConfirmed ? {} : { source: draft.source, trust: draft.trust }
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
  const next = planSuccessor(call, current, draft)
  const conflict = await contradicts(core, current, next.after, { signal: input.signal })
  if (conflict) return planConflict(current, conflict)
  if (draft.confidence < current.record.confidence)
    return unchanged(current, 'kept', 'the present value is more certain')
  return { ...next, extra: 'superseded' }
}

/** The present value stays, the other waits. */
function planConflict(current: StoredRecord, { steps, second, conflict }: ConflictPlan): Planning {
  const { steps: kept, refs } = unchanged(current, 'conflict', 'another value contradicts it')
  return { steps: [...kept, ...steps], refs: [...refs, second], extra: { outcome: 'conflict', conflict } }
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
      trust: z.enum(trustLevels).optional(),
      ...writeOptions,
    }),
  example: 'mneme facts set home.city Bremen --user ann --confidence 0.9',
  plan: planSet,
  answer(answered): FactSetResult {
    const [record, other] = answered.records
    const extra = answered.extra as Extra
    const set = { record: record as FactSetResult['record'], ...outcomeOf(answered) }
    if (typeof extra === 'string') return { ...set, ...(other ? { previous: other } : {}), outcome: extra }
    return { ...set, ...extra, quarantined: other as MemoryRecord }
  },
})
