import type { SqliteConnection, SqliteDriver, SqliteRow, SqliteStatement, SqliteValue } from '../driver.ts'

interface NativeStatement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint }
  get(...values: SqliteValue[]): unknown
  all(...values: SqliteValue[]): unknown[]
  iterate(...values: SqliteValue[]): Iterable<unknown>
}

interface NativeDatabase {
  exec(sql: string): unknown
  prepare(sql: string): NativeStatement
  close(): unknown
}

/** The class of `node:sqlite`, `@photostructure/sqlite` or `better-sqlite3`. */
export type DatabaseClass = new (path: string) => NativeDatabase

function adaptStatement(statement: NativeStatement): SqliteStatement {
  return {
    run: (...values) => ({ changes: Number(statement.run(...values).changes) }),
    get: (...values) => statement.get(...values) as SqliteRow | undefined,
    all: (...values) => statement.all(...values) as SqliteRow[],
    iterate: (...values) => statement.iterate(...values) as Iterable<SqliteRow>,
  }
}

function adaptDatabase(database: NativeDatabase): SqliteConnection {
  return {
    exec: (sql) => {
      database.exec(sql)
    },
    prepare: (sql) => adaptStatement(database.prepare(sql)),
    close: () => {
      // A connection of @photostructure/sqlite lives on, idle, until its statements were collected as garbage: that it
      // be small at least.
      database.exec('PRAGMA shrink_memory')
      database.close()
    },
  }
}

/** A driver from a database class. @param module where another thread finds the class */
export function driverFromClass(name: string, Database: DatabaseClass, module?: string): SqliteDriver {
  return { name, module, open: (path) => adaptDatabase(new Database(path)) }
}
