import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LogPage, MemoryStore, SearchWindow, SnapshotStore, StoreChange } from '../src/contract/index.ts'
import { allScopes, exactly, type Scope, within } from '../src/model/index.ts'
import { createIndex, type IndexOptions, type InProcessIndex } from '../src/retrieval/in-process-index/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { put, transaction, unitVector } from '../src/testing/index.ts'
import { plainText, plainTurns, plainVectors } from './fixtures/search-answers.ts'

const space = 'test'
const analyser = 'plain'
const name = `search/${space}`
const window: SearchWindow = { statuses: ['live'], now: 1_000, limit: 100 }
const ann: Scope = { userId: 'ann', sessionId: 's1' }
const bob: Scope = { userId: 'bob' }

let folder: string
let files = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-snapshot-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Opened {
  readonly path: string
  readonly store: MemoryStore & { readonly snapshots: SnapshotStore }
  commit(...changes: StoreChange[]): Promise<void>
  /** An index, and how many changes of the log it has read. */
  index(options?: Partial<IndexOptions>): InProcessIndex & { changesRead(): number }
  close(): Promise<void>
}

async function opened(path = join(folder, `${++files}.db`)): Promise<Opened> {
  const store = sqlite({ path }) as Opened['store']
  await store.open()
  let n = 0
  return {
    path,
    store,
    async commit(...changes) {
      await store.commit(transaction({ id: `t${files}-${++n}-${Math.random()}`, at: n, changes }))
    },
    index(options) {
      let read = 0
      const source = {
        get: store.get,
        vectorsOf: store.vectorsOf,
        snapshots: store.snapshots,
        async log(after: string | null, given?: { limit?: number | undefined }): Promise<LogPage> {
          const page = await store.log(after, given)
          read += page.entries.reduce((sum, { changes }) => sum + changes.length, 0)
          return page
        },
      }
      const made = createIndex(source, { space, analyser, segmentSlots: 8, ...options })
      return Object.assign(made, { changesRead: () => read })
    },
    close: () => store.close(),
  }
}

