import { z } from 'zod'
import type { Link, MemoryRecord } from '../../model/index.ts'
import { readScope } from '../access.ts'
import type { NeighborsResult } from '../api/reading.ts'
import { depthOf, graphLook, linkName, startOf, walk } from '../graph.ts'
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
    const [steps = []] = await walk(core, look, [{ id: input.id, depth, most: limit }])
    const records: readonly MemoryRecord[] = steps.flatMap((step) => step.records)
    const links = new Map<string, Link>()
    for (const link of steps.flatMap((step) => step.links)) links.set(linkName(link), link)
    const shown = new Set([input.id, ...records.map((record) => record.id)])
    const between = [...links].filter(([, link]) => shown.has(link.from) && shown.has(link.to))
    return { records, links: between.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, link]) => link) }
  },
})
