import { access, constants, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MnemeError, SetupError } from '../../errors/index.ts'
import { type Checkpointer, createCheckpointer, walPages } from './checkpointer.ts'
import { type Connection, cacheStatements, readValue } from './connection.ts'
import type { SqliteDriver } from './driver.ts'
import { type ResolvedDriver, resolveDriver } from './drivers/resolve.ts'
import { sqliteFailure } from './failure.ts'
import { checkHeader } from './header.ts'
import { holdFile } from './held-files.ts'
import { knownOf } from './known.ts'
import { checkVersion, foreignFile, migrate } from './migrate.ts'
import type { CheckedOptions } from './options.ts'
import { createQueue, retryWhileBusy } from './retry.ts'
import { schemaVersion } from './schema.ts'
import { followScopes } from './scopes.ts'
import { finishScrub } from './scrub-file.ts'
import { type Session, unsafeWal } from './session.ts'

/** SQLite's own waiting blocks the event loop, so it is short; `retryWhileBusy` waits the rest. */
const busyMilliseconds = 5

function connect(driver: SqliteDriver, path: string): Connection {
  const connection = cacheStatements(driver.open(path))
  try {
    // No mmap: with several processes it turns their faults into ours.
    connection.exec(
      `PRAGMA busy_timeout = ${busyMilliseconds}; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA mmap_size = 0; PRAGMA cache_size = -16000`,
    )
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

async function isWritable(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

async function prepareFolder(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
  } catch (cause) {
    throw new SetupError({
      code: 'BAD_CONFIG',
      message: `sqlite store: the folder of ${path} can't be made (${(cause as NodeJS.ErrnoException).code}). Choose another path.`,
      details: { path },
      cause,
    })
  }
}

/** Takes a file of ours out of WAL, for a library whose WAL must not be trusted. */
function leaveWal(writer: Connection, driver: SqliteDriver, path: string): void {
  try {
    // exec and not a prepared statement, before any other: a connection without statements can be closed at once.
    writer.exec('PRAGMA journal_mode = DELETE')
  } catch (error) {
    if (sqliteFailure(error) === 'BUSY') throw unsafeWal(driver.name, path)
    throw error
  }
}

/** @returns true in WAL mode */
function setJournalMode(writer: Connection, { safeWal }: ResolvedDriver, { durability }: CheckedOptions): boolean {
  const wal = safeWal && readValue(writer, 'PRAGMA journal_mode = WAL') === 'wal'
  // NORMAL is safe with WAL only: a rollback journal that did not reach the disk can cost the file.
  writer.exec(`PRAGMA synchronous = ${wal && durability === 'normal' ? 'NORMAL' : 'FULL'}`)
  writer.exec(`PRAGMA wal_autocheckpoint = ${walPages}; PRAGMA journal_size_limit = 67108864`)
  return wal
}

/** Null where the driver can't be loaded in another thread: then a writer does it after its commit. */
function checkpointerOf(writer: Connection, { module }: SqliteDriver, path: string): Checkpointer | null {
  if (module === undefined) return null
  writer.exec('PRAGMA wal_autocheckpoint = 0')
  return createCheckpointer(module, path, () => writer.exec(`PRAGMA wal_autocheckpoint = ${walPages}`))
}

function sessionOf(
  writer: Connection,
  reader: Connection,
  { driver, safeWal }: ResolvedDriver,
  { path, busyTimeoutMs }: CheckedOptions,
  release: () => void,
  checkpointer: Checkpointer | null = null,
): Session {
  const meta = (name: string) => String(readValue(reader, 'SELECT value FROM meta WHERE name = ?', name))
  return {
    driver,
    path,
    writer,
    reader,
    scopes: followScopes(reader),
    identity: meta('identity'),
    salt: meta('salt'),
    busyTimeoutMs,
    safeWal: safeWal || path === ':memory:',
    writes: createQueue(),
    known: knownOf(writer),
    waiting: [],
    writing: false,
    begun: 0,
    end: null,
    checkpointer,
    release,
  }
}

function openMemory(resolved: ResolvedDriver, options: CheckedOptions): Session {
  const connection = connect(resolved.driver, ':memory:')
  migrate(connection, options.path)
  return sessionOf(connection, connection, resolved, options, () => {})
}

/** A file that may not be written: what is there can be read, if it is of this version. */
function openReadOnly(resolved: ResolvedDriver, options: CheckedOptions): Session {
  const connection = connect(resolved.driver, options.path)
  const release = holdFile(options.path)
  try {
    if (checkVersion(connection, options.path) !== schemaVersion) {
      throw foreignFile(options.path, "can't be written, but is empty or has to be migrated")
    }
    return sessionOf(connection, connection, resolved, options, release)
  } catch (error) {
    connection.close()
    release()
    throw error
  }
}

function openFile(resolved: ResolvedDriver, options: CheckedOptions): Session {
  const writer = connect(resolved.driver, options.path)
  const release = holdFile(options.path)
  let reader = writer
  try {
    if (!resolved.safeWal) leaveWal(writer, resolved.driver, options.path)
    migrate(writer, options.path)
    let checkpointer: Checkpointer | null = null
    if (setJournalMode(writer, resolved, options)) {
      checkpointer = checkpointerOf(writer, resolved.driver, options.path)
      reader = connect(resolved.driver, options.path)
      reader.exec('PRAGMA query_only = ON')
    }
    return sessionOf(writer, reader, resolved, options, release, checkpointer)
  } catch (error) {
    if (reader !== writer) reader.close()
    writer.close()
    release()
    throw error
  }
}

/** What the file system or SQLite have against the file, as a SetupError; everything else as it is. */
function asSetupError(path: string, error: unknown): unknown {
  if (sqliteFailure(error) === 'NOTADB') return foreignFile(path, 'is not a database, or its first page is damaged')
  const code = (error as NodeJS.ErrnoException).code
  if (MnemeError.is(error) || typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return error
  return new SetupError({
    code: 'BAD_CONFIG',
    message: `sqlite store: ${path} can't be opened (${code}). Check that it is a file and its permissions.`,
    details: { path },
    cause: error,
  })
}

/** Creates, migrates or opens. Nothing is written to a file that is not ours. */
export async function openSession(options: CheckedOptions, signal: AbortSignal | undefined): Promise<Session> {
  const { path, busyTimeoutMs } = options
  const resolved = await resolveDriver(options.driver)
  if (path === ':memory:') return openMemory(resolved, options)
  await prepareFolder(path)
  const writable = await isWritable(path)
  const open = writable ? openFile : openReadOnly
  const session = await retryWhileBusy({ operation: 'open', timeoutMs: busyTimeoutMs, signal }, () => {
    try {
      checkHeader(path)
      return open(resolved, options)
    } catch (error) {
      throw asSetupError(path, error)
    }
  })
  if (writable) await finishScrub(session)
  return session
}
