import { BackendError, MnemeError } from '../../errors/index.ts'
import { runAsideOrThrow } from './aside.ts'
import { type Connection, readValue } from './connection.ts'
import type { SqliteRow } from './driver.ts'
import { dropZeros, isWorthCompacting } from './emptied.ts'
import { backendFailure, isBusy } from './failure.ts'
import { type RetryOptions, retryWhileBusy } from './retry.ts'
import type { Session } from './session.ts'

/** Looks like what a driver throws, for the one case in which SQLite reports a lock as a result. */
class CheckpointBusy extends Error {
  readonly code = 'SQLITE_BUSY'
}

const truncate = 'PRAGMA wal_checkpoint(TRUNCATE)'

function refuseBusy(row: SqliteRow | undefined): void {
  if (row?.busy === 1) throw new CheckpointBusy('another connection is reading an older state of the file')
}

/** Brings the WAL into the file and cuts it to nothing. @throws when another connection is in the way */
export function emptyWal(db: Connection): void {
  refuseBusy(db.sql(truncate).get())
}

function isPending(db: Connection): boolean {
  return readValue(db, "SELECT value FROM meta WHERE name = 'scrub'") === '1'
}

/** Rewrites the file without what is of no use, and empties the WAL. */
async function rewriteFile(session: Session): Promise<void> {
  const statements = [...dropZeros, 'VACUUM'].map((text) => ({ text, rows: false }))
  const rows = await runAsideOrThrow(session, [...statements, { text: truncate, rows: true }])
  refuseBusy(rows[0])
}

/** `:memory:` has no file; elsewhere the mark stays until all is done. */
async function scrubNow(session: Session): Promise<void> {
  const { path, writer } = session
  if (!isPending(writer)) return
  if (path !== ':memory:') await rewriteFile(session)
  writer.sql("UPDATE meta SET value = '0' WHERE name IN ('scrub', 'useless')").run()
}

function unfinished(cause: unknown): BackendError {
  return new BackendError({
    code: 'BACKEND_TIMEOUT',
    message:
      'sqlite store: erase: the records are erased, but another process holds the file, so that unused parts of it may hold their bytes yet. Erase once more, or open the file alone; verify tells when it is done.',
    cause,
  })
}

/**
 * After an erase: rewrites the file without its unused parts and empties the WAL, so that no byte of what was erased is
 * left in them. Takes as long as copying the file, in another thread where the driver can be loaded there.
 * @throws BackendError BACKEND_TIMEOUT when other processes did not let go of the file; the next erase or `open` tries again
 */
export async function scrubFile(session: Session, options: Omit<RetryOptions, 'timeoutMs'>): Promise<void> {
  const timeoutMs = session.busyTimeoutMs
  try {
    await session.writes(() => retryWhileBusy({ ...options, timeoutMs }, () => scrubNow(session)))
  } catch (error) {
    throw MnemeError.is(error, 'BACKEND_TIMEOUT') ? unfinished(error) : error
  }
}

/**
 * One try, at open: an erase whose process ended too early is finished, and room is won back where that is worth it.
 * `verify` tells when an erase could not be finished.
 */
export async function finishScrub(session: Session): Promise<void> {
  const { path, writer } = session
  try {
    await scrubNow(session)
    if (path === ':memory:' || !isWorthCompacting(writer)) return
    await rewriteFile(session)
    writer.sql("UPDATE meta SET value = '0' WHERE name = 'useless'").run()
  } catch (error) {
    if (!isBusy(error)) throw backendFailure('open', error)
  }
}
