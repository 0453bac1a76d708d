import {
  comparePositions,
  isDescending,
  type ListOrder,
  type ListPosition,
  type ListQuery,
  matchesQuery,
  orderValue,
  type Page,
  type ReadOptions,
  type StoredRecord,
} from '../../contract/index.ts'
import type { Lifetimes, ScopeFilter } from '../../model/index.ts'
import { decodeStored } from './content.ts'
import type { Call, Query } from './database.ts'
import type { Row } from './driver.ts'
import { decodeName, encodeName } from './names.ts'
import { createParameters, type Parameters } from './parameters.ts'
import { readPast, recordsThen } from './past.ts'
import { withContent } from './read.ts'
import { scopeCondition } from './scope-condition.ts'
import { conditionsOf } from './search/index.ts'
import type { Session } from './session.ts'
import { ceiling, floor } from './whole-number.ts'

const orderColumns: Readonly<Record<ListOrder, string>> = {
  newest: 'created_at',
  oldest: 'created_at',
  updated: 'updated_at',
  importance: 'importance',
  eventTime: 'event_at',
}

/** SQL that holds within a kind's lifetime, and for pinned records: a condition on a record. */
export function lifetimeCondition(
  alias: string,
  lifetimes: Lifetimes | undefined,
  now: number,
  parameters: Parameters,
): string {
  if (lifetimes === undefined) return 'true'
  const milliseconds = (lifetime: number) =>
    Number.isFinite(lifetime) ? `${parameters.add(lifetime)}::double precision` : 'NULL::double precision'
  const named = [...lifetimes.byKind].map(
    ([kind, lifetime]) => `WHEN ${parameters.add(encodeName(kind))} THEN ${milliseconds(lifetime)}`,
  )
  const others = milliseconds(lifetimes.others)
  const lifetime = named.length === 0 ? others : `CASE ${alias}.kind ${named.join(' ')} ELSE ${others} END`
  return `(${alias}.pinned OR coalesce(${alias}.created_at + ${lifetime} > ${parameters.add(now)}::double precision, true))`
}

/** Not those with `_` in front. */
export const notReserved = (alias: string) => `left(${alias}.kind, 1) <> '_'`

/** What of a record `r` SQL can judge: of filters nearly all; too many may be let through. */
function conditions(query: ListQuery, parameters: Parameters): string[] {
  const { kinds, statuses = ['live'], key, keyed, pinned, hash, since, until, validAt, now, withoutVector } = query
  const add = parameters.add
  const { tags, filter } = query
  const judged = tags === undefined && filter === undefined ? null : conditionsOf({ tags, filter }, 'f', parameters).sql
  return [
    ...(judged === null
      ? []
      : [`EXISTS (SELECT FROM {searched} f WHERE f.num = r.num AND f.owner = r.owner AND ${judged})`]),
    kinds === undefined ? notReserved('r') : `r.kind = ANY(${add(kinds.map(encodeName))}::text[])`,
    ...(statuses === 'any' ? [] : [`r.status = ANY(${add(statuses)}::text[])`]),
    ...(key === undefined ? [] : [`r.key = ${add(encodeName(key))}`]),
    ...(keyed ? ['r.key IS NOT NULL'] : []),
    ...(pinned ? ['r.pinned'] : []),
    ...(hash === undefined ? [] : [`r.hash = ${add(encodeName(hash))}`]),
    ...(since === undefined ? [] : [`r.event_at >= ${add(ceiling(since))}`]),
    ...(until === undefined ? [] : [`r.event_at < ${add(ceiling(until))}`]),
    ...(validAt === undefined
      ? []
      : [
          `(r.valid_from IS NULL OR r.valid_from <= ${add(floor(validAt))})`,
          `(r.valid_to IS NULL OR r.valid_to > ${add(floor(validAt))})`,
        ]),
    ...(now === undefined
      ? []
      : [
          `(r.expires_at IS NULL OR r.expires_at > ${add(floor(now))})`,
          lifetimeCondition('r', query.lifetimes, now, parameters),
        ]),
    ...(withoutVector === undefined
      ? []
      : [
          `r.searched AND (r.space IS NULL OR r.space NOT IN (SELECT id FROM {spaces} WHERE name = ${add(encodeName(withoutVector))}))`,
        ]),
  ]
}

/** A walk from this many scopes on is one sort, and not one walk each. */
const walked: ReadonlySet<ListOrder> = new Set(['newest', 'oldest'])

/** Between two milliseconds there are no records: such a place is that before all of the next one. */
function placeOf(order: ListOrder, { value, id }: ListPosition, parameters: Parameters): string {
  const isExact = order === 'importance' || Number.isSafeInteger(value)
  return `${parameters.add(isExact ? value : ceiling(value))}, ${parameters.add(isExact ? encodeName(id) : '')}`
}

