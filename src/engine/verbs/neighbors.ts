import { z } from 'zod'
import type { Link, MemoryRecord } from '../../model/index.ts'
import { readScope } from '../access.ts'
import type { NeighborsResult } from '../api/reading.ts'
import { depthOf, graphLook, hop, linkName, startOf } from '../graph.ts'
import { defineVerb, idField, limitField, limitOf, readOptions, timeField } from '../verb.ts'

const defaultLimit = 50

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
  async run({ core, access }, input): Promise<NeighborsResult> {
    const scope = readScope(access, input)
    const limit = limitOf(input.limit, defaultLimit)
    const depth = depthOf(input.depth, 1)
    const look = graphLook(core, scope, input)
    await startOf(core, look, input.id)
    const seen = new Set([input.id])
    const records: MemoryRecord[] = []
    const links = new Map<string, Link>()
    let frontier: readonly string[] = [input.id]
    for (let level = 0; level < depth && frontier.length > 0 && records.length < limit; level++) {
      const step = await hop(core, look, frontier, seen, limit - records.length)
      for (const link of step.links) links.set(linkName(link), link)
      records.push(...step.records)
      frontier = step.records.map(({ id }) => id)
    }
    const shown = new Set([input.id, ...records.map((record) => record.id)])
    const between = [...links].filter(([, link]) => shown.has(link.from) && shown.has(link.to))
    return { records, links: between.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, link]) => link) }
  },
})
