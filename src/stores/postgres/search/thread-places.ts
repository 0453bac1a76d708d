import type { Query } from '../database.ts'
import { createParameters } from '../parameters.ts'
import { isInThread } from './candidate.ts'
import { andOwners, isBlind, placeCondition, rowIsVisible, rowLives, type Visible } from './window.ts'

/** Signals of the ranking tell apart who is one turn away, who is two, and who is farther. */
const farthest = 3

/**
 * Places in their threads of the records that are turns, by number: of those before one that are not asked for, two at most are
 * counted since the last that is. So each takes a few steps back through the index, however long its thread.
 */
export async function placesInThreads(
  query: Query,
  visible: Visible,
  nums: readonly number[],
): Promise<Map<number, number>> {
  const places = new Map<number, number>()
  if (nums.length === 0 || isBlind(visible)) return places
  const parameters = createParameters()
  const isTurn = (alias: string) => `${rowLives(visible, alias, parameters)} AND ${alias}.length > 0`
  const before = `SELECT p.num FROM {searched} p WHERE p.scope = s.scope AND (p.moment, p.arrival) < (s.moment, s.arrival)
    AND ${placeCondition({ ...visible, scopes: null }, 'p', parameters)} AND ${isTurn('p')}
    ORDER BY p.moment DESC, p.arrival DESC LIMIT ${farthest}`
  const [row] = await query(
    `SELECT string_agg(concat_ws(',', s.num, s.scope, '[' || array_to_string(ARRAY (${before}), ',') || ']'), '],[' ORDER BY s.scope, s.moment, s.arrival) AS turns
      FROM unnest(${parameters.add(nums)}::bigint[]) g(num)
      CROSS JOIN LATERAL (SELECT * FROM {searched} s WHERE s.num = g.num${andOwners(visible, 's', parameters)} OFFSET 0) s
      WHERE ${rowIsVisible(visible, 's', parameters)} AND ${isTurn('s')} AND ${isInThread(visible, 's', parameters)}`,
    parameters.values,
    'steady',
  )
  if (row === undefined || row.turns === null) return places
  let last = { num: 0, scope: 0, place: 0 }
  for (const [num, scope, former] of JSON.parse(`[[${row.turns as string}]]`) as [number, number, number[]][]) {
    const step = scope === last.scope ? former.indexOf(last.num) + 1 || farthest : farthest
    const place = former.length < farthest ? former.length : scope === last.scope ? last.place + step : farthest
    places.set(num, place)
    last = { num, scope, place }
  }
  return places
}
