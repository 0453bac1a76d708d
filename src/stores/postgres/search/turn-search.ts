import { compareIds, type Found, type Turn, type TurnDetails, type TurnQuery } from '../../../contract/index.ts'
import { dot } from '../../../vector/index.ts'
import { decodeVector } from '../content.ts'
import type { Query } from '../database.ts'
import { decodeName, encodeName } from '../names.ts'
import { createParameters, type Parameters } from '../parameters.ts'
import { NumberedText, NumberedVector } from './hits.ts'
import { roles, unitOf, unitText } from './index-rows.ts'
import { numbersBy, numbersIn } from './numbers-in.ts'
import type { Run, SearchSession } from './search-facets.ts'
import { frequenciesIn, scoreOf, type Weights, weightsBehind, weightsOf } from './text-search.ts'
import { totalsOf } from './totals.ts'
import { cosineSql, spaceOf, within1 } from './vector-search.ts'
import {
  andOwners,
  isBlind,
  isCounted,
  isUncounted,
  placeCondition,
  rowIsVisible,
  rowLives,
  type Visible,
} from './window.ts'

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
  readonly scope: number
  isKeyed: boolean
  bm25: number | null
  cosine: number | null
}

interface Numbered {
  readonly num: number
  readonly scope: number
}

/** Numbers of what other stores and the caller found. */
async function strangersIn(run: Run, { keyed = [], text = [], near = [] }: Found): Promise<Map<string, Numbered>> {
  const ids = new Set<string>(keyed)
  for (const hit of text) if (!(hit instanceof NumberedText)) ids.add(hit.id)
  for (const hit of near) if (!(hit instanceof NumberedVector)) ids.add(hit.id)
  if (ids.size === 0) return new Map()
  const rows = await run((query) =>
    query('SELECT id, num, scope FROM {ids} WHERE id = ANY ($1::text[])', [[...ids].map(encodeName)]),
  )
  return new Map(
    rows.map((row) => [decodeName(row.id as string), { num: row.num as number, scope: row.scope as number }]),
  )
}

/** By number, in the order keyed, text, near. */
async function givenOf(run: Run, found: Found): Promise<Map<number, Given>> {
  const { keyed = [], text = [], near = [] } = found
  const strangers = await strangersIn(run, found)
  const given = new Map<number, Given>()
  const of = (numbered: Numbered | undefined): Given | null => {
    if (numbered === undefined) return null
    const { num, scope } = numbered
    const known = given.get(num) ?? { scope, isKeyed: false, bm25: null, cosine: null }
    given.set(num, known)
    return known
  }
  for (const id of keyed) Object.assign(of(strangers.get(id)) ?? {}, { isKeyed: true })
  for (const hit of text)
    Object.assign(of(hit instanceof NumberedText ? hit : strangers.get(hit.id)) ?? {}, { bm25: hit.score })
  for (const hit of near)
    Object.assign(of(hit instanceof NumberedVector ? hit : strangers.get(hit.id)) ?? {}, { cosine: hit.cosine })
  return given
}

/** SQL for whether the scope of a row of `{searched}` is a session's. */
function isInThread({ threads }: Visible, alias: string, parameters: Parameters): string {
  return threads === null
    ? `(SELECT p.session IS NOT NULL FROM {scopes} p WHERE p.id = ${alias}.scope)`
    : `${alias}.scope = ANY (${parameters.add(threads)}::bigint[])`
}

