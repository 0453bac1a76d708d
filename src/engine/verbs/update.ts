import { z } from 'zod'
import { ConflictError } from '../../errors/index.ts'
import { mayReplace } from '../../learning/index.ts'
import { applyPatch, equalJson, parsePatch } from '../../model/index.ts'
import type { MayConflict, WriteResult } from '../api/write-results.ts'
import { contradicts } from '../conflict-steps.ts'
import { ownVector } from '../vectors.ts'
import { idField, writeOptions } from '../verb.ts'
import { type Answered, defineWrite, outcomeOf, requireRecord } from '../write-verb.ts'
import { planEdit } from './edit.ts'
import { refuseSuperseded } from './refuse-superseded.ts'
import { unstamped } from './unstamped.ts'

/** The one record that most writes answer with. */
export function oneRecord(answered: Answered): WriteResult {
  const { conflict } = (answered.extra ?? {}) as MayConflict
  return {
    record: answered.records[0] as WriteResult['record'],
    ...(conflict === undefined ? {} : { conflict }),
    ...outcomeOf(answered),
  }
}

export const update = defineWrite({
  name: 'update',
  summary: 'Change a memory; the old version stays in its history.',
  positional: ['id', 'patch'],
  input: () =>
    z.strictObject({
      id: idField(),
      patch: z.unknown(),
      ifVersion: z.int().min(1).optional(),
      metadataMode: z.enum(['merge', 'replace']).optional(),
      ...writeOptions,
    }),
  example: 'mneme update ID \'{"importance": 0.9}\' --user ann',
  async plan(call, input) {
    const patch = parsePatch(input.patch)
    refuseSuperseded(patch.set.status, 'patch')
    const vector = patch.vector && ownVector(call.core.embedder, patch.vector, 'patch.vector')
    const before = await requireRecord(call, input.id, input.scope, input.signal)
    const { id, scope, version } = before.record
    if (input.ifVersion !== undefined && input.ifVersion !== version) {
      // No precondition in the details: this is the caller's own condition, so it is not tried again.
      throw new ConflictError({
        code: 'VERSION_CONFLICT',
        message: `Record ${id} is at version ${version}, not ${input.ifVersion}. Read it again and repeat the change.`,
        details: { id, version, ifVersion: input.ifVersion },
      })
    }
    const after = applyPatch(before.record, patch, input.metadataMode)
    if (!vector && equalJson(after, before.record)) {
      return { steps: [{ type: 'noop', before, reason: 'nothing changes' }], refs: [{ id, scope, version }] }
    }
    if (!mayReplace(before.record.trust, after.trust)) {
      const incoming = { ...unstamped(after), id: call.core.ids(), accessCount: 0 }
      const conflict = await contradicts(call.core, before, incoming, { vector, signal: input.signal })
      if (conflict) return { steps: conflict.steps, refs: [conflict.second], extra: { conflict: conflict.conflict } }
    }
    const { kept, step } = planEdit(call.core, before, unstamped(after), vector)
    return { steps: kept ? [kept, step] : [step], refs: [{ id, scope }] }
  },
  answer: oneRecord,
})
