import { compareIds, type SearchWindow, type VectorHits } from '../../../contract/index.ts'
import { InputError } from '../../../errors/index.ts'
import { dot } from '../../../vector/index.ts'
import { decodeVector } from '../content.ts'
import type { Query } from '../database.ts'
import type { Row } from '../driver.ts'
import { decodeName, encodeName } from '../names.ts'
import { createParameters, type Parameters } from '../parameters.ts'
import { NumberedVector } from './hits.ts'
import { unitOf, unitText } from './index-rows.ts'
import { type Narrowing, narrowingOf } from './narrowing.ts'
import { numbersIn } from './numbers-in.ts'
import type { Run } from './search-facets.ts'
import { andOwners, entryLives, isBlind, isCounted, placeCondition, type Visible } from './window.ts'
import { withTies } from './with-ties.ts'

const nothing: VectorHits = { hits: [], vectors: 0, meanCosine: 0 }

/** How many more than wanted an index is asked for, as it goes by half the digits. */
const spare = 1.15
/** How many candidates an index keeps in mind, the most it can: of a million, fewer miss too many of the nearest. */
const attention = 1000
/** Of so many vectors or more, parts are compared side by side: half of them take longer than a statement more. */
const worthParting = 4000
const parts = 2
/** Of as many as are wanted, what a part is asked for first. */
const share = 1.4 / parts
/** What an index looks at before all visible vectors are compared instead. */
const longestScan = 40_000

/** The number of a space with vectors of this length. @throws InputError INVALID_ARGUMENT for another length than all of it have */
export async function spaceOf(
  query: Query,
  known: Map<string, number>,
  name: string,
  dimensions: number,
): Promise<number | null> {
  const key = `${dimensions} ${name}`
  const found = known.get(key) ?? null
  if (found !== null) return found
  const rows = await query('SELECT id, dimensions FROM {spaces} WHERE name = $1', [encodeName(name)])
  const same = rows.find((row) => row.dimensions === dimensions)
  if (same) {
    // It keeps its number for good.
    if (known.size < 1000) known.set(key, same.id as number)
    return same.id as number
  }
  const [other] = rows
  if (!other) return null
  const expected = other.dimensions as number
  throw new InputError({
    code: 'INVALID_ARGUMENT',
    message: `vector: has ${dimensions} numbers where ${expected} belong. Embed the query with the embedder of the records.`,
    details: { given: dimensions, expected },
  })
}

// Vectors of single precision are of length one to seven digits: their product may pass 1.
export const within1 = (score: number): number => Math.max(-1, Math.min(1, score))

/** SQL for the cosine of a row of `{units}`. @param unit a parameter */
export const cosineSql = (alias: string, unit: string): string => `-(${alias}.unit <#> ${unit}::vector)`

interface Asked {
  readonly visible: Visible
  readonly space: number
  readonly unit: Float32Array
  readonly narrowing: Narrowing | null
  readonly limit: number
}

/** How many vectors are visible, and their mean cosine. */
async function standing(query: Query, { visible, space, unit }: Asked) {
  const parameters = createParameters()
  const wanted = parameters.add(unitText(unit))
  const ofSpace = (alias: string) => `${alias}.space = ${space} AND ${placeCondition(visible, alias, parameters)}`
  const counted = () =>
    `SELECT c.vectors, -(c.total <#> ${wanted}::vector) AS sum FROM {vector_counts} c WHERE ${ofSpace('c')}`
  // Of records that never expire when nothing else ends either, all are counted.
  const rest = isCounted(visible) ? 'u.expires_at IS NOT NULL' : 'true'
  const uncounted = `SELECT count(*), sum(${cosineSql('u', wanted)}) FROM {units} u WHERE ${ofSpace('u')} AND ${rest} AND ${entryLives(visible, 'u', parameters)}`
  const all = isCounted(visible) ? `${counted()} UNION ALL ${uncounted}` : uncounted
  const [row] = await query(
    `SELECT COALESCE(sum(t.vectors), 0)::bigint AS vectors, COALESCE(sum(t.sum), 0)::float8 AS sum FROM (${all}) t (vectors, sum)`,
    parameters.values,
    'steady',
  )
  const vectors = row?.vectors as number
  return { vectors, meanCosine: vectors === 0 ? 0 : (row?.sum as number) / vectors }
}

