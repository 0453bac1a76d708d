import { z } from 'zod'
import { type AsOf, type ListPosition, orderValue } from '../../contract/index.ts'
import { parseFilter } from '../../model/index.ts'
import { readScope } from '../access.ts'
import type { ListResult } from '../api/reading.ts'
import { listPage } from '../listing.ts'
import { pageState } from '../page-state.ts'
import { argumentsDigest, decodeToken, encodeToken } from '../tokens.ts'
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
} from '../verb.ts'
import { asOfTime } from './get.ts'

const defaultLimit = 50

const placeSchema = z.strictObject({
  after: z.strictObject({ value: z.number(), id: z.string() }),
  position: z.string().optional(),
})

export const list = defineVerb({
  name: 'list',
  summary: 'List memories in order, page by page.',
  positional: [],
  input: z.strictObject({
    kinds: kindsField,
    filter: z.unknown().optional(),
    tags: tagsField,
    status: statusField,
    since: timeField,
    until: timeField,
    validAt: timeField,
    asOf: timeField,
    order: z.enum(['newest', 'oldest', 'updated', 'importance', 'eventTime']).optional(),
    limit: limitField,
    cursor: cursorField,
    ...readOptions,
  }),
  writes: false,
  shows: ({ records }) => records,
  example: 'mneme list --user ann --order oldest --limit 5',
  async run(call, input): Promise<ListResult> {
    const { core } = call
    const scope = readScope(call.access, input)
    const limit = limitOf(input.limit, defaultLimit)
    const order = input.order ?? 'newest'
    const filter = input.filter === undefined ? undefined : parseFilter(input.filter)
    const digest = argumentsDigest('list', input)
    const from = input.cursor === undefined ? undefined : decodeToken(core, input.cursor, digest, placeSchema)
    const named = asOfTime(input.asOf)
    // Pages after the first show the state that the first one saw: nothing is skipped or shown twice (RED-5).
    const position = from?.position
    const head = named ? undefined : (position ?? (await core.store.head({ signal: input.signal })))
    const asOf: AsOf | undefined =
      named ?? (position === undefined ? undefined : await pageState(core, scope, position, input.signal))
    const now = named && 'time' in named ? named.time : core.clock()
    const page = await listPage(
      core,
      scope,
      {
        kinds: input.kinds,
        tags: input.tags,
        statuses: statusesOf(input.status, ['live']),
        filter,
        since: optionalInstant(input.since, 'since'),
        until: optionalInstant(input.until, 'until'),
        validAt: optionalInstant(input.validAt, 'validAt'),
        now,
        lifetimes: core.policies.lifetimes,
        order,
        limit,
        after: from?.after,
      },
      { asOf, signal: input.signal },
    )
    const records = page.items.map(({ record }) => (asOf ? record : core.touches.withCounts(record)))
    const last = records.at(-1)
    if (!page.more || !last) return { records }
    const after: ListPosition = { value: orderValue(last, order), id: last.id }
    return {
      records,
      nextCursor: encodeToken(core, digest, { after, ...(head === undefined ? {} : { position: head }) }),
    }
  },
})