/** Runs statements on a file, without mneme. */
async function execute(path: string, sql: string): Promise<void> {
  const { DatabaseSync } = await import('@photostructure/sqlite')
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

const words = ['tea', 'cake', 'rain', 'dog', '茶', '\ud800x']

function note(i: number, scope = i % 3 === 0 ? bob : ann): StoreChange {
  const terms = words.flatMap((word, w): [string, number][] => ((i >> w) % 2 === 0 ? [[word, 1 + (i % 9)]] : []))
  const tokens = [1, 5 + (i % 7), 40 + i]
  const vector = i % 5 === 0 ? null : unitVector([Math.sin(i), Math.cos(i * 3), 0.1])
  return put(
    { id: `r${i}`, scope, kind: i % 4 === 0 ? 'episodic' : 'semantic', source: { type: 'user', actor: `a${i % 3}` } },
    { analysis: { analyser, terms, tokens, shape: i % 16 }, vector },
  )
}

const notes = (count: number, first = 0): StoreChange[] => Array.from({ length: count }, (_, i) => note(first + i))

async function answers(index: InProcessIndex) {
  const ids = Array.from({ length: 60 }, (_, i) => `r${i}`)
  const vector = Float32Array.of(0.5, -0.3, 0.2)
  const scopes = [allScopes(), within({ userId: 'ann' }), exactly(bob)]
  const asked = { terms: ['dog', 'tea'], tokens: [1, 5, 44], space, vector }
  return await Promise.all(
    scopes.map(async (scope) => [
      plainText(await index.text.match(scope, ['tea', '\ud800x', 'cake', '茶'], window)),
      plainVectors(await index.vectors.nearest(scope, space, vector, window)),
      await index.turns.actors(scope, window),
      plainTurns(await index.turns.describe(scope, { keyed: ids }, asked, window)),
    ]),
  )
}

/** What an index answers that read the whole log. */
async function replayed({ store }: Opened) {
  const index = createIndex({ log: store.log, get: store.get, vectorsOf: store.vectorsOf }, { space, analyser })
  await index.sync()
  return await answers(index)
}

async function saved(opening: Opened): Promise<void> {
  const index = opening.index()
  await index.sync()
  await index.save(true)
}

describe('a saved index', () => {
  it('[IDX-12] answers after loading as one that read the log, and reads of it only what is new', async () => {
    const file = await opened()
    await file.commit(...notes(30))
    await file.commit(...notes(10, 5), { type: 'remove', op: 'delete', id: 'r3' })
    await saved(file)
    await file.commit(note(40), note(2))
    const index = file.index()
    await index.sync()
    expect(index.changesRead()).toBe(2)
    expect(await answers(index)).toEqual(await replayed(file))
    expect(await index.check(file.store)).toEqual([])
    await file.close()
  })

  it('[IDX-12] whatever was written, removed, erased, saved and lost, it answers as one that read the log, to the bit', async () => {
    const anId = fc.nat(24)
    const anAction = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          type: fc.constant('put' as const),
          of: fc.array(anId, { minLength: 1, maxLength: 12 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          type: fc.constant('remove' as const),
          of: fc.array(anId, { minLength: 1, maxLength: 3 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('erase' as const), of: anId }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('derive' as const), of: anId }) },
      { weight: 3, arbitrary: fc.record({ type: fc.constant('save' as const), by: fc.nat(1) }) },
      { weight: 2, arbitrary: fc.record({ type: fc.constant('reopen' as const), by: fc.nat(1) }) },
      // What a search works out is kept for the next one.
      { weight: 2, arbitrary: fc.record({ type: fc.constant('look' as const), by: fc.nat(1) }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('lose' as const), part: fc.nat(6) }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant('renew' as const), of: anId }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(anAction, { maxLength: 30, size: 'max' }), async (actions) => {
        const file = await opened()
        const indexes = [file.index(), file.index()]
        let version = 100
        for (const action of actions) {
          if (action.type === 'put') {
            // Ids and scopes go together for ever.
            const changes = [...new Set(action.of)].map((i) => {
              const change = note(i) as Extract<StoreChange, { type: 'put' }>
              const other = note(i + 24 * (version++ % 3)) as typeof change
              return { ...change, analysis: other.analysis, vector: other.vector }
            })
            await file.commit(...changes)
          } else if (action.type === 'remove') {
            await file.commit(...action.of.map((i): StoreChange => ({ type: 'remove', op: 'delete', id: `r${i}` })))
          } else if (action.type === 'erase') {
            await file.store.erase(allScopes(), [`r${action.of}`])
          } else if (action.type === 'derive' || action.type === 'renew') {
            const [stored] = await file.store.get(allScopes(), [`r${action.of}`])
            if (!stored) continue
            const { id, version: of } = stored.record
            if (action.type === 'derive' && stored.vector === null && stored.analysis.terms.length > 0) {
              await file.store.derive([{ id, version: of, vector: unitVector([1, action.of, 2]) }])
            }
            if (action.type === 'renew') {
              const { analysis } = note(action.of + 7) as Extract<StoreChange, { type: 'put' }>
              await file.store.derive([{ id, version: of, analysis }])
              // What others hold in memory is out of date then, until they rebuild.
              for (const index of indexes) index.clear()
            }
          } else if (action.type === 'save') {
            await indexes[action.by]?.sync()
            await indexes[action.by]?.save(true)
          } else if (action.type === 'look') {
            const index = indexes[action.by] as InProcessIndex
            await index.sync()
            await answers(index)
          } else if (action.type === 'reopen') indexes[action.by] = file.index()
          else {
            const { keys } = await file.store.snapshots.state(name)
            const key = keys[action.part]
            if (key !== undefined) await execute(file.path, `DELETE FROM snapshots WHERE key = '${key}'`)
          }
        }
        const expected = await replayed(file)
        for (const index of [...indexes, file.index()]) {
          await index.sync()
          await index.sync()
          expect(await answers(index)).toEqual(expected)
          expect(await index.check(file.store)).toEqual([])
        }
        await file.close()
      }),
      { numRuns: 20 },
    )
  }, 120_000)

  it('[IDX-13] with any part damaged it is made anew from the log', async () => {
    const file = await opened()
    for (let n = 0; n < 20; n += 5) await file.commit(...notes(5, n))
    await saved(file)
    const { keys } = await file.store.snapshots.state(name)
    expect(keys.length).toBe(5)
    await file.close()
    const whole = await readFile(file.path)
    const damages = [
      ...keys.flatMap((key) => {
        const chunk = `snapshot_chunks WHERE part = (SELECT id FROM snapshots WHERE key = '${key}')`
        const flipped = "substr(bytes, 1, length(bytes) - 1) || x'00' || x'01'"
        return [
          `UPDATE snapshot_chunks SET bytes = CAST(${flipped} AS BLOB) WHERE rowid = (SELECT max(rowid) FROM ${chunk})`,
          `UPDATE snapshot_chunks SET bytes = zeroblob(length(bytes)) WHERE rowid = (SELECT min(rowid) FROM ${chunk})`,
          `UPDATE snapshot_chunks SET tag = x'00' WHERE rowid = (SELECT min(rowid) FROM ${chunk})`,
          `DELETE FROM ${chunk} AND place = 0`,
          `UPDATE snapshots SET secret = randomblob(8000) WHERE key = '${key}'`,
          `UPDATE snapshots SET secret = x'00' WHERE key = '${key}'`,
          `UPDATE snapshots SET chunks = 1 WHERE key = '${key}' AND key <> 'head'`,
          `DELETE FROM snapshots WHERE key = '${key}'`,
        ]
      }),
      'DELETE FROM snapshots',
      'DELETE FROM snapshot_chunks',
    ]
    for (const damage of damages) {
      await writeFile(file.path, whole)
      await execute(file.path, damage)
      const again = await opened(file.path)
      const index = again.index()
      await index.sync()
      expect(await answers(index), damage).toEqual(await replayed(again))
      expect(await index.check(again.store), damage).toEqual([])
      await again.close()
    }
  }, 60_000)

  it('[IDX-13] of another version, analyser, embedder or epoch it is passed over', async () => {
    const file = await opened()
    await file.commit(...notes(20))
    await saved(file)
    const whole = file.index()
    await whole.sync()
    expect(whole.changesRead()).toBe(0)
    for (const options of [{ analyser: 'another' }, { space: 'another' }, { space: null }]) {
      const index = file.index(options)
      await index.sync()
      expect(index.changesRead()).toBe(20)
    }
    const { generation, keys } = await file.store.snapshots.state(name)
    const [head] = (await file.store.snapshots.read(name, 'head')) as readonly Uint8Array[]
    const written = JSON.parse(Buffer.from(head!).toString())
    for (const other of [{ ...written, format: '999' }, { ...written, epoch: '999' }, {}, 7, null]) {
      const parts = [{ key: 'head', span: null, chunks: [Buffer.from(JSON.stringify(other))] }]
      const only = keys.filter((key) => key !== 'head')
      expect(await file.store.snapshots.write(name, { generation, parts, only })).toBe(true)
      const index = file.index()
      await index.sync()
      expect(index.changesRead()).toBe(20)
      expect(await answers(index)).toEqual(await replayed(file))
    }
    await file.close()
  })

  it('[IDX-13] of a file that was put back to an older state it is passed over', async () => {
    const file = await opened()
    await file.commit(...notes(20))
    await file.close()
    const older = join(folder, 'older.db')
    await copyFile(file.path, older)
    const later = await opened(file.path)
    await later.commit(...notes(20, 20))
    await saved(later)
    await later.close()
    const tables = ['snapshots', 'snapshot_chunks']
    const copies = tables.map((table) => `INSERT INTO ${table} SELECT * FROM later.${table}`)
    await execute(older, `ATTACH '${file.path}' AS later; ${copies.join('; ')}`)
    const back = await opened(older)
    const index = back.index()
    await index.sync()
    expect(index.size).toBe(20)
    expect(await answers(index)).toEqual(await replayed(back))
    await back.close()
  })

  it('[IDX-14] is not written again for a few changes, nor when another process has done it', async () => {
    const file = await opened()
    await file.commit(...notes(1000))
    const first = file.index({ segmentSlots: 100 })
    await first.sync()
    await first.close()
    const { keys } = await file.store.snapshots.state(name)
    expect(keys.length).toBe(11)
    for (let n = 0; n < 3; n++) {
      await file.commit(...notes(50, n))
      const index = file.index({ segmentSlots: 100 })
      await index.sync()
      expect(index.changesRead()).toBe(50 * (n + 1))
      await index.close()
      expect((await file.store.snapshots.state(name)).keys).toEqual(keys)
    }
    await file.commit(...notes(200))
    const [one, other] = [file.index({ segmentSlots: 100 }), file.index({ segmentSlots: 100 })]
    await Promise.all([one.sync(), other.sync()])
    await one.close()
    const renewed = (await file.store.snapshots.state(name)).keys
    // Segments that are full stay; what was last is written anew.
    expect(renewed.filter((key) => keys.includes(key) && key !== 'head').length).toBe(10)
    await other.close()
    expect((await file.store.snapshots.state(name)).keys).toEqual(renewed)
    const index = file.index()
    await index.sync()
    expect(index.changesRead()).toBe(0)
    await file.close()
  })

  it('[IDX-14] a store that cannot keep it loses nothing else, and says so once', async () => {
    const file = await opened()
    await file.commit(...notes(300))
    const failures: string[] = []
    const full = () => Promise.reject(new Error('the disk is full'))
    const index = createIndex(
      { ...file.store, snapshots: { ...file.store.snapshots, write: full, read: full } },
      { space, analyser, onSnapshotFailure: (operation) => failures.push(operation) },
    )
    await index.sync()
    await index.close()
    expect(failures).toEqual(['read', 'write'])
    expect(await answers(index)).toEqual(await replayed(file))
    await file.close()
  })
})

