import { createHash } from 'node:crypto'
import type { StoredRecord } from '../../../contract/index.ts'
import { momentOf, statuses } from '../../../model/index.ts'
import { normalise } from '../../../vector/index.ts'
import { encodeVector } from '../content.ts'
import type { Query } from '../database.ts'
import type { Row } from '../driver.ts'
import { decodeName, encodeName } from '../names.ts'
import { bareText } from './bare-text.ts'
import { Counts } from './counts.ts'
import { factsOf } from './facts.ts'

/** What a transaction leaves of a record, however often it changed it. */
export interface IndexEntry {
  readonly owner: number
  /** Has its row in `ids` by now, and still. */
  readonly id: string
  readonly scope: number
  /** True when there certainly was no such record before; so nothing has to be looked up. */
  readonly isNew: boolean
  /** The record as it is now; null when it is gone. */
  readonly stored: StoredRecord | null
  /** Number of the vector's space. */
  readonly space: number | null
}

export const statusNumber = (status: string): number => statuses.indexOf(status as (typeof statuses)[number])
export const roles = ['user', 'assistant', 'other'] as const

/** Terms of any length fit into an index. */
const longestTerm = 512

/** A term as it stands in `postings`. */
export function termText(term: string): string {
  const text = bareText(term)
  if (Buffer.byteLength(text) <= longestTerm) return text
  return `\uffff#${createHash('sha256').update(text).digest('base64url')}`
}

/** Null for a vector of zeros, which is compared with nothing. */
export function unitOf(values: Float32Array): Float32Array | null {
  let squares = 0
  for (const value of values) squares += value * value
  if (squares === 0) return null
  return Math.abs(squares - 1) < 1e-6 ? values : normalise(values)
}

/** How vectors are handed to the server: as what it can calculate with, or as bytes where it can't. */
export type VectorForm = 'vector' | 'bytea'

export function unitText(unit: Float32Array | readonly number[]): string {
  return `[${unit.join(',')}]`
}

function unitValue(unit: Float32Array, form: VectorForm): string {
  return form === 'vector' ? unitText(unit) : `\\x${encodeVector(unit).toString('hex')}`
}

export interface Actor {
  readonly name: string
  readonly role: number
}

function actorOf({ type, actor }: StoredRecord['record']['source']): Actor | null {
  const role = type === 'user' || type === 'assistant' ? type : 'other'
  if (actor !== undefined) return { name: actor, role: roles.indexOf(role) }
  return role === 'other' ? null : { name: role, role: roles.indexOf(role) }
}

const time = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text))

/** The row of a record, and all that is counted of it. */
export interface Searched {
  readonly owner: number
  readonly scope: number
  readonly status: number
  readonly expiresAt: number | null
  readonly length: number
  readonly terms: readonly string[]
  readonly frequencies: readonly number[]
  readonly tokens: readonly number[]
  readonly actor: Actor | null
  readonly space: number | null
  readonly unit: Float32Array | null
}

interface Former extends Searched {
  readonly num: number
}

interface Fresh extends Searched {
  readonly id: string
  readonly stored: StoredRecord
}

function freshOf({ owner, id, scope, space }: IndexEntry, stored: StoredRecord): Fresh {
  const { record, analysis, vector } = stored
  const unit = vector === null || space === null ? null : unitOf(vector.values)
  return {
    owner,
    id,
    scope,
    status: statusNumber(record.status),
    expiresAt: time(record.expiresAt),
    length: analysis.terms.reduce((sum, [, frequency]) => sum + frequency, 0),
    terms: analysis.terms.map(([term]) => termText(term)),
    frequencies: analysis.terms.map(([, frequency]) => frequency),
    tokens: analysis.tokens,
    actor: actorOf(record.source),
    space: unit === null ? null : space,
    unit,
    stored,
  }
}

function formerOf(row: Row, form: VectorForm): Former {
  const { unit } = row
  return {
    owner: row.owner as number,
    num: row.num as number,
    scope: row.scope as number,
    status: row.status as number,
    expiresAt: row.expires_at as number | null,
    length: row.length as number,
    terms: row.terms as string[],
    frequencies: row.frequencies as number[],
    tokens: row.tokens as number[],
    actor: row.role === null ? null : { name: JSON.parse(row.actor as string) as string, role: row.role as number },
    space: row.space as number | null,
    unit: form === 'vector' && typeof unit === 'string' ? Float32Array.from(JSON.parse(unit) as number[]) : null,
  }
}

