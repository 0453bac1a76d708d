import { z } from 'zod'
import { InputError, NotFoundError } from '../../errors/index.ts'
import { isExpired, type Link, type MemoryRecord } from '../../model/index.ts'
import { readScope } from '../access.ts'
import type { NeighborsResult } from '../api/reading.ts'
import { defineVerb, idField, limitField, limitOf, readOptions, timeField } from '../verb.ts'
import { asOfTime } from './get.ts'

const defaultLimit = 50
const deepest = 10

function linkName(link: Link): string {
  return JSON.stringify([link.from, link.to, link.type])
}

export const neighbors = defineVerb({
  name: 'neighbors',
  summary: 'Show the memories that a memory is linked with.',
  positional: ['id'],
  input: () =>
    z.strictObject({
      id: idField(),
      types: z.array(z.string().min(1)).max(100).optional(),
      depth: z.number().optional(),
      limit: limitField(),
      asOf: timeField(),
      ...readOptions,
    }),
  writes: false,
  shows: ({ records }) => records,
  example: 'mneme neighbors ID --depth 2 --user ann',
  async run(call, input): Promise<NeighborsResult> {
    const { store, clock, policies } = call.core
    const scope = readScope(call.access, input)
    const limit = limitOf(input.limit, defaultLimit)
    const depth = input.depth ?? 1
    if (!Number.isInteger(depth) || depth < 1 || depth > deepest) {
      throw new InputError({
        code: 'LIMIT_OUT_OF_RANGE',
        message: `depth: must be a whole number from 1 to ${deepest}.`,
        details: { field: 'depth' },
      })
    }
    const asOf = asOfTime(input.asOf)
    const options = { asOf, signal: input.signal }
    const now = asOf && 'time' in asOf ? asOf.time : clock()
    const types = input.types && new Set(input.types)

    const [start] = await store.get(scope, [input.id], options)
    if (!start || isExpired(start.record, now, policies.lifetimes)) {
      throw new NotFoundError({
        code: 'RECORD_NOT_FOUND',
        message: 'No such record in this scope. Check the id and the scope of the call.',
        details: { id: input.id },
      })
    }
    const seen = new Set([input.id])
    const records: MemoryRecord[] = []
    const links = new Map<string, Link>()
    let frontier = [input.id]
    for (let level = 0; level < depth && frontier.length > 0 && records.length < limit; level++) {
      const around = (await store.links(scope, frontier, options)).filter((link) => !types || types.has(link.type))
      const strongest = new Map<string, number>()
      for (const link of around) {
        links.set(linkName(link), link)
        for (const end of [link.from, link.to]) {
          if (!seen.has(end)) strongest.set(end, Math.max(strongest.get(end) ?? 0, link.weight))
        }
      }
      const next = [...strongest].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([id]) => id)
      for (const id of next) seen.add(id)
      const found = (await store.get(scope, next, options)).flatMap((stored) =>
        stored && stored.record.status === 'live' && !isExpired(stored.record, now, policies.lifetimes)
          ? [stored.record]
          : [],
      )
      records.push(...found.slice(0, limit - records.length))
      // What is hidden is no way through either.
      frontier = found.map((record) => record.id)
    }
    const shown = new Set([input.id, ...records.map((record) => record.id)])
    return { records, links: [...links.values()].filter((link) => shown.has(link.from) && shown.has(link.to)) }
  },
})
