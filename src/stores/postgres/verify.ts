import { journalDigest, orderValue, type StoreProblem } from '../../contract/index.ts'
import { type MemoryRecord, scopeKey } from '../../model/index.ts'
import type { Call, Query } from './database.ts'
import type { Row } from './driver.ts'
import { decodeEntry, journalColumns } from './journal.ts'
import { decodeName, encodeName } from './names.ts'
import type { Session } from './session.ts'
import { checkSearch } from './verify-search.ts'
import { walk } from './walk.ts'

/** Columns of a record that repeat its content, as they should be. */
function expectedColumns(record: MemoryRecord): Record<string, unknown> {
  const milliseconds = (time: string | undefined) => (time === undefined ? null : Date.parse(time))
  return {
    id: encodeName(record.id),
    version: record.version,
    kind: encodeName(record.kind),
    status: record.status,
    key: record.key === undefined ? null : encodeName(record.key),
    created_at: Date.parse(record.createdAt),
    updated_at: Date.parse(record.updatedAt),
    event_at: orderValue(record, 'eventTime'),
    valid_from: milliseconds(record.validFrom),
    valid_to: milliseconds(record.validTo),
    expires_at: milliseconds(record.expiresAt),
    importance: record.importance,
    pinned: record.pinned,
    scope_key: scopeKey(record.scope),
  }
}

function isMirrored(row: Row): boolean {
  if (row.record === null || row.hash !== row.revision_hash || row.space !== row.vector_space) return false
  const expected = expectedColumns(JSON.parse(row.record as string) as MemoryRecord)
  return Object.entries(expected).every(([column, value]) => row[column] === value)
}

async function* checkRecords(query: Query): AsyncGenerator<StoreProblem> {
  const text = `SELECT r.*, s.key AS scope_key, v.record, v.hash AS revision_hash, e.space AS vector_space
    FROM {records} r LEFT JOIN {scopes} s ON s.id = r.scope AND s.owner = r.owner
    LEFT JOIN {revisions} v ON v.owner = r.owner AND v.id = r.id AND v.version = r.version AND v.scope = r.scope AND NOT v.gone
      AND v.version = (SELECT max(w.version) FROM {revisions} w WHERE w.owner = r.owner AND w.id = r.id)
    LEFT JOIN {vectors} e ON e.owner = r.owner AND e.id = r.id AND e.version = r.version
    WHERE (r.owner, r.id) > ($1, $2) ORDER BY r.owner, r.id`
  for await (const row of walk(query, text, ['owner', 'id'], [-1, ''])) {
    if (isMirrored(row)) continue
    const id = decodeName(row.id as string)
    yield { code: 'RECORD_MISMATCH', id, message: 'the record is not what its last revision says' }
  }
}

/** Every owner's chain, and its end as the owner's row has it. */
async function* checkJournal(query: Query): AsyncGenerator<StoreProblem> {
  const owners = walk(
    query,
    'SELECT id, journal_seq, journal_digest FROM {owners} WHERE id > $1 AND (journal_seq > 0 OR EXISTS (SELECT FROM {journal} j WHERE j.owner = id)) ORDER BY id',
    ['id'],
    [-1],
  )
  const lines = `SELECT ${journalColumns} FROM {journal} j JOIN {scopes} s ON s.id = j.scope WHERE j.seq > $1 AND j.owner = $2 ORDER BY j.seq`
  for await (const owner of owners) {
    let seq = 0
    let digest = ''
    let isBroken = false
    for await (const row of walk(query, lines, ['seq'], [0], [owner.id])) {
      const entry = decodeEntry(row)
      isBroken ||= entry.seq !== seq + 1 || journalDigest(digest, entry) !== entry.digest
      seq = entry.seq
      digest = entry.digest
    }
    if (isBroken || seq !== owner.journal_seq || digest !== owner.journal_digest) {
      yield { code: 'JOURNAL_BROKEN', message: `the journal of owner number ${owner.id} is not one unbroken chain` }
    }
  }
}

