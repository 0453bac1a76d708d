import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { MemoryStore } from '../src/contract/index.ts'
import { type ErrorCode, MnemeError } from '../src/errors/index.ts'
import { allScopes, exactly } from '../src/model/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { put, transaction, unitVector } from '../src/testing/index.ts'
import { buildChildren, type Children } from './fixtures/sqlite-children.ts'

let folder: string
let children: Children
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-sqlite-file-'))
  children = await buildChildren()
})
afterAll(async () => {
  await children.remove()
  await rm(folder, { recursive: true, force: true })
})

async function refuses(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  assert.ok(MnemeError.is(error, code), `expected ${code}, got ${String(error)}`)
}

const add = (id: string) => transaction({ id: `tx-${id}`, at: 1, changes: [put({ id })] })

async function listIds(store: MemoryStore): Promise<string[]> {
  return (await store.list(allScopes(), { order: 'oldest', limit: 10_000 })).items.map(({ record }) => record.id)
}

/** The file and what SQLite keeps beside it. */
async function rawBytes(path: string): Promise<string> {
  const names = (await readdir(join(path, '..'))).map((name) => join(path, '..', name))
  const parts = await Promise.all(names.filter((name) => name.startsWith(path)).map((name) => readFile(name)))
  return Buffer.concat(parts).toString('latin1')
}

describe('erase', () => {
  /** Words of a record that must be nowhere afterwards. */
  const traces = (i: number): [string, string, string, string, string] => [
    `secret${i}content`,
    `secret${i}id`,
    `secret${i}key`,
    `secret${i}meta`,
    `secret${i}tag`,
  ]
  const kept = (i: number) => `kept${i}content`

  async function filled(): Promise<{ readonly store: MemoryStore; readonly path: string; readonly ids: string[] }> {
    const path = join(await mkdtemp(join(folder, 'erase-')), 'x.db')
    const store = sqlite({ path })
    await store.open()
    const scope = { userId: 'secretuser', sessionId: 'secretsession' }
    const ids: string[] = []
    for (let i = 0; i < 150; i++) {
      const [content, id, key, meta, tag] = traces(i)
      ids.push(id)
      // Of all sizes, in between what stays, changed, linked and read, so that pages are split and joined.
      const secret = (version: number) =>
        put(
          {
            id,
            key,
            scope,
            content: `${content} ${'x '.repeat(((i * 37) % 40) * 100)} ${version}`,
            metadata: { meta },
            tags: [tag],
            source: { type: 'user', actor: `${content}actor` },
          },
          { vector: unitVector([1, i]) },
        )
      const other = put({ id: `kept${i}`, scope: { userId: 'other' }, content: `${kept(i)} ${'y '.repeat(i * 9)}` })
      const link = { from: id, to: `kept${i}`, type: 'x', weight: 1, metadata: { meta } }
      const line = { op: 'write' as const, verb: 'add', ids: [id], scope, reason: content }
      await store.commit(
        transaction({
          id: `tx-${i}`,
          at: 1,
          actor: `${content}who`,
          reason: `${content}why`,
          result: { id },
          idempotency: { scope, key: `${key}idem`, digest: 'd', expiresAt: 10 },
          changes: [secret(1), other, { type: 'link', link }, { type: 'journal', line }],
        }),
      )
      if (i % 3 === 0) await store.commit(transaction({ id: `tx-${i}-2`, at: 2, changes: [secret(2)] }))
    }
    return { store, path, ids }
  }

  async function assertGone(path: string): Promise<void> {
    const bytes = await rawBytes(path)
    for (let i = 0; i < 150; i++) {
      for (const trace of traces(i)) assert.ok(!bytes.includes(trace), `${trace} is still in the file`)
      assert.ok(bytes.includes(kept(i)), `${kept(i)} is not in the file`)
    }
    for (const trace of ['secretuser', 'secretsession']) assert.ok(!bytes.includes(trace), `${trace} is in the file`)
  }

  it('[SQL-12] leaves no byte of content, id, key, scope, actor or reason in the file or beside it', async () => {
    const { store, path, ids } = await filled()
    assert.ok((await rawBytes(path)).includes('secret7content'))
    const counts = await store.erase(exactly({ userId: 'secretuser', sessionId: 'secretsession' }), ids)
    assert.equal(counts.records, 150)
    await assertGone(path)
    assert.deepEqual(await store.verify(), [])
    await store.close()
    await assertGone(path)
  })

  it('[SQL-12] that was held up by another process is finished by the next open; verify tells until then', async () => {
    const { store, path, ids } = await filled()
    await store.close()
    const reader = children.start('read-on', path)
    assert.equal(await reader.nextLine(), 'ready')
    const hasty = sqlite({ path, busyTimeoutMs: 30 })
    await hasty.open()
    await refuses(hasty.erase(allScopes(), ids), 'BACKEND_TIMEOUT')
    assert.deepEqual(
      (await hasty.verify()).map(({ code }) => code),
      ['ERASE_UNFINISHED'],
    )
    assert.ok((await hasty.get(allScopes(), ids)).every((stored) => stored === null))
    await hasty.close()
    reader.tell()
    assert.equal(await reader.ended, 0)
    await hasty.open()
    await assertGone(path)
    assert.deepEqual(await hasty.verify(), [])
    await hasty.close()
  })
})

