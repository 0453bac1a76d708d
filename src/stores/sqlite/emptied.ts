import { type Connection, readValue } from './connection.ts'

/**
 * Condition on `log`: the revision has its content. Emptied ones have zeros in its place, tombstones and transactions nothing.
 * @param record the column
 */
export function hasContent(record: string): string {
  return `${record} >= '{'`
}

/** Null for what `hasContent` leaves out. */
export function contentOf(record: unknown): string | null {
  return typeof record === 'string' && record.startsWith('{') ? record : null
}

/** As many zeros as a text has bytes: the row keeps its size, hence its place. */
function zeros(column: string): string {
  return `${column} = CAST(zeroblob(length(CAST(${column} AS BLOB))) AS TEXT)`
}

function zeroBytes(column: string): string {
  return `${column} = zeroblob(length(${column}))`
}

export function isEmpty(db: Connection, table: string): boolean {
  return readValue(db, `SELECT 1 FROM ${table} LIMIT 1`) === null
}

/** As wide in the file as the number that a hash has. */
const noHash = -(2 ** 52)

const emptyRevision = [
  zeros('record'),
  zeros('terms'),
  zeros('hash'),
  `hash_code = CASE WHEN hash_code IS NULL THEN NULL ELSE ${noHash} END`,
  zeroBytes('facts'),
  zeroBytes('tokens'),
  // Not every one has a vector.
  'vector = CASE WHEN vector IS NULL THEN NULL ELSE zeroblob(length(vector)) END',
]

/** A negative number is that of no revision. @param revisions a condition on `rev` with one parameter */
export function emptyLateVectors(db: Connection, revisions: string, value: string | number): number {
  return db.sql(`UPDATE late_vectors SET ${zeroBytes('vector')}, rev = -rev WHERE ${revisions}`).run(value).changes
}

/** So many of those that are emptied tell how large they are. */
const sample = 32

/**
 * Overwrites the contents of revisions in place. @param revisions a condition on `rev` with one parameter
 * @returns about how many bytes are of no use any more
 */
export function emptyRevisions(db: Connection, revisions: string, list: string): number {
  const full = `${revisions} AND ${hasContent('record')}`
  const length = 'length(record) + length(terms) + length(tokens) + coalesce(length(vector), 0)'
  const bytes = readValue(
    db,
    `SELECT avg(bytes) FROM (SELECT ${length} AS bytes FROM log WHERE ${full} LIMIT ${sample})`,
    list,
  )
  const { changes } = db.sql(`UPDATE log SET ${emptyRevision.join(', ')} WHERE ${full}`).run(list)
  if (!isEmpty(db, 'late_vectors')) emptyLateVectors(db, revisions, list)
  return changes * ((bytes as number | null) ?? 0)
}

/** Remembers bytes that `VACUUM` could win back. */
export function countUseless(db: Connection, bytes: number): void {
  db.sql("UPDATE meta SET value = CAST(value + ? AS INTEGER) WHERE name = 'useless'").run(bytes)
}

/** Rows whose size has changed, so that copies of others may be left: to be cleared away at the next opening. */
export const movedRows = 2 ** 50

/** Less than this is not worth a rewriting of the file. */
const fewest = 8 * 2 ** 20

/** True when the file should be rewritten: half of it is of no use, or copies may be left in unused parts. */
export function isWorthCompacting(db: Connection): boolean {
  const useless = Number(readValue(db, "SELECT value FROM meta WHERE name = 'useless'"))
  const size = Number(readValue(db, 'PRAGMA page_count')) * Number(readValue(db, 'PRAGMA page_size'))
  return useless >= movedRows || (useless >= fewest && useless * 2 >= size)
}

/** To be run before a VACUUM: only then may rows change their size. */
export const dropZeros = [
  `UPDATE log SET record = NULL, terms = NULL, hash = NULL, hash_code = NULL, facts = NULL, tokens = NULL, vector = NULL WHERE record < '{'`,
  'DELETE FROM late_vectors WHERE rev < 0',
]
