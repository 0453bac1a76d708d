import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { LoggedTransaction, MemoryStore, StoreChange, Transaction } from '../src/contract/index.ts'
import { MnemeError } from '../src/errors/index.ts'
import { allScopes } from '../src/model/index.ts'
import { memory } from '../src/stores/memory/index.ts'
import { type SqliteDriver, sqlite } from '../src/stores/sqlite/index.ts'
import { waitingIndex } from '../src/stores/sqlite/schema.ts'
import { put, transaction, unitVector } from '../src/testing/index.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-sqlite-writes-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The real driver, told of every statement that is run. */
async function watched(onRun: (sql: string) => void, pages?: number): Promise<SqliteDriver> {
  const { DatabaseSync } = await import('@photostructure/sqlite')
  return {
    name: 'watched',
    open(path) {
      const database = new DatabaseSync(path)
      if (pages !== undefined) database.exec(`PRAGMA max_page_count = ${pages}`)
      return {
        exec: (sql) => database.exec(sql),
        close: () => database.close(),
        prepare(sql) {
          const statement = database.prepare(sql)
          return {
            run(...values) {
              onRun(sql)
              return { changes: Number(statement.run(...values).changes) }
            },
            get: (...values) => statement.get(...values) as never,
            all: (...values) => statement.all(...values) as never,
            iterate: (...values) => statement.iterate(...values) as never,
          }
        },
      }
    },
  }
}

/** What became of a commit: its version numbers and time, or the code it was refused with. */
async function outcome(work: Promise<{ at: number; replayed: boolean; records: readonly { version: number }[] }>) {
  try {
    const { at, replayed, records } = await work
    return { at, replayed, versions: records.map(({ version }) => version) }
  } catch (error) {
    if (!MnemeError.is(error)) throw error
    // Which of several holders is named is left open.
    return { code: error.code, precondition: error.details.precondition }
  }
}

async function everything(store: MemoryStore): Promise<readonly Omit<LoggedTransaction, 'cursor'>[]> {
  const { entries } = await store.log(null)
  return entries.map(({ cursor: _, ...entry }) => entry)
}

const id = fc.constantFrom('a', 'b', 'c', 'd')
const change: fc.Arbitrary<StoreChange> = fc.oneof(
  fc
    .record({ id, key: fc.constantFrom('k', 'l'), status: fc.constantFrom('live', 'archived') })
    .map(({ id, key, status }) => put({ id, key, status }, { hash: `hash of ${key}` })),
  id.map((id): StoreChange => ({ type: 'remove', op: 'delete', id })),
  fc
    .tuple(id, id)
    .map(([from, to]): StoreChange => ({ type: 'link', link: { from, to, type: 'x', weight: 1, metadata: {} } })),
)
const scope = { userId: 'ann' }
const kind = 'semantic'
const requirement = fc.oneof(
  fc.record({
    type: fc.constant('version' as const),
    id,
    is: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 2 }),
  }),
  fc.record({
    type: fc.constant('noKey' as const),
    scope: fc.constant(scope),
    kind: fc.constant(kind),
    key: fc.constantFrom('k', 'l'),
  }),
  fc.record({
    type: fc.constant('noContent' as const),
    scope: fc.constant(scope),
    kind: fc.constant(kind),
    hash: fc.constantFrom('hash of k', 'hash of l'),
  }),
)
const commits = fc.array(
  fc.record({
    id: fc.integer({ min: 0, max: 12 }).map((n) => `t${n}`),
    at: fc.integer({ min: 0, max: 5 }),
    requires: fc.array(requirement, { maxLength: 6 }),
    changes: fc.array(change, { maxLength: 6 }),
    idempotency: fc.option(
      fc.record({
        scope: fc.constant(scope),
        key: fc.constantFrom('i', 'j'),
        digest: fc.constantFrom('d', 'e'),
        expiresAt: fc.constant(4),
      }),
      { nil: undefined },
    ),
  }),
  { minLength: 2, maxLength: 12 },
)

