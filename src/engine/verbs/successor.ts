import type { PutRecord, StoredRecord } from '../../contract/index.ts'
import { formatInstant, type RecordDraft } from '../../model/index.ts'
import type { Core } from '../core.ts'
import type { Call } from '../verb.ts'
import type { Planned } from '../write-verb.ts'
import { closedBy } from './closed-by.ts'

/** The first record of a key. It takes the place of one that has expired, and begins a life of its own. */
export function planFirst(core: Core, expired: StoredRecord | null, draft: Omit<RecordDraft, 'id'>): Planned {
  const id = expired?.record.id ?? core.ids()
  const after: PutRecord = { ...draft, id, ...(expired ? { createdAt: formatInstant(core.clock()) } : {}) }
  return { steps: [{ type: 'put', op: 'add', before: expired, after }], refs: [{ id, scope: draft.scope }] }
}

/** The next record of a key: the one before is closed and linked; what belongs to the key, not to its value, goes on. */
export function planSuccessor(
  call: Call,
  current: StoredRecord,
  draft: Omit<RecordDraft, 'id'>,
): Planned & { readonly after: PutRecord } {
  const { id, scope, tags, metadata, importance, pinned, version } = current.record
  const after: PutRecord = {
    ...draft,
    tags,
    metadata,
    importance,
    pinned,
    id: call.core.ids(),
    validFrom: formatInstant(call.core.clock()),
    supersedes: id,
    // Versions count the values of the key, whichever record holds them.
    version: version + 1,
  }
  return {
    after,
    steps: [closedBy(call.core, current, after), { type: 'put', op: 'add', planOp: 'supersede', before: null, after }],
    refs: [
      { id: after.id, scope },
      { id, scope },
    ],
  }
}