function isVisible({ visible, space }: Asked, parameters: Parameters): string {
  return `u.space = ${space} AND ${placeCondition(visible, 'u', parameters)} AND ${entryLives(visible, 'u', parameters)}`
}

function isWanted(asked: Asked, parameters: Parameters): string {
  const own = isVisible(asked, parameters)
  return asked.narrowing === null
    ? own
    : `${own} AND (SELECT ${asked.narrowing('f', parameters)} FROM {searched} f WHERE f.num = u.num${andOwners(asked.visible, 'f', parameters)})`
}

const hitOf = (row: Row): NumberedVector =>
  new NumberedVector(decodeName(row.id as string), row.num as number, within1(row.cosine as number))

function best(hits: NumberedVector[], limit: number): NumberedVector[] {
  return hits.sort((a, b) => b.cosine - a.cosine || compareIds(a.id, b.id)).slice(0, limit)
}

/** Compares every vector. A filter is asked from the nearest on, until there are enough. */
async function compareAll(query: Query, asked: Asked): Promise<NumberedVector[]> {
  const { narrowing } = asked
  const parameters = createParameters()
  const unit = parameters.add(unitText(asked.unit))
  // The product is what takes time: made once, and not for the order and for the answer.
  const compared = `SELECT u.id, u.num, u.unit <#> ${unit}::vector AS distance FROM {units} u
    WHERE ${isVisible(asked, parameters)} OFFSET 0`
  const found =
    narrowing === null
      ? `(${compared}) n`
      : `(SELECT * FROM (${compared}) n ORDER BY n.distance OFFSET 0) n
          CROSS JOIN LATERAL (SELECT FROM {searched} f WHERE f.num = n.num${andOwners(asked.visible, 'f', parameters)} AND ${narrowing('f', parameters)} OFFSET 0) f`
  const most = parameters.add(asked.limit)
  const hits = await withTies(
    asked.limit,
    ({ cosine }: NumberedVector) => cosine,
    async (end) => {
      // In one row: to read many takes longer than to find them.
      const [row] = await query(
        `SELECT json_agg(b.id)::text AS ids, array_agg(b.num)::text AS nums, array_agg(b.cosine)::text AS cosines FROM (
          SELECT n.id, n.num, -n.distance AS cosine FROM ${found} ORDER BY n.distance ${end(most)}) b`,
        parameters.values,
        'steady',
      )
      if (row === undefined || row.ids === null) return []
      const [nums, cosines] = [numbersIn(row.nums), numbersIn(row.cosines)]
      const ids = JSON.parse(row.ids as string) as string[]
      return ids.map((id, i) => hitOf({ id, num: nums[i], cosine: cosines[i] }))
    },
  )
  return best(hits, asked.limit)
}

/** Asks the index; null when it gave up before it had found enough. */
async function throughIndex(query: Query, asked: Asked): Promise<NumberedVector[] | null> {
  const { unit, limit } = asked
  const wanted = Math.ceil(limit * spare) + 10
  const settings = [
    `hnsw.ef_search = ${attention}`,
    'hnsw.iterative_scan = relaxed_order',
    `hnsw.max_scan_tuples = ${longestScan}`,
    'enable_seqscan = off',
    'enable_sort = off',
    'enable_bitmapscan = off',
  ]
  const parameters = createParameters()
  const own = parameters.add(unitText(unit))
  // By way of the whole digits: a parameter has the type of its first use, and all others get what that one leaves of it.
  const half = `halfvec(${unit.length})`
  const [, rows] = await Promise.all([
    query(settings.map((setting) => `SET LOCAL ${setting}`).join('; ')),
    query(
      `SELECT n.id, n.num, ${cosineSql('n', own)} AS cosine FROM (
        SELECT u.id, u.num, u.unit FROM {units} u WHERE ${isWanted(asked, parameters)}
        ORDER BY u.unit::${half} <#> ${own}::vector::${half} LIMIT ${wanted}) n`,
      parameters.values,
    ),
  ])
  return rows.length < limit ? null : best(rows.map(hitOf), limit)
}

