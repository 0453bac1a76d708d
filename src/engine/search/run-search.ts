import type { Degradation } from '../api/searching.ts'
import type { Core } from '../core.ts'
import { byStrategy, strategyOf } from './by-strategy.ts'
import { type Gathered, gather, openReading, type Reading } from './gather.ts'
import { type Found, type Ordered, order } from './order.ts'
import type { SearchRequest } from './search-input.ts'

const narrowest = 200
const widening = 4

/** Where the next page goes on. */
export interface SearchPlace {
  /** Results shown so far. */
  readonly offset: number
  /** Width of the first gathering: later pages must start from the same one to keep the ranks that were shown. */
  readonly width: number
}

export interface Searched {
  readonly found: readonly Found[]
  readonly next: SearchPlace | null
  readonly degraded: readonly Degradation[]
  readonly reading: Reading | null
  /** What became of everything, in the last gathering that was needed; null where there was none. */
  readonly last: Round | null
}

/** A gathering and what came of it: for explanations. */
export interface Round extends Pick<Gathered, 'candidates'>, Pick<Ordered, 'found' | 'dropped'> {}

export interface RunOptions {
  /** Order every candidate, and not only as many as the page needs: for explanations. @default false */
  readonly complete?: boolean
}

/** Nothing to look for: no words and no vector. */
function isBlank(request: SearchRequest): boolean {
  return request.query.trim() === '' && !request.vector
}

/** Everything that was ranked, best first, as far as it was wanted. */
export interface Ranking {
  readonly all: readonly Found[]
  /** There may be more than was ranked. */
  readonly more: boolean
  readonly degraded: readonly Degradation[]
  readonly last: Round | null
}

/** The engine's own ranking: at least as many as wanted and one more, unless there are fewer. */
async function rankAll(
  core: Core,
  request: SearchRequest,
  reading: Reading,
  { width, wanted, complete }: { readonly width: number; readonly wanted: number; readonly complete: boolean },
): Promise<Ranking> {
  const all: Found[] = []
  const seen = new Set<string>()
  let last: Round | null = null
  let degraded: readonly Degradation[] = []
  let more = true
  for (let reach = width; more && all.length <= wanted; reach *= widening) {
    const gathered = await gather(request, reading, reach)
    // One more than wanted tells whether a page follows. Of a wider round, what narrower ones found is passed over.
    const enough = complete || last !== null ? Number.POSITIVE_INFINITY : wanted + 1
    const ordered = await order(core, request, reading, gathered, enough)
    if (last === null) degraded = ordered.degraded
    last = { candidates: gathered.candidates, found: ordered.found, dropped: ordered.dropped }
    for (const one of ordered.found) {
      if (seen.has(one.stored.record.id)) continue
      seen.add(one.stored.record.id)
      all.push(one)
    }
    more = gathered.more
    // The first page needs no second gathering to know its own results.
    if (all.length >= wanted) break
  }
  return { all, more, degraded, last }
}

/**
 * One page of results. A page beyond the first gathering widens it; what a wider one finds comes after what a narrower
 * one ranked, so that ranks already shown stay (SEA-34).
 */
export async function runSearch(
  core: Core,
  request: SearchRequest,
  from?: SearchPlace,
  { complete = false }: RunOptions = {},
): Promise<Searched> {
  const width = from?.width ?? Math.max(narrowest, request.limit)
  const offset = from?.offset ?? 0
  const wanted = offset + request.limit
  if (isBlank(request)) return { found: [], next: null, degraded: [], reading: null, last: null }

  const reading = await openReading(core, request)
  const own = (most: number) => rankAll(core, request, reading, { width, wanted: most, complete })
  const strategy = strategyOf(core, request)
  const { all, more, degraded, last } = strategy
    ? await byStrategy(core, request, reading, strategy, { wanted, complete }, own)
    : await own(wanted)
  const found = all.slice(offset, wanted)
  const rest = found.length > 0 && (all.length > wanted || (more && found.length === request.limit))
  return {
    found,
    next: rest ? { offset: wanted, width } : null,
    degraded: [...reading.degraded, ...degraded],
    reading,
    last,
  }
}
