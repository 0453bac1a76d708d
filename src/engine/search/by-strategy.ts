import type { RankedCandidate, RetrievalStrategy, StoredRecord, StrategySources, Turn } from '../../contract/index.ts'
import { InputError, MnemeError } from '../../errors/index.ts'
import { hybridStrategy } from '../../kinds/index.ts'
import { evidenceOf, type SearchMode } from '../../retrieval/index.ts'
import { isSearched } from '../analysis.ts'
import type { Core } from '../core.ts'
import { listAll } from '../listing.ts'
import type { Reading } from './gather.ts'
import { type Found, recordsFor } from './order.ts'
import type { Ranking, Round } from './run-search.ts'
import type { SearchRequest } from './search-input.ts'

const usualLimit = 200

/** The strategy of the one kind that is asked for; null where search goes its own way (STR-1). */
export function strategyOf({ policies }: Core, { kinds }: SearchRequest): RetrievalStrategy | null {
  const [kind, ...others] = new Set(kinds)
  if (kind === undefined || others.length > 0) return null
  const { strategy } = policies.of(kind)
  return strategy === undefined || strategy === hybridStrategy ? null : strategy
}

/** A candidate that nothing but its record is known of. */
function turnOf({ record }: StoredRecord): Turn {
  const { id, importance, reliability, createdAt } = record
  return {
    id,
    bm25: 0,
    cosine: null,
    tokens: [],
    shape: 0,
    actor: null,
    thread: null,
    position: 0,
    createdAt: Date.parse(createdAt),
    importance,
    reliability,
    keyMatch: false,
  }
}

function foundAs(stored: StoredRecord, candidate: Turn, score: number): Found {
  return { scored: { candidate, score, relevance: score, evidence: score, value: score }, stored, signals: () => null }
}

/** The sources of a strategy, and what they gave: a strategy shows nothing else. */
function sourcesOf(
  core: Core,
  request: SearchRequest,
  reading: Reading,
  wanted: number,
  hybrid: (wanted: number) => Promise<Ranking>,
): { readonly sources: Required<StrategySources>; readonly given: ReadonlyMap<string, Found> } {
  const given = new Map<string, Found>()
  const { scope, signal, statuses, now, lifetimes, kinds, tags, filter, since, until, validAt, asOf } = request
  const { facets, terms, vector, keyed } = reading
  // What search itself found says more about a memory than what one source does.
  const offer = (found: Found, score?: number, isOwn = false): RankedCandidate => {
    const { record } = found.stored
    if (isOwn || !given.has(record.id)) given.set(record.id, found)
    return { id: record.id, record, ...(score === undefined ? {} : { score }) }
  }
  const described = async (found: object, limit: number, mode: SearchMode, collection: object) => {
    const asked = { terms, space: vector?.space, vector: vector?.values }
    const details = await facets.turns.describe(scope, { keyed: await keyed, ...found }, asked, {
      ...reading.window,
      limit,
    })
    const evidence = evidenceOf(details.turns, { vectors: 0, meanCosine: 0, termIdfs: [], ...collection }, mode)
    const records = recordsFor(core, request)
    await records.read(details.turns)
    const all = details.turns.flatMap((turn, i) => {
      const stored = records.of(turn)
      const score = turn.keyMatch ? 1 : (evidence[i] as number)
      return stored && score > 0 ? [{ turn, stored, score }] : []
    })
    return all
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ turn, stored, score }) => offer(foundAs(stored, turn, score), score))
  }
  const usual = Math.max(usualLimit, wanted)
  return {
    given,
    sources: {
      async text(limit = usual) {
        const { hits, idfs } = await facets.text.match(scope, terms, { ...reading.window, limit }, { signal })
        return described({ text: hits }, limit, 'text', { termIdfs: idfs })
      },
      async vector(limit = usual) {
        if (!vector) return []
        const window = { ...reading.window, limit }
        const { hits, ...collection } = await facets.vectors.nearest(scope, vector.space, vector.values, window, {
          signal,
        })
        return described({ near: hits }, limit, 'vector', collection)
      },
      async list(limit = Number.POSITIVE_INFINITY) {
        const query = { statuses, now, lifetimes, kinds, tags, filter, since, until, validAt, signal }
        const all = await listAll(core, scope, query, { asOf })
        const newest = all.filter(({ record }) => isSearched(record)).reverse()
        return newest.slice(0, limit).map((stored) => offer(foundAs(stored, turnOf(stored), 0)))
      },
      async hybrid(limit = wanted + 1) {
        // One more than wanted comes of itself.
        const { all } = await hybrid(limit > wanted + 1 ? limit : wanted)
        return all.slice(0, limit).map((found) => offer(found, found.scored.score, true))
      },
    },
  }
}

