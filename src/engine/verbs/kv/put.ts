import { z } from 'zod'
import type { PutRecord, StoredRecord } from '../../../contract/index.ts'
import { ConflictError } from '../../../errors/index.ts'
import { entryText, indexMark, isIndexed } from '../../../kinds/index.ts'
import {
  equalJson,
  formatInstant,
  type JsonValue,
  parseJson,
  parseNewMemory,
  type RecordDraft,
  type Scope,
} from '../../../model/index.ts'
import type { KvPutResult } from '../../api/kv.ts'
import type { AddOutcome } from '../../api/write-results.ts'
import { holderOf, keyField } from '../../keyed.ts'
import { type Call, writeOptions } from '../../verb.ts'
import { defineWrite, outcomeOf, type Planned } from '../../write-verb.ts'
import { planFirst } from '../successor.ts'
import { unstamped } from '../unstamped.ts'
import { namespaceField, placeIn } from './place.ts'

const century = 36_525 * 86_400_000

/** A number: the entry is at this version; 0 or null: there is none. Not tried again, as it is the caller's own condition. */
export function checkVersion(current: StoredRecord | null, ifVersion: number | null | undefined): void {
  const version = current?.record.version ?? 0
  if (ifVersion === undefined || (ifVersion ?? 0) === version) return
  throw new ConflictError({
    code: 'VERSION_CONFLICT',
    message: `The entry is ${version === 0 ? 'not there' : `at version ${version}`}, not ${ifVersion ? `at version ${ifVersion}` : 'absent'}. Read it again and repeat the change.`,
    details: { version, ifVersion: ifVersion ?? 0 },
  })
}

interface PutInput {
  readonly key: string
  readonly value?: unknown
  readonly ttlMs?: number | undefined
  readonly index?: boolean | string | undefined
}

/** What is searched of an entry that is to be found, else its key: a record has a text, and a key may be blank. */
function textOf(key: string, value: JsonValue, index: boolean | string): string {
  if (typeof index === 'string') return index
  return index || key.trim() === '' ? entryText(key, value) : key
}

/** A put decides on value, index and expiry; whatever else was given to the record stays. */
function draftOf({ core }: Call, input: PutInput, place: Scope): Omit<RecordDraft, 'id'> {
  const { key, ttlMs, index = false } = input
  const data = parseJson(input.value, 'value')
  const { draft } = parseNewMemory(
    {
      kind: 'kv',
      key,
      data,
      content: textOf(key, data, index),
      metadata: index === false ? {} : indexMark,
      ...(ttlMs === undefined ? {} : { expiresAt: formatInstant(core.clock() + ttlMs) }),
    },
    { scope: place, importance: core.defaults.importance },
    'kv.put',
  )
  return draft
}

function replaced(existing: StoredRecord, draft: Omit<RecordDraft, 'id'>): PutRecord {
  const { expiresAt: _expiresAt, ...kept } = unstamped(existing.record)
  const { content, data, metadata, expiresAt } = draft
  const { index: _index, ...others } = kept.metadata
  return {
    ...kept,
    content,
    ...(data === undefined ? {} : { data }),
    metadata: isIndexed(kept) ? { ...others, ...metadata } : { ...kept.metadata, ...metadata },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

async function planPut(
  call: Call,
  input: PutInput & { ifVersion?: number | null | undefined },
  place: Scope,
  signal?: AbortSignal,
): Promise<Planned & { readonly extra: AddOutcome }> {
  const { core } = call
  const draft = draftOf(call, input, place)
  const { taken, current } = await holderOf(core, 'kv', input.key, place, signal)
  checkVersion(current, input.ifVersion)
  // An expired entry gives its id up, so that versions go on and never come twice.
  if (!current) return { ...planFirst(core, taken, draft), extra: 'added' }
  const { id, version } = current.record
  const after = replaced(current, draft)
  if (equalJson(after, unstamped(current.record))) {
    return {
      steps: [{ type: 'noop', before: current, reason: 'the same value is there' }],
      refs: [{ id, scope: place, version }],
      extra: 'duplicate',
    }
  }
  return {
    steps: [{ type: 'put', op: 'update', before: current, after }],
    refs: [{ id, scope: place }],
    extra: 'updated',
  }
}

export const kvPut = defineWrite({
  name: 'kv.put',
  summary: 'Keep a value under a key; what was there is replaced.',
  positional: ['namespace', 'key', 'value'],
  input: () =>
    z.strictObject({
      namespace: namespaceField(),
      key: keyField(),
      value: z.unknown(),
      ifVersion: z.int().min(0).nullable().optional(),
      ttlMs: z.int().min(1).max(century).optional(),
      index: z.union([z.boolean(), z.string().min(1)]).optional(),
      ...writeOptions,
    }),
  example: `mneme kv put settings theme '{"dark": true}' --user ann`,
  plan: (call, input, scope) => planPut(call, input, placeIn(scope, input.namespace), input.signal),
  answer(answered): KvPutResult {
    const record = answered.records[0] as KvPutResult['record']
    return { record, version: record.version, ...outcomeOf(answered), outcome: answered.extra as AddOutcome }
  },
})
