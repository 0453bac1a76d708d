import type { TokenTable } from '../contract/index.ts'
import { idf } from '../text/index.ts'
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
  const { distinct, places, ends } = distinctTokens(candidates)
  const sums = new Float64Array(candidates.length)
  let idfTotal = 0
  for (const queryToken of queryTokens) {
    const rarity = idf(collection.tokenFrequency(queryToken), collection.documents)
    idfTotal += rarity
    // A piece occurs in many candidates: its likeness is looked up once.
    const cosines = table.similarities(queryToken, distinct)
    for (let c = 0, at = 0; c < ends.length; c++) {
      let best = NOISE
      for (const end = ends[c]!; at < end; at++) {
        const cosine = cosines[places[at]!]!
        if (cosine > best) best = cosine
      }
      sums[c]! += (rarity * (best - NOISE)) / (1 - NOISE)
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

interface DistinctTokens {
  /** The tokens that occur among the candidates, each once. */
  readonly distinct: Int32Array
  /** Where each token of each candidate, one candidate after the other, is among them. */
  readonly places: Int32Array
  /** Where each candidate's tokens end in `places`. */
  readonly ends: Int32Array
}

function distinctTokens(candidates: readonly Candidate[]): DistinctTokens {
  const ends = new Int32Array(candidates.length)
  let total = 0
  let largest = -1
  for (let c = 0; c < candidates.length; c++) {
    const { tokens } = candidates[c]!
    total += tokens.length
    ends[c] = total
    // Ascending: the last is the largest.
    largest = Math.max(largest, tokens.at(-1) ?? -1)
  }
  // Ids are rows of a table, so an array over all of them is small, and much faster than a map.
  const placeAfter = new Int32Array(largest + 1)
  const distinct = new Int32Array(Math.min(total, largest + 1))
  const places = new Int32Array(total)
  let count = 0
  let at = 0
  for (const { tokens } of candidates) {
    for (let t = 0; t < tokens.length; t++) {
      const token = tokens[t]!
      if (placeAfter[token] === 0) {
        distinct[count++] = token
        placeAfter[token] = count
      }
      places[at++] = placeAfter[token]! - 1
    }
  }
  return { distinct: distinct.subarray(0, count), places, ends }
}
