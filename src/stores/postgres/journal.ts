import { compareIds, type JournalEnd, type JournalEntry } from '../../contract/index.ts'
import { ownerKey, type ScopeFilter, scopeFromKey } from '../../model/index.ts'
import type { Call } from './database.ts'
import type { Row } from './driver.ts'
import { decodeName } from './names.ts'
import { createParameters } from './parameters.ts'
import { scopeCondition } from './scope-condition.ts'
import type { Session } from './session.ts'

/** Columns of `journal j` joined with `scopes s`. */
export const journalColumns = 'j.owner, j.seq, j.at, j.tx, j.line, j.ids, j.digest, s.key AS scope_key'

export function decodeEntry(row: Row): JournalEntry {
  return {
    ...(JSON.parse(row.line as string) as Pick<JournalEntry, 'op' | 'verb' | 'actor' | 'reason'>),
    ids: JSON.parse(row.ids as string) as string[],
    scope: scopeFromKey(row.scope_key as string),
    seq: row.seq as number,
    at: row.at as number,
    tx: decodeName(row.tx as string),
    digest: row.digest as string,
  }
}

export async function journal(
  session: Session,
  call: Call,
  scope: ScopeFilter,
  after: number,
  limit: number,
): Promise<JournalEntry[]> {
  if (limit <= 0) return []
  const parameters = createParameters()
  const seen = `FROM {scopes} s JOIN {journal} j ON j.owner = s.owner AND j.scope = s.id
    WHERE ${scopeCondition(scope, 's', parameters)} AND j.seq > ${parameters.add(after)}`
  const last = `SELECT j.seq ${seen} ORDER BY j.seq LIMIT 1 OFFSET ${parameters.add(limit - 1)}`
  const rows = await session.database.transaction(call, 'read', (query) =>
    query(
      `SELECT ${journalColumns} ${seen} AND j.seq <= coalesce((${last}), ${Number.MAX_SAFE_INTEGER})`,
      parameters.values,
    ),
  )
  return rows.map(decodeEntry).sort((a, b) => a.seq - b.seq || compareIds(ownerKey(a.scope), ownerKey(b.scope)))
}

export async function journalEnds(session: Session, call: Call): Promise<JournalEnd[]> {
  const rows = await session.database.transaction(call, 'read', (query) =>
    query('SELECT key, journal_seq FROM {owners} WHERE journal_seq > 0'),
  )
  return rows.map((row) => ({ owner: row.key as string, seq: row.journal_seq as number }))
}
