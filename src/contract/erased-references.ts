import type { JsonValue, MemoryRecord } from '../model/index.ts'
import type { JournalEntry } from './journal.ts'

/** The record with hashes where it named an erased one; the same object when it did not. @param hashes by id */
export function withoutReferences(record: MemoryRecord, hashes: ReadonlyMap<string, string>): MemoryRecord {
  const hashOf = (id: string) => hashes.get(id) ?? id
  const { supersedes, supersededBy, source } = record
  const refers = [supersedes, supersededBy, ...(source.from ?? [])].some((id) => id !== undefined && hashes.has(id))
  if (!refers) return record
  return {
    ...record,
    ...(supersedes === undefined ? {} : { supersedes: hashOf(supersedes) }),
    ...(supersededBy === undefined ? {} : { supersededBy: hashOf(supersededBy) }),
    ...(source.from === undefined ? {} : { source: { ...source, from: source.from.map(hashOf) } }),
  }
}

/** What an erase leaves of a journal line: the line itself, or it without the ids, actor and reason; null when it goes. */
export function withoutErased(entry: JournalEntry, ids: ReadonlySet<string>): JournalEntry | null {
  if (!entry.ids.some((id) => ids.has(id))) return entry
  const rest = entry.ids.filter((id) => !ids.has(id))
  const { actor: _, reason: __, ...bare } = entry
  return rest.length === 0 ? null : { ...bare, ids: rest }
}

/** Whether the result of a transaction names one of the ids, as a value or as a key. */
export function namesAny(value: JsonValue | undefined, ids: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return ids.has(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, item]) => ids.has(key) || namesAny(item, ids))
}
