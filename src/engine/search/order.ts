import { matchesQuery, type StoredRecord } from '../../contract/index.ts'
import { MnemeError } from '../../errors/index.ts'
import { matchesScope } from '../../model/index.ts'
import {
  type Adjustment,
  adjustScores,
  type Candidate,
  rank,
  rankedLists,
  rankValues,
  reciprocalRankFusion,
  type Scored,
  type SignalColumns,
  type Signals,
  scoreInTurn,
  select,
  signals,
  signalsAt,
  tokenMatch,
} from '../../retrieval/index.ts'
import type { Degradation } from '../api/searching.ts'
import type { Core } from '../core.ts'
import { adjustmentBefore, adjustmentOf, isKnownBefore, mostWeights } from './factors.ts'
import type { Gathered, Reading } from './gather.ts'
import type { SearchRequest } from './search-input.ts'

/** A model reads this many of the best candidates; more would cost more than it finds. */
const rerankDepth = 50
/** Records are read so many at a time. */
const batch = 32

/** A result before its record is shown. */
export interface Found {
  readonly scored: Scored
  readonly stored: StoredRecord
  /** Null for what was fused by rank alone. */
  signals(): Signals | null
}

export interface Ordered {
  /** Best first: all, or as many as were enough. */
  readonly found: readonly Found[]
  readonly degraded: readonly Degradation[]
  /** Below the threshold, for explanations. */
  readonly dropped: readonly Scored[]
}

/** The records behind candidates, read when they are needed: reading one costs more than ranking it. */
export interface Records {
  read(candidates: readonly Candidate[]): Promise<void>
  /** Null: not there, or not to be shown. Only of what was read. */
  of(candidate: Candidate): StoredRecord | null
}

export function recordsFor(core: Core, request: SearchRequest): Records {
  const { scope, asOf, signal, now, lifetimes, statuses, kinds, filter, tags, since, until, validAt } = request
  const known = new Map<string, StoredRecord | null>()
  const query = { statuses, now, lifetimes, kinds, filter, tags, since, until, validAt }
  // Whatever found it, what may be shown is decided here (SCO-2).
  const mayShow = (stored: StoredRecord): boolean =>
    matchesScope(scope, stored.record.scope) && matchesQuery(query, stored)
  return {
    async read(candidates) {
      const ids = candidates.map(({ id }) => id).filter((id) => !known.has(id))
      if (ids.length === 0) return
      for (const id of ids) known.set(id, null)
      for (const stored of await core.store.get(scope, ids, { asOf, signal, bare: request.diversity === 0 })) {
        if (stored !== null && mayShow(stored)) known.set(stored.record.id, stored)
      }
    },
    of: ({ id }) => known.get(id) ?? null,
  }
}

/** Candidates with the values that order them, in any order. */
interface Valued {
  readonly candidates: readonly Candidate[]
  /** One a candidate. */
  readonly values: ArrayLike<number>
  readonly degraded?: Degradation
}

async function rerank(core: Core, request: SearchRequest, valued: Valued, records: Records): Promise<Valued> {
  if (!core.reranker || !request.rerank || valued.candidates.length === 0) return valued
  const ranked = rank(valued.candidates, valued.values)
  const best = ranked.slice(0, rerankDepth)
  await records.read(best.map(({ candidate }) => candidate))
  const head = best.flatMap(({ candidate }) => {
    const stored = records.of(candidate)
    return stored ? [{ candidate, text: stored.record.content }] : []
  })
  try {
    const texts = head.map(({ text }) => text)
    const scores = await core.reranker.rerank(request.query, texts, { signal: request.signal })
    if (scores.length !== head.length || !scores.every(Number.isFinite))
      throw new TypeError('not one finite score a text')
    const [low, high] = [Math.min(...scores), Math.max(...scores)]
    const share = (value: number) => (high > low ? (value - low) / (high - low) : 1)
    const most = Math.max(1e-9, ...ranked.map(({ value }) => value))
    // What was read comes before what was not; within each, its own order.
    const read = head.map(({ candidate }, i) => ({ candidate, value: 1 + share(scores[i] as number) }))
    const rest = ranked
      .slice(rerankDepth)
      .map(({ candidate, value }) => ({ candidate, value: Math.max(0, value) / most }))
    const all = [...read, ...rest]
    return { candidates: all.map(({ candidate }) => candidate), values: all.map(({ value }) => value) }
  } catch (error) {
    request.signal?.throwIfAborted()
    const code = MnemeError.is(error) ? error.code : 'RERANKER_FAILED'
    const message = `Reranker ${core.reranker.id} failed; the order is the one without it.`
    return { degraded: { stage: 'reranker', code, message }, ...valued }
  }
}

