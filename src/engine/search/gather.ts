import type { Cursor, SearchWindow, StoredVector } from '../../contract/index.ts'
import { analyse, type Candidate, type Collection, indexOf, type Question } from '../../retrieval/index.ts'
import { queryTerms } from '../../text/index.ts'
import { isSearched } from '../analysis.ts'
import type { Degradation } from '../api/searching.ts'
import type { Core, Facets } from '../core.ts'
import { listAll } from '../listing.ts'
import { embedderDegradation, embedTexts } from '../vectors.ts'
import type { SearchRequest } from './search-input.ts'

/** What is read of a query (SEA-36): a longer one is a document, and would hold up everybody. */
const longestQuery = 32_768
const mostTerms = 256
const none: ReadonlySet<string> = new Set()

/** What a search reads with: opened once, used for as many widths as its pages need. */
export interface Reading {
  readonly facets: Facets
  /** The state of the log that is read at least; null for a past one that was asked for. */
  readonly position: Cursor | null
  readonly window: Omit<SearchWindow, 'limit'>
  readonly question: Question
  readonly terms: readonly string[]
  readonly tokens: readonly number[]
  /** Null: text only, because it was asked for or because the embedder failed. */
  readonly vector: StoredVector | null
  /** Ids of records whose key is the query: read while others are found. */
  readonly keyed: Promise<ReadonlySet<string>>
  readonly degraded: readonly Degradation[]
}

export interface Gathered {
  readonly candidates: readonly Candidate[]
  readonly collection: Collection
  /** A wider gathering would find more. */
  readonly more: boolean
}

/** A past state has no index of its own: the listed records are searched through one made for the occasion. */
async function facetsOf(
  core: Core,
  { asOf, scope, lifetimes, signal }: SearchRequest,
): Promise<{ readonly facets: Facets; readonly position: Promise<Cursor | null> }> {
  if (!asOf) {
    await core.index?.sync({ signal })
    const position = core.index ? Promise.resolve(core.index.position) : core.store.head({ signal })
    return { facets: core.facets, position }
  }
  const past = await listAll(core, scope, { statuses: 'any', signal }, { asOf })
  // Turns of one moment stand in the order of their writing, which records do not tell and the index of now does.
  await core.index?.sync({ signal })
  const ids = past.map(({ record }) => record.id)
  const arrivals = await core.facets.turns.arrivals(ids, { signal })
  const places = new Map(past.map((one, i) => [one, arrivals[i] ?? Number.POSITIVE_INFINITY]))
  past.sort((a, b) => {
    const [first, second] = [places.get(a) as number, places.get(b) as number]
    return first === second ? 0 : first - second
  })
  const ran = { text: 'past state', vectors: 'past state' }
  return { facets: { ...indexOf(past, lifetimes), judges: false, ran }, position: Promise.resolve(null) }
}

/**
 * What filters let through: as conditions for facets that judge them, as the set of the records for others. Empty when
 * there is nothing to filter by.
 */
async function narrowed(
  core: Core,
  request: SearchRequest,
  { facets, position }: Awaited<ReturnType<typeof facetsOf>>,
): Promise<Pick<SearchWindow, 'only' | 'where'>> {
  const { filter, tags, since, until, validAt, kinds, statuses, now, lifetimes, scope, asOf, signal } = request
  const given = [filter, tags, since, until, validAt].some((value) => value !== undefined)
  if (!given) return {}
  if (facets.judges) return { where: { filter, tags, since, until, validAt } }
  await position
  const found = await listAll(
    core,
    scope,
    { filter, tags, since, until, validAt, kinds, statuses, now, lifetimes, signal },
    { asOf },
  )
  return { only: new Set(found.map(({ record }) => record.id)) }
}

async function queryVector(
  core: Core,
  request: SearchRequest,
  question: Question,
): Promise<StoredVector | Degradation | null> {
  if (request.mode === 'text' || !core.embedder) return null
  if (request.vector) return request.vector
  try {
    const [vector] = await embedTexts(core.embedder, [question.stripped], { purpose: 'query', signal: request.signal })
    return vector ?? null
  } catch (error) {
    request.signal?.throwIfAborted()
    return embedderDegradation(core.embedder, error)
  }
}

async function recordsWithKey(core: Core, request: SearchRequest, facets: Facets): Promise<ReadonlySet<string>> {
  const { scope, statuses, now, lifetimes, kinds, tags, filter, since, until, validAt, asOf, signal } = request
  const key = request.query.trim()
  if (key === '' || key.length > 512 || facets.mayHaveKey?.(key) === false) return none
  const query = { key, statuses, now, lifetimes, kinds, tags, filter, since, until, validAt, signal }
  const found = await listAll(core, scope, query, { asOf })
  return new Set(found.filter(({ record }) => isSearched(record)).map(({ record }) => record.id))
}

/** Reads the query and opens what it is to be answered from. */
export async function openReading(core: Core, request: SearchRequest): Promise<Reading> {
  const { mode, scope, statuses, now, lifetimes, kinds, signal } = request
  const opened = await facetsOf(core, request)
  const { facets } = opened
  // Who spoke is no answer: it may be read before the position is known that the answers stand on, and all else only after.
  const known = narrowed(core, request, opened).then(async (filters) => {
    const window = { statuses, now, lifetimes, kinds, exact: request.exact, ...filters }
    return { window, actors: await facets.turns.actors(scope, { limit: 1, ...window }, { signal }) }
  })
  const [{ window, actors }, position] = await Promise.all([known, opened.position])
  const keyed = recordsWithKey(core, request, facets)
  keyed.catch(() => undefined)
  const query = request.query.slice(0, longestQuery).toWellFormed()
  const question = analyse(query, actors)
  const content = question.words.join(' ')
  const made = await queryVector(core, request, question)
  const failed = made !== null && 'stage' in made
  return {
    facets,
    position,
    window,
    question,
    terms: mode === 'vector' ? [] : queryTerms(content).slice(0, mostTerms),
    tokens: mode === 'hybrid' ? (core.table?.tokens(content) ?? []).slice(0, mostTerms) : [],
    vector: failed ? null : made,
    keyed,
    degraded: failed ? [made] : [],
  }
}

/** The best `width` of text and of vectors, and what is known about each. */
export async function gather(request: SearchRequest, reading: Reading, width: number): Promise<Gathered> {
  const { facets, terms, tokens, vector } = reading
  const { scope, signal } = request
  const window = { limit: width, ...reading.window }
  const [text, near, keyed] = await Promise.all([
    facets.text.match(scope, terms, window, { signal }),
    vector ? facets.vectors.nearest(scope, vector.space, vector.values, window, { signal }) : null,
    reading.keyed,
  ])
  const asked = {
    terms,
    tokens: tokens.length > 0 || request.diversity > 0 ? tokens : undefined,
    space: vector?.space,
    vector: vector?.values,
  }
  const found = { keyed, text: text.hits, near: near?.hits }
  const details = await facets.turns.describe(scope, found, asked, window, { signal })
  const frequencies = new Map(tokens.map((token, i) => [token, details.tokenFrequencies[i] ?? 0]))
  return {
    candidates: details.turns,
    collection: {
      documents: text.documents,
      vectors: near?.vectors ?? 0,
      meanCosine: near?.meanCosine ?? 0,
      tokenFrequency: (token) => frequencies.get(token) ?? 0,
      averageTokens: details.averageTokens,
      termIdfs: text.idfs,
    },
    more: text.hits.length >= width || (near?.hits.length ?? 0) >= width,
  }
}