describe('commits that come at the same time', () => {
  it('[SQL-20] are each checked, refused, answered and logged as one after the other, though they share a transaction of SQLite', async () => {
    let begun = 0
    let given = 0
    const driver = await watched((sql) => {
      if (sql.startsWith('BEGIN')) begun++
    })
    await fc.assert(
      fc.asyncProperty(commits, async (all) => {
        const [store, model] = [sqlite({ path: ':memory:', driver }), memory()]
        await store.open()
        await model.open()
        const outcomes = await Promise.all(all.map((each) => outcome(store.commit(transaction(each)))))
        const expected: Awaited<ReturnType<typeof outcome>>[] = []
        for (const each of all) expected.push(await outcome(model.commit(transaction(each))))
        assert.deepEqual(outcomes, expected)
        assert.deepEqual(await everything(store), await everything(model))
        assert.deepEqual(await store.verify(), [])
        given += all.length
        await store.close()
        await model.close()
      }),
    )
    assert.ok(begun * 2 < given, `${begun} transactions of SQLite for ${given} commits`)
  })

  const small = (name: string): Transaction =>
    transaction({ id: `tx-${name}`, at: 1, changes: [put({ id: name, scope: { userId: name } })] })

  it('[SQL-20] are told only when they are on the disk; one that is given up is left out', async () => {
    let committed = 0
    const driver = await watched((sql) => {
      if (sql === 'COMMIT') committed++
    })
    const store = sqlite({ path: join(folder, 'told.db'), driver })
    await store.open()
    const controller = new AbortController()
    const before = committed
    const seen: number[] = []
    const works = Array.from({ length: 40 }, (_, i) =>
      store.commit(small(`r${i}`), i === 7 ? { signal: controller.signal } : {}).then(() => seen.push(committed)),
    )
    controller.abort(new Error('enough'))
    const settled = await Promise.allSettled(works)
    assert.deepEqual(
      settled.flatMap(({ status }, i) => (status === 'rejected' ? [i] : [])),
      [7],
    )
    assert.ok(seen.every((count) => count > before))
    assert.ok(committed - before < 20)
    assert.equal((await store.log(null)).entries.length, 39)
    await store.close()
  })

  it('[SQL-20] are whole or not there, also when one is refused in the middle of being written', async () => {
    const store = sqlite({ path: join(folder, 'middle.db') })
    await store.open()
    const tooLarge = put({ id: 'late', version: 2 ** 40 })
    const middle = transaction({ id: 'tx-middle', at: 1, changes: [put({ id: 'early' }), tooLarge] })
    const settled = await Promise.allSettled([small('a'), middle, small('b')].map((each) => store.commit(each)))
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.ok(MnemeError.is((settled[1] as PromiseRejectedResult).reason, 'INVALID_RECORD'))
    assert.deepEqual(
      (await store.log(null)).entries.map((entry) => entry.id),
      ['tx-a', 'tx-b'],
    )
    assert.deepEqual(await store.verify(), [])
    await store.close()
  })

  it('[SQL-21] do not fail with the one that SQLite fails: on a full disk the others are written', async () => {
    const store = sqlite({ path: join(folder, 'full.db'), driver: await watched(() => undefined, 120) })
    await store.open()
    const huge = transaction({ id: 'tx-huge', at: 1, changes: [put({ id: 'huge', content: 'x '.repeat(300_000) })] })
    const settled = await Promise.allSettled([small('a'), huge, small('b')].map((each) => store.commit(each)))
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    const refused = (settled[1] as PromiseRejectedResult).reason
    assert.ok(MnemeError.is(refused, 'BACKEND_FAILED'))
    const found = await store.get(allScopes(), ['a', 'b', 'huge'])
    assert.deepEqual(
      found.map((stored) => stored !== null),
      [true, true, false],
    )
    assert.deepEqual(await store.verify(), [])
    await store.close()
  })
})

describe('many removes', () => {
  it('[SQL-22] in one transaction leave what one after the other would, whatever is named twice or not there', async () => {
    const all = Array.from({ length: 700 }, (_, i) => `r${i}`)
    const changes: StoreChange[] = all.flatMap((name, i) => [
      put({ id: name, source: { type: 'derived', from: [`r${(i + 1) % 700}`] } }, { hash: name }),
    ])
    for (let i = 0; i < 699; i += 3)
      changes.push({ type: 'link', link: { from: `r${i}`, to: `r${i + 1}`, type: 'x', weight: 1, metadata: {} } })
    const removes = all.flatMap((name, i): StoreChange[] =>
      i % 5 === 0
        ? []
        : [
            { type: 'remove', op: 'delete', id: name },
            { type: 'remove', op: 'undo', id: i % 7 === 0 ? name : 'nobody' },
          ],
    )
    const [store, model] = [sqlite({ path: join(folder, 'removes.db') }), memory()]
    for (const each of [store, model]) {
      await each.open()
      await each.commit(transaction({ id: 't1', at: 1, changes }))
      await each.commit(transaction({ id: 't2', at: 2, changes: removes }))
      await each.commit(transaction({ id: 't3', at: 3, changes: [put({ id: 'r1' })] }))
    }
    assert.deepEqual(await everything(store), await everything(model))
    assert.deepEqual(await store.links(allScopes(), all), await model.links(allScopes(), all))
    assert.deepEqual(await store.verify(), [])
    await store.close()
    await model.close()
  })
})

/** The file and what SQLite keeps beside it. */
async function rawBytes(path: string): Promise<string> {
  const parts = await Promise.all(['', '-wal'].map((suffix) => readFile(path + suffix).catch(() => Buffer.alloc(0))))
  return Buffer.concat(parts).toString('latin1')
}

