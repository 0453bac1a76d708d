import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { matchesQuery } from '../../contract/index.ts'
import { type ErrorCode, MnemeError } from '../../errors/index.ts'
import { allScopes } from '../../model/index.ts'
import { put, transaction } from '../../testing/index.ts'
import { resolveDriver } from './drivers/resolve.ts'
import { type SqliteOptions, sqlite } from './index.ts'
import { checkOptions } from './options.ts'
import { applicationId, schemaVersion } from './schema.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-sqlite-open-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function refuses(work: Promise<unknown>, code: ErrorCode): Promise<MnemeError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  assert.ok(MnemeError.is(error, code), `expected ${code}, got ${String(error)}`)
  return error
}

const add = (id: string) => transaction({ id: `tx-${id}`, at: 1, changes: [put({ id })] })

/** Runs statements on a file, without mneme. */
async function execute(path: string, sql: string): Promise<void> {
  const connection = (await resolveDriver()).driver.open(path)
  connection.exec(sql)
  connection.close()
}

/** A file of ours with one record. */
async function makeFile(path: string): Promise<void> {
  const store = sqlite({ path })
  await store.open()
  await store.commit(add('a'))
  await store.close()
}

describe('path and options', () => {
  it('[SQL-3] writes nothing before open, makes missing folders, and once closed alone the file is whole without its side files', async () => {
    const path = join(folder, 'deep', 'er', 'new.db')
    const store = sqlite({ path })
    await assert.rejects(stat(join(folder, 'deep')))
    await store.open()
    await store.commit(add('a'))
    await store.close()
    const wal = await stat(`${path}-wal`).catch(() => null)
    assert.equal(wal?.size ?? 0, 0)
    const header = await readFile(path)
    assert.equal(header.toString('latin1', 0, 15), 'SQLite format 3')
    assert.equal(header.readUInt32BE(68), applicationId)
    assert.equal(header.readUInt32BE(60), schemaVersion)
    const copy = join(folder, 'copy.db')
    await copyFile(path, copy)
    const copied = sqlite({ path: copy })
    await copied.open()
    assert.ok((await copied.get(allScopes(), ['a']))[0])
    await copied.close()
  })

  it('[SQL-3] reads ~ as the home folder', () => {
    assert.equal(checkOptions({ path: '~/some/memory.db' }).path, join(homedir(), 'some', 'memory.db'))
    assert.equal(checkOptions({ path: './~' }).path, join(process.cwd(), '~'))
  })

  it('[SQL-3] refuses options that can not be meant as BAD_CONFIG', () => {
    const bad: unknown[] = [
      { path: '' },
      { path: ' ' },
      { path: 3 },
      {},
      { path: 'a\u0000b' },
      { path: 'a', durability: 'fast' },
      { path: 'a', busyTimeoutMs: -1 },
      { path: 'a', busyTimeoutMs: Number.NaN },
    ]
    for (const options of bad) {
      assert.throws(
        () => sqlite(options as SqliteOptions),
        (error) => MnemeError.is(error, 'BAD_CONFIG'),
      )
    }
  })

  it('[SQL-3] a path that is an address is refused and not shown: it would make a folder named by a password', () => {
    for (const path of ['postgres://ann:hunter2@db/app', 'bolt+s://ann:hunter2@db', 'sqlite:./hunter2.db']) {
      assert.throws(
        () => sqlite({ path }),
        (error) =>
          MnemeError.is(error, 'BAD_CONFIG') &&
          error.message.includes('MNEME_STORE') &&
          !error.message.includes('hunter2'),
      )
    }
    for (const path of ['C:/memory.db', 'a:b.db', ':memory:', './x//y.db']) sqlite({ path })
  })

  it('[SQL-3] refuses a folder, a file in place of a folder, and drivers that fail, and can be opened later', async () => {
    await refuses(sqlite({ path: folder }).open(), 'BAD_CONFIG')
    await writeFile(join(folder, 'plain'), 'x')
    await refuses(sqlite({ path: join(folder, 'plain', 'x.db') }).open(), 'BAD_CONFIG')
    const driver = {
      name: 'broken',
      open: () => {
        throw new Error('cannot load library')
      },
    }
    const error = await refuses(sqlite({ path: join(folder, 'never.db'), driver }).open(), 'DRIVER_MISSING')
    assert.match(error.message, /broken: cannot load library/)
    await assert.rejects(stat(join(folder, 'never.db')))

    const path = join(folder, 'later.db')
    await mkdir(path)
    const store = sqlite({ path })
    await refuses(store.open(), 'BAD_CONFIG')
    await refuses(store.get(allScopes(), ['a']), 'ENGINE_CLOSED')
    await rm(path, { recursive: true })
    await store.open()
    await store.close()
  })

  it('[SQL-3] keeps NORMAL durability in WAL, FULL when asked for', async () => {
    for (const durability of ['normal', 'full'] as const) {
      const seen: string[] = []
      const { driver } = await resolveDriver()
      const watched = {
        name: driver.name,
        open(path: string) {
          const connection = driver.open(path)
          const exec = (sql: string) => {
            seen.push(sql)
            connection.exec(sql)
          }
          return { exec, prepare: (sql: string) => connection.prepare(sql), close: () => connection.close() }
        },
      }
      const store = sqlite({ path: join(folder, `${durability}.db`), driver: watched, durability })
      await store.open()
      await store.close()
      assert.ok(seen.some((sql) => sql === `PRAGMA synchronous = ${durability.toUpperCase()}`))
    }
  })
})

