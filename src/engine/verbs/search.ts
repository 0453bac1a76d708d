import { z } from 'zod'
import { isExpired, madeOnce } from '../../model/index.ts'
import type { Explanation, SearchHit, SearchResult } from '../api/searching.ts'
import type { Core } from '../core.ts'
import { pageState } from '../page-state.ts'
import { adjustmentOf } from '../search/factors.ts'
import type { Found } from '../search/order.ts'
import { runSearch, type SearchPlace } from '../search/run-search.ts'
import { parseSearch, type SearchRequest, searchOptions } from '../search/search-input.ts'
import { argumentsDigest, decodeToken, encodeToken } from '../tokens.ts'
import { defineVerb } from '../verb.ts'

/** The numbers behind a hit's score. */
function explanationOf(core: Core, request: SearchRequest, one: Found, rank: number): Explanation {
  return {
    rank,
    relevance: one.scored.relevance,
    value: one.scored.value,
    signals: {
      ...one.signals(),
      bm25: one.scored.candidate.bm25,
      cosine: one.scored.candidate.cosine ?? 0,
      evidence: one.scored.evidence,
    },
    factors: adjustmentOf(core, request, one.stored.record).factors,
    ran: { ...core.facets.ran, fusion: request.fusion },
  }
}

const placeSchema = madeOnce(() =>
  z.strictObject({
    offset: z.int().min(0),
    width: z.int().min(1),
    position: z.string().optional(),
    now: z.number(),
  }),
)

export const search = defineVerb({
  name: 'search',
  summary: 'Find memories by meaning and by words.',
  positional: ['query'],
  input: () => z.strictObject({ query: z.string(), ...searchOptions() }),
  writes: false,
  shows: ({ results }) => results,
  example: 'mneme search "Where does Ann live?" --user ann',
  async run(call, input): Promise<SearchResult> {
    const { core } = call
    const parsed = parseSearch(call, input)
    const digest = () => argumentsDigest('search', input)
    const from = input.cursor === undefined ? undefined : decodeToken(core, input.cursor, digest(), placeSchema())
    // Like lists: pages after the first are those of the state that the first one saw.
    const shown = from?.position
    const request: SearchRequest =
      from === undefined
        ? parsed
        : {
            ...parsed,
            // What expires and how fresh everything is: as the first page had it, or ranks would move between pages.
            now: from.now,
            asOf:
              parsed.asOf ??
              (shown === undefined ? undefined : await pageState(core, parsed.scope, shown, input.signal)),
          }
    const searched = await runSearch(core, request, from)
    const place: SearchPlace | null = searched.next
    const position = shown ?? searched.reading?.position ?? undefined
    const offset = from?.offset ?? 0
    const moment = parsed.asOf ? request.now : core.clock()
    const shownNow = searched.found.filter(({ stored }) => !isExpired(stored.record, moment, request.lifetimes))
    const results = shownNow.map((one): SearchHit => {
      const record = request.asOf ? one.stored.record : core.touches.withCounts(one.stored.record)
      const explained = input.explain
        ? { explanation: explanationOf(core, request, one, offset + searched.found.indexOf(one) + 1) }
        : {}
      // A literal with the record first and more after it takes seven times as long.
      return Object.assign({}, record, { score: one.scored.score, ...explained })
    })
    if (input.touch !== false && !request.asOf)
      core.touches.add(
        results.map((hit) => hit.id),
        core.clock(),
      )
    return {
      results,
      ...(place ? { nextCursor: encodeToken(core, digest(), { position, now: request.now, ...place }) } : {}),
      ...(searched.degraded.length > 0 ? { degraded: searched.degraded } : {}),
    }
  },
})
