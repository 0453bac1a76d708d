import type { PutRecord, StoredRecord } from '../../../contract/index.ts'
import { NotFoundError } from '../../../errors/index.ts'
import type { Named, NamedKind } from '../../../kinds/index.ts'
import {
  type JsonValue,
  type MemoryRecord,
  parseNewMemory,
  type RecordDraft,
  type Scope,
} from '../../../model/index.ts'
import type { WriteResult } from '../../api/write-results.ts'
import { holderOf, nearestOfKey } from '../../keyed.ts'
import type { Call } from '../../verb.ts'
import { type Answered, outcomeOf, type Planned } from '../../write-verb.ts'
import { planFirst, planSuccessor } from '../successor.ts'
import { unstamped } from '../unstamped.ts'

/** What learning did with a name. */
export type LearnOutcome = 'added' | 'superseded' | 'updated' | 'duplicate'

/** As a payload. */
export function payloadOf(item: Named): JsonValue {
  return item as unknown as JsonValue
}

/** What records say, oldest version first. */
export function versionsOf<Item extends Named>(form: NamedKind<Item>, records: readonly StoredRecord[]): Item[] {
  return records.flatMap(({ record }) => form.of(record) ?? []).sort((a, b) => a.version - b.version)
}

function draftOf<Item extends Named>(
  { core }: Call,
  form: NamedKind<Item>,
  item: Item,
  scope: Scope,
): Omit<RecordDraft, 'id'> {
  const memory = { kind: form.kind, key: item.name, content: form.content(item), data: payloadOf(item) }
  return parseNewMemory(memory, { scope, importance: core.defaults.importance }, form.word).draft
}

function planInPlace(current: StoredRecord, { content, data }: Omit<RecordDraft, 'id'>): Planned {
  const { id, scope } = current.record
  const after: PutRecord = { ...unstamped(current.record), content, ...(data === undefined ? {} : { data }) }
  return { steps: [{ type: 'put', op: 'update', before: current, after }], refs: [{ id, scope }], extra: 'updated' }
}

/** The next version: in a record of its own beside the one before, or in its place, as the policy has it. */
export async function planLearn<Item extends Named>(
  call: Call,
  form: NamedKind<Item>,
  item: Item,
  scope: Scope,
  signal?: AbortSignal,
): Promise<Planned & { readonly extra: LearnOutcome }> {
  const { core } = call
  const { taken, current } = await holderOf(core, form.kind, item.name, scope, signal)
  if (!current) return { ...planFirst(core, taken, draftOf(call, form, item, scope)), extra: 'added' }
  const known = form.of(current.record)
  if (known && form.isSame(known, item)) {
    const revised = form.revised?.(known, item)
    if (revised) return { ...planInPlace(current, draftOf(call, form, revised, scope)), extra: 'updated' }
    const { id, version } = current.record
    const step = { type: 'noop', before: current, reason: `the same ${form.word} is there` } as const
    return { steps: [step], refs: [{ id, scope, version }], extra: 'duplicate' }
  }
  // Versions of a name go up by one, whatever the caller calls them.
  const draft = draftOf(call, form, { ...item, version: (known?.version ?? 0) + 1 }, scope)
  if (!core.policies.of(form.kind).versionOnEdit) return { ...planInPlace(current, draft), extra: 'updated' }
  return { ...planSuccessor(call, current, draft), extra: 'superseded' }
}

/** An earlier version becomes the next one, as new. @throws NotFoundError RECORD_NOT_FOUND */
export async function planRollback<Item extends Named>(
  call: Call,
  form: NamedKind<Item>,
  {
    name,
    version,
    signal,
  }: { readonly name: string; readonly version: number; readonly signal?: AbortSignal | undefined },
  scope: Scope,
): Promise<Planned> {
  const found = await nearestOfKey(call.core, form.kind, name, [scope], signal)
  const wanted = versionsOf(form, found).find((item) => item.version === version)
  if (wanted) return planLearn(call, form, { ...wanted, successes: 0, failures: 0 }, scope, signal)
  throw new NotFoundError({
    code: 'RECORD_NOT_FOUND',
    message: `No version ${version} of this ${form.word} in this scope. See ${form.word}s.versions.`,
    details: { version },
  })
}

/** What every answer about a learnt version has. */
export interface Learnt<Item> extends WriteResult {
  readonly item: Item
  readonly outcome: LearnOutcome
  readonly previous?: MemoryRecord
}

export function answerLearnt<Item extends Named>(form: NamedKind<Item>, answered: Answered): Learnt<Item> {
  const [record, previous] = answered.records as [MemoryRecord, MemoryRecord?]
  return {
    record,
    item: form.of(record) as Item,
    ...(previous ? { previous } : {}),
    ...outcomeOf(answered),
    outcome: answered.extra as LearnOutcome,
  }
}