describe('backup', () => {
  it('[SQL-13] is a whole copy of one moment, made while commits go on, that opens as a store', async () => {
    const store = sqlite({ path: join(folder, 'busy.db') })
    await store.open()
    for (let i = 0; i < 50; i++) await store.commit(add(`before-${i}`))
    const target = join(folder, 'copies', 'copy.db')
    const during = Array.from({ length: 20 }, (_, i) => store.commit(add(`during-${i}`)))
    await store.backup?.(target)
    await Promise.all(during)
    await store.commit(add('after'))

    const copy = sqlite({ path: target })
    await copy.open()
    const ids = await listIds(copy)
    assert.ok(ids.filter((id) => id.startsWith('before-')).length === 50 && !ids.includes('after'))
    assert.deepEqual(await copy.verify(), [])
    await copy.commit(add('own'))
    assert.ok(!(await listIds(store)).includes('own'))
    assert.deepEqual(
      await readdir(join(folder, 'copies')).then((names) => names.filter((name) => name.endsWith('.tmp'))),
      [],
    )
    await copy.close()
    await store.close()
  })

  it('[SQL-13] never overwrites, and leaves nothing half-made', async () => {
    const home = await mkdtemp(join(folder, 'backup-'))
    const store = sqlite({ path: ':memory:' })
    await store.open()
    await store.commit(add('a'))
    const target = join(home, 'taken.db')
    await writeFile(target, 'mine')
    await refuses(store.backup?.(target) ?? Promise.resolve(), 'INVALID_ARGUMENT')
    assert.equal(await readFile(target, 'utf8'), 'mine')
    await refuses(store.backup?.(join(target, 'x.db')) ?? Promise.resolve(), 'BACKEND_FAILED')
    assert.deepEqual(await readdir(home), ['taken.db'])
    await store.backup?.(join(home, 'free.db'))
    const copy = sqlite({ path: join(home, 'free.db') })
    await copy.open()
    assert.deepEqual(await listIds(copy), ['a'])
    await copy.close()
    await store.close()
  })
})

