import type { HotTombstone, StoredRecord } from '../../contract/index.ts'
import { formatInstant, type Scope, scopeFromKey, scopeKey } from '../../model/index.ts'
import { fromFloatBytes, toFloatBytes } from '../../vector/index.ts'
import type { Argument, Reply } from './driver.ts'

/** What is kept of an id. */
export type Entry =
  | { readonly lease: string; readonly stored: StoredRecord }
  | { readonly lease: string; readonly scope: Scope; readonly stored: null }

/** The fields of the hash, in the order in which they are asked for. */
export const fields = ['lease', 'gone', 'record', 'analysis', 'space', 'vector', 'uses', 'used'] as const

/** Fields and values of a record. */
export function recordFields({ record, analysis, vector }: StoredRecord, lease: string): readonly Argument[] {
  const { lastAccessedAt } = record
  const kept: (readonly [string, Argument])[] = [
    ['lease', lease],
    ['version', String(record.version)],
    ['record', JSON.stringify(record)],
    ['analysis', JSON.stringify(analysis)],
    ['uses', String(record.accessCount)],
    ['used', lastAccessedAt === undefined ? '' : String(Date.parse(lastAccessedAt))],
  ]
  if (vector !== null) {
    const bytes = toFloatBytes(vector.values)
    kept.push(['space', JSON.stringify(vector.space)])
    kept.push(['vector', Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)])
  }
  return kept.flat()
}

/** Fields and values of what a removed record leaves. */
export function tombstoneFields({ scope, version }: HotTombstone, lease: string): readonly Argument[] {
  return ['lease', lease, 'version', String(version), 'gone', scopeKey(scope)]
}

/** What `fields` gave; null when nothing is there, or nothing that can be read. */
export function readEntry(reply: Reply | undefined): Entry | null {
  const [lease, gone, record, analysis, space, vector, uses, used] = reply as readonly (Buffer | null)[]
  if (!lease) return null
  try {
    if (gone) return { lease: String(lease), scope: scopeFromKey(String(gone)), stored: null }
    if (!record || !analysis) return null
    const kept = JSON.parse(String(record)) as StoredRecord['record']
    const stored: StoredRecord = {
      record: {
        ...kept,
        accessCount: Number(uses),
        ...(used && used.length > 0 ? { lastAccessedAt: formatInstant(Number(used)) } : {}),
      },
      analysis: JSON.parse(String(analysis)) as StoredRecord['analysis'],
      vector: space && vector ? { space: JSON.parse(String(space)) as string, values: fromFloatBytes(vector) } : null,
    }
    return { lease: String(lease), stored }
  } catch (error) {
    // Not what was written here: as good as nothing, and the next put takes its place.
    if (error instanceof SyntaxError) return null
    throw error
  }
}