type Step =
  | { readonly type: 'add'; readonly size: number; readonly many: number }
  | { readonly type: 'update' | 'remove' | 'late'; readonly which: number; readonly size: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('add' as const),
      size: fc.integer({ min: 0, max: 3000 }),
      many: fc.integer({ min: 1, max: 20 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom('update' as const, 'remove' as const, 'late' as const),
      which: fc.nat(),
      size: fc.integer({ min: 0, max: 3000 }),
    }),
  },
)

describe('what was deleted', () => {
  it('[SQL-23] is in no byte of the file once it is closed, whatever was added, changed and deleted around it; what was not is there', async () => {
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const path = join(folder, `deleted-${count++}.db`)
        const store = sqlite({ path })
        await store.open()
        const live = new Map<string, string[]>()
        const deleted: string[] = []
        const write = async (...changes: StoreChange[]) => {
          await store.commit(transaction({ id: `t${n++}`, at: 1, changes }))
        }
        const version = (name: string, size: number) => {
          const marks = live.get(name) ?? []
          const mark = `<${name} version ${marks.length + 1}>`
          live.set(name, [...marks, mark])
          return put(
            { id: name, scope: { userId: `u${name.length}` }, content: mark + ' w'.repeat(size) },
            { hash: mark },
          )
        }
        let n = 0
        for (const each of steps) {
          const names = [...live.keys()]
          if (each.type === 'add') {
            const sizes = Array.from({ length: each.many }, (_, i) => (each.size * (i + 1)) % 700)
            await write(...sizes.map((size, i) => version(`r${n}-${i}`, i === 0 ? each.size : size)))
            continue
          }
          const name = names[each.which % names.length]
          if (name === undefined) continue
          const marks = live.get(name) as string[]
          if (each.type === 'update') await write(version(name, each.size))
          else if (each.type === 'late') {
            const vector = unitVector(Array.from({ length: 1 + (each.size % 200) }, (_, i) => i + 1))
            await store.derive([{ id: name, version: marks.length, vector }])
          } else {
            await write({ type: 'remove', op: 'delete', id: name })
            live.delete(name)
            deleted.push(...marks)
          }
        }
        await store.close()
        const bytes = await rawBytes(path)
        assert.deepEqual(
          deleted.filter((mark) => bytes.includes(mark)),
          [],
        )
        for (const mark of [...live.values()].flat()) assert.ok(bytes.includes(mark), `${mark} is not in the file`)
        await store.open()
        assert.deepEqual(await store.verify(), [])
        await store.close()
        await rm(path)
      }),
    )
  })

  it('[SQL-24] gives its room back at the next opening when half of the file is of no use', async () => {
    const path = join(folder, 'room.db')
    const store = sqlite({ path })
    await store.open()
    const names = Array.from({ length: 400 }, (_, i) => `r${i}`)
    const changes = names.map((name) => put({ id: name, content: `${name} ${'lorem ipsum '.repeat(4000)}` }))
    await store.commit(transaction({ id: 't1', at: 1, changes }))
    const removes = names.slice(10).map((id): StoreChange => ({ type: 'remove', op: 'delete', id }))
    await store.commit(transaction({ id: 't2', at: 2, changes: removes }))
    await store.close()
    const before = (await stat(path)).size
    const log = await store.open().then(() => everything(store))
    assert.ok((await stat(path)).size < before / 5)
    assert.equal((await store.get(allScopes(), names)).filter((stored) => stored !== null).length, 10)
    assert.equal(log.length, 2)
    assert.deepEqual(await store.verify(), [])
    await store.close()
  })
})

describe('records that wait for a vector', () => {
  const waiting = async (store: MemoryStore) => {
    const { items } = await store.list(allScopes(), { order: 'oldest', limit: 100, withoutVector: 'test' })
    return items.map(({ record }) => record.id)
  }
  function hasIndex(path: string): boolean {
    const database = new DatabaseSync(path)
    const found = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'records_waiting'").get()
    database.close()
    return found !== undefined
  }

  for (const from of ['the first vector on', 'the beginning']) {
    it(`[SQL-26] are listed the same before and after, with an index from ${from}`, async () => {
      const path = join(folder, `${from}.db`)
      const store = sqlite({ path })
      await store.open()
      await store.close()
      const database = new DatabaseSync(path)
      if (from === 'the beginning') database.exec(waitingIndex)
      database.close()

      await store.open()
      const add = (id: string) => store.commit(transaction({ id: `t-${id}`, at: 1, changes: [put({ id })] }))
      for (const id of ['a', 'b', 'c']) await add(id)
      assert.equal(hasIndex(path), from === 'the beginning')
      assert.deepEqual(await waiting(store), ['a', 'b', 'c'])
      await store.derive([{ id: 'b', version: 1, vector: unitVector([1, 2]) }])
      await add('d')
      assert.equal(hasIndex(path), true)
      assert.deepEqual(await waiting(store), ['a', 'c', 'd'])
      assert.deepEqual(await store.verify(), [])
      await store.close()
    })
  }
})
