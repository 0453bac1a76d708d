import { hash } from 'node:crypto'
import type { Analysis, TokenTable } from '../contract/index.ts'
import { isIndexed } from '../kinds/index.ts'
import type { RecordDraft } from '../model/index.ts'
import { shapeOf } from '../retrieval/index.ts'
import { denseText, lexicalText, termCounts } from '../text/index.ts'

/** Moves when terms or shapes change; `rebuild` then makes them anew. */
const analyserVersion = 1

/** Which analyser a record's analysis must come from. */
export function analyserId(table: TokenTable | null): string {
  return `mneme-${analyserVersion}+${table?.id ?? 'none'}`
}

/** Key-values are looked up, and searched only when they say so; reserved kinds are mneme's own bookkeeping. */
export function isSearched(record: Pick<RecordDraft, 'kind' | 'metadata'>): boolean {
  return record.kind === 'kv' ? isIndexed(record) : !record.kind.startsWith('_')
}

type Text = Pick<RecordDraft, 'kind' | 'metadata' | 'content' | 'source' | 'eventTime'>

/** What search needs to know about a record's text. */
export function analyse(record: Text, table: TokenTable | null): Analysis {
  if (!isSearched(record)) return { analyser: analyserId(table), terms: [], tokens: [], shape: 0 }
  const text = lexicalText({
    content: record.content,
    ...(record.source.actor === undefined ? {} : { actor: record.source.actor }),
    ...(record.eventTime === undefined ? {} : { when: record.eventTime }),
  })
  return {
    analyser: analyserId(table),
    terms: termCounts(text),
    tokens: table?.tokens(text) ?? [],
    shape: shapeOf(record.content),
  }
}

/** The text that is embedded: who said it and what, without the date. */
export function textToEmbed(record: Text): string {
  return denseText({
    content: record.content,
    ...(record.source.actor === undefined ? {} : { actor: record.source.actor }),
  })
}

/** True when both records have the same analysis and vector. */
export function sameText(a: Text, b: Text): boolean {
  return (
    a.content === b.content &&
    a.kind === b.kind &&
    isSearched(a) === isSearched(b) &&
    a.source.actor === b.source.actor &&
    a.eventTime?.start === b.eventTime?.start &&
    a.eventTime?.zone === b.eventTime?.zone &&
    a.eventTime?.granularity === b.eventTime?.granularity
  )
}

/**
 * Digest of what makes two memories of one scope and kind the same; null for those that never are (WRT-20).
 * Episodes are the same only when they happened at the same time.
 */
export function contentHash(record: Pick<RecordDraft, 'kind' | 'content' | 'key' | 'eventTime'>): string | null {
  if (record.kind === 'kv' || record.key !== undefined) return null
  const parts = [record.kind, record.content, record.kind === 'episodic' ? (record.eventTime?.start ?? null) : null]
  return hash('sha256', JSON.stringify(parts), 'base64url')
}
