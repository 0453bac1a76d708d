import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { MnemeError } from '../../../errors/index.ts'
import { allScopes } from '../../../model/index.ts'
import { put, transaction } from '../../../testing/index.ts'
import { hasSafeWal, type SqliteDriver } from '../driver.ts'
import { sqlite, sqliteDrivers } from '../index.ts'
import { type DriverSource, resolveDriver } from './resolve.ts'

let folder: string
let real: SqliteDriver
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-sqlite-drivers-'))
  real = (await resolveDriver()).driver
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The real driver, but for the version its library says it has. */
function pretending(version: string, name = `sqlite ${version}`): SqliteDriver {
  return {
    name,
    open(path) {
      const connection = real.open(path)
      const prepare = (sql: string) =>
        connection.prepare(sql.includes('sqlite_version()') ? `SELECT '${version}' AS version` : sql)
      return { exec: (sql) => connection.exec(sql), prepare, close: () => connection.close() }
    },
  }
}

const source = (driver: SqliteDriver): DriverSource => ({ name: driver.name, load: async () => driver })
const broken: DriverSource = {
  name: 'broken',
  load: async () => {
    throw new Error('no such library.')
  },
}

async function refusal(work: Promise<unknown>): Promise<MnemeError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  assert.ok(MnemeError.is(error), `expected a refusal, got ${String(error)}`)
  return error
}

/** 1: a rollback journal, 2: WAL. */
async function journalByte(path: string): Promise<number | undefined> {
  return (await readFile(path))[18]
}

describe('choice of a driver', () => {
  it('[SQL-1] knows which SQLite versions can lose commits in WAL mode', () => {
    for (const version of ['3.7.0', '3.40.1', '3.44.5', '3.45.1', '3.50.6', '3.51.0', '3.51.2']) {
      assert.equal(hasSafeWal(version), false, version)
    }
    for (const version of ['3.44.6', '3.50.7', '3.51.3', '3.52.0', '3.53.4', '4.0.0']) {
      assert.equal(hasSafeWal(version), true, version)
    }
  })

  it('[SQL-1] prefers a driver with a sound library to an earlier one, takes an unsound one before none', async () => {
    const [old, sound] = [pretending('3.45.1'), pretending('3.51.3')]
    assert.equal((await resolveDriver(undefined, [broken, source(old), source(sound)])).driver, sound)
    assert.deepEqual(await resolveDriver(undefined, [broken, source(old)]), {
      driver: old,
      sqliteVersion: '3.45.1',
      safeWal: false,
    })
    const error = await refusal(resolveDriver(undefined, [broken, source(pretending('3.31.1'))]))
    assert.equal(error.code, 'DRIVER_MISSING')
    assert.match(error.message, /broken: no such library.*SQLite 3\.31\.1 is older/)
  })

  it('[SQL-1] tells for a diagnosis which drivers there are, which library each has, and why one is missing', async () => {
    const [builtIn, prebuilt, ...others] = await sqliteDrivers()
    assert.deepEqual(others, [])
    assert.ok(builtIn && prebuilt)
    assert.equal(builtIn.name, 'node:sqlite')
    assert.equal(builtIn.available, process.getBuiltinModule('node:sqlite') !== undefined)
    assert.equal(builtIn.reason === undefined, builtIn.available)
    assert.equal(prebuilt.name, '@photostructure/sqlite')
    assert.equal(prebuilt.available, true)
    assert.match(prebuilt.sqliteVersion ?? '', /^3\.\d+\.\d+$/)
    const [given] = await sqliteDrivers(pretending('3.45.1'))
    assert.deepEqual(given, { name: 'sqlite 3.45.1', available: true, sqliteVersion: '3.45.1', safeWal: false })
  })

  it('[SQL-1] takes the driver that is passed in: a class like that of better-sqlite3, or one of the own shape', async () => {
    const { DatabaseSync } = await import('@photostructure/sqlite')
    for (const driver of [DatabaseSync as unknown as new (path: string) => never, real]) {
      const store = sqlite({ path: ':memory:', driver })
      await store.open()
      await store.commit(transaction({ id: 't', at: 1, changes: [put({ id: 'a' })] }))
      assert.ok((await store.get(allScopes(), ['a']))[0])
      await store.close()
    }
  })
})

describe('a library with the WAL-reset bug', () => {
  const unsound = pretending('3.45.1')

  it('[SQL-2] is used without WAL, on a new file and on one that was left in WAL', async () => {
    const path = join(folder, 'unsound.db')
    const first = sqlite({ path, driver: unsound })
    await first.open()
    await first.commit(transaction({ id: 't1', at: 1, changes: [put({ id: 'a' })] }))
    assert.equal(await journalByte(path), 1)
    await first.close()

    // Without prepared statements every driver lets go of the file at once.
    const sound = real.open(path)
    sound.exec('PRAGMA journal_mode = WAL')
    sound.close()
    assert.equal(await journalByte(path), 2)

    await first.open()
    assert.equal(await journalByte(path), 1)
    assert.ok((await first.get(allScopes(), ['a']))[0])
    await first.close()
  })

  it('[SQL-2] is refused where another connection holds the file in WAL, also when that comes later', async () => {
    const path = join(folder, 'contested.db')
    const first = sqlite({ path, driver: unsound })
    await first.open()
    await first.close()
    const sound = real.open(path)
    sound.exec('PRAGMA journal_mode = WAL; SELECT count(*) FROM meta')
    const other = sqlite({ path, driver: unsound, busyTimeoutMs: 20 })
    const error = await refusal(other.open())
    assert.equal(error.code, 'BAD_CONFIG')
    assert.match(error.message, /WAL mode by another process/)

    sound.close()
    await other.open()
    await other.commit(transaction({ id: 't1', at: 1, changes: [put({ id: 'a' })] }))
    const later = sqlite({ path })
    await later.open()
    const late = await refusal(other.commit(transaction({ id: 't2', at: 1, changes: [put({ id: 'b' })] })))
    assert.equal(late.code, 'BAD_CONFIG')
    await other.close()
    assert.ok((await later.get(allScopes(), ['a']))[0])
    assert.deepEqual(await later.get(allScopes(), ['b']), [null])
    await later.close()
  })
})
