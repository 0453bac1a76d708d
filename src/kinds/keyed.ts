import type { JsonObject, JsonValue, MemoryRecord } from '../model/index.ts'

/** The value of a keyed record: what was put, null included; of one that was added as a text, the text. */
export function keptValue({ data, content }: Pick<MemoryRecord, 'data' | 'content'>): JsonValue {
  return data === undefined ? content : data
}

/** A value by its name as a text to be searched: `home.city: Bremen`. */
export function entryText(key: string, value: JsonValue): string {
  return `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`
}

/** What marks a key-value that is searched. */
export const indexMark: JsonObject = { index: true }

/** True when a key-value is to be found by search. */
export function isIndexed({ metadata }: Pick<MemoryRecord, 'metadata'>): boolean {
  return metadata.index === true
}