async function rowsOf(
  query: Query,
  visible: Visible,
  given: ReadonlyMap<number, Given>,
  weights: Weights | null,
  withTokens: boolean,
) {
  if (given.size === 0 || isBlind(visible)) return []
  const parameters = createParameters()
  const all = [...given]
  const frequencies =
    weights === null
      ? 'NULL'
      : `CASE WHEN s.num = ANY (${parameters.add(all.flatMap(([num, { bm25 }]) => (bm25 === null ? [num] : [])))}::bigint[])
          THEN ${frequenciesIn('s', parameters.add(weights.terms))}::text END`
  return query(
    `SELECT s.num, s.id, s.scope, s.shape, s.actor, s.role, s.created_at, s.importance, s.reliability, s.length,
      ${isInThread(visible, 's', parameters)} AND s.length > 0 AS turns, ${withTokens ? 's.tokens::text' : 'NULL'} AS tokens, ${frequencies} AS frequencies
      FROM (SELECT * FROM {searched} s WHERE s.num = ANY (${parameters.add(all.map(([num]) => num))}::bigint[])${andOwners(visible, 's', parameters)} OFFSET 0) s
      WHERE ${rowIsVisible(visible, 's', parameters)}`,
    parameters.values,
  )
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

/** Which of the scopes are those of sessions, so that their records are turns: a parameter or a query. */
function threadsAmong({ threads }: Visible, scopes: readonly number[], parameters: Parameters): string {
  if (threads === null)
    return `ARRAY (SELECT p.id FROM {scopes} p WHERE p.id = ANY (${parameters.add(scopes)}::bigint[]) AND p.session IS NOT NULL)`
  const all = new Set(threads)
  return `${parameters.add(scopes.filter((scope) => all.has(scope)))}::bigint[]`
}

/** Places among the visible turns of their threads, by number: of all in threads. */
async function positionsOf(
  query: Query,
  visible: Visible,
  given: ReadonlyMap<number, Given>,
): Promise<Map<number, number>> {
  if (given.size === 0 || isBlind(visible)) return new Map()
  const parameters = createParameters()
  const threads = threadsAmong(visible, [...new Set([...given.values()].map(({ scope }) => scope))], parameters)
  // They are visible ones.
  const place = `s.scope = ANY (${threads}) AND ${placeCondition({ ...visible, scopes: null }, 's', parameters)}`
  const [row] = await query(
    `SELECT array_agg(t.num)::text AS nums, array_agg(t.position)::text AS positions FROM (
      SELECT s.num, row_number() OVER (PARTITION BY s.scope ORDER BY s.moment, s.arrival) - 1 AS position FROM {searched} s
      WHERE ${place} AND ${rowLives(visible, 's', parameters)} AND s.length > 0
    ) t WHERE t.num = ANY (${parameters.add([...given.keys()])}::bigint[])`,
    parameters.values,
  )
  return numbersBy(row?.nums ?? null, row?.positions ?? null)
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
  const [described, positions] = await Promise.all([
    run(async (query, visible, session) => {
      const weights = isOpen ? (weightsBehind(found.text, terms) ?? (await weightsOf(query, visible, terms))) : null
      const [rows, cosines, frequencies, totals] = await Promise.all([
        rowsOf(query, visible, given, weights, tokens !== undefined),
        cosinesOf(query, session, visible, asked, given),
        tokenFrequenciesOf(query, visible, tokens ?? []),
        weights?.totals ?? totalsOf(query, visible),
      ])
      return { weights, rows, cosines, frequencies, totals }
    }),
    run((query, visible) => positionsOf(query, visible, given)),
  ])
  const { weights, rows, cosines, frequencies, totals } = described
  const byNumber = new Map(rows.map((row) => [row.num as number, row]))
  const turns = [...given].flatMap(([num, known]): Turn[] => {
    const row = byNumber.get(num)
    if (row === undefined) return []
    const open =
      weights === null || row.frequencies === null
        ? 0
        : scoreOf(weights, numbersIn(row.frequencies), row.length as number)
    return [
      {
        id: decodeName(row.id as string),
        bm25: known.bm25 ?? open,
        cosine: known.cosine ?? cosines.get(num) ?? null,
        tokens: tokens === undefined ? [] : numbersIn(row.tokens),
        shape: row.shape as number,
        actor: row.role === null ? null : (JSON.parse(row.actor as string) as string),
        thread: row.turns === true ? String(row.scope) : null,
        position: (row.turns === true ? positions.get(num) : undefined) ?? 0,
        createdAt: row.created_at as number,
        importance: row.importance as number,
        reliability: row.reliability as number,
        keyMatch: known.isKeyed,
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
