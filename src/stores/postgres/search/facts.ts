import type { MemoryRecord } from '../../../model/index.ts'
import { bareJson } from './bare-text.ts'

/** Fields that are not in the facts: too large, or counted on without a new version. */
export const notInFacts: ReadonlySet<string> = new Set(['content', 'data', 'accessCount', 'lastAccessedAt'])

/** What filters compare, as JSON: `m`, the metadata; `r`, the other fields of the record but those `notInFacts`. */
export function factsOf(record: MemoryRecord): string {
  const { metadata, ...fields } = record
  const kept = Object.entries(fields).filter(([name, value]) => value !== undefined && !notInFacts.has(name))
  return JSON.stringify({ m: bareJson(metadata), r: bareJson(Object.fromEntries(kept)) })
}