/** Without the type `vector` on the server: all that is visible comes here and is compared. */
async function compareHere(query: Query, asked: Asked): Promise<VectorHits> {
  const { visible, space, unit, narrowing, limit } = asked
  const parameters = createParameters()
  const found =
    narrowing === null
      ? 'true'
      : `(SELECT ${narrowing('f', parameters)} FROM {searched} f WHERE f.num = u.num${andOwners(visible, 'f', parameters)})`
  const rows = await query(
    `SELECT u.id, u.num, u.unit, ${found} AS found FROM {units} u WHERE u.space = ${space}
      AND ${placeCondition(visible, 'u', parameters)} AND ${entryLives(visible, 'u', parameters)}`,
    parameters.values,
  )
  let sum = 0
  const hits: NumberedVector[] = []
  for (const row of rows) {
    const cosine = within1(dot(unit, decodeVector(row.unit as Uint8Array)))
    sum += cosine
    if (row.found === true) hits.push(hitOf({ ...row, cosine }))
  }
  return { hits: best(hits, limit), vectors: rows.length, meanCosine: rows.length === 0 ? 0 : sum / rows.length }
}

export interface NearestQuery {
  readonly space: string
  readonly vector: Float32Array
  readonly window: SearchWindow
}

/** The second of some parts, where there are three, has every third scope, from the second on. */
const partOf = (visible: Visible, part: number): Visible => ({
  ...visible,
  scopes: visible.scopes?.filter((_, i) => i % parts === part) ?? null,
})

/**
 * Compares all by parts of the scopes, on several connections at a time. Each is asked for somewhat more than its share of the best, and
 * for as many as are wanted only where it may have more of them.
 */
async function compareSideBySide(run: Run, asked: Asked): Promise<NumberedVector[]> {
  const { limit, visible } = asked
  const few = Math.ceil(limit * share)
  // Parts of one list, whatever scopes there are by now: in two lists one may stand in both parts, or in none.
  const ask = (part: number, most: number) =>
    run((query) => compareAll(query, { ...asked, limit: most, visible: partOf(visible, part) }))
  const some = await Promise.all(Array.from({ length: parts }, (_, part) => ask(part, few)))
  const last = best(some.flat(), limit)[limit - 1]
  const isCut = (hits: NumberedVector[]) =>
    hits.length >= few && (last === undefined || (hits.at(-1) as NumberedVector).cosine >= last.cosine)
  const found = await Promise.all(some.map((hits, part) => (isCut(hits) ? ask(part, limit) : hits)))
  return best(found.flat(), limit)
}

export async function nearestVectors(
  run: Run,
  { space: name, vector, window: { limit }, window }: NearestQuery,
): Promise<VectorHits> {
  const unit = unitOf(vector)
  const opened = await run(async (query, visible, { form, near, spaces }) => {
    const space = await spaceOf(query, spaces, name, vector.length)
    if (space === null || isBlind(visible)) return nothing
    const narrowing = await narrowingOf(query, visible, window)
    const asked = { visible, space, unit: unit ?? new Float32Array(vector.length), narrowing, limit }
    if (form === 'bytea') {
      const found = await compareHere(query, asked)
      return unit === null ? { ...found, hits: [], meanCosine: 0 } : found
    }
    const { vectors, meanCosine } = await standing(query, asked)
    if (unit === null) return { hits: [], vectors, meanCosine: 0 }
    if (limit === 0 || vectors === 0) return { hits: [], vectors, meanCosine }
    const isWide = vectors > near.comparedWhole && window.exact !== true
    const isIndexed = isWide && (await near.isReady(query, space, unit.length))
    const isParted = !isIndexed && vectors >= worthParting && (visible.scopes?.length ?? 0) >= parts
    if (!isIndexed && !isParted) return { hits: await compareAll(query, asked), vectors, meanCosine }
    return { asked, isIndexed, vectors, meanCosine }
  })
  if ('hits' in opened) return opened
  const { asked, isIndexed, ...stand } = opened
  if (!isIndexed) return { hits: await compareSideBySide(run, asked), ...stand }
  const hits = await run(async (query) => (await throughIndex(query, asked)) ?? compareAll(query, asked), {
    sets: true,
  })
  return { hits, ...stand }
}
