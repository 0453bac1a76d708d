import { z } from 'zod'
import { InputError } from '../../errors/index.ts'
import type { Link, MemoryRecord } from '../../model/index.ts'
import { readScope } from '../access.ts'
import type { PathsResult } from '../api/reading.ts'
import type { Core } from '../core.ts'
import { findPaths } from '../find-paths.ts'
import { depthOf, type GraphLook, graphLook, linkName, startOf, walk } from '../graph.ts'
import { defineVerb, idField, limitField, limitOf, readOptions, timeField } from '../verb.ts'

const defaultDepth = 4
const defaultLimit = 5
/** Most records that are looked at from either end. */
const mostRecords = 10_000

/** What lies around a record, up to some links away. */
interface Surroundings {
  readonly records: Map<string, MemoryRecord>
  readonly links: Map<string, Link>
  complete: boolean
}

/** Every link of a path this long is near one of its ends. */
async function lookAround(core: Core, look: GraphLook, ends: readonly string[], depth: number): Promise<Surroundings> {
  const depths = [Math.ceil(depth / 2), Math.floor(depth / 2)]
  const starts = ends.flatMap((id, i) => {
    const half = depths[i] as number
    return half > 0 ? [{ id, depth: half, most: mostRecords }] : []
  })
  const around: Surroundings = { records: new Map(), links: new Map(), complete: true }
  for (const steps of await walk(core, look, starts)) {
    for (const { links, records, more } of steps) {
      for (const link of links) around.links.set(linkName(link), link)
      for (const record of records) around.records.set(record.id, record)
      if (more) around.complete = false
    }
    if (steps.flatMap(({ records }) => records).length === mostRecords) around.complete = false
  }
  return around
}

export const paths = defineVerb({
  name: 'paths',
  summary: 'Show how two memories are connected: the shortest ways over links between them.',
  positional: ['from', 'to'],
  input: () =>
    z.strictObject({
      from: idField(),
      to: idField(),
      types: z.array(z.string().min(1)).max(100).optional(),
      depth: z.number().optional(),
      limit: limitField(),
      asOf: timeField(),
      ...readOptions,
    }),
  writes: false,
  shows: ({ paths: found }: PathsResult) =>
    new Map(found.flatMap(({ records }) => records.map((record) => [record.id, record]))).values(),
  example: 'mneme paths ID ID --depth 3 --user ann',
  async run({ core, access }, input): Promise<PathsResult> {
    const { from, to } = input
    const limit = limitOf(input.limit, defaultLimit)
    const depth = depthOf(input.depth, defaultDepth)
    const look = graphLook(core, readScope(access, input), input)
    if (from === to) {
      throw new InputError({
        code: 'INVALID_ARGUMENT',
        message: 'paths: a memory has no path to itself. Give two different ids.',
      })
    }
    const ends = await Promise.all([startOf(core, look, from), startOf(core, look, to)])
    const around = await lookAround(core, look, [from, to], depth)
    for (const end of ends) around.records.set(end.id, end)
    const { ways, complete } = findPaths(around.links.values(), (id) => around.records.has(id), {
      from,
      to,
      depth,
      limit,
    })
    return {
      paths: ways.map(({ ids, links, strength }) => ({
        records: ids.map((id) => around.records.get(id) as MemoryRecord),
        links,
        strength,
      })),
      complete: complete && around.complete,
    }
  },
})
