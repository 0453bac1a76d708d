import { createRequire } from 'node:module'
import { SetupError } from '../../../errors/index.ts'
import { hasSafeWal, isNewEnough, type SqliteDriver, sqliteVersion } from '../driver.ts'
import { type DatabaseClass, driverFromClass } from './database-class.ts'

/** What a user may pass as a driver: one of our own shape, or the class of `better-sqlite3` and the like. */
export type DriverOption = SqliteDriver | DatabaseClass

/** A driver that could be used here, or the reason why it can't. */
export interface SqliteDriverReport {
  readonly name: string
  readonly available: boolean
  readonly sqliteVersion: string | null
  /** False where the library has the WAL-reset bug; such a driver is used only without WAL. */
  readonly safeWal: boolean
  /** Why the driver is not available. */
  readonly reason?: string
}

export interface ResolvedDriver {
  readonly driver: SqliteDriver
  readonly sqliteVersion: string
  readonly safeWal: boolean
}

/** A driver that may be there. */
export interface DriverSource {
  readonly name: string
  load(): Promise<SqliteDriver>
}

async function loadBuiltIn(): Promise<SqliteDriver> {
  const builtIn = process.getBuiltinModule('node:sqlite') as { DatabaseSync: DatabaseClass } | undefined
  if (builtIn === undefined) throw new Error(`Node ${process.versions.node} has no node:sqlite.`)
  return driverFromClass('node:sqlite', builtIn.DatabaseSync, 'node:sqlite')
}

/** Undefined in a bundle, which has no packages around it. */
function pathOf(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    return undefined
  }
}

async function loadPhotostructure(): Promise<SqliteDriver> {
  const name = '@photostructure/sqlite'
  const { DatabaseSync } = await import('@photostructure/sqlite')
  return driverFromClass(name, DatabaseSync as unknown as DatabaseClass, pathOf(name))
}

function fromOption(option: DriverOption): SqliteDriver {
  return typeof option === 'function' ? driverFromClass(option.name || 'driver', option) : option
}

function sources(option: DriverOption | undefined): readonly DriverSource[] {
  return option === undefined
    ? [
        { name: 'node:sqlite', load: loadBuiltIn },
        { name: '@photostructure/sqlite', load: loadPhotostructure },
      ]
    : [{ name: option.name || 'driver', load: async () => fromOption(option) }]
}

type Attempt = ResolvedDriver | { readonly name: string; readonly error: unknown }

async function attempt({ name, load }: DriverSource): Promise<Attempt> {
  try {
    const driver = await load()
    const version = sqliteVersion(driver)
    if (!isNewEnough(version)) throw new Error(`SQLite ${version} is older than 3.38.`)
    return { driver, sqliteVersion: version, safeWal: hasSafeWal(version) }
  } catch (error) {
    return { name, error }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The drivers of this installation in the order in which they are tried; for diagnosis. Never rejects. */
export async function sqliteDrivers(option?: DriverOption): Promise<readonly SqliteDriverReport[]> {
  const attempts = await Promise.all(sources(option).map(attempt))
  return attempts.map((result) =>
    'driver' in result
      ? {
          name: result.driver.name,
          available: true,
          sqliteVersion: result.sqliteVersion,
          safeWal: result.safeWal,
        }
      : { name: result.name, available: false, sqliteVersion: null, safeWal: false, reason: reasonOf(result.error) },
  )
}

/**
 * The first driver whose library has no WAL-reset bug, else the first there is; the given one when one is given.
 * @throws SetupError DRIVER_MISSING when none can be used
 */
export async function resolveDriver(
  option?: DriverOption,
  candidates: readonly DriverSource[] = sources(option),
): Promise<ResolvedDriver> {
  const failures: string[] = []
  let unsafe: ResolvedDriver | undefined
  let cause: unknown
  for (const source of candidates) {
    const result = await attempt(source)
    if ('error' in result) {
      failures.push(`${result.name}: ${reasonOf(result.error)}`)
      cause = result.error
    } else if (result.safeWal) return result
    else unsafe ??= result
  }
  if (unsafe !== undefined) return unsafe
  throw new SetupError({
    code: 'DRIVER_MISSING',
    message: `sqlite store: no SQLite library can be used. ${failures.join(' ')} Reinstall mneme's dependencies, use Node 22.13 or later, or pass better-sqlite3 as { driver }.`,
    cause,
  })
}
