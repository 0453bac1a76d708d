import { z } from 'zod'
import { isExpired, isValidAt, type MemoryRecord, matchesFilter, momentOf } from '../../model/index.ts'
import type { ExplainResult, ExplainStage } from '../api/searching.ts'
import { runSearch, type Searched } from '../search/run-search.ts'
import { parseSearch, type SearchRequest, searchOptions } from '../search/search-input.ts'
import { defineVerb, idField } from '../verb.ts'

/** The first condition that keeps a record out before anything is compared; null when none does. */
function excludedBy(record: MemoryRecord, request: SearchRequest): ExplainStage | null {
  if (isExpired(record, request.now, request.lifetimes)) return 'expired'
  if (!request.statuses.includes(record.status)) return 'status'
  const moment = momentOf(record)
  const passes =
    (request.kinds === undefined || request.kinds.includes(record.kind)) &&
    (request.tags === undefined || request.tags.every((tag) => record.tags.includes(tag))) &&
    (request.since === undefined || moment >= request.since) &&
    (request.until === undefined || moment < request.until) &&
    (request.validAt === undefined || isValidAt(record, request.validAt)) &&
    (request.filter === undefined || matchesFilter(request.filter, record))
  return passes ? null : 'filter'
}

/** Where in its stages the search lost or kept the record. */
function locate({ last, reading }: Searched, request: SearchRequest, id: string): Omit<ExplainResult, 'id' | 'found'> {
  const candidate = last?.candidates.find((one) => one.id === id)
  const place = last?.found.findIndex((one) => one.stored.record.id === id) ?? -1
  if (place >= 0) {
    const one = last?.found[place]
    const { relevance, evidence, value, score } = one?.scored ?? { relevance: 0, evidence: 0, value: 0, score: 0 }
    return {
      stage: place < request.limit ? 'returned' : 'limit',
      rank: place + 1,
      score,
      parts: { relevance, evidence, value, limit: request.limit, ...one?.signals() },
    }
  }
  const dropped = last?.dropped.find((one) => one.candidate.id === id)
  if (dropped) {
    const { score, relevance, value } = dropped
    return { stage: 'threshold', score, parts: { score, relevance, value, minScore: request.minScore } }
  }
  const parts = {
    candidates: last?.candidates.length ?? 0,
    terms: reading?.terms.length ?? 0,
    bm25: candidate?.bm25 ?? 0,
    ...(candidate?.cosine == null ? {} : { cosine: candidate.cosine }),
  }
  if (candidate) return { stage: 'fusion', parts }
  return { stage: reading?.vector ? 'vector' : 'text', parts }
}

export const explain = defineVerb({
  name: 'explain',
  summary: 'Say which stage of a search kept or dropped a memory.',
  positional: ['query', 'id'],
  input: () => z.strictObject({ query: z.string(), id: idField(), ...searchOptions() }),
  writes: false,
  example: 'mneme explain "Where does Ann live?" ID --user ann',
  async run(call, input): Promise<ExplainResult> {
    const { id, ...rest } = input
    const request = parseSearch(call, rest)
    const [stored] = await call.core.store.get(request.scope, [id], { asOf: request.asOf, signal: request.signal })
    if (!stored) return { id, found: false, stage: 'scope', parts: {} }
    const excluded = excludedBy(stored.record, request)
    if (excluded)
      return { id, found: true, stage: excluded, parts: { status: stored.record.status, kind: stored.record.kind } }
    const searched = await runSearch(call.core, request, undefined, { complete: true })
    return { id, found: true, ...locate(searched, request, id) }
  },
})
