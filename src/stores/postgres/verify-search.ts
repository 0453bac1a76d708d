import type { StoredRecord, StoreProblem } from '../../contract/index.ts'
import { equalJson, momentOf } from '../../model/index.ts'
import { contentColumns, contentJoins, decodeStored, decodeVector } from './content.ts'
import type { Query } from './database.ts'
import type { Row } from './driver.ts'
import { decodeName, encodeName } from './names.ts'
import { factsOf } from './search/facts.ts'
import type { VectorForm } from './search/index.ts'
import { roles, statusNumber, termText, unitOf } from './search/index-rows.ts'
import { walk } from './walk.ts'

const mostOfOneKind = 100

const milliseconds = (time: string | undefined) => (time === undefined ? null : Date.parse(time))

/** Who said it, by name, else by part. */
function actorOf({ type, actor }: StoredRecord['record']['source']): { actor: string | null; role: number | null } {
  const role = type === 'user' || type === 'assistant' ? type : 'other'
  const name = actor ?? (role === 'other' ? null : role)
  return name === null ? { actor: null, role: null } : { actor: JSON.stringify(name), role: roles.indexOf(role) }
}

/** Columns of the row in `searched`, as they should be, but for `facts`. */
function expectedRow(row: Row, { record, analysis: { terms, tokens, shape } }: StoredRecord): Record<string, unknown> {
  return {
    id: encodeName(record.id),
    scope: row.scope,
    status: statusNumber(record.status),
    kind: encodeName(record.kind),
    moment: momentOf(record),
    created_at: Date.parse(record.createdAt),
    valid_from: milliseconds(record.validFrom),
    valid_to: milliseconds(record.validTo),
    expires_at: milliseconds(record.expiresAt),
    pinned: record.pinned,
    importance: record.importance,
    reliability: record.reliability,
    shape,
    length: terms.reduce((sum, [, frequency]) => sum + frequency, 0),
    terms: terms.map(([term]) => termText(term)),
    frequencies: terms.map(([, frequency]) => frequency),
    tokens: [...tokens],
    ...actorOf(record.source),
  }
}

const searchedColumns = [
  'id, scope, status, kind, moment, created_at, valid_from, valid_to, expires_at, pinned, importance, reliability',
  'shape, length, terms, frequencies, tokens, actor, role, facts',
].flatMap((names) => names.split(', '))
const unitColumns = ['id', 'scope', 'status', 'expires_at', 'space']

/** Columns of a joined table, by other names. */
const columnsOf = (table: string, columns: readonly string[]) =>
  columns.map((column) => `${table}.${column} AS ${table}_${column}`).join(', ')

const recordsText = (form: VectorForm) => `SELECT r.owner, r.id, r.scope, e.space AS space_number, ${contentColumns},
    ${columnsOf('s', searchedColumns)}, ${columnsOf('u', unitColumns)}, ${form === 'vector' ? 'vector_send(u.unit)' : 'u.unit'} AS unit
  FROM {records} r JOIN {revisions} v ON v.owner = r.owner AND v.id = r.id AND v.version = r.version AND v.record IS NOT NULL ${contentJoins}
  LEFT JOIN {searched} s ON s.num = r.num AND s.owner = r.owner LEFT JOIN {units} u ON u.num = r.num AND u.owner = r.owner
  WHERE (r.owner, r.id) > ($1, $2) ORDER BY r.owner, r.id`

function isSearchedAs(row: Row, expected: Record<string, unknown>, stored: StoredRecord): boolean {
  return (
    equalJson(row.s_facts, JSON.parse(factsOf(stored.record))) &&
    Object.entries(expected).every(([column, value]) => equalJson(row[`s_${column}`], value))
  )
}

/** As the server sends a vector: its length, and numbers in the order of the network. */
const headerBytes = 4

function unitIn(row: Row, form: VectorForm): Float32Array | null {
  if (!(row.unit instanceof Uint8Array)) return null
  return decodeVector(form === 'vector' ? Buffer.from(row.unit.subarray(headerBytes)).swap32() : row.unit)
}

/** A vector of zeros has no unit, and one of length one is its own. */
function hasUnit(row: Row, expected: Record<string, unknown>, { vector }: StoredRecord, form: VectorForm): boolean {
  const unit = vector === null ? null : unitOf(vector.values)
  const found = unitIn(row, form)
  if (unit === null || found === null) return unit === found
  const { id, scope, status, expires_at } = expected
  const columns = Object.entries({ id, scope, status, expires_at, space: row.space_number })
  return (
    columns.every(([column, value]) => row[`u_${column}`] === value) &&
    unit.length === found.length &&
    unit.every((value, i) => value === found[i])
  )
}

async function* checkRows(query: Query, form: VectorForm): AsyncGenerator<StoreProblem> {
  let [searched, units] = [0, 0]
  for await (const row of walk(query, recordsText(form), ['owner', 'id'], [-1, ''])) {
    const stored = decodeStored(row)
    const expected = expectedRow(row, stored)
    const id = decodeName(row.id as string)
    if (searched < mostOfOneKind && !isSearchedAs(row, expected, stored)) {
      searched++
      yield { code: 'SEARCHED_MISMATCH', id, message: 'its row in searched is missing, or not what the record says' }
    }
    if (units < mostOfOneKind && !hasUnit(row, expected, stored, form)) {
      units++
      yield { code: 'UNITS_MISMATCH', id, message: 'its row in units is missing, or not what its vector says' }
    }
    if (searched + units === 2 * mostOfOneKind) return
  }
}

