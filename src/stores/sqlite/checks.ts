import { journalDigest, orderValue, type StoreProblem } from '../../contract/index.ts'
import { type MemoryRecord, scopeKey } from '../../model/index.ts'
import { checksum, decodeFacts, hashCode, lateOr } from './codec.ts'
import type { Connection } from './connection.ts'
import type { SqliteRow, SqliteValue } from './driver.ts'
import { contentOf, hasContent } from './emptied.ts'
import { decodeEntry, journalColumns } from './journal.ts'
import type { Session } from './session.ts'
import type { Work } from './work.ts'

export type Report = (problem: StoreProblem) => void

const batch = 200

/** All rows in order of some columns, a batch at a time. The parameters of the text are the last values seen. */
function* walk(
  db: Connection,
  text: string,
  columns: readonly string[],
  before: readonly SqliteValue[],
): Generator<SqliteRow> {
  const select = db.sql(text)
  for (let last = before; ; ) {
    const rows = select.all(...last)
    yield* rows
    if (rows.length < batch) return
    last = columns.map((column) => rows.at(-1)?.[column] as SqliteValue)
  }
}

function checksumOf(facts: SqliteValue | undefined): number | null {
  return facts instanceof Uint8Array && facts.length === 8 ? decodeFacts(facts).checksum : null
}

function codeOf(hash: SqliteValue | undefined): number | null {
  return typeof hash === 'string' ? hashCode(hash) : null
}

/** Columns of a record that repeat its content, as they should be. */
function expectedColumns(record: MemoryRecord): Record<string, unknown> {
  return {
    id: record.id,
    version: record.version,
    kind: record.kind,
    status: record.status,
    key: record.key ?? null,
    created_at: Date.parse(record.createdAt),
    updated_at: Date.parse(record.updatedAt),
    event_at: orderValue(record, 'eventTime'),
    expires_at: record.expiresAt === undefined ? null : Date.parse(record.expiresAt),
    importance: record.importance,
    scope_key: scopeKey(record.scope),
  }
}

function isMirrored(row: SqliteRow): boolean {
  if (contentOf(row.record) === null || row.hash_code !== codeOf(row.hash) || row.space !== row.revision_space)
    return false
  const expected = expectedColumns(JSON.parse(row.record as string) as MemoryRecord)
  return Object.entries(expected).every(([column, value]) => row[column] === value)
}

/** Contents against their checksums, records against their last revisions. */
export function* checkRecords(db: Connection, report: Report): Work<void> {
  const revisions = `SELECT rev, id, gone, record, terms, facts FROM log WHERE rev > ? AND ${hasContent('record')} ORDER BY rev LIMIT ${batch}`
  for (const row of walk(db, revisions, ['rev'], [0])) {
    if (checksum(row.record as string, row.terms as string) !== checksumOf(row.facts)) {
      report({
        code: 'CONTENT_DAMAGED',
        id: String(row.id),
        message: 'the content of a revision is not what was written',
      })
    }
    if (row.gone === 1) report({ code: 'TOMBSTONE_NOT_EMPTY', id: String(row.id), message: 'a tombstone has content' })
    yield
  }
  const records = `SELECT r.*, s.key AS scope_key, v.record, v.hash, v.hash_code, ${lateOr('space')} AS revision_space FROM records r LEFT JOIN scopes s ON s.id = r.scope LEFT JOIN log v ON v.rev = r.rev AND v.id = r.id AND v.scope = r.scope AND v.created_at = r.created_at AND v.gone = 0 WHERE (r.scope, r.created_at, r.id) > (?, ?, ?) ORDER BY r.scope, r.created_at, r.id LIMIT ${batch}`
  for (const row of walk(db, records, ['scope', 'created_at', 'id'], [0, 0, ''])) {
    if (!isMirrored(row)) {
      report({ code: 'RECORD_MISMATCH', id: String(row.id), message: 'the record is not what its last revision says' })
    }
    yield
  }
}

/** Every owner's chain, and its end as the owner's row has it. */
export function* checkJournal(db: Connection, report: Report, session: Session): Work<void> {
  const select = db.sql(
    `SELECT ${journalColumns} FROM journal j JOIN log t ON t.rev = j.tx WHERE j.owner = ? AND j.seq > ? ORDER BY j.seq LIMIT ${batch}`,
  )
  for (const owner of db.sql('SELECT id, journal_seq, journal_digest FROM owners ORDER BY id').all()) {
    let seq = 0
    let digest = ''
    let broken = false
    for (let rows = select.all(owner.id as number, 0); rows.length > 0; rows = select.all(owner.id as number, seq)) {
      for (const row of rows) {
        const entry = decodeEntry(row, session)
        broken ||= entry.seq !== seq + 1 || journalDigest(digest, entry) !== entry.digest
        seq = entry.seq
        digest = entry.digest
        yield
      }
    }
    if (broken || seq !== owner.journal_seq || digest !== owner.journal_digest) {
      report({ code: 'JOURNAL_BROKEN', message: `the journal of owner number ${owner.id} is not one unbroken chain` })
    }
  }
}
