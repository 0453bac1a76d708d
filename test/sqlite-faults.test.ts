import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, copyFile, mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { MemoryStore, StoredRecord } from '../src/contract/index.ts'
import { MnemeError } from '../src/errors/index.ts'
import { allScopes } from '../src/model/index.ts'
import { type SqliteDriver, sqlite } from '../src/stores/sqlite/index.ts'
import { put, transaction } from '../src/testing/index.ts'
import { buildChildren, type Children } from './fixtures/sqlite-children.ts'

let folder: string
let children: Children
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-sqlite-faults-'))
  await chmod(folder, 0o755)
  children = await buildChildren()
})
afterAll(async () => {
  await children.remove()
  await rm(folder, { recursive: true, force: true })
})

/** A record that fills some pages of its own. */
const big = (id: string) => put({ id, content: `${id} ${'lorem ipsum '.repeat(700)}` })
const add = (...ids: string[]) => transaction({ id: `tx-${ids[0]}`, at: 1, changes: ids.map(big) })

async function listed(store: MemoryStore): Promise<readonly StoredRecord[]> {
  return (await store.list(allScopes(), { order: 'oldest', limit: 10_000 })).items
}

describe('a file that can only be read', () => {
  it('[SQL-8] is read; a write is BACKEND_FAILED and says so', async () => {
    const home = await mkdtemp(join(folder, 'readonly-'))
    await chmod(home, 0o777)
    const path = join(home, 'x.db')
    const store = sqlite({ path })
    await store.open()
    await store.commit(add('a'))
    await store.close()
    await chmod(path, 0o444)
    // Permissions do not bind root: the child is nobody then.
    const child = children.startAs(process.getuid?.() === 0 ? 65_534 : undefined, 'read-only', path)
    const { found, refused, message, problems } = JSON.parse(await child.nextLine())
    assert.deepEqual({ found, refused, problems }, { found: ['a'], refused: 'BACKEND_FAILED', problems: [] })
    assert.match(message, /can only be read/)
    assert.equal(await child.ended, 0)
  })
})

describe('a full disk', () => {
  /** Lets every connection grow the file to so many pages only: what SQLite then says is what it says of a full disk. */
  async function limited(pages: () => number): Promise<SqliteDriver> {
    const { DatabaseSync } = await import('@photostructure/sqlite')
    return {
      name: 'limited',
      open(path) {
        const database = new DatabaseSync(path)
        return {
          exec: (sql) => {
            if (sql.startsWith('BEGIN')) database.exec(`PRAGMA max_page_count = ${pages()}`)
            database.exec(sql)
          },
          prepare(sql) {
            const statement = database.prepare(sql)
            return {
              run: (...values) => {
                if (sql.startsWith('BEGIN')) database.exec(`PRAGMA max_page_count = ${pages()}`)
                return { changes: Number(statement.run(...values).changes) }
              },
              get: (...values) => statement.get(...values) as never,
              all: (...values) => statement.all(...values) as never,
              iterate: (...values) => statement.iterate(...values) as never,
            }
          },
          close: () => database.close(),
        }
      },
    }
  }

  it('[SQL-10] refuses the write as a whole, says so, goes on reading, and writes again once there is room', async () => {
    let pages = 200
    const store = sqlite({ path: join(folder, 'full.db'), driver: await limited(() => pages) })
    await store.open()
    const acknowledged: string[] = []
    let refused: unknown
    for (let i = 0; refused === undefined && i < 100; i++) {
      const ids = [`${i}-a`, `${i}-b`, `${i}-c`]
      await store.commit(add(...ids)).then(
        () => acknowledged.push(...ids),
        (error: unknown) => {
          refused = error
        },
      )
    }
    assert.ok(MnemeError.is(refused, 'BACKEND_FAILED'), String(refused))
    assert.match(refused.message, /disk is full/)
    assert.equal(refused.details.failure, 'FULL')
    assert.ok(acknowledged.length > 0)
    const ids = (await listed(store)).map(({ record }) => record.id)
    assert.deepEqual(new Set(ids), new Set(acknowledged))
    assert.deepEqual(await store.verify(), [])

    pages = 100_000
    await store.commit(add('after'))
    assert.equal((await listed(store)).length, acknowledged.length + 1)
    await store.close()
  })

  const canMount = process.platform === 'linux' && process.getuid?.() === 0 && mounts()

  function mounts(): boolean {
    try {
      const probe = execFileSync('mktemp', ['-d']).toString().trim()
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe], { stdio: 'ignore' })
      execFileSync('umount', [probe])
      return true
    } catch {
      return false
    }
  }

  it.skipIf(!canMount)(
    '[SQL-10] the same on a real file system of one MiB (needs the right to mount one)',
    async () => {
      const disk = await mkdtemp(join(folder, 'disk-'))
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk])
      const store = sqlite({ path: join(disk, 'x.db') })
      try {
        await store.open()
        let acknowledged = 0
        let refused: unknown
        for (let i = 0; refused === undefined && i < 1000; i++) {
          await store.commit(add(`${i}-a`, `${i}-b`)).then(
            () => {
              acknowledged += 2
            },
            (error: unknown) => {
              refused = error
            },
          )
        }
        assert.ok(MnemeError.is(refused, 'BACKEND_FAILED'), String(refused))
        assert.equal((await listed(store)).length, acknowledged)
        execFileSync('mount', ['-o', 'remount,size=8m', disk])
        await store.commit(add('after'))
        assert.deepEqual(await store.verify(), [])
      } finally {
        await store.close()
        execFileSync('umount', ['-l', disk])
      }
    },
  )
})