/** Of a posting, all but its term and whose it is. Sums tell apart what is missing, changed or there twice, and need no room. */
const sumOf = (row: string, posting: string) =>
  `count(*) AS count, sum(hashtextextended(concat_ws(' ', ${row}.scope, ${row}.length, ${row}.status, ${row}.expires_at, ${posting}.frequency, ${posting}.term) COLLATE "C", 0)) AS sum`

const strays: readonly { readonly code: string; readonly message: string; readonly text: string }[] = [
  ...(['searched', 'units'] as const).map((table) => ({
    code: `${table.toUpperCase()}_STRAY`,
    message: `a row in ${table} of what is no record`,
    text: `SELECT t.id FROM {${table}} t WHERE NOT EXISTS (SELECT FROM {records} r WHERE r.owner = t.owner AND r.id = t.id AND r.num = t.num)`,
  })),
  {
    code: 'POSTINGS_MISMATCH',
    message: 'its postings are not those of its terms',
    text: `SELECT w.id FROM (SELECT p.owner, p.num, ${sumOf('p', 'p')} FROM {postings} p GROUP BY p.owner, p.num) found
      FULL JOIN (SELECT s.owner, s.num, s.id, t.* FROM {searched} s CROSS JOIN LATERAL (
        SELECT ${sumOf('s', 't')} FROM unnest(s.terms, s.frequencies) t(term, frequency)) t WHERE t.count > 0) w
      ON w.num = found.num AND w.owner = found.owner
      WHERE found.count IS DISTINCT FROM w.count OR found.sum IS DISTINCT FROM w.sum`,
  },
]

/** What statistics are made of, and what it should come to. Records that can expire are in none. */
const counts: readonly (readonly [table: string, columns: string, kept: string, expected: string])[] = [
  [
    'scope_counts',
    'documents, lengths, token_records, token_entries',
    'documents <> 0 OR lengths <> 0 OR token_records <> 0 OR token_entries <> 0',
    `SELECT owner, scope, status, count(*) FILTER (WHERE cardinality(terms) > 0), sum(length)::bigint,
       count(*) FILTER (WHERE cardinality(tokens) > 0), sum(cardinality(tokens))::bigint
     FROM {searched} WHERE expires_at IS NULL AND (cardinality(terms) > 0 OR cardinality(tokens) > 0) GROUP BY owner, scope, status`,
  ],
  [
    'token_counts',
    'token, records',
    'records <> 0',
    'SELECT owner, scope, status, t.token, count(*) FROM {searched} CROSS JOIN LATERAL unnest(tokens) t(token) WHERE expires_at IS NULL GROUP BY owner, scope, status, t.token',
  ],
  [
    'actor_counts',
    'actor, role, records',
    'records <> 0',
    'SELECT owner, scope, status, actor, role, count(*) FROM {searched} WHERE expires_at IS NULL AND role IS NOT NULL AND cardinality(terms) > 0 GROUP BY owner, scope, status, actor, role',
  ],
  [
    'vector_counts',
    'space, vectors',
    'vectors <> 0',
    'SELECT owner, scope, status, space, count(*) FROM {units} WHERE expires_at IS NULL GROUP BY owner, scope, status, space',
  ],
]

/** Sums are kept in single precision, and drift a little with every write. */
const totalsText = `SELECT count(DISTINCT (owner, scope))::int AS scopes FROM {vector_counts} c JOIN (
    SELECT owner, scope, status, space, sum(unit) AS total, count(*) AS vectors FROM {units} WHERE expires_at IS NULL
    GROUP BY owner, scope, status, space) w USING (owner, scope, status, space)
  WHERE c.total IS NULL OR c.total <-> w.total > 0.01 * (w.vectors + 100)`

async function* checkCounts(query: Query, form: VectorForm): AsyncGenerator<StoreProblem> {
  const report = function* (table: string, [row]: readonly Row[]): Generator<StoreProblem> {
    if (row?.scopes === 0) return
    const message = `${table}: of ${row?.scopes} scopes they are not what searched and units add up to`
    yield { code: 'COUNTS_MISMATCH', message }
  }
  for (const [table, columns, kept, expected] of counts) {
    const found = `SELECT owner, scope, status, ${columns} FROM {${table}} WHERE ${kept}`
    yield* report(
      table,
      await query(`SELECT count(DISTINCT (owner, scope))::int AS scopes FROM (
        (${found} EXCEPT ALL ${expected}) UNION ALL (${expected} EXCEPT ALL ${found})) d`),
    )
  }
  if (form === 'vector') yield* report('vector_counts.total', await query(totalsText))
}

/** Compares what searches look at with the records, and the counts with that: row by row, or as sums made by the server. */
export async function* checkSearch(query: Query, form: VectorForm): AsyncGenerator<StoreProblem> {
  yield* checkRows(query, form)
  for (const { code, message, text } of strays) {
    for (const { id } of await query(`${text} LIMIT ${mostOfOneKind}`))
      yield { code, ...(id === null ? {} : { id: decodeName(id as string) }), message }
  }
  yield* checkCounts(query, form)
}
