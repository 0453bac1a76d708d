import { equalJson, isJsonObject, type JsonObject, type JsonValue, type Metadata } from '../../model/index.ts'
import type { Row } from './apollia-document.ts'

/** Where a record keeps what its row said in other words than it would be written with here. */
export const wordingKey = 'apollia-1'

/**
 * The fields of a row that would be written differently, as they were given and as they would be written. While a field is
 * still written so, the row says what it said: a time with another offset, a value that was no JSON text, a field of its own.
 */
export function wordingOf(
  given: Row,
  written: Row,
  { place, document }: { readonly place?: number | undefined; readonly document?: string | undefined },
): JsonObject | null {
  const differs = (field: string) =>
    !(Object.hasOwn(given, field) && Object.hasOwn(written, field)) ||
    !equalJson(given[field] as JsonValue, written[field] as JsonValue)
  const part = (row: Row) => Object.fromEntries(Object.entries(row).filter(([field]) => differs(field)))
  const wording = { given: part(given), written: part(written) }
  const nothing = Object.keys(wording.given).length + Object.keys(wording.written).length === 0
  if (nothing && place === undefined && document === undefined) return null
  return {
    ...wording,
    ...(place === undefined ? {} : { place }),
    ...(document === undefined ? {} : { document }),
  }
}

function objectIn(value: JsonValue | undefined): Row {
  return isJsonObject(value) ? value : {}
}

/** The row as it was given, where nothing of it has changed since. */
export function reworded(row: Row, metadata: Metadata): Row {
  const wording = objectIn(metadata[wordingKey])
  const given = objectIn(wording.given)
  const written = objectIn(wording.written)
  const unchanged = (field: string) =>
    Object.hasOwn(written, field)
      ? Object.hasOwn(row, field) && equalJson(row[field] as JsonValue, written[field] as JsonValue)
      : !Object.hasOwn(row, field)
  const kept = Object.entries(row).filter(([field]) => !(Object.hasOwn(written, field) && unchanged(field)))
  return Object.fromEntries([...kept, ...Object.entries(given).filter(([field]) => unchanged(field))])
}

/** The place of a row in its snapshot, where that does not follow from its times. */
export function placeOf(metadata: Metadata): number {
  const { place } = objectIn(metadata[wordingKey])
  return typeof place === 'number' ? place : Number.POSITIVE_INFINITY
}

/** The namespace of the snapshot that a row came from, where the row does not name it. */
export function documentOf(metadata: Metadata): string | undefined {
  const { document } = objectIn(metadata[wordingKey])
  return typeof document === 'string' ? document : undefined
}

export function withoutWording(metadata: Metadata): Metadata {
  const { [wordingKey]: _wording, ...own } = metadata
  return own
}
