import { type GraphStart, type GraphStep, isReservedKind, type ReadOptions } from '../contract/index.ts'
import { InputError, NotFoundError } from '../errors/index.ts'
import { isExpired, type Link, type MemoryRecord, type ScopeFilter } from '../model/index.ts'
import type { Core } from './core.ts'
import { asOfTime } from './verbs/get.ts'

/** What of the links is looked at: the state, who sees it, and which types. */
export interface GraphLook {
  readonly scope: ScopeFilter
  readonly options: ReadOptions
  readonly now: number
  readonly types: ReadonlySet<string> | undefined
}

/** Deepest that a walk over links may go. */
const deepest = 10

/** A depth as given or its default. @throws InputError LIMIT_OUT_OF_RANGE */
export function depthOf(given: number | undefined, otherwise: number): number {
  const depth = given ?? otherwise
  if (Number.isInteger(depth) && depth >= 1 && depth <= deepest) return depth
  throw new InputError({
    code: 'LIMIT_OUT_OF_RANGE',
    message: `depth: must be a whole number from 1 to ${deepest}.`,
    details: { field: 'depth' },
  })
}

/** @throws InputError INVALID_TIME */
export function graphLook(
  core: Core,
  scope: ScopeFilter,
  input: {
    readonly asOf?: string | undefined
    readonly types?: readonly string[] | undefined
    readonly signal?: AbortSignal | undefined
  },
): GraphLook {
  const asOf = asOfTime(input.asOf)
  return {
    scope,
    options: { asOf, signal: input.signal },
    now: asOf && 'time' in asOf ? asOf.time : core.clock(),
    types: input.types && new Set(input.types),
  }
}

/** Where a walk begins: of any status. @throws NotFoundError RECORD_NOT_FOUND */
export async function startOf(core: Core, { scope, options, now }: GraphLook, id: string): Promise<MemoryRecord> {
  const [start] = await core.store.get(scope, [id], options)
  if (start && !isExpired(start.record, now, core.policies.lifetimes)) return start.record
  throw new NotFoundError({
    code: 'RECORD_NOT_FOUND',
    message: 'No such record in this scope. Check the id and the scope of the call.',
    details: { id },
  })
}

/** Records that are read at a time. */
const chunk = 1000

/** One step from records to those they are linked with, `most` of them; `seen` grows. Scope and status are judged at every step. */
async function hop(
  core: Core,
  { scope, options, now, types }: GraphLook,
  from: readonly string[],
  seen: Set<string>,
  most: number,
): Promise<GraphStep> {
  const around = await core.store.links(scope, from, options)
  const links = around.filter((link) => !types || types.has(link.type))
  const strongest = new Map<string, number>()
  for (const { from: start, to: end, weight } of links) {
    for (const id of [start, end]) if (!seen.has(id)) strongest.set(id, Math.max(strongest.get(id) ?? 0, weight))
  }
  const next = [...strongest].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([id]) => id)
  for (const id of next) seen.add(id)
  const records: MemoryRecord[] = []
  for (let start = 0; start < next.length && records.length <= most; start += chunk) {
    options.signal?.throwIfAborted()
    for (const stored of await core.store.get(scope, next.slice(start, start + chunk), { ...options, bare: true })) {
      const { record } = stored ?? {}
      if (record?.status !== 'live' || isReservedKind(record.kind)) continue
      if (!isExpired(record, now, core.policies.lifetimes)) records.push(record)
    }
  }
  return { links, records: records.slice(0, most), more: records.length > most }
}

/**
 * The steps of walks from several records, each up to so many links away and so many records. A store that walks by itself does, over
 * one state; of the past it knows only links and records.
 */
export async function walk(
  core: Core,
  look: GraphLook,
  starts: readonly GraphStart[],
): Promise<readonly (readonly GraphStep[])[]> {
  const { scope, options, now, types } = look
  const { graph } = core.store
  if (graph && options.asOf === undefined) {
    const view = { now, lifetimes: core.policies.lifetimes, types: types && [...types] }
    return graph.walk(scope, starts, view, { signal: options.signal })
  }
  return Promise.all(starts.map((start) => walkStepwise(core, look, start)))
}

async function walkStepwise(core: Core, look: GraphLook, { id, depth, most }: GraphStart): Promise<GraphStep[]> {
  const steps: GraphStep[] = []
  const seen = new Set([id])
  let left = most
  for (let frontier: readonly string[] = [id]; steps.length < depth && frontier.length > 0 && left > 0; ) {
    const step = await hop(core, look, frontier, seen, left)
    steps.push(step)
    left -= step.records.length
    frontier = step.records.map((record) => record.id)
  }
  return steps
}

/** What makes two links the same one. */
export function linkName({ from, to, type }: Link): string {
  return JSON.stringify([from, to, type])
}
