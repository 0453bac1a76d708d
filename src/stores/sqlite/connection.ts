import type { SqliteConnection, SqliteStatement } from './driver.ts'

/** A connection that prepares each statement once. */
export interface Connection {
  exec(sql: string): void
  /** The statement of this text. One text must not be iterated twice at once. */
  sql(text: string): SqliteStatement
  close(): void
}

export function cacheStatements(connection: SqliteConnection): Connection {
  const statements = new Map<string, SqliteStatement>()
  return {
    exec: (sql) => connection.exec(sql),
    sql(text) {
      let statement = statements.get(text)
      if (statement === undefined) {
        statement = connection.prepare(text)
        statements.set(text, statement)
      }
      return statement
    },
    close() {
      statements.clear()
      connection.close()
    },
  }
}

/** The first column of the first row; null when there is none. */
export function readValue(
  connection: Connection,
  text: string,
  ...values: Parameters<SqliteStatement['get']>
): string | number | Uint8Array | null {
  const row = connection.sql(text).get(...values)
  for (const column in row) return row[column] ?? null
  return null
}
