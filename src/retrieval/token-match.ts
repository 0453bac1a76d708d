import type { TokenTable } from '../contract/index.ts'
import type { Candidate, Collection } from './candidate.ts'

/** How well a record's word pieces cover those of the query, each by the nearest one in meaning. */
export interface TokenMatch {
  /** Weighted by rarity and damped by length; comparable only among the candidates of one query. */
  readonly m: number
  /** Share of the query that is covered, weighted by rarity, 0..1. */
  readonly m2: number
}

// Two unrelated pieces have a cosine of about .1 to .3 in the table: below this, likeness is noise.
const NOISE = 0.3
// Damping by length: a record of average length divides by 1.
const LENGTH_BASE = 0.7
const LENGTH_SHARE = 0.3

/** Matches the distinct word pieces of the query softly with those of each candidate, in order. */
export function tokenMatch(
  queryTokens: readonly number[],
  candidates: readonly Candidate[],
  collection: Pick<Collection, 'documents' | 'tokenFrequency' | 'averageTokens'>,
  table: TokenTable,
): readonly TokenMatch[] {
  const { distinct, places } = distinctTokens(candidates)
  const sums = new Float64Array(candidates.length)
  const similarities = new Float64Array(distinct.length)
  let idfTotal = 0
  for (const queryToken of queryTokens) {
    const frequency = collection.tokenFrequency(queryToken)
    const idf = Math.log(1 + (collection.documents - frequency + 0.5) / (frequency + 0.5))
    idfTotal += idf
    // A piece occurs in many candidates: its likeness is looked up once.
    const cosines = table.similarities(queryToken, distinct)
    for (let i = 0; i < distinct.length; i++) similarities[i] = (cosines[i]! - NOISE) / (1 - NOISE)
    for (let c = 0; c < places.length; c++) {
      let best = 0
      for (const place of places[c]!) if (similarities[place]! > best) best = similarities[place]!
      sums[c]! += idf * best
    }
  }
  return candidates.map((candidate, c) => {
    const relativeLength = collection.averageTokens > 0 ? candidate.tokens.length / collection.averageTokens : 1
    return {
      m: sums[c]! / (LENGTH_BASE + LENGTH_SHARE * relativeLength),
      m2: idfTotal > 0 ? Math.min(1, sums[c]! / idfTotal) : 0,
    }
  })
}

/** The tokens that occur among the candidates, each once, and where each candidate's tokens are among them. */
function distinctTokens(candidates: readonly Candidate[]): { distinct: Int32Array; places: readonly Int32Array[] } {
  const placeOf = new Map<number, number>()
  const places = candidates.map((candidate) =>
    Int32Array.from(candidate.tokens, (token) => {
      let place = placeOf.get(token)
      if (place === undefined) {
        place = placeOf.size
        placeOf.set(token, place)
      }
      return place
    }),
  )
  return { distinct: Int32Array.from(placeOf.keys()), places }
}
