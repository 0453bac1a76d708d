import {
  comparePositions,
  isDescending,
  type ListOrder,
  type ListPosition,
  type ListQuery,
} from '../../contract/index.ts'
import { byHash, byKey, byPinned } from './claims.ts'
import { type Access, accessOf, hashCode, jsonList } from './codec.ts'
import type { Connection } from './connection.ts'
import type { SqliteRow, SqliteValue } from './driver.ts'
import { mayBePinned } from './schema.ts'
import type { Scopes, VisibleScopes } from './scopes.ts'

/** A record in its place in a list. */
export interface Placed extends ListPosition {
  readonly rev: number
  readonly access: Access
}

const orderColumns: Readonly<Record<ListOrder, string>> = {
  newest: 'r.created_at',
  oldest: 'r.created_at',
  updated: 'r.updated_at',
  importance: 'r.importance',
  eventTime: 'r.event_at',
}

/** Up to this many scopes are read one by one along their own index and merged; more are sorted or filtered. */
const maxMerged = 32

interface Clause {
  readonly text: string
  readonly values: readonly SqliteValue[]
}

function clause(text: string, ...values: SqliteValue[]): Clause {
  return { text, values }
}

/** Of one value, or of a list: which is looked up for every row. */
function oneOf(column: string, values: readonly string[]): Clause {
  const [only] = values
  return values.length === 1 && only !== undefined
    ? clause(`${column} = ?`, only)
    : clause(`${column} IN (SELECT value FROM json_each(?))`, jsonList(values))
}

/** Where vectors of other spaces were never kept, an index of those without any tells. */
function lacksVector(db: Connection, space: string): Clause {
  const other = db.sql('SELECT 1 FROM spaces WHERE name <> ?').get(space)
  if (other === undefined) return clause('r.space IS NULL')
  return clause('(r.space IS NULL OR r.space NOT IN (SELECT id FROM spaces WHERE name = ?))', space)
}

/** What columns know of a query; tags, filters and the like are left to the one evaluator. */
function conditions(db: Connection, query: ListQuery): Clause[] {
  const { kinds, statuses = ['live'], key, keyed, pinned, hash, since, until, now, withoutVector } = query
  return [
    // Not those that begin with `_`; the grave accent is the character after it.
    kinds === undefined ? clause("(r.kind >= '`' OR r.kind < '_')") : oneOf('r.kind', kinds),
    ...(statuses === 'any' ? [] : [oneOf('r.status', statuses)]),
    ...(key === undefined ? [] : [clause('r.key = ?', key)]),
    // The plus sign as below: the index of keys is in no order of lists.
    ...(keyed ? [clause('+r.key IS NOT NULL')] : []),
    ...(pinned ? [clause(mayBePinned)] : []),
    ...(hash === undefined || key !== undefined ? [] : [clause('v.hash_code = ? AND v.hash_code > 0', hashCode(hash))]),
    ...(since === undefined ? [] : [clause('r.event_at >= ?', since)]),
    ...(until === undefined ? [] : [clause('r.event_at < ?', until)]),
    ...(now === undefined ? [] : [clause('(r.expires_at IS NULL OR r.expires_at > ?)', now)]),
    ...(withoutVector === undefined ? [] : [lacksVector(db, withoutVector)]),
  ]
}

function placeOf(row: SqliteRow): Placed {
  return { value: row.value as number, id: row.id as string, rev: row.rev as number, access: accessOf(row) }
}

/** Left to itself SQLite may walk a whole scope in order instead of looking up the few records of a key. */
function sourceOf({ key, hash, pinned }: ListQuery): string {
  if (key !== undefined) return pinned ? withRevision(byKey) : byKey
  if (hash !== undefined) return byHash
  return pinned ? byPinned : 'records r'
}

/** Where conditions look into the log, and the record is not found through it. */
function withRevision(source: string): string {
  return `${source} JOIN log v ON v.rev = r.rev`
}

/**
 * Records of one scope from the youngest on. What was changed last is mostly young: with the best at hand early, all others
 * are passed over, where in order of age each would be the best so far.
 */
function fromTheYoungest(where: string): string {
  return `(SELECT * FROM records r WHERE ${where} ORDER BY r.created_at DESC, r.id DESC LIMIT -1) r`
}

function run(
  db: Connection,
  query: ListQuery,
  clauses: readonly Clause[],
  count: number,
  ofOneScope = false,
): Placed[] {
  const column = orderColumns[query.order]
  const direction = isDescending(query.order) ? 'DESC' : 'ASC'
  const source = sourceOf(query)
  const where = clauses.map(({ text }) => text).join(' AND ')
  const from =
    ofOneScope && query.order === 'updated' && source === 'records r'
      ? fromTheYoungest(where)
      : `${source} WHERE ${where}`
  return db
    .sql(
      `SELECT r.rev, r.id, ${column} AS value, r.access_count, r.last_accessed_at FROM ${from} ORDER BY ${column} ${direction}, r.id ${direction} LIMIT ?`,
    )
    .all(...clauses.flatMap(({ values }) => values), count)
    .map(placeOf)
}

/** True when walking everybody's records in order and passing over others' beats sorting one's own. */
function walksAll(query: ListQuery, visible: VisibleScopes, scopes: Scopes): boolean {
  return orderColumns[query.order] === 'r.created_at' && visible.ids.length * 2 > scopes.count()
}

/**
 * The next records of a list after a position, at most `count`, in order. Everything but tags, filter, validity and
 * `withoutVector` of records without terms has been judged.
 */
export function selectPlaces(
  db: Connection,
  scopes: Scopes,
  visible: VisibleScopes | null,
  query: ListQuery,
  after: ListPosition | undefined,
  count: number,
): Placed[] {
  const common = conditions(db, query)
  if (after !== undefined) {
    const comparison = isDescending(query.order) ? '<' : '>'
    common.push(clause(`(${orderColumns[query.order]}, r.id) ${comparison} (?, ?)`, after.value, after.id))
  }
  if (visible === null) return run(db, query, common, count)
  if (visible.ids.length <= maxMerged) {
    const merged = visible.ids.flatMap((id) => run(db, query, [...common, clause('r.scope = ?', id)], count, true))
    return visible.ids.length === 1
      ? merged
      : merged.sort((a, b) => comparePositions(a, b, query.order)).slice(0, count)
  }
  // A plus sign keeps a column out of the choice of an index.
  const column = walksAll(query, visible, scopes) ? '+r.scope' : 'r.scope'
  const inScopes = clause(`${column} IN (SELECT value FROM json_each(?))`, jsonList(visible.ids))
  return run(db, query, [...common, inScopes], count)
}
