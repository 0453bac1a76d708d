import { z } from 'zod'
import type { StoredRecord } from '../../contract/index.ts'
import { formatInstant, normaliseInstant } from '../../model/index.ts'
import type { Core } from '../core.ts'
import { validityWhenLive } from '../validity-when-live.ts'
import { idField, timeField, writeOptions } from '../verb.ts'
import type { WorkStep } from '../work.ts'
import { defineWrite, findRecord, requireRecord } from '../write-verb.ts'
import { unstamped } from './unstamped.ts'
import { oneRecord } from './update.ts'

/** The step that hides a record and closes its validity: at that moment, or now unless it had ended before. */
export function invalidated(core: Core, before: StoredRecord, when?: string): WorkStep & { readonly type: 'put' } {
  const { validFrom, validTo: end } = before.record
  const at = when ?? formatInstant(core.clock())
  // What had ended before, because it was superseded or said so, goes on having ended then.
  const closes = end !== undefined && end < at && when === undefined ? end : at
  const validTo = validFrom !== undefined && closes < validFrom ? validFrom : closes
  return { type: 'put', op: 'invalidate', before, after: unstamped({ ...before.record, status: 'invalid', validTo }) }
}

export const invalidate = defineWrite({
  name: 'invalidate',
  summary: 'Hide a memory from recall and keep it for audit.',
  positional: ['id'],
  input: () => z.strictObject({ id: idField(), at: timeField(), ...writeOptions }),
  example: 'mneme invalidate ID --reason "no longer true" --user ann',
  async plan(call, input) {
    const before = await requireRecord(call, input.id, input.scope, input.signal)
    const { id, scope, version, status } = before.record
    // A second call must not overwrite when and why the first one hid it.
    if (status === 'invalid') {
      return { steps: [{ type: 'noop', before, reason: 'invalid already' }], refs: [{ id, scope, version }] }
    }
    const at = input.at === undefined ? undefined : normaliseInstant(input.at, 'at')
    return { steps: [invalidated(call.core, before, at)], refs: [{ id, scope }] }
  },
  answer: oneRecord,
})

/** A superseded record that lives again no longer has a successor, and that one no longer a predecessor. */
function unlinkedSuccessor(successor: StoredRecord | null, id: string): WorkStep[] {
  if (successor?.record.supersedes !== id) return []
  const { supersedes: _supersedes, ...rest } = successor.record
  return [{ type: 'put', op: 'restore', before: successor, after: unstamped(rest) }]
}

export const restore = defineWrite({
  name: 'restore',
  summary: 'Make an invalid, superseded, archived or quarantined memory live again.',
  positional: ['id'],
  input: () => z.strictObject({ id: idField(), ...writeOptions }),
  example: 'mneme restore ID --user ann',
  async plan(call, input) {
    const before = await requireRecord(call, input.id, input.scope, input.signal)
    const { id, scope, version, status } = before.record
    if (status === 'live') {
      return { steps: [{ type: 'noop', before, reason: 'live already' }], refs: [{ id, scope, version }] }
    }
    const { supersededBy, validFrom: _from, validTo: _to, ...rest } = before.record
    const validity = await validityWhenLive(call.core, before, input.signal)
    const after = unstamped({ ...rest, ...validity, status: 'live' })
    const successor =
      supersededBy === undefined ? null : await findRecord(call, supersededBy, input.scope, input.signal)
    return {
      steps: [{ type: 'put', op: 'restore', before, after }, ...unlinkedSuccessor(successor, id)],
      refs: [{ id, scope }],
    }
  },
  answer: oneRecord,
})
