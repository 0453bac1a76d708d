/** What is bound to a statement or comes out of one. Booleans are never bound: not every driver takes them. */
export type SqliteValue = null | number | string | Uint8Array

export type SqliteRow = Readonly<Record<string, SqliteValue>>

/** A prepared statement; values are bound by position. */
export interface SqliteStatement {
  /** For statements that return no rows. */
  run(...values: SqliteValue[]): { readonly changes: number }
  get(...values: SqliteValue[]): SqliteRow | undefined
  all(...values: SqliteValue[]): readonly SqliteRow[]
  iterate(...values: SqliteValue[]): Iterable<SqliteRow>
}

export interface SqliteConnection {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

/** A synchronous SQLite library, shaped after `node:sqlite`. */
export interface SqliteDriver {
  /** For messages and diagnosis; nothing branches on it. */
  readonly name: string
  /** A module that another thread can `require`, with the library's class as `DatabaseSync`; without it long statements hold the event loop. */
  readonly module?: string | undefined
  /** Opens or creates a file, or a database of its own for `:memory:`. */
  open(path: string): SqliteConnection
}

/** The version of the library behind a driver, such as `3.53.0`. */
export function sqliteVersion(driver: SqliteDriver): string {
  const connection = driver.open(':memory:')
  try {
    return String(connection.prepare('SELECT sqlite_version() AS version').get()?.version)
  } finally {
    connection.close()
  }
}

function parts(version: string): readonly [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return [major, minor, patch]
}

/**
 * False for SQLite 3.7.0 to 3.51.2, the patched 3.50.7+ and 3.44.6+ apart: two connections that write and checkpoint
 * at once can lose an acknowledged commit there (the WAL-reset bug).
 */
export function hasSafeWal(version: string): boolean {
  const [major, minor, patch] = parts(version)
  if (major !== 3) return major > 3
  if (minor === 50) return patch >= 7
  if (minor === 44) return patch >= 6
  return minor > 51 || (minor === 51 && patch >= 3)
}

/** STRICT tables and JSON functions without an extension: 3.38. */
export function isNewEnough(version: string): boolean {
  const [major, minor] = parts(version)
  return major > 3 || (major === 3 && minor >= 38)
}
