import type { Query } from '../database.ts'
import { type IndexEntry, indexRecords } from '../search/index.ts'
import type { Session } from '../session.ts'
import type { Draft, DraftRecord } from './draft.ts'

function entryOf({ id, owner, scope, num, content }: DraftRecord, session: Session): IndexEntry {
  const home = { id, owner, scope, isNew: num === null }
  if (content === null) return { ...home, stored: null, space: null }
  const { record, put } = content
  const { vector, analysis } = put
  const space = vector === null ? null : session.numbers.space(vector.space, vector.values.length)
  return { ...home, stored: { record, analysis, vector }, space }
}

/**
 * Sends what searches need to know of a transaction's records. Of new ones without waiting; what others were before has to be
 * read first.
 */
export async function indexDraft(
  query: Query,
  session: Session,
  draft: Draft,
  sent: Promise<unknown>[],
): Promise<void> {
  const entries = draft.records.map((record) => entryOf(record, session))
  const indexing = indexRecords(query, session.form, entries)
  sent.push(indexing)
  if (entries.some(({ isNew }) => !isNew)) await Promise.all(sent)
}
