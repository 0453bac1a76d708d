import { SetupError } from '../../errors/index.ts'
import { type Connection, readValue } from './connection.ts'
import type { SqliteDriver } from './driver.ts'
import { type Queue, retryWhileBusy } from './retry.ts'
import type { Scopes } from './scopes.ts'
import { runAtOnce, runInTurns, type Work } from './work.ts'

/** An open file. */
export interface Session {
  readonly driver: SqliteDriver
  /** Absolute, or `:memory:`. */
  readonly path: string
  readonly writer: Connection
  /** The writer itself where a second connection would see nothing (`:memory:`) or stand in the way (no WAL). */
  readonly reader: Connection
  readonly scopes: Scopes
  /** Random, made with the file: tells its cursors from another file's. */
  readonly identity: string
  /** Goes into the hashes of erased ids. */
  readonly salt: string
  readonly busyTimeoutMs: number
  /** False where the library's WAL must not be trusted. */
  readonly safeWal: boolean
  readonly writes: Queue
  /** Call when the connections are closed. */
  release(): void
}

export interface Call {
  readonly operation: string
  readonly signal?: AbortSignal | undefined
}

/** Runs work that only reads, with patience for other processes' locks. Commits may land where it yields. */
export function read<T>(session: Session, call: Call, work: (reader: Connection) => Work<T>): Promise<T> {
  return retryWhileBusy({ ...call, timeoutMs: session.busyTimeoutMs }, () =>
    runInTurns(work(session.reader), call.signal),
  )
}

/** The same for a read of a few rows. */
export function readAtOnce<T>(session: Session, call: Call, action: (reader: Connection) => T): Promise<T> {
  return retryWhileBusy({ ...call, timeoutMs: session.busyTimeoutMs }, () => action(session.reader))
}

function rollBack(writer: Connection): void {
  try {
    writer.exec('ROLLBACK')
  } catch {
    // SQLite ends the transaction itself after some failures; the failure that led here is the one to report.
  }
}

/** Why a file in WAL mode can't be shared with a library that has the WAL-reset bug. */
export function unsafeWal(driver: string, path: string): SetupError {
  return new SetupError({
    code: 'BAD_CONFIG',
    message: `sqlite store: ${path} is held open in WAL mode by another process, but the SQLite library of ${driver} has a fault that can lose commits there. Use one with SQLite 3.51.3 or later, or close the other process first.`,
    details: { path, driver },
  })
}

/** One transaction: all of the work's changes or none. Writes of a session run one after the other. */
export function write<T>(session: Session, call: Call, work: (writer: Connection) => Work<T>): Promise<T> {
  const { writer, reader, safeWal, driver, path } = session
  return session.writes(() =>
    retryWhileBusy({ ...call, timeoutMs: session.busyTimeoutMs }, async () => {
      writer.sql('BEGIN IMMEDIATE').run()
      try {
        // Another process with a sound library may have put the file into WAL since; seen only once it is locked.
        if (!safeWal && readValue(writer, 'PRAGMA journal_mode') === 'wal') throw unsafeWal(driver.name, path)
        // With one connection for all, an interruption would let reads see a half-done transaction.
        const result = reader === writer ? runAtOnce(work(writer)) : await runInTurns(work(writer), call.signal)
        writer.sql('COMMIT').run()
        return result
      } catch (error) {
        rollBack(writer)
        throw error
      }
    }),
  )
}