describe('what a saved index holds of records that went', () => {
  async function everyByte({ store }: Opened): Promise<string> {
    const { keys } = await store.snapshots.state(name)
    const parts = await Promise.all(keys.map((key) => store.snapshots.read(name, key)))
    return Buffer.concat(parts.flatMap((chunks) => chunks ?? [])).toString('latin1')
  }

  async function secrets({ path }: Opened): Promise<readonly Buffer[]> {
    const { DatabaseSync } = await import('@photostructure/sqlite')
    const database = new DatabaseSync(path)
    const rows = database.prepare('SELECT secret FROM snapshots').all() as { secret: Uint8Array }[]
    database.close()
    return rows.map(({ secret }) => Buffer.from(secret.slice(-16)))
  }

  const doomed = put({ id: 'doomedid', scope: { userId: 'doomeduser' }, content: 'doomedword' })
  const traces = ['doomedid', 'doomeduser', 'doomedword']

  it('[IDX-15] goes with a removal and with an erase, for every version, and others of the same segment are made anew', async () => {
    for (const way of ['remove', 'erase'] as const) {
      const file = await opened()
      for (let n = 0; n < 20; n += 5) await file.commit(...notes(5, n))
      await file.commit(doomed)
      for (let n = 20; n < 40; n += 5) await file.commit(...notes(5, n))
      await file.commit({ ...doomed, op: 'update' })
      await saved(file)
      for (const trace of traces) expect(await everyByte(file)).toContain(trace)
      const before = await secrets(file)
      if (way === 'remove') await file.commit({ type: 'remove', op: 'delete', id: 'doomedid' })
      else await file.store.erase(allScopes(), ['doomedid'])
      for (const trace of traces) expect(await everyByte(file)).not.toContain(trace)
      const after = await secrets(file)
      expect(after.length).toBeGreaterThan(0)
      expect(after.length).toBeLessThan(before.length)

      const index = file.index()
      await index.sync()
      // Two stretches of the log, and the removal.
      expect(index.changesRead()).toBeLessThan(43)
      expect(await answers(index)).toEqual(await replayed(file))
      await index.save(true)
      for (const trace of traces) expect(await everyByte(file)).not.toContain(trace)
      await file.close()
      const bytes = await readFile(file.path)
      const gone = before.filter((secret) => !after.some((other) => other.equals(secret)))
      for (const secret of gone) expect(bytes.includes(secret)).toBe(false)
      for (const trace of traces) expect(bytes.includes(trace)).toBe(way === 'remove' && trace !== 'doomedword')
    }
  })

  it('[IDX-15] stays unreadable: no key of a part that went is left in the file, however often parts come and go', async () => {
    const file = await opened()
    const seen = new Map<string, Buffer>()
    for (let round = 0; round < 20; round++) {
      for (let n = 0; n < 60; n += 6) await file.commit(...notes(6, n))
      await saved(file)
      for (const secret of await secrets(file)) seen.set(secret.toString('hex'), secret)
      await file.commit({ type: 'remove', op: 'delete', id: `r${round}` })
    }
    const left = new Set((await secrets(file)).map((secret) => secret.toString('hex')))
    await file.close()
    const bytes = await readFile(file.path)
    expect(seen.size).toBeGreaterThan(100)
    for (const [hex, secret] of seen) expect(bytes.includes(secret)).toBe(left.has(hex))
  })

  it('[IDX-15] is not brought back by an index that has not heard of the removal', async () => {
    const file = await opened()
    await file.commit(...notes(20))
    await file.commit(doomed)
    const { generation } = await file.store.snapshots.state(name)
    const late = createIndex(
      {
        ...file.store,
        // The moment before it writes: the removal comes in between.
        snapshots: {
          ...file.store.snapshots,
          async write(of, change) {
            if (change.parts.some(({ key }) => key === 'head')) await remove
            remove ??= file.commit({ type: 'remove', op: 'delete', id: 'doomedid' })
            await remove
            return file.store.snapshots.write(of, change)
          },
        },
      },
      { space, analyser, segmentSlots: 8 },
    )
    let remove: Promise<void> | undefined
    await late.sync()
    await late.save(true)
    for (const trace of traces) expect(await everyByte(file)).not.toContain(trace)
    expect((await file.store.snapshots.state(name)).generation).not.toBe(generation)
    await late.save(true)
    expect((await file.store.snapshots.state(name)).keys).toContain('head')
    for (const trace of traces) expect(await everyByte(file)).not.toContain(trace)
    await file.close()
  })

  it('[IDX-15] a removed record that comes back takes nothing of its former life along', async () => {
    const file = await opened()
    await file.commit(...notes(20))
    await file.commit(doomed)
    await file.commit({ type: 'remove', op: 'delete', id: 'doomedid' })
    const index = file.index()
    await index.sync()
    await file.commit(put({ id: 'doomedid', scope: { userId: 'doomeduser' }, content: 'other' }))
    await index.save(true)
    expect(await everyByte(file)).not.toContain('doomedword')
    await file.close()
  })

  it('[IDX-12] analyses that were made anew are searched by, also by processes that had saved the former ones', async () => {
    const file = await opened()
    await file.commit(...notes(30))
    const [old, other] = [file.index(), file.index()]
    await Promise.all([old.sync(), other.sync()])
    await old.save(true)
    const [stored] = await file.store.get(allScopes(), ['r7'])
    const analysis = { ...stored!.analysis, terms: [['renewed', 1]] as [string, number][] }
    await file.store.derive([{ id: 'r7', version: 1, analysis }])
    await other.save(true)
    const index = file.index()
    await index.sync()
    expect((await index.text.match(allScopes(), ['renewed'], window)).hits.map(({ id }) => id)).toEqual(['r7'])
    expect(await answers(index)).toEqual(await replayed(file))
    await file.close()
  })
})
