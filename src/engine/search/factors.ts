import type { MemoryRecord } from '../../model/index.ts'
import { type Candidate, type Factors, recency } from '../../retrieval/index.ts'
import type { Core } from '../core.ts'
import type { SearchRequest } from './search-input.ts'

/** The moment that a record's freshness counts from. A use counts at once, also while it is on its way to the store. */
function anchorOf(core: Core, request: SearchRequest, record: MemoryRecord): string {
  if (request.anchor !== 'lastAccessedAt') return record[request.anchor]
  const { lastAccessedAt, createdAt } = request.asOf ? record : core.touches.withCounts(record)
  return lastAccessedAt ?? createdAt
}

/** What moves a record's score beside its relevance. */
export function factorsOf(core: Core, request: SearchRequest, record: MemoryRecord): Factors {
  const anchor = Date.parse(anchorOf(core, request, record))
  const { importance, reliability } = record
  return { recency: recency(anchor, request.now, request.halfLifeHours), importance, reliability }
}

/** True when what moves a score is known of a candidate before its record is read. */
export function isKnownAnchor({ anchor }: SearchRequest): boolean {
  return anchor === 'createdAt'
}

/** The factors of a candidate as far as they are known without its record; the most that they can be where they are not. */
export function factorsBefore(request: SearchRequest, { createdAt, importance, reliability }: Candidate): Factors {
  const fresh = isKnownAnchor(request) ? recency(createdAt, request.now, request.halfLifeHours) : 1
  return { recency: fresh, importance, reliability }
}