const selectFormer = `SELECT i.id, s.owner, s.num, s.scope, s.status, s.expires_at, s.length, s.terms, s.frequencies, s.tokens, s.actor,
  s.role, u.space, u.unit::text AS unit
  FROM {ids} i JOIN {searched} s ON s.num = i.num LEFT JOIN {units} u ON u.num = s.num WHERE i.id = ANY ($1::text[])`

/** Columns of `searched` with their types, and what each holds. */
const searchedColumns: readonly (readonly [name: string, type: string, of: (row: Fresh) => unknown])[] = [
  ['owner', 'bigint', (row) => row.owner],
  ['id', 'text', (row) => encodeName(row.id)],
  ['scope', 'bigint', (row) => row.scope],
  ['status', 'int', (row) => row.status],
  ['kind', 'text', ({ stored }) => encodeName(stored.record.kind)],
  ['moment', 'bigint', ({ stored }) => momentOf(stored.record)],
  ['created_at', 'bigint', ({ stored }) => Date.parse(stored.record.createdAt)],
  ['valid_from', 'bigint', ({ stored }) => time(stored.record.validFrom)],
  ['valid_to', 'bigint', ({ stored }) => time(stored.record.validTo)],
  ['expires_at', 'bigint', (row) => row.expiresAt],
  ['pinned', 'bool', ({ stored }) => stored.record.pinned],
  ['importance', 'float8', ({ stored }) => stored.record.importance],
  ['reliability', 'float8', ({ stored }) => stored.record.reliability],
  ['shape', 'bigint', ({ stored }) => stored.analysis.shape],
  ['length', 'int', (row) => row.length],
  ['terms', 'text', (row) => listText(row.terms)],
  ['frequencies', 'text', (row) => `{${row.frequencies.join(',')}}`],
  ['tokens', 'text', (row) => `{${row.tokens.join(',')}}`],
  ['actor', 'text', (row) => (row.actor === null ? null : JSON.stringify(row.actor.name))],
  ['role', 'int', (row) => row.actor?.role ?? null],
  ['facts', 'jsonb', ({ stored }) => factsOf(stored.record)],
]

const lists: Readonly<Record<string, string>> = { terms: '::text[]', frequencies: '::int[]', tokens: '::int[]' }
const names = searchedColumns.map(([name]) => name)

const insertSearched = `INSERT INTO {searched} (num, arrival, ${names.join(', ')})
  SELECT w.num, nextval('{arrivals}'), ${names.map((name) => `w.${name}${lists[name] ?? ''}`).join(', ')}
  FROM (SELECT i.num, w.* FROM unnest(${searchedColumns.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ')})
    WITH ORDINALITY w(${names.join(', ')}, place) JOIN {ids} i ON i.id = w.id ORDER BY w.place) w
  ON CONFLICT (num, owner) DO UPDATE SET ${names
    .filter((name) => name !== 'owner' && name !== 'id')
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}`

