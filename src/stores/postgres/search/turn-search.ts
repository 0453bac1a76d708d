import { compareIds, type Found, type Turn, type TurnDetails, type TurnQuery } from '../../../contract/index.ts'
import { dot } from '../../../vector/index.ts'
import { decodeVector } from '../content.ts'
import type { Query } from '../database.ts'
import { decodeName, encodeName } from '../names.ts'
import { createParameters } from '../parameters.ts'
import { type Candidate, candidatesIn, candidatesSql } from './candidate.ts'
import { NumberedText, NumberedVector } from './hits.ts'
import { roles, unitOf, unitText } from './index-rows.ts'
import { numbersBy } from './numbers-in.ts'
import type { Run, SearchSession } from './search-facets.ts'
import { scoreOf, weightsBehind, weightsOf } from './text-search.ts'
import { placesInThreads } from './thread-places.ts'
import { totalsOf } from './totals.ts'
import { cosineSql, spaceOf, within1 } from './vector-search.ts'
import { andOwners, isBlind, isCounted, isUncounted, placeCondition, rowIsVisible, type Visible } from './window.ts'

export async function actorsOf(query: Query, visible: Visible) {
  if (isBlind(visible)) return []
  const parameters = createParameters()
  const counted = () =>
    `SELECT c.actor, c.role FROM {actor_counts} c WHERE ${placeCondition(visible, 'c', parameters)} AND c.records > 0`
  const uncounted = `SELECT s.actor, s.role FROM {searched} s WHERE ${isUncounted(visible, 's')} AND s.role IS NOT NULL AND s.length > 0
    AND ${rowIsVisible(visible, 's', parameters)}`
  const all = isCounted(visible) ? `${counted()} UNION ${uncounted}` : `SELECT DISTINCT * FROM (${uncounted}) t`
  const rows = await query(all, parameters.values, 'steady')
  return rows
    .map((row) => ({
      name: JSON.parse(row.actor as string) as string,
      role: roles[row.role as number] as (typeof roles)[number],
    }))
    .sort((a, b) => compareIds(a.name, b.name) || compareIds(a.role, b.role))
}

export async function arrivalsOf(query: Query, ids: readonly string[]): Promise<(number | null)[]> {
  if (ids.length === 0) return []
  const rows = await query(
    'SELECT w.place, s.arrival FROM unnest($1::text[]) WITH ORDINALITY w(id, place) JOIN {ids} i USING (id) JOIN {searched} s ON s.num = i.num',
    [ids.map(encodeName)],
  )
  const arrivals: (number | null)[] = ids.map(() => null)
  for (const row of rows) arrivals[(row.place as number) - 1] = row.arrival as number
  return arrivals
}

/** What is known of a found record before it is described. */
interface Given {
  isKeyed: boolean
  bm25: number | null
  cosine: number | null
  candidate: Candidate | null
}

/** Numbers of what other stores and the caller found. */
async function strangersIn(run: Run, { keyed = [], text = [], near = [] }: Found): Promise<Map<string, number>> {
  const ids = new Set<string>(keyed)
  for (const hit of text) if (!(hit instanceof NumberedText)) ids.add(hit.id)
  for (const hit of near) if (!(hit instanceof NumberedVector)) ids.add(hit.id)
  if (ids.size === 0) return new Map()
  const rows = await run((query) =>
    query('SELECT id, num FROM {ids} WHERE id = ANY ($1::text[])', [[...ids].map(encodeName)]),
  )
  return new Map(rows.map((row) => [decodeName(row.id as string), row.num as number]))
}

/** By number, in the order keyed, text, near. */
async function givenOf(run: Run, found: Found): Promise<Map<number, Given>> {
  const { keyed = [], text = [], near = [] } = found
  const strangers = await strangersIn(run, found)
  const given = new Map<number, Given>()
  const of = (num: number | undefined): Given | null => {
    if (num === undefined) return null
    const known = given.get(num) ?? { isKeyed: false, bm25: null, cosine: null, candidate: null }
    given.set(num, known)
    return known
  }
  for (const id of keyed) Object.assign(of(strangers.get(id)) ?? {}, { isKeyed: true })
  for (const hit of text) {
    const candidate = hit instanceof NumberedText ? hit.candidate : null
    Object.assign(of(candidate?.num ?? strangers.get(hit.id)) ?? {}, { bm25: hit.score, candidate })
  }
  for (const hit of near)
    Object.assign(of(hit instanceof NumberedVector ? hit.num : strangers.get(hit.id)) ?? {}, { cosine: hit.cosine })
  return given
}

/** Of those that are visible. */
async function candidatesOf(query: Query, visible: Visible, nums: readonly number[], terms: readonly string[]) {
  if (nums.length === 0 || isBlind(visible)) return []
  const parameters = createParameters()
  const [row] = await query(
    `SELECT ${candidatesSql(visible, 's', parameters.add(terms), parameters)} AS candidates
      FROM (SELECT * FROM {searched} s WHERE s.num = ANY (${parameters.add(nums)}::bigint[])${andOwners(visible, 's', parameters)} OFFSET 0) s
      WHERE ${rowIsVisible(visible, 's', parameters)}`,
    parameters.values,
    'steady',
  )
  return candidatesIn(row?.candidates ?? null)
}

