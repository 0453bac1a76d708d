import { SEGMENT_SLOTS } from './slots.ts'

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
  /** Creation, in milliseconds after the moment. */
  createdAfter: Float64Array,
  importance: Float64Array,
  reliability: Float64Array,
  /** Place in the order of first writes. */
  arrival: Uint32Array,
  /** Number of the actor plus 1; 0 for none. */
  actor: Uint32Array,
  shape: Uint32Array,
  /** Hash of the key; 0 where there is none to search for. */
  keyHash: Uint32Array,
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

const columnNames = Object.keys(columnTypes) as readonly ColumnName[]

/** Columns of zeros, or of what is in others as far as it goes. */
export function columnsOf(length: number, from?: Columns): Columns {
  const made = columnNames.map((name) => {
    const column = new columnTypes[name](length)
    if (from !== undefined) column.set(from[name].subarray(0, length))
    return [name, column] as const
  })
  return Object.fromEntries(made) as Columns
}

/** Columns that often say the same of all records, and nothing where there is none. */
const mayBeConstant: readonly ColumnName[] = [
  'scope',
  'kind',
  'expiresAt',
  'createdAfter',
  'importance',
  'reliability',
  'actor',
  'shape',
  'keyHash',
  'version',
]

/** What every record of a segment has in a column. */
export type Constants = { readonly [Name in ColumnName]?: number }

/** @param counts whether what a place says matters */
export function constantsOf(columns: Columns, counts: (place: number) => boolean): Constants {
  const places = Array.from(columns.status.keys()).filter(counts)
  const first = places[0]
  if (first === undefined) return {}
  const names = mayBeConstant.filter((name) => {
    const column = columns[name]
    return places.every((place) => column[place] === column[first])
  })
  return Object.fromEntries(names.map((name) => [name, columns[name][first]!]))
}

const MOST_SHARED = 256
const shared = new Map<string, Columns[ColumnName]>()

/** The columns with those of constants in memory once for all segments. They must not be written to. */
export function withConstants(columns: Partial<Columns>, constants: Constants): Columns {
  const length = columns.status!.length
  const made = Object.entries(constants).map(([name, value]) => {
    const key = `${name}:${value}`
    let column = shared.get(key)
    if (column === undefined || column.length < length) {
      column = new columnTypes[name as ColumnName](Math.max(length, SEGMENT_SLOTS)).fill(value)
      if (shared.size >= MOST_SHARED) shared.clear()
      shared.set(key, column)
    }
    return [name, column.subarray(0, length)] as const
  })
  return { ...columns, ...Object.fromEntries(made) } as Columns
}

/** The order in which columns are written: widest first, so that each is aligned. Constants are not. */
export function writtenColumns(constants: Constants): readonly ColumnName[] {
  const width = (name: ColumnName): number => columnTypes[name].BYTES_PER_ELEMENT
  return columnNames.filter((name) => constants[name] === undefined).sort((a, b) => width(b) - width(a))
}

/** Columns over the bytes of those that are not constant. Null when the bytes are not as many. */
export function columnsIn(bytes: Uint8Array, length: number, constants: Constants): Columns | null {
  const names = writtenColumns(constants)
  const size = length * names.reduce((sum, name) => sum + columnTypes[name].BYTES_PER_ELEMENT, 0)
  if (bytes.length !== size) return null
  const lying = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice()
  let at = lying.byteOffset
  const made = names.map((name) => {
    const column = new columnTypes[name](lying.buffer as ArrayBuffer, at, length)
    at += column.byteLength
    return [name, column] as const
  })
  return withConstants(Object.fromEntries(made) as Partial<Columns>, constants)
}