/** A list of texts as the server writes it, for a column of such lists. */
function listText(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`
}

const insertPostings = `INSERT INTO {postings} (owner, term, scope, num, frequency, length, status, expires_at)
  SELECT r.owner, t.term, r.scope, i.num, t.frequency, r.length, r.status, r.expires_at
  FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::int[], $5::int[], $6::bigint[], $7::text[], $8::text[])
  r(owner, scope, id, length, status, expires_at, terms, frequencies) JOIN {ids} i ON i.id = r.id
  CROSS JOIN LATERAL unnest(r.terms::text[], r.frequencies::int[]) t(term, frequency)`

const deletePostings = `DELETE FROM {postings} p USING unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[]) r(owner, scope, num, terms)
  CROSS JOIN LATERAL unnest(r.terms::text[]) t(term)
  WHERE p.term = t.term AND p.scope = r.scope AND p.num = r.num AND p.owner = r.owner`

const upsertUnits = (form: VectorForm) => `INSERT INTO {units} (owner, num, id, scope, space, status, expires_at, unit)
  SELECT w.owner, i.num, w.id, w.scope, w.space, w.status, w.expires_at, w.unit::${form}
  FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::int[], $5::int[], $6::bigint[], $7::text[])
  w(owner, id, scope, space, status, expires_at, unit) JOIN {ids} i ON i.id = w.id
  ON CONFLICT (num, owner) DO UPDATE SET space = excluded.space, status = excluded.status, expires_at = excluded.expires_at,
  unit = excluded.unit`

const column = <Item>(items: readonly Item[], of: (item: Item) => unknown) => items.map(of)

function sameNumbers(a: ArrayLike<number> | null, b: ArrayLike<number> | null): boolean {
  if (a === null || b === null) return a === b
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Whether the postings of a record, which repeat some of its row, stay as they are. */
function keepsPostings(former: Searched | undefined, row: Fresh): boolean {
  return (
    former !== undefined &&
    former.status === row.status &&
    former.expiresAt === row.expiresAt &&
    former.terms.length === row.terms.length &&
    former.terms.every((term, i) => term === row.terms[i] && former.frequencies[i] === row.frequencies[i])
  )
}

function keepsUnit(former: Searched | undefined, row: Fresh): boolean {
  if (row.unit === null) return true
  return (
    former !== undefined &&
    former.space === row.space &&
    former.status === row.status &&
    former.expiresAt === row.expiresAt &&
    sameNumbers(former.unit, row.unit)
  )
}

type Send = (text: string, values: readonly unknown[]) => unknown

function removePostings(send: Send, rows: readonly Former[]): void {
  const posted = rows.filter(({ terms }) => terms.length > 0)
  if (posted.length === 0) return
  send(deletePostings, [
    column(posted, (row) => row.owner),
    column(posted, (row) => row.scope),
    column(posted, (row) => row.num),
    column(posted, (row) => listText(row.terms)),
  ])
}

function removeRows(send: Send, table: 'searched' | 'units', rows: readonly Former[]): void {
  if (rows.length === 0) return
  send(
    `DELETE FROM {${table}} t USING unnest($1::bigint[], $2::bigint[]) w(num, owner) WHERE t.num = w.num AND t.owner = w.owner`,
    [column(rows, (row) => row.num), column(rows, (row) => row.owner)],
  )
}

function addPostings(send: Send, rows: readonly Fresh[]): void {
  const termed = rows.filter(({ terms }) => terms.length > 0)
  if (termed.length === 0) return
  send(insertPostings, [
    column(termed, (row) => row.owner),
    column(termed, (row) => row.scope),
    column(termed, (row) => encodeName(row.id)),
    column(termed, (row) => row.length),
    column(termed, (row) => row.status),
    column(termed, (row) => row.expiresAt),
    column(termed, (row) => listText(row.terms)),
    column(termed, (row) => `{${row.frequencies.join(',')}}`),
  ])
}

function addUnits(send: Send, form: VectorForm, rows: readonly Fresh[]): void {
  if (rows.length === 0) return
  send(upsertUnits(form), [
    column(rows, (row) => row.owner),
    column(rows, (row) => encodeName(row.id)),
    column(rows, (row) => row.scope),
    column(rows, (row) => row.space),
    column(rows, (row) => row.status),
    column(rows, (row) => row.expiresAt),
    column(rows, ({ unit }) => unitValue(unit as Float32Array, form)),
  ])
}

/**
 * Brings what searches look at up to what a transaction leaves: to be called once in each that puts, removes, erases or derives
 * records, with the last state of each, in the order in which they were put, by whoever holds the locks of the owners.
 */
export async function indexRecords(query: Query, form: VectorForm, entries: readonly IndexEntry[]): Promise<void> {
  if (entries.length === 0) return
  const known = entries.filter(({ isNew }) => !isNew)
  const formers = new Map<string, Former>()
  if (known.length > 0) {
    const rows = await query(selectFormer, [column(known, ({ id }) => encodeName(id))])
    for (const row of rows) formers.set(decodeName(row.id as string), formerOf(row, form))
  }
  const fresh = entries.flatMap((entry) => (entry.stored === null ? [] : [freshOf(entry, entry.stored)]))
  const gone = entries.flatMap(({ id, stored }) => (stored === null ? (formers.get(id) ?? []) : []))
  const counts = new Counts()
  for (const former of formers.values()) counts.add(former, -1)
  for (const row of fresh) counts.add(row, 1)

  const work: Promise<unknown>[] = []
  const send = (text: string, values: readonly unknown[]) => work.push(query(text, values))
  const written = fresh.filter((row) => !keepsPostings(formers.get(row.id), row))
  removePostings(send, [...gone, ...written.flatMap(({ id }) => formers.get(id) ?? [])])
  removeRows(send, 'searched', gone)
  const withoutUnit = fresh.flatMap(({ id, unit }) => (unit === null ? (formers.get(id) ?? []) : []))
  removeRows(
    send,
    'units',
    [...gone, ...withoutUnit].filter(({ space }) => space !== null),
  )
  if (fresh.length > 0)
    send(
      insertSearched,
      searchedColumns.map(([, , of]) => column(fresh, of)),
    )
  addPostings(send, written)
  addUnits(
    send,
    form,
    fresh.filter((row) => !keepsUnit(formers.get(row.id), row)),
  )
  for (const { text, values } of counts.statements(form)) send(text, values)
  await Promise.all(work)
}
