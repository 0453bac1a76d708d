import type { HotTombstone, StoredRecord, StoredVector } from '../../contract/index.ts'
import { formatInstant, type MemoryRecord, type Scope, scopeFromKey, scopeKey } from '../../model/index.ts'
import { fromFloatBytes, toFloatBytes } from '../../vector/index.ts'
import type { Argument, Reply } from './driver.ts'

/** What is kept of an id. */
export type Entry =
  | { readonly lease: string; readonly stored: StoredRecord }
  | { readonly lease: string; readonly scope: Scope; readonly stored: null }

/** What a search needs to know of every entry, in a field of its own. */
interface Facts {
  readonly scope: Scope
  readonly createdAt: string
  readonly tags: readonly string[]
}

/** An entry among many, before it is read whole. */
export interface Candidate extends Facts {
  readonly lease: string
  /** Null where it was not asked for. */
  readonly record: MemoryRecord | null
  readonly vector: StoredVector | null
}

/** The fields of an entry that are read as a whole. */
export const entryFields = ['lease', 'gone', 'record', 'analysis', 'space', 'vector', 'uses', 'used'] as const
/** Those of a candidate: the last three only where a filter wants the record. */
export const candidateFields = ['lease', 'facts', 'space', 'vector', 'record', 'uses', 'used'] as const

type Value = Buffer | null | undefined

/** Fields and values of a record. */
export function recordFields({ record, analysis, vector }: StoredRecord, lease: string): readonly Argument[] {
  const { lastAccessedAt, scope, createdAt, tags } = record
  const facts: Facts = { scope, createdAt, tags }
  const kept: (readonly [string, Argument])[] = [
    ['lease', lease],
    ['version', String(record.version)],
    ['facts', JSON.stringify(facts)],
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

function readRecord(text: Buffer, uses: Value, used: Value): MemoryRecord {
  return {
    ...(JSON.parse(String(text)) as MemoryRecord),
    accessCount: Number(uses),
    ...(used && used.length > 0 ? { lastAccessedAt: formatInstant(Number(used)) } : {}),
  }
}

function readVector(space: Value, bytes: Value): StoredVector | null {
  return space && bytes ? { space: JSON.parse(String(space)) as string, values: fromFloatBytes(bytes) } : null
}

/** Null for what was not written here: it is as good as nothing, and the next put takes its place. */
function readable<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** What `entryFields` gave; null when nothing is there, or nothing that can be read. */
export function readEntry(reply: Reply | undefined): Entry | null {
  const [lease, gone, record, analysis, space, vector, uses, used] = reply as readonly Value[]
  if (!lease) return null
  if (gone) return readable(() => ({ lease: String(lease), scope: scopeFromKey(String(gone)), stored: null }))
  if (!record || !analysis) return null
  return readable(() => ({
    lease: String(lease),
    stored: {
      record: readRecord(record, uses, used),
      analysis: JSON.parse(String(analysis)) as StoredRecord['analysis'],
      vector: readVector(space, vector),
    },
  }))
}

/** The session that facts name. */
export function readSession(facts: Reply | undefined): string | undefined {
  return readable(() => (JSON.parse(String(facts)) as Facts).scope.sessionId) ?? undefined
}

/** What `candidateFields` gave; null for tombstones too. */
export function readCandidate(reply: Reply | undefined): Candidate | null {
  const [lease, facts, space, vector, record, uses, used] = reply as readonly Value[]
  if (!lease || !facts) return null
  return readable(() => ({
    ...(JSON.parse(String(facts)) as Facts),
    lease: String(lease),
    record: record ? readRecord(record, uses, used) : null,
    vector: readVector(space, vector),
  }))
}
