import type { Analysis, Derivation, StoredVector, Touch } from '../../contract/index.ts'
import { formatInstant } from '../../model/index.ts'
import { toFloatBytes } from '../../vector/index.ts'
import { encodeFacts, encodeTerms, encodeTokens } from './codec.ts'
import { type Connection, readValue } from './connection.ts'
import { countUseless, emptyLateVectors, movedRows } from './emptied.ts'
import type { Known } from './known.ts'
import { dropSnapshots } from './snapshots.ts'
import type { Work } from './work.ts'

/** In place, which takes a vector of the same space and size there. */
function overwrite(
  db: Connection,
  table: 'log' | 'late_vectors',
  rev: number,
  space: number,
  bytes: Uint8Array,
): boolean {
  const text = `UPDATE ${table} SET vector = ? WHERE rev = ? AND space = ? AND length(vector) = ?`
  return db.sql(text).run(bytes, rev, space, bytes.length).changes > 0
}

function storeVector(db: Connection, known: Known, rev: number, vector: StoredVector): void {
  const space = known.space(vector.space, vector.values.length)
  const bytes = toFloatBytes(vector.values)
  if (!overwrite(db, 'late_vectors', rev, space, bytes)) {
    const wasLate = emptyLateVectors(db, 'rev = ?', rev) > 0
    if (wasLate || !overwrite(db, 'log', rev, space, bytes)) {
      db.sql('INSERT INTO late_vectors (rev, space, vector) VALUES (?, ?, ?)').run(rev, space, bytes)
    }
  }
  db.sql(
    'UPDATE records SET space = ? WHERE (scope, created_at, id) = (SELECT scope, created_at, id FROM log WHERE rev = ?)',
  ).run(space, rev)
}

function storeAnalysis(db: Connection, known: Known, rev: number, analysis: Analysis): void {
  const record = readValue(db, 'SELECT record FROM log WHERE rev = ?', rev) as string
  const terms = encodeTerms(analysis.terms)
  const size = 'SELECT length(CAST(terms AS BLOB)) + length(tokens) + 1000000 * analyser FROM log WHERE rev = ?'
  const before = readValue(db, size, rev)
  db.sql('UPDATE log SET facts = ?, analyser = ?, terms = ?, tokens = ? WHERE rev = ?').run(
    encodeFacts(record, terms, analysis.shape),
    known.analyser(analysis.analyser),
    terms,
    encodeTokens(analysis.tokens),
    rev,
  )
  if (readValue(db, size, rev) !== before) countUseless(db, movedRows)
}

/** True when a vector was stored. */
function store(db: Connection, known: Known, { id, version, vector, analysis }: Derivation): boolean {
  const rev = readValue(
    db,
    'SELECT r.rev FROM log v CROSS JOIN records r ON r.scope = v.scope AND r.created_at = v.created_at AND r.id = v.id AND r.rev = v.rev WHERE v.id = ? AND v.version = ? AND v.version > 0',
    id,
    version,
  ) as number | null
  if (rev === null) return false
  if (analysis) storeAnalysis(db, known, rev, analysis)
  if (vector) storeVector(db, known, rev, vector)
  return vector !== undefined
}

function touch(db: Connection, { id, at, count }: Touch): void {
  // Written the one way, times compare as text.
  db.sql(
    `UPDATE records SET access_count = ${count === undefined ? 'access_count + 1' : 'max(access_count, ?)'}, last_accessed_at = max(coalesce(last_accessed_at, ''), ?) WHERE (scope, created_at, id) = (SELECT scope, created_at, id FROM log INDEXED BY log_id WHERE id = ? AND version > 0 ORDER BY version DESC LIMIT 1)`,
  ).run(...(count === undefined ? [] : [count]), formatInstant(at), id)
}

export function* derive(
  db: Connection,
  known: Known,
  derivations: readonly Derivation[],
  touched: readonly Touch[],
): Work<void> {
  let vectors = 0
  for (const derivation of derivations) {
    if (store(db, known, derivation)) vectors++
    yield
  }
  if (derivations.some(({ analysis }) => analysis !== undefined)) dropSnapshots(db)
  if (vectors > 0) db.sql("UPDATE meta SET value = value + 1 WHERE name = 'derived'").run()
  for (const each of touched) {
    touch(db, each)
    yield
  }
}