async function cosinesOf(
  query: Query,
  { form, spaces }: SearchSession,
  visible: Visible,
  { space: name, vector }: TurnQuery,
  given: ReadonlyMap<number, Given>,
): Promise<Map<number, number>> {
  const cosines = new Map<number, number>()
  const open = [...given].flatMap(([num, { cosine }]) => (cosine === null ? [num] : []))
  const unit = vector === undefined ? null : unitOf(vector)
  if (name === undefined || unit === null || open.length === 0) return cosines
  const space = await spaceOf(query, spaces, name, unit.length)
  if (space === null) return cosines
  const parameters = createParameters()
  const where = `u.num = ANY (${parameters.add(open)}::bigint[])${andOwners(visible, 'u', parameters)} AND u.space = ${space}`
  if (form === 'bytea') {
    const rows = await query(`SELECT u.num, u.unit FROM {units} u WHERE ${where}`, parameters.values)
    for (const row of rows) cosines.set(row.num as number, within1(dot(unit, decodeVector(row.unit as Uint8Array))))
    return cosines
  }
  const [row] = await query(
    `SELECT array_agg(u.num)::text AS nums, array_agg(${cosineSql('u', parameters.add(unitText(unit)))})::text AS cosines FROM {units} u WHERE ${where}`,
    parameters.values,
    'steady',
  )
  for (const [num, value] of numbersBy(row?.nums ?? null, row?.cosines ?? null)) cosines.set(num, within1(value))
  return cosines
}

/** In how many visible records each token is. */
async function tokenFrequenciesOf(query: Query, visible: Visible, tokens: readonly number[]): Promise<number[]> {
  if (tokens.length === 0 || isBlind(visible)) return tokens.map(() => 0)
  const parameters = createParameters()
  const wanted = parameters.add(tokens)
  const counted = () =>
    `SELECT c.token, c.records FROM {token_counts} c WHERE c.token = ANY (${wanted}::int[]) AND ${placeCondition(visible, 'c', parameters)}`
  const uncounted = `SELECT t.token, 1 FROM {searched} s CROSS JOIN LATERAL unnest(s.tokens) t(token)
    WHERE ${isUncounted(visible, 's')} AND ${rowIsVisible(visible, 's', parameters)} AND t.token = ANY (${wanted}::int[])`
  const all = isCounted(visible) ? `${counted()} UNION ALL ${uncounted}` : uncounted
  const rows = await query(
    `SELECT t.token, sum(t.records)::bigint AS records FROM (${all}) t (token, records) GROUP BY t.token`,
    parameters.values,
    'steady',
  )
  const counts = new Map(rows.map((row) => [row.token as number, row.records as number]))
  return tokens.map((token) => counts.get(token) ?? 0)
}

export async function describeTurns(run: Run, found: Found, asked: TurnQuery): Promise<TurnDetails> {
  const { terms, tokens } = asked
  const given = await givenOf(run, found)
  const isOpen = terms.length > 0 && [...given.values()].some(({ bm25 }) => bm25 === null)
  const unread = [...given].flatMap(([num, { candidate }]) => (candidate === null ? [num] : []))
  const [described, places] = await Promise.all([
    run(async (query, visible, session) => {
      const weights = isOpen ? (weightsBehind(found.text, terms) ?? (await weightsOf(query, visible, terms))) : null
      const [candidates, cosines, frequencies, totals] = await Promise.all([
        candidatesOf(query, visible, unread, weights?.terms ?? []),
        cosinesOf(query, session, visible, asked, given),
        tokenFrequenciesOf(query, visible, tokens ?? []),
        weights?.totals ?? totalsOf(query, visible),
      ])
      return { weights, candidates, cosines, frequencies, totals }
    }),
    run((query, visible) => placesInThreads(query, visible, [...given.keys()])),
  ])
  const { weights, candidates, cosines, frequencies, totals } = described
  const read = new Map(candidates.map((candidate) => [candidate.num, candidate]))
  const turns = [...given].flatMap(([num, { isKeyed, bm25, cosine, ...known }]): Turn[] => {
    const candidate = known.candidate ?? read.get(num)
    if (candidate === undefined) return []
    const { id, scope, shape, actor, isTurn, createdAt, importance, reliability } = candidate
    const score = () => (weights === null ? 0 : scoreOf(weights, candidate.frequencies, candidate.length))
    return [
      {
        id,
        bm25: bm25 ?? score(),
        cosine: cosine ?? cosines.get(num) ?? null,
        tokens: tokens === undefined ? [] : candidate.tokens,
        shape,
        actor,
        thread: isTurn ? String(scope) : null,
        position: places.get(num) ?? 0,
        createdAt,
        importance,
        reliability,
        keyMatch: isKeyed,
      },
    ]
  })
  const { tokenRecords, tokenEntries } = totals
  return {
    turns,
    tokenFrequencies: frequencies,
    averageTokens: tokenRecords === 0 ? 0 : tokenEntries / tokenRecords,
  }
}