describe('a damaged file', () => {
  const count = 60

  async function healthy(): Promise<string> {
    const path = join(await mkdtemp(join(folder, 'damaged-')), 'x.db')
    const store = sqlite({ path })
    await store.open()
    for (let i = 0; i < count; i++) await store.commit(add(`r${i}`))
    await store.close()
    return path
  }

  async function overwrite(path: string, from: number, bytes: Buffer): Promise<void> {
    const file = await open(path, 'r+')
    await file.write(bytes, 0, bytes.length, from)
    await file.close()
  }

  it('[SQL-11] verify names the damage of any one page, what can be read is still listed and nothing crashes', async () => {
    const original = await healthy()
    const pages = (await stat(original)).size / 4096
    const hidden: number[] = []
    for (let page = 1; page < pages; page += 2) {
      const path = `${original}-${page}`
      await copyFile(original, path)
      await overwrite(path, page * 4096, Buffer.alloc(4096, 0xa5))
      const store = sqlite({ path })
      try {
        await store.open()
      } catch (error) {
        // The page of the schema itself, or of what opening reads.
        assert.ok(MnemeError.is(error), String(error))
        continue
      }
      const found = await listed(store)
      for (const { record } of found) assert.deepEqual(record.content, big(record.id).record.content)
      hidden.push(count - found.length)
      const problems = await store.verify()
      assert.ok(problems.length > 0, `page ${page}: verify found nothing`)
      assert.ok(problems.every(({ message }) => !message.includes('lorem')))
      await store
        .get(allScopes(), ['r1', 'r2'])
        .catch((error: unknown) => assert.ok(MnemeError.is(error), String(error)))
      await store.log(null).catch((error: unknown) => assert.ok(MnemeError.is(error), String(error)))
      await store.close()
    }
    // A page holds a few records or a piece of one; only the page where the way to all contents begins costs them all.
    const worst = hidden.filter((lost) => lost > count / 4)
    assert.ok(worst.length <= 1, `single pages hid ${worst.join(', ')} of ${count} records`)
  })

  it('[SQL-11] damage inside a content is named with the id of the record, which reads leave out', async () => {
    const path = await healthy()
    const bytes = await readFile(path)
    const at = bytes.indexOf('r7 lorem')
    assert.ok(at > 0)
    await overwrite(path, at + 8, Buffer.from('"'))
    const store = sqlite({ path })
    await store.open()
    const problems = await store.verify()
    assert.ok(
      problems.some(({ code, id }) => code === 'CONTENT_DAMAGED' && id === 'r7'),
      JSON.stringify(problems),
    )
    assert.deepEqual(await store.get(allScopes(), ['r7']), [null])
    assert.equal((await listed(store)).length, count - 1)
    await store.close()
  })

  it('[SQL-11] a change from outside of what is kept twice is a problem', async () => {
    const path = await healthy()
    const { DatabaseSync } = await import('@photostructure/sqlite')
    const changes: Record<string, string> = {
      RECORD_MISMATCH: "UPDATE records SET importance = 0.9 WHERE id = 'r3'",
      LOG_MISMATCH: 'DELETE FROM log WHERE rev = 4 * 1048576',
      CLOCK_BEHIND: 'UPDATE owners SET last_at = 0',
      REFERENCE_BROKEN: 'DELETE FROM scopes',
      LINK_BROKEN: `INSERT INTO links VALUES ('r1', 'nobody', '"x"', '{}')`,
      JOURNAL_BROKEN: 'UPDATE owners SET journal_seq = 1',
      REVISION_ORDER:
        "INSERT INTO log (rev, id, version, gone, scope, kind, op) SELECT 1, id, 9, 1, scope, kind, op FROM log WHERE id = 'r6'",
    }
    for (const [code, sql] of Object.entries(changes)) {
      const changed = `${path}-${code}`
      await copyFile(path, changed)
      const database = new DatabaseSync(changed)
      database.exec(`PRAGMA foreign_keys = OFF; ${sql}`)
      database.close()
      const store = sqlite({ path: changed })
      await store.open()
      const problems = await store.verify()
      assert.ok(
        problems.some((problem) => problem.code === code),
        `${code}: ${JSON.stringify(problems)}`,
      )
      await store.close()
    }
  })
})
