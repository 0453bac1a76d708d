import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { MemoryStore, SnapshotStore, StoreChange } from '../src/contract/index.ts'
import { allScopes } from '../src/model/index.ts'
import { createIndex } from '../src/retrieval/in-process-index/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { put, transaction, unitVector } from '../src/testing/index.ts'

const options = { space: 'test', analyser: 'plain' }
const name = `search/${options.space}`
const many = 10_500

let folder: string
let store: MemoryStore & { readonly snapshots: SnapshotStore }
let commits = 0

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-snapshot-'))
  store = sqlite({ path: join(folder, 'memory.db') }) as typeof store
  await store.open()
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

async function commit(...changes: StoreChange[]): Promise<void> {
  await store.commit(transaction({ id: `t${++commits}`, at: commits, changes }))
}

async function fill(change: (i: number) => StoreChange): Promise<void> {
  for (let i = 0; i < many; i += 2_100) await commit(...Array.from({ length: 2_100 }, (_, j) => change(i + j)))
}

async function head(): Promise<{ readonly calibrations: unknown }> {
  const chunks = await store.snapshots.read(name, 'head')
  return JSON.parse(Buffer.from(chunks?.[0] as Uint8Array).toString())
}

describe('a saved index of many records', () => {
  it('[IDX-12] keeps what was learnt of the vectors, once, though no record has changed', async () => {
    await fill((i) => put({ id: `r${i}` }, { vector: unitVector([Math.sin(i), Math.cos(i * 7), Math.sin(i * i)]) }))
    const index = createIndex(store, options)
    await index.sync()
    await index.save()
    expect((await head()).calibrations).toEqual({})
    await vi.waitFor(
      async () => {
        await index.save()
        expect((await head()).calibrations).toMatchObject({ test: { rows: many } })
      },
      { timeout: 30_000, interval: 200 },
    )
    await index.close()
    const { keys } = await store.snapshots.state(name)
    const again = createIndex(store, options)
    await again.sync()
    await again.close()
    expect((await store.snapshots.state(name)).keys).toEqual(keys)
  })

  it('[IDX-12] follows what is replaced and removed wherever in it', async () => {
    const change = (i: number) => put({ id: `r${i}` })
    await fill(change)
    const first = createIndex(store, options)
    await first.sync()
    await first.save()
    const index = createIndex(store, options)
    await index.sync()
    for (const i of [many - 2, 3, 6_000, 9_000]) {
      await commit(change(i), change(20_000 + i), { type: 'remove', op: 'delete', id: `r${i + 1}` })
      await commit(change(i + 1), change(i))
      await index.sync()
      expect(index.size).toBe((await store.stats(allScopes(), { now: 0 })).counts[0]?.count)
    }
    expect(await index.check(store)).toEqual([])
  })
})
