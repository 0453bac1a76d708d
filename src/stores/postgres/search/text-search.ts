import { compareIds, type SearchWindow, type TextHit, type TextHits } from '../../../contract/index.ts'
import { bm25Term, idf } from '../../../text/index.ts'
import type { Query } from '../database.ts'
import { createParameters } from '../parameters.ts'
import { candidatesIn, candidatesSql } from './candidate.ts'
import { NumberedText } from './hits.ts'
import { termText } from './index-rows.ts'
import { type Narrowing, narrowingOf } from './narrowing.ts'
import { type Totals, totalsOf } from './totals.ts'
import { andOwners, entryLives, isBlind, placeCondition, type Visible } from './window.ts'

/** What BM25 of a query takes of what is visible. */
export interface Weights {
  /** Distinct terms, as they stand in `postings`. */
  readonly terms: readonly string[]
  /** By place in the query: which of the terms. */
  readonly places: readonly number[]
  /** By term. */
  readonly idfs: readonly number[]
  readonly documents: number
  readonly averageLength: number
  /** Of the same. */
  readonly totals: Totals
}

const averageOf = ({ documents, lengths }: Totals): number => (documents === 0 ? 0 : lengths / documents)

export async function weightsOf(query: Query, visible: Visible, terms: readonly string[]): Promise<Weights> {
  const distinct = [...new Set(terms.map(termText))]
  const numbers = new Map(distinct.map((term, i) => [term, i]))
  const [totals, frequencies] = await Promise.all([totalsOf(query, visible), frequenciesOf(query, visible, distinct)])
  const { documents } = totals
  return {
    terms: distinct,
    places: terms.map((term) => numbers.get(termText(term)) as number),
    idfs: frequencies.map((having) => idf(having, documents)),
    documents,
    averageLength: averageOf(totals),
    totals,
  }
}

/** In how many visible records each term is. */
async function frequenciesOf(query: Query, visible: Visible, terms: readonly string[]): Promise<number[]> {
  const counts = terms.map(() => 0)
  if (terms.length === 0 || isBlind(visible)) return counts
  const parameters = createParameters()
  const rows = await query(
    `SELECT t.place, p.count FROM unnest(${parameters.add(terms)}::text[]) WITH ORDINALITY t(term, place)
      CROSS JOIN LATERAL (SELECT count(*) AS count FROM {postings} p
        WHERE p.term = t.term AND ${placeCondition(visible, 'p', parameters)} AND ${entryLives(visible, 'p', parameters)}) p`,
    parameters.values,
    'steady',
  )
  for (const row of rows) counts[(row.place as number) - 1] = row.count as number
  return counts
}

/** The BM25 of a record whose frequencies of the terms are known: summed up in the order of the query, the same to the bit everywhere. */
export function scoreOf(
  { places, idfs, averageLength }: Weights,
  frequencies: readonly number[],
  length: number,
): number {
  let score = 0
  for (const place of places) {
    const frequency = frequencies[place] as number
    if (frequency > 0) score += bm25Term(idfs[place] as number, frequency, length, averageLength)
  }
  return score
}

async function bestOf(
  query: Query,
  visible: Visible,
  weights: Weights,
  narrowing: Narrowing | null,
  limit: number,
): Promise<TextHit[]> {
  const { terms, places, idfs, averageLength } = weights
  const parameters = createParameters()
  const times = terms.map((_, term) => places.filter((place) => place === term).length)
  const wanted = parameters.add(terms)
  const worth = parameters.add(idfs.map((value, i) => value * (times[i] as number)))
  const average = averageLength > 0 ? averageLength : 1
  // The server adds in another order and is wrong in the last digits: what is equal to single precision comes, and is scored again.
  const scored = `SELECT p.num, sum(t.worth * p.frequency * 2.2::float8 / (p.frequency + 0.3::float8 + p.length * ${parameters.add(0.9 / average)}::float8))::float4 AS score
    FROM unnest(${wanted}::text[], ${worth}::float8[]) t(term, worth)
    CROSS JOIN LATERAL (SELECT p.num, p.frequency, p.length FROM {postings} p
      WHERE p.term = t.term AND ${placeCondition(visible, 'p', parameters)} AND ${entryLives(visible, 'p', parameters)} OFFSET 0) p
    GROUP BY p.num`
  // What describing the best needs besides comes with them, as it is read anyway.
  const candidates = `SELECT ${candidatesSql(visible, 's', wanted, parameters)} AS candidates`
  const most = `FETCH FIRST (${parameters.add(limit)}::bigint) ROWS WITH TIES`
  const own = (alias: string) => andOwners(visible, alias, parameters)
  const best =
    narrowing === null
      ? `SELECT * FROM (${scored}) b ORDER BY b.score DESC ${most}`
      : `SELECT b.num FROM (SELECT * FROM (${scored}) b ORDER BY b.score DESC OFFSET 0) b
          CROSS JOIN LATERAL (SELECT FROM {searched} f WHERE f.num = b.num${own('f')} AND ${narrowing('f', parameters)} OFFSET 0) f
          ORDER BY b.score DESC ${most}`
  // One after another by their keys, whatever a plan thinks of how many there are.
  const [row] = await query(
    `${candidates} FROM (${best}) b CROSS JOIN LATERAL (SELECT * FROM {searched} s WHERE s.num = b.num${own('s')} OFFSET 0) s`,
    parameters.values,
    'steady',
  )
  const hits = candidatesIn(row?.candidates ?? null).map(
    (found) => new NumberedText(found, scoreOf(weights, found.frequencies, found.length)),
  )
  return hits.sort((a, b) => b.score - a.score || compareIds(a.id, b.id)).slice(0, limit)
}

/** Weights of what was found, so that describing it need not count again. */
const known = new WeakMap<readonly TextHit[], Weights>()

export function weightsBehind(hits: readonly TextHit[] | undefined, terms: readonly string[]): Weights | null {
  const weights = hits === undefined ? undefined : known.get(hits)
  if (weights === undefined || weights.places.length !== terms.length) return null
  return terms.every((term, i) => weights.terms[weights.places[i] as number] === termText(term)) ? weights : null
}

export async function matchText(
  query: Query,
  visible: Visible,
  terms: readonly string[],
  window: SearchWindow,
): Promise<TextHits> {
  const [weights, narrowing] = await Promise.all([
    weightsOf(query, visible, terms),
    narrowingOf(query, visible, window),
  ])
  const isNothing = isBlind(visible) || weights.documents === 0 || weights.terms.length === 0 || window.limit === 0
  const hits = isNothing ? [] : await bestOf(query, visible, weights, narrowing, window.limit)
  known.set(hits, weights)
  return { hits, documents: weights.documents, idfs: weights.places.map((place) => weights.idfs[place] as number) }
}
