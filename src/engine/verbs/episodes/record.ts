import { z } from 'zod'
import { InputError } from '../../../errors/index.ts'
import { formatInstant, type NewMemory, parseMetadata } from '../../../model/index.ts'
import type { AddOutcome, AddResult } from '../../api/write-results.ts'
import { writeOptions } from '../../verb.ts'
import { defineWrite, outcomeOf } from '../../write-verb.ts'
import { planAdds } from '../add-planning.ts'

const longest = 36_525 * 86_400_000

export const episodeKind = 'episodic'

/** The task is a field of the metadata, so that filters and exports have it. */
function metadataOf(metadata: unknown, task: string | undefined): unknown {
  if (task === undefined || metadata === undefined) return task === undefined ? metadata : { task }
  const given = parseMetadata(metadata, 'metadata')
  if (given.task === undefined || given.task === task) return { ...given, task }
  throw new InputError({
    code: 'INVALID_ARGUMENT',
    message: 'task: metadata names another task. Give it once.',
    details: { field: 'task' },
  })
}

/** Fields that were given as undefined are not there. */
function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

export const episodesRecord = defineWrite({
  name: 'episodes.record',
  summary: 'Record something that happened.',
  positional: ['content'],
  input: () =>
    z.strictObject({
      content: z.string(),
      importance: z.number().min(0).max(1).optional(),
      task: z.string().min(1).max(1024).optional(),
      eventTime: z.union([z.string(), z.looseObject({})]).optional(),
      expiresIn: z.int().min(1).max(longest).optional(),
      metadata: z.unknown().optional(),
      ...writeOptions,
    }),
  example: 'mneme episodes record "Ann sent the offer to Dupont" --user ann --task offers',
  plan(call, input, scope, round) {
    const { content, importance, task, eventTime, expiresIn, metadata, signal } = input
    const memory = given({
      kind: episodeKind,
      content,
      importance,
      metadata: metadataOf(metadata, task),
      eventTime: typeof eventTime === 'string' ? { start: eventTime } : eventTime,
      expiresAt: expiresIn === undefined ? undefined : formatInstant(call.core.clock() + expiresIn),
    }) as unknown as NewMemory
    // Without a time of their own, the same words again are what happened again.
    return planAdds(call, [memory], scope, { ifExists: 'error', dedupe: eventTime !== undefined, signal }, round)
  },
  answer: (answered): AddResult => ({
    record: answered.records[0] as AddResult['record'],
    ...outcomeOf(answered),
    outcome: (answered.extra as AddOutcome[])[0] as AddOutcome,
  }),
})
