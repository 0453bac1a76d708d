import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { MemoryStore } from '../src/contract/index.ts'
import { allScopes } from '../src/model/index.ts'
import { type SqliteDriver, sqlite } from '../src/stores/sqlite/index.ts'
import { put, transaction } from '../src/testing/index.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-sqlite-checkpoints-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const require = createRequire(import.meta.url)

function driverWith(module: string): SqliteDriver {
  return { name: 'given', module, open: (path) => new DatabaseSync(path) as never }
}

const page = 4096
const transactions = 20
const each = 220

/** Some three pages a record: more than the WAL may hold. */
async function write(store: MemoryStore): Promise<void> {
  for (let tx = 0; tx < transactions; tx++) {
    const changes = Array.from({ length: each }, (_, i) =>
      put({ id: `r${tx}-${i}`, content: `<mark ${tx}-${i}> ${'lorem ipsum '.repeat(700)}` }),
    )
    await store.commit(transaction({ id: `t${tx}`, at: 1, changes }))
  }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

describe('a long WAL', () => {
  for (const [what, module] of [
    ['another thread', require.resolve('@photostructure/sqlite')],
    ['the writer where the driver cannot be loaded in another thread', 'no-such-module'],
  ] as const) {
    it(`[SQL-3] is brought into the file by ${what}; once closed the file is whole`, { timeout: 60_000 }, async () => {
      const path = join(folder, `${module === 'no-such-module' ? 'alone' : 'aside'}.db`)
      const store = sqlite({ path, driver: driverWith(module) })
      await store.open()
      await write(store)
      await store.close()
      assert.equal(await sizeOf(`${path}-wal`), 0)
      assert.ok((await sizeOf(path)) > transactions * each * 2 * page)
      await store.open()
      assert.deepEqual(await store.verify(), [])
      assert.ok((await store.get(allScopes(), [`r${transactions - 1}-0`]))[0])
      await store.close()
    })
  }

  for (const writers of [1, 2]) {
    it(`[SQL-25] begins anew while commits of ${writers} follow one another`, { timeout: 120_000 }, async () => {
      const path = join(folder, `anew-${writers}.db`)
      const stores = Array.from({ length: writers }, () => sqlite({ path }))
      for (const store of stores) await store.open()
      let longest = 0
      const write = async (store: MemoryStore, name: number) => {
        for (let i = 0; i < 6000; i++) {
          const id = `${name}-${i}`
          await store.commit(
            transaction({ id: `t${id}`, at: 1, changes: [put({ id, scope: { userId: `u${name}` } })] }),
          )
          if (i % 100 === 0) longest = Math.max(longest, await sizeOf(`${path}-wal`))
        }
      }
      await Promise.all(stores.map(write))
      for (const store of stores) await store.close()
      assert.ok(longest < writers * 35_000 * page, `the WAL had ${Math.round(longest / page)} pages`)
    })
  }

  it('[SQL-23] keeps nothing of what was deleted once the file is closed', { timeout: 60_000 }, async () => {
    const path = join(folder, 'deleted.db')
    const store = sqlite({ path })
    await store.open()
    await write(store)
    const ids = Array.from({ length: transactions }, (_, tx) => Array.from({ length: each }, (_, i) => `r${tx}-${i}`))
    const changes = ids.flat().map((id) => ({ type: 'remove' as const, op: 'delete' as const, id }))
    await store.commit(transaction({ id: 'last', at: 2, changes }))
    await store.close()
    for (const suffix of ['', '-wal']) {
      const bytes = await readFile(path + suffix).catch(() => Buffer.alloc(0))
      assert.ok(!bytes.includes('<mark '), `deleted content is in the file${suffix}`)
    }
  })
})
