import { z } from 'zod'
import { eventPeriod, isIn, longestReach } from '../../../kinds/index.ts'
import { inSession, parseFilter } from '../../../model/index.ts'
import { readScope } from '../../access.ts'
import type { ListResult } from '../../api/reading.ts'
import { recordPage } from '../../record-page.ts'
import { argumentsDigest } from '../../tokens.ts'
import { cursorField, defineVerb, limitField, limitOf, optionalInstant, readOptions, timeField } from '../../verb.ts'
import { episodeKind } from './record.ts'

const defaultLimit = 50

export const episodesTimeline = defineVerb({
  name: 'episodes.timeline',
  summary: 'Show what happened, earliest first.',
  positional: [],
  input: () =>
    z.strictObject({
      since: timeField(),
      until: timeField(),
      session: z.string().min(1).optional(),
      task: z.string().min(1).optional(),
      limit: limitField(),
      cursor: cursorField(),
      ...readOptions,
    }),
  writes: false,
  shows: ({ records }) => records,
  example: 'mneme episodes timeline --since 2026-01-01T00:00:00Z --user ann',
  async run({ core, access }, input): Promise<ListResult> {
    const { session, task } = input
    const since = optionalInstant(input.since, 'since')
    const until = optionalInstant(input.until, 'until')
    const visible = readScope(access, input)
    return recordPage(core, session === undefined ? visible : inSession(visible, session), {
      query: {
        kinds: [episodeKind],
        ...(task === undefined ? {} : { filter: parseFilter({ task: { eq: task } }) }),
        // Stores look at the start alone: what is known to the day or less may reach in from either side.
        ...(since === undefined ? {} : { since: since - longestReach }),
        ...(until === undefined ? {} : { until: until + longestReach }),
        order: 'eventTime',
        limit: limitOf(input.limit, defaultLimit),
      },
      digest: argumentsDigest('episodes.timeline', input),
      cursor: input.cursor,
      signal: input.signal,
      judge: async () => (record) =>
        isIn(eventPeriod(record), since ?? Number.NEGATIVE_INFINITY, until ?? Number.POSITIVE_INFINITY),
    })
  },
})
