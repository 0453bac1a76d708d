import { numbersIn } from './bytes.ts'

type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** The column itself, or a copy at least twice as long when `length` does not fit. */
export function withRoom<A extends Column | Float32Array>(column: A, length: number): A {
  if (length <= column.length) return column
  const larger = new (column.constructor as new (length: number) => A)(Math.max(length, 2 * column.length, 64))
  larger.set(column)
  return larger
}

const columnTypes = {
  /** A bit; 0 when nothing lives there (any more). */
  status: Uint8Array,
  scope: Uint32Array,
  kind: Uint32Array,
  /** Epoch milliseconds, infinite when it does not expire. */
  expiresAt: Float64Array,
  /** Event time, else creation; epoch milliseconds. */
  moment: Float64Array,
  /** Place in the order of first writes. */
  arrival: Uint32Array,
  /** Number of the actor plus 1; 0 for none. */
  actor: Uint32Array,
  shape: Uint32Array,
  version: Uint32Array,
  /** Sum of the term frequencies. */
  length: Uint32Array,
  /** Where the terms of the record end among the words of the segment. Those of the one before end where its own begin. */
  termEnd: Uint32Array,
  tokenEnd: Uint32Array,
  tokenCount: Uint32Array,
} as const

type ColumnName = keyof typeof columnTypes
/** What an index knows of each record of a segment, by place in it. */
export type Columns = { -readonly [Name in ColumnName]: InstanceType<(typeof columnTypes)[Name]> }

export const columnNames = Object.keys(columnTypes) as readonly ColumnName[]

/** Columns of zeros, or of what is in others as far as it goes. */
export function columnsOf(length: number, from?: Columns): Columns {
  const made = columnNames.map((name) => {
    const column = new columnTypes[name](length)
    if (from !== undefined) column.set(from[name].subarray(0, length))
    return [name, column] as const
  })
  return Object.fromEntries(made) as Columns
}

/** Columns over bytes, and where these end. Widest first, so that each is aligned. Null when the bytes are too few. */
export function columnsIn(bytes: Uint8Array, length: number): { columns: Columns; end: number } | null {
  const end = length * byWidth.reduce((sum, name) => sum + columnTypes[name].BYTES_PER_ELEMENT, 0)
  if (bytes.length < end) return null
  const lying = numbersIn(Float64Array, bytes)
  let at = lying.byteOffset
  const made = byWidth.map((name) => {
    const column = new columnTypes[name](lying.buffer as ArrayBuffer, at, length)
    at += column.byteLength
    return [name, column] as const
  })
  return { columns: Object.fromEntries(made) as Columns, end }
}

/** The order in which columns are written. */
export const byWidth: readonly ColumnName[] = [...columnNames].sort(
  (a, b) => columnTypes[b].BYTES_PER_ELEMENT - columnTypes[a].BYTES_PER_ELEMENT,
)