describe('files that are not ours', () => {
  const foreign: Record<string, (path: string) => Promise<void>> = {
    'a text': (path) => writeFile(path, 'dear diary, '.repeat(100)),
    'a short file': (path) => writeFile(path, 'x'),
    'the database of another program': (path) => execute(path, 'CREATE TABLE notes (t); INSERT INTO notes VALUES (1)'),
    'the WAL database of another program': (path) =>
      execute(
        path,
        'PRAGMA journal_mode = WAL; CREATE TABLE notes (t); INSERT INTO notes VALUES (1); PRAGMA wal_checkpoint(TRUNCATE)',
      ),
    'a database with another application id': (path) => execute(path, 'PRAGMA application_id = 7'),
    'a damaged header': async (path) => {
      await makeFile(path)
      const bytes = await readFile(path)
      bytes.fill(0xff, 0, 16)
      await writeFile(path, bytes)
    },
  }
  for (const [what, make] of Object.entries(foreign)) {
    it(`[SQL-4] ${what} is refused as BAD_CONFIG and stays as it is, byte for byte`, async () => {
      const [workshop, home] = [await mkdtemp(join(folder, 'made-')), await mkdtemp(join(folder, 'foreign-'))]
      await make(join(workshop, 'x.db'))
      // Made elsewhere: a library may remove the side files of what it made at any later time.
      const path = join(home, 'x.db')
      await copyFile(join(workshop, 'x.db'), path)
      const before = await readFile(path)
      assert.ok(before.length > 0)
      const error = await refuses(sqlite({ path }).open(), 'BAD_CONFIG')
      assert.match(error.message, /Nothing was written/)
      assert.deepEqual(await readFile(path), before)
      assert.deepEqual(await readdir(home), ['x.db'])
    })
  }

  it('[SQL-4] a WAL of another program that was not brought into its file is not touched either', async () => {
    const home = await mkdtemp(join(folder, 'foreign-'))
    const path = join(home, 'x.db')
    const connection = (await resolveDriver()).driver.open(join(home, 'live.db'))
    connection.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (t); INSERT INTO notes VALUES (1)')
    // As it would be found after a crash of that program.
    await copyFile(join(home, 'live.db'), path)
    await copyFile(join(home, 'live.db-wal'), `${path}-wal`)
    connection.close()
    const before = [await readFile(path), await readFile(`${path}-wal`)]
    await refuses(sqlite({ path }).open(), 'BAD_CONFIG')
    assert.deepEqual([await readFile(path), await readFile(`${path}-wal`)], before)
  })

  it('[SQL-4] an empty file becomes ours', async () => {
    const path = join(folder, 'empty.db')
    await writeFile(path, '')
    await makeFile(path)
  })
})

describe('schema versions', () => {
  it('[SQL-5] a file of a later version is refused as CONTRACT_MISMATCH, says which, and stays as it is', async () => {
    const path = join(folder, 'newer.db')
    await makeFile(path)
    // All of it in the file: connections that live on until they are collected as garbage bring the WAL into it at any time.
    await execute(path, `PRAGMA user_version = ${schemaVersion + 41}; PRAGMA wal_checkpoint(TRUNCATE)`)
    const before = await readFile(path)
    assert.equal(before.readUInt32BE(60), schemaVersion + 41)
    const error = await refuses(sqlite({ path }).open(), 'CONTRACT_MISMATCH')
    assert.equal(error.details.version, schemaVersion + 41)
    assert.match(error.message, new RegExp(`version ${schemaVersion + 41}`))
    assert.deepEqual(await readFile(path), before)
  })

  it('[SQL-28] a file of an earlier version is brought to this one at its first opening, and finds what it held', async () => {
    const path = join(folder, 'earlier.db')
    const store = sqlite({ path })
    await store.open()
    const changes = [put({ id: 'a' }), put({ id: 'b', pinned: true }), put({ id: 'c', metadata: { pinned: true } })]
    await store.commit(transaction({ id: 'tx', at: 1, changes }))
    await store.close()
    await execute(path, 'DROP INDEX log_pinned; PRAGMA user_version = 1')
    const again = sqlite({ path })
    await again.open()
    const { items } = await again.list(allScopes(), { pinned: true, order: 'oldest', limit: 10 })
    // A store may select too much; the one evaluator knows.
    const found = items.filter((item) => matchesQuery({ pinned: true }, item))
    assert.deepEqual(
      found.map(({ record }) => record.id),
      ['b'],
    )
    await again.close()
    assert.equal((await readFile(path)).readUInt32BE(60), schemaVersion)
  })

  it('[SQL-5] a creation that was cut off leaves a file that opens', async () => {
    const path = join(folder, 'cut.db')
    const connection = (await resolveDriver()).driver.open(path)
    connection.exec(`BEGIN; CREATE TABLE meta (x); PRAGMA application_id = ${applicationId}`)
    connection.close()
    await makeFile(path)
  })
})
