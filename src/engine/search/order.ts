import type { StoredRecord } from '../../contract/index.ts'
import { MnemeError } from '../../errors/index.ts'
import { isExpired, matchesScope } from '../../model/index.ts'
import {
  type Adjustment,
  type Candidate,
  type Ranked,
  rank,
  rankedLists,
  rankValue,
  recency,
  reciprocalRankFusion,
  type Scored,
  type Signals,
  score,
  select,
  signals,
  tokenMatch,
} from '../../retrieval/index.ts'
import type { Core } from '../core.ts'
import type { Degradation } from '../memory-engine.ts'
import type { Gathered, Reading } from './gather.ts'
import type { SearchRequest } from './search-input.ts'

/** A model reads this many of the best candidates; more would cost more than it finds. */
const rerankDepth = 50

/** A result before its record is shown. */
export interface Found {
  readonly scored: Scored
  readonly stored: StoredRecord
  readonly signals: Signals | null
}

export interface Ordered {
  readonly found: readonly Found[]
  readonly degraded: readonly Degradation[]
  /** Below the threshold, for explanations. */
  readonly dropped: readonly Scored[]
}

async function rerank(
  core: Core,
  request: SearchRequest,
  ranked: readonly Ranked[],
  records: ReadonlyMap<string, StoredRecord>,
): Promise<{ readonly ranked: readonly Ranked[]; readonly degraded?: Degradation }> {
  if (!core.reranker || !request.rerank || ranked.length === 0) return { ranked }
  const head = ranked.slice(0, rerankDepth)
  try {
    const texts = head.map(({ candidate }) => (records.get(candidate.id) as StoredRecord).record.content)
    const scores = await core.reranker.rerank(request.query, texts, { signal: request.signal })
    if (scores.length !== head.length || !scores.every(Number.isFinite))
      throw new TypeError('not one finite score a text')
    const [low, high] = [Math.min(...scores), Math.max(...scores)]
    const share = (value: number) => (high > low ? (value - low) / (high - low) : 1)
    const best = Math.max(1e-9, ...ranked.map(({ value }) => value))
    // What was read comes before what was not; within each, its own order.
    const read = head.map(({ candidate }, i) => ({ candidate, value: 1 + share(scores[i] as number) }))
    const rest = ranked
      .slice(rerankDepth)
      .map(({ candidate, value }) => ({ candidate, value: Math.max(0, value) / best }))
    const all = [...read, ...rest]
    return {
      ranked: rank(
        all.map((item) => item.candidate),
        all.map((item) => item.value),
      ),
    }
  } catch (error) {
    request.signal?.throwIfAborted()
    const code = MnemeError.is(error) ? error.code : 'RERANKER_FAILED'
    return {
      ranked,
      degraded: {
        stage: 'reranker',
        code,
        message: `Reranker ${core.reranker.id} failed; the order is the one without it.`,
      },
    }
  }
}

function anchorOf(stored: StoredRecord, anchor: SearchRequest['anchor']): number {
  const { createdAt, updatedAt, lastAccessedAt } = stored.record
  if (anchor === 'updatedAt') return Date.parse(updatedAt)
  return Date.parse(anchor === 'lastAccessedAt' ? (lastAccessedAt ?? createdAt) : createdAt)
}

/** Orders what was gathered: signals, rank, the reranker's word, score, threshold and diversity. */
export async function order(
  core: Core,
  request: SearchRequest,
  reading: Reading,
  gathered: Gathered,
): Promise<Ordered> {
  const ids = gathered.candidates.map(({ id }) => id)
  const stored = await core.store.get(request.scope, ids, { asOf: request.asOf, signal: request.signal })
  const records = new Map<string, StoredRecord>()
  // Whatever found it, what may be shown is decided here (SCO-2).
  for (const one of stored) {
    if (one && matchesScope(request.scope, one.record.scope) && !isExpired(one.record, request.now))
      records.set(one.record.id, one)
  }
  const candidates = gathered.candidates.filter(({ id }) =>
    request.statuses.includes(records.get(id)?.record.status as never),
  )
  const measured = request.fusion === 'convex' ? measure(core, reading, gathered, candidates) : null
  const values = measured ? measured.map(rankValue) : fused(candidates)
  const reranked = await rerank(core, request, rank(candidates, values), records)
  const signalsOf = new Map(candidates.map(({ id }, i) => [id, measured?.[i] ?? null]))

  const adjust = ({ id }: Candidate): Adjustment => {
    const one = records.get(id) as StoredRecord
    const { importance, reliability } = one.record
    const fresh = recency(anchorOf(one, request.anchor), request.now, request.halfLifeHours)
    return { factors: { recency: fresh, importance, reliability }, weights: request.weights }
  }
  const scored = score(reranked.ranked, gathered.collection, { mode: request.mode, adjust }).filter(
    (one) => one.score > 0,
  )
  const kept = select(scored, {
    minScore: request.minScore,
    diversity: request.diversity,
    vectorOf: (id) => records.get(id)?.vector?.values ?? null,
  })
  const keptIds = new Set(kept.map(({ candidate }) => candidate.id))
  return {
    found: kept.map((one) => ({
      scored: one,
      stored: records.get(one.candidate.id) as StoredRecord,
      signals: signalsOf.get(one.candidate.id) ?? null,
    })),
    degraded: reranked.degraded ? [reranked.degraded] : [],
    dropped: scored.filter(({ candidate }) => !keptIds.has(candidate.id)),
  }
}

function measure(
  core: Core,
  reading: Reading,
  gathered: Gathered,
  candidates: readonly Candidate[],
): readonly Signals[] {
  const { question, tokens } = reading
  const match = core.table && tokens.length > 0 ? tokenMatch(tokens, candidates, gathered.collection, core.table) : null
  return signals(question, candidates, gathered.collection, match)
}

function fused(candidates: readonly Candidate[]): number[] {
  const values = reciprocalRankFusion(rankedLists(candidates))
  return candidates.map(({ id }) => values.get(id) ?? 0)
}
