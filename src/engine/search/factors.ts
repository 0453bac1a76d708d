import type { Scoring } from '../../kinds/index.ts'
import type { MemoryRecord } from '../../model/index.ts'
import { type Adjustment, adjusted, type Candidate, type Factors, recency } from '../../retrieval/index.ts'
import type { Core } from '../core.ts'
import type { SearchRequest } from './search-input.ts'

/** The moment that a record's freshness counts from. A use counts at once, also while it is on its way to the store. */
function anchorOf(core: Core, request: SearchRequest, record: MemoryRecord): string {
  if (request.anchor !== 'lastAccessedAt') return record[request.anchor]
  const { lastAccessedAt, createdAt } = request.asOf ? record : core.touches.withCounts(record)
  return lastAccessedAt ?? createdAt
}

/** What moves a record's score beside its relevance, as its kind has it. */
export function adjustmentOf(core: Core, request: SearchRequest, record: MemoryRecord): Adjustment {
  const { weights, halfLifeHours } =
    request.scoring.ways.length > 1 ? request.scoring.of(record.kind) : theOnly(request)
  const anchor = Date.parse(anchorOf(core, request, record))
  const { importance, reliability } = record
  return { factors: { recency: recency(anchor, request.now, halfLifeHours), importance, reliability }, weights }
}

function theOnly({ scoring }: SearchRequest): Scoring {
  return scoring.ways[0] as Scoring
}

/** True when what moves a score is known of a candidate before its record is read: a candidate has no kind and one time. */
export function isKnownBefore({ anchor, scoring }: SearchRequest): boolean {
  return anchor === 'createdAt' && scoring.ways.length === 1
}

// Small enough that no factor lifts it to the most that a score can be.
const someRelevance = 0.01

/** What moves the score of a candidate as far as it is known without its record; where it is not, what moves it most. */
export function adjustmentBefore(request: SearchRequest): (candidate: Candidate) => Adjustment {
  const { anchor, now } = request
  const inOneWay =
    ({ weights, halfLifeHours }: Scoring) =>
    ({ createdAt, importance, reliability }: Candidate): Adjustment => ({
      factors: {
        recency: anchor === 'createdAt' ? recency(createdAt, now, halfLifeHours) : 1,
        importance,
        reliability,
      },
      weights,
    })
  const ways = request.scoring.ways.map(inOneWay)
  const [only = inOneWay(theOnly(request))] = ways
  if (ways.length === 1) return only
  return (candidate) => {
    const found = ways.map((way) => way(candidate))
    return found.reduce((most, one) => (adjusted(someRelevance, one) > adjusted(someRelevance, most) ? one : most))
  }
}

/** Weights that none of those is above. */
export function mostWeights({ scoring }: SearchRequest): Factors {
  const most = (factor: keyof Factors): number => Math.max(...scoring.ways.map(({ weights }) => weights[factor]))
  return { recency: most('recency'), importance: most('importance'), reliability: most('reliability') }
}
