import type { StoreProblem } from '../../contract/index.ts'
import type { SqliteRow } from './driver.ts'
import { lastVersionOf, transactionRowOf, transactionVersion } from './schema.ts'

/** A check that is one statement, hence of one state of the file. */
export interface LongCheck {
  readonly text: string
  /** Null for a row that is no problem. */
  problem(row: SqliteRow): StoreProblem | null
}

export const damaged = 'FILE_DAMAGED'

/** A check whose rows are all problems, each with the id of a record. */
function ofRecords(code: string, message: string, text: string): LongCheck {
  return { text, problem: (row) => ({ code, id: String(row.id), message }) }
}

function ofOwners(code: string, message: (owner: string) => string, text: string): LongCheck {
  return { text, problem: (row) => ({ code, message: message(`owner number ${row.owner}`) }) }
}

/** SQLite's words name tables, pages and row numbers, never content. */
const structure: LongCheck = {
  text: 'PRAGMA integrity_check(100)',
  problem: ({ integrity_check: message }) => (message === 'ok' ? null : { code: damaged, message: String(message) }),
}

const references: LongCheck = {
  text: 'PRAGMA foreign_key_check',
  problem: ({ rowid, table, parent }) => ({
    code: 'REFERENCE_BROKEN',
    message: `row ${rowid ?? ''} of ${table} names a row of ${parent} that is not there`,
  }),
}

const log: readonly LongCheck[] = [
  ofRecords(
    'REFERENCE_BROKEN',
    'a revision names a scope that is not there',
    'SELECT v.id FROM log v WHERE v.scope IS NOT NULL AND NOT EXISTS (SELECT 1 FROM scopes s WHERE s.id = v.scope)',
  ),
  ofRecords('RECORD_MISMATCH', 'the record is there twice', 'SELECT id FROM records GROUP BY id HAVING count(*) > 1'),
  ofRecords(
    'REVISION_ORDER',
    'its revisions are not in order of version',
    'SELECT id FROM (SELECT id, rev, lag(rev) OVER (PARTITION BY id ORDER BY version) AS previous FROM log WHERE version > 0) WHERE rev <= previous',
  ),
  ofRecords(
    'RECORD_MISMATCH',
    'the record is not what its last revision says',
    'SELECT v.id FROM (SELECT id, max(rev) AS rev, gone, scope, created_at FROM log WHERE version > 0 GROUP BY id) v LEFT JOIN records r ON r.scope = v.scope AND r.created_at = v.created_at AND r.id = v.id WHERE (v.gone = 0) <> (r.rev IS NOT NULL AND r.rev = v.rev)',
  ),
  ofRecords(
    'LOG_MISMATCH',
    'a revision belongs to no transaction of the log',
    `SELECT v.id FROM log v WHERE v.version > 0 AND NOT EXISTS (SELECT 1 FROM log t WHERE t.rev = ${transactionRowOf('v.rev')} AND t.version = ${transactionVersion} AND t.gone = 0)`,
  ),
]

const lastOfLinks = 'SELECT from_id, to_id, type, max(change), body FROM link_log GROUP BY from_id, to_id, type'
const links: readonly LongCheck[] = [
  ...['from_id', 'to_id'].map((end) =>
    ofRecords(
      'LINK_BROKEN',
      'a link leads to a record that is not there',
      `SELECT l.${end} AS id FROM links l WHERE NOT EXISTS (SELECT 1 FROM log v JOIN records r ON r.scope = v.scope AND r.created_at = v.created_at AND r.id = v.id WHERE v.rev = ${lastVersionOf(`l.${end}`)})`,
    ),
  ),
  ofRecords(
    'LOG_MISMATCH',
    'a link is not what the log says',
    `SELECT coalesce(g.from_id, l.from_id) AS id FROM (${lastOfLinks}) g FULL JOIN links l ON l.from_id = g.from_id AND l.to_id = g.to_id AND l.type = g.type WHERE g.body IS NOT l.body`,
  ),
]

const times = `SELECT DISTINCT s.owner, t.rev AS seq, t.at FROM log v JOIN scopes s ON s.id = v.scope JOIN log t ON t.rev = ${transactionRowOf('v.rev')} WHERE v.version > 0`
const clocks: readonly LongCheck[] = [
  ofOwners(
    'LOG_ORDER',
    (owner) => `the times of ${owner} go back along the log`,
    `SELECT DISTINCT owner FROM (SELECT owner, at, lag(at) OVER (PARTITION BY owner ORDER BY seq) AS previous FROM (${times})) WHERE at < previous`,
  ),
  ofOwners(
    'CLOCK_BEHIND',
    (owner) => `the clock of ${owner} is behind its last transaction`,
    `SELECT o.id AS owner FROM owners o JOIN (SELECT owner, max(at) AS at FROM (${times}) GROUP BY owner) l ON l.owner = o.id WHERE l.at > o.last_at`,
  ),
]

const erase: LongCheck = {
  text: "SELECT value FROM meta WHERE name = 'scrub'",
  problem: ({ value }) =>
    value === '0'
      ? null
      : {
          code: 'ERASE_UNFINISHED',
          message:
            'unused parts of the file may hold erased content, as another process held it open; open it alone once',
        },
}

export const longChecks: readonly LongCheck[] = [structure, references, ...log, ...links, ...clocks, erase]
