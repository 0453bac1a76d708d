import { isReservedKind } from '../../contract/index.ts'
import type { SummaryItem } from '../../learning/index.ts'
import { type MemoryRecord, momentOf } from '../../model/index.ts'
import { summaryKind } from './kept-summary.ts'

/** What is looked up or carried out, and is no statement; and summaries, which are never summed up themselves. */
const unsaid: ReadonlySet<string> = new Set(['kv', 'tool', 'procedural', 'entity', summaryKind])

/** Whether a summary may be made from records of a kind. */
export function isSummedUp(kind: string): boolean {
  return !unsaid.has(kind) && !isReservedKind(kind)
}

/**
 * Whether a record may be in a kept summary: live, or archived because a summary stands for it; and not from a source that nobody
 * vouches for, as whoever reads a summary can't tell its sentences apart.
 */
export function isKept({ kind, status, trust, supersededBy, validTo }: MemoryRecord): boolean {
  const summedUp = status === 'archived' && supersededBy !== undefined && validTo === undefined
  return isSummedUp(kind) && trust !== 'untrusted' && (status === 'live' || summedUp)
}

export function summaryItem(record: MemoryRecord): SummaryItem {
  const { id, content, source, importance, pinned } = record
  return {
    from: [id],
    content,
    actor: source.actor,
    at: momentOf(record),
    importance: pinned ? 1 : importance,
  }
}
