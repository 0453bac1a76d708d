/** How the tables of a store are made. */
export interface TableOptions {
  /** Big tables are parted by hash of the owner into so many; 0 leaves them whole. */
  readonly partitions: number
}

/** A table that is parted by the hash of a column, where partitions are asked for. Names in braces are tables: `{records}`. */
export interface Parted {
  readonly name: string
  /** The column. */
  readonly by: string
  /** With constraints, as in CREATE TABLE. */
  readonly columns: string
  /** Storage parameters, such as `fillfactor = 80`. */
  readonly storage?: string
  /** Made after the table. */
  readonly after?: readonly string[]
}

/** The statements that make a table. */
export function partedTable(
  { name, by, columns, storage, after = [] }: Parted,
  { partitions }: TableOptions,
): readonly string[] {
  const head = `CREATE TABLE {${name}} (${columns})`
  const tail = storage === undefined ? '' : ` WITH (${storage})`
  if (partitions === 0) return [head + tail, ...after]
  const parts = Array.from(
    { length: partitions },
    (_, i) =>
      `CREATE TABLE {${name}_p${i}} PARTITION OF {${name}} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${i})${tail}`,
  )
  return [`${head} PARTITION BY HASH (${by})`, ...parts, ...after]
}