/** As the strategy has it: what it may show, each once, with the score that it gave. */
function shown(ranked: unknown, given: ReadonlyMap<string, Found>): Found[] {
  if (!Array.isArray(ranked)) {
    throw new InputError({
      code: 'INVALID_ARGUMENT',
      message: 'strategy: must give a list of candidates, an empty one for none.',
    })
  }
  const all = new Map<string, Found>()
  for (const one of ranked as readonly (Partial<RankedCandidate> | null | undefined)[]) {
    const found = typeof one?.id === 'string' ? given.get(one.id) : undefined
    if (!found || all.has(found.stored.record.id)) continue
    const score = typeof one?.score === 'number' && one.score >= 0 ? Math.min(1, one.score) : 0
    const same = score === found.scored.score
    all.set(found.stored.record.id, same ? found : { ...found, scored: { ...found.scored, score } })
  }
  return [...all.values()]
}

/** Ranks by the strategy of the kind; where it fails, search goes its own way and says so. */
export async function byStrategy(
  core: Core,
  request: SearchRequest,
  reading: Reading,
  strategy: RetrievalStrategy,
  { wanted, complete }: { readonly wanted: number; readonly complete: boolean },
  hybrid: (wanted: number) => Promise<Ranking>,
): Promise<Ranking> {
  let own: Promise<Ranking> | undefined
  // The widest that was asked for answers all: a short answer is the beginning of a long one.
  let widest = 0
  const ranking = (asked: number): Promise<Ranking> => {
    // A complete one has all that was gathered, without gathering more.
    const most = complete ? wanted : asked
    if (own === undefined || most > widest) {
      widest = most
      own = hybrid(most)
    }
    return own
  }
  const { sources, given } = sourcesOf(core, request, reading, wanted, ranking)
  const { terms, vector } = reading
  const limit = complete ? Number.MAX_SAFE_INTEGER : wanted + 1
  const query = { query: request.query, terms, limit, ...(vector ? { vector: vector.values } : {}) }
  try {
    const found = shown(await strategy.rank(query, sources), given)
    const rest = await own
    const all = found.filter(({ scored }) => scored.score >= request.minScore)
    return {
      all,
      more: rest?.more ?? false,
      degraded: rest?.degraded ?? [],
      last: complete ? explained(found, all, given, rest?.last) : null,
    }
  } catch (error) {
    request.signal?.throwIfAborted()
    const code = MnemeError.is(error) ? error.code : 'STRATEGY_FAILED'
    core.logger.warn?.('strategy failed', { code })
    const rest = await ranking(wanted)
    const message = `The strategy of ${request.kinds?.[0]} failed; the order is the one without it.`
    return { ...rest, degraded: [...rest.degraded, { stage: 'strategy', code, message }] }
  }
}

/** What became of everything that the strategy or search itself came upon. */
function explained(
  ranked: readonly Found[],
  found: readonly Found[],
  given: ReadonlyMap<string, Found>,
  own: Round | null | undefined,
): Round {
  const kept = new Set(found)
  const places = new Set(ranked.map(({ stored }) => stored.record.id))
  return {
    candidates: [
      ...Array.from(given.values(), ({ scored }) => scored.candidate),
      ...(own?.candidates.filter(({ id }) => !given.has(id)) ?? []),
    ],
    found,
    dropped: [
      ...ranked.filter((one) => !kept.has(one)).map(({ scored }) => scored),
      ...(own?.dropped.filter(({ candidate }) => !places.has(candidate.id)) ?? []),
    ],
  }
}