/** Rows that point nowhere. Each text gives an `id`. */
const strays: readonly { readonly code: string; readonly message: string; readonly text: string }[] = [
  {
    code: 'REVISION_MISSING',
    message: 'the id has no revision',
    text: 'SELECT i.id FROM {ids} i WHERE NOT EXISTS (SELECT FROM {revisions} v WHERE v.owner = i.owner AND v.id = i.id)',
  },
  {
    code: 'RECORD_MISSING',
    message: 'the last revision has a content, and there is no record',
    text: `SELECT i.id FROM {ids} i CROSS JOIN LATERAL (SELECT gone FROM {revisions} v WHERE v.owner = i.owner AND v.id = i.id ORDER BY v.version DESC LIMIT 1) v
      WHERE NOT v.gone AND NOT EXISTS (SELECT FROM {records} r WHERE r.owner = i.owner AND r.id = i.id)`,
  },
  {
    code: 'ID_MISSING',
    message: 'a record whose id is not known',
    text: 'SELECT r.id FROM {records} r WHERE NOT EXISTS (SELECT FROM {ids} i WHERE i.id = r.id AND i.owner = r.owner AND i.scope = r.scope AND i.num = r.num)',
  },
  {
    code: 'REVISION_ORDER',
    message: 'its revisions are not in order of version',
    text: `SELECT DISTINCT v.id FROM (SELECT id, place, number, lag(place) OVER w AS before, lag(number) OVER w AS number_before FROM {revisions} WHERE owner > 0
        WINDOW w AS (PARTITION BY owner, id ORDER BY version)) v WHERE (v.place, v.number) <= (v.before, v.number_before)`,
  },
  {
    code: 'LOG_MISMATCH',
    message: 'a revision whose transaction is not in the log',
    text: 'SELECT v.id FROM {revisions} v WHERE NOT EXISTS (SELECT FROM {transactions} t WHERE t.place = v.place AND t.id = v.tx AND t.at = v.at AND NOT t.gone)',
  },
  {
    code: 'TOMBSTONE_NOT_EMPTY',
    message: 'a tombstone has content',
    text: 'SELECT v.id FROM {revisions} v WHERE v.gone AND v.record IS NOT NULL',
  },
  {
    code: 'VECTOR_STRAY',
    message: 'a vector without the content it was made of',
    text: 'SELECT e.id FROM {vectors} e WHERE NOT EXISTS (SELECT FROM {revisions} v WHERE v.owner = e.owner AND v.id = e.id AND v.version = e.version AND v.record IS NOT NULL)',
  },
  {
    code: 'LINK_BROKEN',
    message: 'a link leads to a record that is not there',
    text: `SELECT l.from_id AS id FROM {links} l WHERE NOT EXISTS (SELECT FROM {records} r WHERE r.owner = l.owner AND r.id = l.from_id AND r.scope = l.from_scope)
      OR NOT EXISTS (SELECT FROM {ids} i JOIN {records} r ON r.owner = i.owner AND r.id = i.id WHERE i.id = l.to_id AND i.scope = l.to_scope)`,
  },
]

const mostOfOneKind = 100

/** One state, however long it takes. */
export function verify(session: Session, call: Call): Promise<readonly StoreProblem[]> {
  return session.database.transaction({ ...call, long: true }, 'snapshot', async (query) => {
    const problems: StoreProblem[] = []
    for (const { code, message, text } of strays) {
      for (const { id } of await query(`${text} LIMIT ${mostOfOneKind}`)) {
        problems.push({ code, id: decodeName(id as string), message })
      }
    }
    for await (const problem of checkRecords(query)) problems.push(problem)
    for await (const problem of checkJournal(query)) problems.push(problem)
    for await (const problem of checkSearch(query, session.form)) problems.push(problem)
    return problems
  })
}
