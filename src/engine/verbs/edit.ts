import type { PutRecord, StoredRecord, StoredVector } from '../../contract/index.ts'
import { ConflictError } from '../../errors/index.ts'
import { namedKindOf, withoutUses } from '../../kinds/index.ts'
import { equalJson, type JsonObject, type JsonValue } from '../../model/index.ts'
import type { Core } from '../core.ts'
import { onlyOf } from '../vectors.ts'
import type { WorkStep } from '../work.ts'
import { closedBy } from './closed-by.ts'
import { keptId } from './kept-versions.ts'

/** What a record says. What counts the uses of a skill or a tool is no part of it, and a default says nothing new. */
function said(record: PutRecord): JsonValue {
  const { kind, content, data } = record
  const known = namedKindOf(kind)?.of(record)
  if (!known) return [content, data ?? null]
  return [content, { ...withoutUses(data as JsonObject), ...withoutUses(known) }]
}

/** The payload of what comes after a record: versions of a name go up by one, whatever the caller calls them. */
export function asNextVersion(before: PutRecord, after: PutRecord): PutRecord {
  const form = namedKindOf(after.kind)
  const known = form?.of(before)
  const next = form?.of(after)
  if (!known || !next || typeof after.data !== 'object') return after
  return { ...after, data: { ...(after.data as object), version: known.version + 1 } as JsonValue }
}

/** Where a kind keeps versions, what says something else is one. @throws ConflictError CONFLICT for a former version */
function isVersion(core: Core, before: PutRecord, after: PutRecord): boolean {
  if (!core.policies.of(after.kind).versionOnEdit || equalJson(said(before), said(after))) return false
  const { id, status, supersededBy } = before
  if (status === 'superseded' && after.status === 'superseded') {
    throw new ConflictError({
      code: 'CONFLICT',
      message: `Record ${id} is a former version, which stays as it was. Change ${supersededBy ?? 'the newest one'}.`,
      details: { id, ...(supersededBy === undefined ? {} : { supersededBy }) },
    })
  }
  return status === 'live' && after.status === 'live'
}

/** The edit of a record, and what keeps the version before it. */
export interface Edit {
  readonly step: WorkStep & { readonly type: 'put' }
  /** To be written in the same transaction, first. Absent: the version before is in the history alone. */
  readonly kept?: WorkStep & { readonly type: 'put' }
}

/**
 * How an edit is written: the record goes on under its id. Where its kind has `versionOnEdit` and it says something else
 * now, the version before goes on as a superseded record of its own (KND-7). @throws ConflictError CONFLICT for a former version
 */
export function planEdit(core: Core, before: StoredRecord, after: PutRecord, vector?: StoredVector): Edit {
  const edit = { type: 'put', op: 'update', before, vector } as const
  if (!isVersion(core, before.record, after)) return { step: { ...edit, after } }
  const { record } = before
  const next = { ...asNextVersion(record, after), supersedes: keptId(record.id, record.version) }
  const { version, createdAt, updatedAt } = record
  const former = {
    ...closedBy(core, before, { id: record.id }).after,
    id: next.supersedes,
    version,
    createdAt,
    updatedAt,
  }
  const same = onlyOf(core.embedder, before.vector)
  return {
    step: { ...edit, after: next },
    kept: {
      type: 'put',
      op: 'add',
      planOp: 'supersede',
      before: null,
      after: former,
      reason: 'the version before the edit',
      ...(same ? { vector: same } : {}),
    },
  }
}