/** The next records of a list, in order; tags and filter are looked at once more. */
function selectText(
  scope: ScopeFilter,
  query: ListQuery,
  after: ListPosition | undefined,
  count: number,
  bare: boolean | undefined,
  parameters: Parameters,
): string {
  const column = orderColumns[query.order]
  const [direction, comparison] = isDescending(query.order) ? ['DESC', '<'] : ['ASC', '>']
  const where = conditions(query, parameters)
  if (after !== undefined) {
    where.push(`(r.${column}, r.id) ${comparison} (${placeOf(query.order, after, parameters)})`)
  }
  const limit = parameters.add(count)
  const order = (alias: string) => `ORDER BY ${alias}.${column} ${direction}, ${alias}.id ${direction}`
  const all = where.join(' AND ')
  const seen = scopeCondition(scope, 's', parameters)
  const place = 'r.owner, r.id, r.version, r.access_count, r.last_accessed_at'
  let page: string
  if (scope.rules === 'all') page = `SELECT r.* FROM {records} r WHERE ${all} ${order('r')} LIMIT ${limit}`
  else if (walked.has(query.order) && query.key === undefined && query.hash === undefined) {
    // Every scope is read in order from where the page begins, as far as the page may reach.
    page = `SELECT r.* FROM {scopes} s CROSS JOIN LATERAL (
        SELECT r.${column}, ${place} FROM {records} r WHERE r.scope = s.id AND r.owner = s.owner AND ${all} ${order('r')} LIMIT ${limit}) r
      WHERE ${seen} ${order('r')} LIMIT ${limit}`
  } else {
    page = `SELECT r.* FROM {scopes} s JOIN {records} r ON r.scope = s.id AND r.owner = s.owner WHERE ${seen} AND ${all} ${order('r')} LIMIT ${limit}`
  }
  const { columns, joins } = withContent(bare)
  return `SELECT r.id, ${columns} FROM (${page}) r ${joins} ${order('r')}`
}

const mostAtOnce = 1000

async function listNow(
  query: Query,
  scope: ScopeFilter,
  list: ListQuery,
  bare: boolean | undefined,
): Promise<Page<StoredRecord>> {
  const { limit, key } = list
  if (key !== undefined) {
    // To plan the list takes longer than to see that nothing has the key, which is what most searches ask.
    const [row] = await query(
      'SELECT EXISTS (SELECT FROM {records} WHERE key = $1) AS used',
      [encodeName(key)],
      'steady',
    )
    if (row?.used !== true) return { items: [], more: false }
  }
  const items: StoredRecord[] = []
  let after = list.after
  for (let count = Math.min(limit + 1, mostAtOnce); ; count = Math.min(count * 2, mostAtOnce)) {
    const parameters = createParameters()
    const text = selectText(scope, list, after, count, bare && list.withoutVector === undefined, parameters)
    const rows: readonly Row[] = await query(text, parameters.values)
    for (const row of rows) {
      const stored = decodeStored(row)
      // Of a bare record the analysis is not there to be judged; its columns were.
      const judged = bare ? { ...list, withoutVector: undefined } : list
      if (matchesQuery(judged, stored)) items.push(stored)
      if (items.length > limit) return { items: items.slice(0, limit), more: true }
      after = { value: orderValue(stored.record, list.order), id: decodeName(row.id as string) }
    }
    if (rows.length < count) return { items, more: false }
  }
}

/** The first ones in order, of all that match. */
async function listThen(
  query: Query,
  beyond: Query,
  session: Session,
  scope: ScopeFilter,
  list: ListQuery,
  asOf: NonNullable<ReadOptions['asOf']>,
): Promise<Page<StoredRecord>> {
  const { order, after, limit } = list
  const place = ({ record }: StoredRecord) => ({ value: orderValue(record, order), id: record.id })
  let kept: StoredRecord[] = []
  const cut = () => {
    kept.sort((a, b) => comparePositions(place(a), place(b), order))
    kept = kept.slice(0, limit + 1)
  }
  for await (const { stored, hash } of recordsThen(query, scope, await readPast(beyond, session, asOf))) {
    if (list.hash !== undefined && list.hash !== hash) continue
    if (!matchesQuery(list, stored)) continue
    if (after !== undefined && comparePositions(place(stored), after, order) <= 0) continue
    kept.push(stored)
    if (kept.length > 2 * limit + 1000) cut()
  }
  cut()
  return { items: kept.slice(0, limit), more: kept.length > limit }
}

export function list(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  query: ListQuery,
  { asOf, bare }: ReadOptions,
): Promise<Page<StoredRecord>> {
  return asOf === undefined
    ? session.database.transaction(call, 'read', (run) => listNow(run, scope, query, bare))
    : session.database.transaction(call, 'snapshot', (run, beyond) =>
        listThen(run, beyond, session, scope, query, asOf),
      )
}
