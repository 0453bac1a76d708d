import { type MemoryRecord, matchesScope, type ScopeFilter } from '../../model/index.ts'
import { type Connection, readValue } from './connection.ts'
import type { Place } from './content.ts'
import type { SqliteRow } from './driver.ts'
import { hasContent } from './emptied.ts'
import { isCorrupt } from './failure.ts'
import { changeRow, transactionOf, transactionRow } from './schema.ts'
import type { Work } from './work.ts'

/** This many transactions in a row that can't be read are taken for the end: more than one damaged page can hide. */
const patience = 20_000

/** What the work gives, or null when damage is in the way. */
function tolerant<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (isCorrupt(error) || error instanceof SyntaxError) return null
    throw error
  }
}

/** Contents of one transaction, a row at a time where they can't be had at once. */
function contentsOf(db: Connection, seq: number): readonly SqliteRow[] | null {
  const first = changeRow(seq, 0)
  return tolerant(() =>
    db
      .sql(`SELECT rev, record FROM log WHERE rev BETWEEN ? AND ? AND ${hasContent('record')}`)
      .all(first, transactionRow(seq + 1) - 1),
  )
}

/** False when a later version is known, though its content can't be read. */
function isLast(db: Connection, id: string, rev: number): boolean {
  const last = tolerant(() => readValue(db, 'SELECT max(rev) FROM log WHERE id = ? AND version > 0', id))
  return last === null || last === rev
}

/**
 * Where the current contents are, found without any index by walking the log, passing over what lies on damaged pages.
 * What was read of them since is not known.
 */
export function* salvagePlaces(db: Connection, scope: ScopeFilter): Work<Place[]> {
  const latest = new Map<string, { readonly version: number; readonly rev: number }>()
  const end = tolerant(() => readValue(db, 'SELECT max(rev) FROM log')) as number | null
  const last = end === null ? null : transactionOf(end)
  for (let seq = 1, unreadable = 0; seq <= (last ?? Number.MAX_SAFE_INTEGER) && unreadable < patience; seq++) {
    const rows = contentsOf(db, seq)
    unreadable = rows === null || (last === null && rows.length === 0) ? unreadable + 1 : 0
    for (const row of rows ?? []) {
      const record = tolerant(() => JSON.parse(row.record as string) as MemoryRecord)
      if (record === null || !matchesScope(scope, record.scope)) continue
      const { id, version } = record
      if (version > (latest.get(id)?.version ?? 0)) latest.set(id, { version, rev: row.rev as number })
    }
    yield
  }
  return [...latest].filter(([id, { rev }]) => isLast(db, id, rev)).map(([, { rev }]) => ({ rev, access: null }))
}
