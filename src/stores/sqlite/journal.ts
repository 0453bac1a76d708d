import { compareIds, type JournalEnd, type JournalEntry } from '../../contract/index.ts'
import { ownerKey, type ScopeFilter } from '../../model/index.ts'
import { jsonList } from './codec.ts'
import { type Connection, readValue } from './connection.ts'
import type { SqliteRow } from './driver.ts'
import type { Session } from './session.ts'
import type { Work } from './work.ts'

/** Columns of `journal j` joined with `log t`. */
export const journalColumns = 'j.seq, j.at, j.scope, j.line, j.ids, j.digest, t.id AS tx'

export function decodeEntry(row: SqliteRow, session: Session): JournalEntry {
  return {
    ...(JSON.parse(row.line as string) as Pick<JournalEntry, 'op' | 'verb' | 'actor' | 'reason'>),
    ids: JSON.parse(row.ids as string) as string[],
    scope: session.scopes.byId(row.scope as number),
    seq: row.seq as number,
    at: row.at as number,
    tx: row.tx as string,
    digest: row.digest as string,
  }
}

export function* journal(
  db: Connection,
  session: Session,
  scope: ScopeFilter,
  after: number,
  limit: number,
): Work<JournalEntry[]> {
  if (limit <= 0) return []
  const visible = session.scopes.visible(scope)
  const ids = visible === null ? [] : [jsonList(visible.ids)]
  const list = 'SELECT value FROM json_each(?)'
  // By owner first, so that a chain is read along its index.
  const seen =
    visible === null
      ? 'j.owner IN (SELECT id FROM owners)'
      : `j.owner IN (SELECT owner FROM scopes WHERE id IN (${list})) AND j.scope IN (${list})`
  const last = readValue(
    db,
    `SELECT j.seq FROM journal j WHERE ${seen} AND j.seq > ? ORDER BY j.seq LIMIT 1 OFFSET ?`,
    ...ids,
    ...ids,
    after,
    limit - 1,
  )
  const rows = db
    .sql(
      `SELECT ${journalColumns} FROM journal j JOIN log t ON t.rev = j.tx WHERE ${seen} AND j.seq > ? AND j.seq <= ? ORDER BY j.seq`,
    )
    .all(...ids, ...ids, after, (last as number | null) ?? Number.MAX_SAFE_INTEGER)
  const entries: JournalEntry[] = []
  for (const row of rows) {
    entries.push(decodeEntry(row, session))
    yield
  }
  return entries.sort((a, b) => a.seq - b.seq || compareIds(ownerKey(a.scope), ownerKey(b.scope)))
}

export function journalEnds(db: Connection): JournalEnd[] {
  const rows = db.sql('SELECT key, journal_seq FROM owners WHERE journal_seq > 0').all()
  return rows.map((row) => ({ owner: row.key as string, seq: row.journal_seq as number }))
}
