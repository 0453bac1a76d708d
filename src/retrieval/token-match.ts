import type { TokenTable } from '../contract/index.ts'
import { idf } from '../text/index.ts'
import type { Candidate, Collection } from './candidate.ts'
import { likenessOf, NOISE, type TokenSet } from './token-likeness.ts'

/** How well a record's word pieces cover those of the query, each by the nearest one in meaning. */
export interface TokenMatch {
  /** Weighted by rarity and damped by length; comparable only among the candidates of one query. */
  readonly m: number
  /** Share of the query that is covered, weighted by rarity, 0..1. */
  readonly m2: number
}

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
  const { documents, averageTokens } = collection
  const rarities = queryTokens.map((token) => idf(collection.tokenFrequency(token), documents))
  const idfTotal = rarities.reduce((sum, rarity) => sum + rarity, 0)
  const alike = likenesses(queryTokens, tokensAmong(candidates), table)
  const best = new Float64Array(queryTokens.length)
  return candidates.map(({ tokens }) => {
    best.fill(NOISE)
    for (let t = 0; t < tokens.length; t++) {
      for (let i = alike.first[tokens[t]!]!; i >= 0; i = alike.next[i]!) {
        const place = alike.places[i]!
        if (alike.cosines[i]! > best[place]!) best[place] = alike.cosines[i]!
      }
    }
    let sum = 0
    for (let q = 0; q < best.length; q++) sum += (rarities[q]! * (best[q]! - NOISE)) / (1 - NOISE)
    const relativeLength = averageTokens > 0 ? tokens.length / averageTokens : 1
    return {
      m: sum / (LENGTH_BASE + LENGTH_SHARE * relativeLength),
      m2: idfTotal > 0 ? Math.min(1, sum / idfTotal) : 0,
    }
  })
}

/** The tokens that occur among the candidates. */
function tokensAmong(candidates: readonly Candidate[]): TokenSet {
  // Ascending: the last is the largest. Ids are rows of a table, so a bit for each is little.
  let largest = -1
  for (let i = 0; i < candidates.length; i++) largest = Math.max(largest, candidates[i]!.tokens.at(-1) ?? -1)
  const among = new Uint32Array((largest >> 5) + 1)
  for (let i = 0; i < candidates.length; i++) {
    const { tokens } = candidates[i]!
    for (let t = 0; t < tokens.length; t++) among[tokens[t]! >> 5]! |= 1 << (tokens[t]! & 31)
  }
  return among
}

/** Which tokens of the candidates are alike to which of the query: most are to none. A chain of places for each token. */
interface Likenesses {
  /** By token: where its chain begins, -1 for none. */
  readonly first: Int32Array
  readonly next: readonly number[]
  /** Places in the query. */
  readonly places: readonly number[]
  readonly cosines: readonly number[]
}

function likenesses(queryTokens: readonly number[], among: TokenSet, table: TokenTable): Likenesses {
  const first = new Int32Array(32 * among.length).fill(-1)
  const next: number[] = []
  const places: number[] = []
  const cosines: number[] = []
  queryTokens.forEach((queryToken, place) => {
    const alike = likenessOf(table, queryToken, among)
    for (let i = 0; i < alike.tokens.length; i++) {
      const token = alike.tokens[i]!
      if (token >= first.length) continue
      next.push(first[token]!)
      first[token] = places.length
      places.push(place)
      cosines.push(alike.cosines[i]!)
    }
  })
  return { first, next, places, cosines }
}
