import { z } from 'zod'
import { parseFilter } from '../../model/index.ts'
import { readScope } from '../access.ts'
import type { ListResult } from '../api/reading.ts'
import { recordPage } from '../record-page.ts'
import { argumentsDigest } from '../tokens.ts'
import {
  cursorField,
  defineVerb,
  kindsField,
  limitField,
  limitOf,
  optionalInstant,
  readOptions,
  statusesOf,
  statusField,
  tagsField,
  timeField,
  usualStatuses,
} from '../verb.ts'
import { asOfTime } from './get.ts'

const defaultLimit = 50

export const list = defineVerb({
  name: 'list',
  summary: 'List memories in order, page by page.',
  positional: [],
  input: () =>
    z.strictObject({
      kinds: kindsField(),
      filter: z.unknown().optional(),
      tags: tagsField(),
      status: statusField(),
      since: timeField(),
      until: timeField(),
      validAt: timeField(),
      asOf: timeField(),
      order: z.enum(['newest', 'oldest', 'updated', 'importance', 'eventTime']).optional(),
      limit: limitField(),
      cursor: cursorField(),
      ...readOptions,
    }),
  writes: false,
  shows: ({ records }) => records,
  example: 'mneme list --user ann --order oldest --limit 5',
  async run({ core, access }, input): Promise<ListResult> {
    return recordPage(core, readScope(access, input), {
      query: {
        kinds: input.kinds,
        tags: input.tags,
        statuses: statusesOf(input.status, usualStatuses(input.validAt)),
        filter: input.filter === undefined ? undefined : parseFilter(input.filter),
        since: optionalInstant(input.since, 'since'),
        until: optionalInstant(input.until, 'until'),
        validAt: optionalInstant(input.validAt, 'validAt'),
        order: input.order ?? 'newest',
        limit: limitOf(input.limit, defaultLimit),
      },
      digest: argumentsDigest('list', input),
      cursor: input.cursor,
      asOf: asOfTime(input.asOf),
      signal: input.signal,
    })
  },
})
