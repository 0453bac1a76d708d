import type { SqliteConnection, SqliteDriver, SqliteStatement } from '../driver.ts'

interface NativeDatabase {
  exec(sql: string): unknown
  /** Its counts and numbers are no bigint unless one asks for it. */
  prepare(sql: string): SqliteStatement
  close(): unknown
}

/** The class of `node:sqlite`, `@photostructure/sqlite` or `better-sqlite3`. */
export type DatabaseClass = new (path: string) => NativeDatabase

function adaptDatabase(database: NativeDatabase): SqliteConnection {
  return {
    exec: (sql) => {
      database.exec(sql)
    },
    prepare: (sql) => database.prepare(sql),
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
