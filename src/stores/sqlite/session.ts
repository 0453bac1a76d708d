import { SetupError } from '../../errors/index.ts'
import type { Checkpointer } from './checkpointer.ts'
import { type Connection, readValue } from './connection.ts'
import type { SqliteDriver } from './driver.ts'
import type { Waiting } from './group.ts'
import type { Known } from './known.ts'
import type { LogEnd } from './log.ts'
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
  /** What the writer knows of the file. */
  readonly known: Known
  /** Small commits that wait for the writer. */
  readonly waiting: Waiting[]
  /** True while the writer is within a transaction. */
  writing: boolean
  /** How many transactions the writer has begun. */
  begun: number
  /** Null until somebody asks. */
  end: LogEnd | null
  /** Null where the writer itself brings the WAL into the file, or there is none. */
  readonly checkpointer: Checkpointer | null
  /** Call when the connections are closed. */
  release(): void
}

export interface Call {
  readonly operation: string
  readonly signal?: AbortSignal | undefined
}

/** Runs work that only reads, with patience for other processes' locks. Commits may land where it yields. */
export function read<T>(session: Session, call: Call, work: (reader: Connection) => Work<T>): Promise<T> {
  return retryWhileBusy({ timeoutMs: session.busyTimeoutMs, ...call }, () =>
    runInTurns(work(session.reader), call.signal),
  )
}

/**
 * The same for a read of a few rows. Between writes the writer reads, because each commit costs the reader its cache of
 * pages.
 */
export function readAtOnce<T>(session: Session, call: Call, action: (reader: Connection) => T): Promise<T> {
  return retryWhileBusy({ timeoutMs: session.busyTimeoutMs, ...call }, () =>
    action(session.writing ? session.reader : session.writer),
  )
}

/** Why a file in WAL mode can't be shared with a library that has the WAL-reset bug. */
export function unsafeWal(driver: string, path: string): SetupError {
  return new SetupError({
    code: 'BAD_CONFIG',
    message: `sqlite store: ${path} is held open in WAL mode by another process, but the SQLite library of ${driver} has a fault that can lose commits there. Use one with SQLite 3.51.3 or later, or close the other process first.`,
    details: { path, driver },
  })
}

/** Call in one that is rolled back when this fails. */
function enter(session: Session): void {
  const { writer, known, safeWal, driver, path } = session
  session.begun++
  // Another process with a sound library may have put the file into WAL since; seen only once it is locked.
  if (!safeWal && readValue(writer, 'PRAGMA journal_mode') === 'wal') throw unsafeWal(driver.name, path)
  known.follow()
}

function rollBack({ writer, known }: Session): void {
  known.forget()
  try {
    writer.exec('ROLLBACK')
  } catch {
    // SQLite ends the transaction itself after some failures; the failure that led here is the one to report.
  }
}

/** One transaction without an interruption: all of the action's changes or none. Call where no other write is at work, and in no pause. */
export function transactAtOnce<T>(session: Session, action: (writer: Connection) => T): T {
  const { writer } = session
  writer.sql('BEGIN IMMEDIATE').run()
  try {
    enter(session)
    const result = action(writer)
    writer.sql('COMMIT').run()
    return result
  } catch (error) {
    rollBack(session)
    throw error
  }
}

async function transact<T>(session: Session, call: Call, work: (writer: Connection) => Work<T>): Promise<T> {
  const { writer, reader, checkpointer } = session
  // With one connection for all, an interruption would let reads see a half-done transaction.
  if (reader === writer) return transactAtOnce(session, (db) => runAtOnce(work(db)))
  await checkpointer?.pause()
  writer.sql('BEGIN IMMEDIATE').run()
  session.writing = true
  try {
    enter(session)
    const result = await runInTurns(work(writer), call.signal)
    writer.sql('COMMIT').run()
    return result
  } catch (error) {
    rollBack(session)
    throw error
  } finally {
    session.writing = false
  }
}

/** One transaction: all of the work's changes or none. Writes of a session run one after the other. */
export function write<T>(session: Session, call: Call, work: (writer: Connection) => Work<T>): Promise<T> {
  return session.writes(() => writeNow(session, call, work))
}

/** The same from within the queue of writes. */
export function writeNow<T>(session: Session, call: Call, work: (writer: Connection) => Work<T>): Promise<T> {
  return retryWhileBusy({ timeoutMs: session.busyTimeoutMs, ...call }, () => transact(session, call, work))
}