describe('cursors', () => {
  it('[SQL-14] of another file, and of a course that a file put back to an earlier state did not take, are INVALID_CURSOR', async () => {
    const [one, two] = [sqlite({ path: join(folder, 'one.db') }), sqlite({ path: join(folder, 'two.db') })]
    await one.open()
    await two.open()
    await one.commit(add('a'))
    await two.commit(add('a'))
    const start = (await one.log(null, { limit: 0 })).cursor
    const afterA = await one.head()
    for (const cursor of [start, afterA]) await refuses(two.log(cursor), 'INVALID_CURSOR')

    await one.backup?.(join(folder, 'earlier.db'))
    await one.commit(add('b'))
    const afterB = await one.head()
    await one.close()
    await rm(join(folder, 'one.db'))
    await copyFile(join(folder, 'earlier.db'), join(folder, 'restored.db'))
    const restored = sqlite({ path: join(folder, 'restored.db') })
    await restored.open()
    assert.deepEqual((await restored.log(afterA)).entries, [])
    await refuses(restored.log(afterB), 'INVALID_CURSOR')
    await restored.commit(add('c'))
    await refuses(restored.log(afterB), 'INVALID_CURSOR')
    assert.equal((await restored.log(afterA)).entries.length, 1)
    await restored.close()
    await two.close()
  })
})

describe('the event loop', () => {
  it('[SQL-18] goes on turning during long commits and lists, and reads see none of a commit before its end', async () => {
    const store = sqlite({ path: join(folder, 'long.db') })
    await store.open()
    const changes = Array.from({ length: 5000 }, (_, i) => put({ id: `r${i}`, content: 'lorem ipsum '.repeat(40) }))
    let turns = 0
    const seen = new Set<number>()
    let done = false
    const commit = store.commit(transaction({ id: 'tx', at: 1, changes })).then(() => {
      done = true
    })
    while (!done) {
      const page = await store.list(allScopes(), { order: 'oldest', limit: 10 })
      if (!done) seen.add(page.items.length)
      await new Promise((resolve) => setImmediate(resolve))
      turns++
    }
    await commit
    assert.ok(turns > 2, `${turns} turns during a commit of 5,000 records`)
    assert.ok(seen.has(0))
    assert.ok([...seen].every((length) => length === 0 || length === 10))

    turns = 0
    const count = () => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    assert.equal((await listIds(store)).length, 5000)
    clearImmediate(timer)
    assert.ok(turns > 2, `${turns} turns during a list of 5,000 records`)
    await store.close()
  })

  it('[SQL-18] goes on turning while a large file is verified, copied and erased from', {
    timeout: 60_000,
  }, async () => {
    const path = join(folder, 'large.db')
    const store = sqlite({ path })
    await store.open()
    for (let i = 0; i < 15; i++) {
      const changes = Array.from({ length: 100 }, (_, j) =>
        put({ id: `r${i}-${j}-doomed`, content: `${'lorem ipsum '.repeat(600)} ${i}` }),
      )
      await store.commit(transaction({ id: `tx-${i}`, at: 1, changes }))
    }
    const turnsDuring = async (work: Promise<unknown> | undefined) => {
      let turns = 0
      const count = () => {
        turns++
        timer = setImmediate(count)
      }
      let timer = setImmediate(count)
      await work
      clearImmediate(timer)
      return turns
    }
    const target = join(folder, 'large-copy.db')
    assert.ok((await turnsDuring(store.verify())) > 10)
    assert.ok((await turnsDuring(store.backup?.(target))) > 10)
    assert.ok((await turnsDuring(store.erase(allScopes(), ['r3-3-doomed']))) > 10)
    assert.ok(!(await rawBytes(path)).includes('r3-3-doomed'))
    assert.deepEqual(await store.verify(), [])
    await store.close()
    const copy = sqlite({ path: target })
    await copy.open()
    assert.equal((await listIds(copy)).length, 1500)
    await copy.close()
  })

  it('[SQL-18] an aborted commit leaves nothing, however far it was', async () => {
    const store = sqlite({ path: join(folder, 'aborted.db') })
    await store.open()
    const changes = Array.from({ length: 5000 }, (_, i) => put({ id: `r${i}` }))
    const controller = new AbortController()
    const commit = store.commit(transaction({ id: 'tx', at: 1, changes }), { signal: controller.signal })
    setImmediate(() => controller.abort(new Error('enough')))
    await assert.rejects(commit, /enough/)
    assert.deepEqual(await listIds(store), [])
    assert.deepEqual((await store.log(null)).entries, [])
    await store.commit(add('a'))
    assert.deepEqual(await store.verify(), [])
    await store.close()
  })
})
