import { z } from 'zod'
import { InputError } from '../../errors/index.ts'
import type { Link, MemoryRecord } from '../../model/index.ts'
import { readScope } from '../access.ts'
import type { PathsResult } from '../api/reading.ts'
import type { Core } from '../core.ts'
import { findPaths } from '../find-paths.ts'
import { depthOf, type GraphLook, graphLook, hop, linkName, startOf } from '../graph.ts'
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

async function lookAround(core: Core, look: GraphLook, start: string, depth: number, into: Surroundings) {
  const seen = new Set([start])
  let frontier: readonly string[] = [start]
  let left = mostRecords
  for (let level = 0; level < depth && frontier.length > 0; level++) {
    const step = await hop(core, look, frontier, seen, left)
    for (const link of step.links) into.links.set(linkName(link), link)
    for (const record of step.records) into.records.set(record.id, record)
    if (step.more) into.complete = false
    left -= step.records.length
    frontier = left > 0 ? step.records.map(({ id }) => id) : []
  }
  if (frontier.length === 0 && left === 0) into.complete = false
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
    const around: Surroundings = { records: new Map(), links: new Map(), complete: true }
    // Every link of a path this long is near one of its ends.
    await lookAround(core, look, from, Math.ceil(depth / 2), around)
    await lookAround(core, look, to, Math.floor(depth / 2), around)
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