/**
 * The best that may be shown, at least `enough` of them unless there are fewer. Scores are final before anything is read,
 * but for an anchor or a kind that only the record knows: then they are what it can reach at most.
 */
async function readBest(
  core: Core,
  request: SearchRequest,
  best: Iterator<Scored, void>,
  records: Records,
  enough: number,
): Promise<readonly Scored[]> {
  const final = isKnownBefore(request)
  const adjust = (candidate: Candidate): Adjustment =>
    adjustmentOf(core, request, (records.of(candidate) as StoredRecord).record)
  let found: readonly Scored[] = []
  for (let next = best.next(); ; ) {
    const settled = final || next.done ? found : found.filter(({ score }) => score > (next.value as Scored).score)
    if (next.done || next.value.score < request.minScore || settled.length >= enough) return settled
    const some: Scored[] = []
    const wanted = final ? enough - found.length : Math.max(batch, enough - settled.length)
    for (; !next.done && some.length < wanted; next = best.next()) some.push(next.value)
    await records.read(some.map(({ candidate }) => candidate))
    const shown = some.filter(({ candidate }) => records.of(candidate) !== null)
    found = final ? [...found, ...shown] : adjustScores([...found, ...shown], adjust).filter(({ score }) => score > 0)
  }
}

/**
 * Orders what was gathered: signals, rank, the reranker's word, score, threshold and diversity.
 * @param enough how many results are wanted; more may come, and all of them for Infinity
 */
export async function order(
  core: Core,
  request: SearchRequest,
  reading: Reading,
  gathered: Gathered,
  enough: number,
): Promise<Ordered> {
  const { candidates, collection } = gathered
  const records = recordsFor(core, request)
  const measured = request.fusion === 'convex' ? measure(core, reading, gathered) : null
  const values = measured ? rankValues(measured) : fused(candidates)
  const valued = await rerank(core, request, { candidates, values }, records)
  const inTurn = relevant(
    scoreInTurn(valued.candidates, valued.values, collection, {
      mode: request.mode,
      adjust: adjustmentBefore(request),
      mostWeights: mostWeights(request),
    }),
  )
  // What diversity puts first may be anywhere.
  const all = request.diversity > 0 ? Number.POSITIVE_INFINITY : enough
  const best = all === Number.POSITIVE_INFINITY ? [...inTurn] : null
  const scored = await readBest(core, request, best === null ? inTurn : best.values(), records, all)
  const storedOf = new Map(scored.map((one) => [one.candidate.id, records.of(one.candidate) as StoredRecord]))
  const selected = select(scored, {
    minScore: request.minScore,
    diversity: request.diversity,
    vectorOf: (id) => storedOf.get(id)?.vector?.values ?? null,
  })
  const kept = new Set(selected)
  const signalsOf = (candidate: Candidate): Signals | null =>
    measured && signalsAt(measured, candidates.indexOf(candidate))
  return {
    found: selected.map((one) => ({
      scored: one,
      stored: storedOf.get(one.candidate.id) as StoredRecord,
      signals: () => signalsOf(one.candidate),
    })),
    degraded: valued.degraded ? [valued.degraded] : [],
    dropped: [
      ...scored.filter((one) => !kept.has(one)),
      ...(best ?? []).filter(({ score }) => score < request.minScore),
    ],
  }
}

/** Those with a score above 0. */
function* relevant(scored: Iterable<Scored>): Generator<Scored, void, undefined> {
  for (const one of scored) {
    if (one.score <= 0) return
    yield one
  }
}

function measure(core: Core, reading: Reading, { candidates, collection }: Gathered): SignalColumns {
  const { question, tokens } = reading
  const match = core.table && tokens.length > 0 ? tokenMatch(tokens, candidates, collection, core.table) : null
  return signals(question, candidates, collection, match)
}

function fused(candidates: readonly Candidate[]): number[] {
  const values = reciprocalRankFusion(rankedLists(candidates))
  return candidates.map(({ id }) => values.get(id) ?? 0)
}
