import { describe, expect, it } from 'vitest'
import type { MemoryStore, StoreChange } from '../../../contract/index.ts'
import { allScopes, within } from '../../../model/index.ts'
import { put, transaction, unitVector } from '../../../testing/index.ts'
import { memory } from '../../memory/index.ts'
import { staging } from './index.ts'
import { twinId } from './twin.ts'

// What comes in the middle of writes that make records of staged memories.

const all = allScopes()
const s1 = { userId: 'ann', sessionId: 's1' }

let count = 0
const write = (store: MemoryStore, changes: readonly StoreChange[], more: object = {}) =>
  store.commit(transaction({ id: `t${++count}`, at: Date.now(), changes, ...more }))
const add = (store: MemoryStore, id: string, content = `text of ${id}`) =>
  write(store, [put({ id, scope: s1, content })])
const contentsOf = async (store: MemoryStore, id: string) =>
  (await store.revisions(all, id)).map(({ record }) => record?.content)
const promote = (store: ReturnType<typeof staging>) => store.promote({ userId: 'ann' }, () => undefined, undefined)

/** A store in memory, with something that happens once, after the calls of a method that it is meant for. */
async function between<Method extends 'get' | 'commit'>(
  method: Method,
  when: (...given: Parameters<MemoryStore[Method]>) => boolean,
  happens: (cold: MemoryStore) => Promise<unknown>,
  carry?: Parameters<typeof staging>[2],
): Promise<{ readonly cold: MemoryStore; readonly store: ReturnType<typeof staging> }> {
  const cold = memory()
  let isOver = false
  const inner = cold[method] as (...given: unknown[]) => Promise<unknown>
  const watched = {
    ...cold,
    [method]: async (...given: Parameters<MemoryStore[Method]>) => {
      const answer = await inner(...given)
      if (!isOver && when(...given)) {
        isOver = true
        await happens(cold)
      }
      return answer
    },
  }
  await cold.open()
  return { cold, store: staging(watched, undefined, carry) }
}

describe('races of staged memories', () => {
  it('[TIR-37] what is staged between the looks of a write that goes through is a version before it, and takes no place of it', async () => {
    const asksForBoth = (_: unknown, ids: readonly string[]) => ids.includes(twinId('a')) && ids.includes(twinId('b'))
    const { cold, store } = await between('get', asksForBoth, (inner) => add(staging(inner), 'b', 'staged'))
    await add(store, 'a')
    await write(
      store,
      [put({ id: 'a', scope: s1, content: 'new' }, { op: 'update' }), put({ id: 'b', scope: s1, content: 'written' })],
      { requires: [{ type: 'version', id: 'a', is: 1 }] },
    )
    expect(await contentsOf(store, 'b')).toEqual(['staged', 'written'])
    await promote(store)
    expect((await cold.get(all, ['a', 'b'])).map((stored) => stored?.record.content)).toEqual(['new', 'written'])
    expect(await contentsOf(store, 'b')).toEqual(['staged', 'written'])
  })

  it('[TIR-37] a memory that is staged while it is removed is removed as a record is, or stays whole', async () => {
    const asksForBoth = (_: unknown, ids: readonly string[]) => ids.includes(twinId('a')) && ids.includes(twinId('b'))
    const { cold, store } = await between('get', asksForBoth, (inner) => add(staging(inner), 'b', 'staged'))
    await add(store, 'a')
    await write(
      store,
      ['a', 'b'].map((id) => ({ type: 'remove', op: 'delete', id }) as const),
    )
    await promote(store)
    expect(await cold.get(all, ['a', 'b'])).toEqual([null, null])
    expect((await store.revisions(all, 'b')).map(({ op }) => op)).toEqual(['add', 'delete'])
  })

  it('[TIR-37] a record that was written past the tiers stays when its namesake is promoted, which is of the past then', async () => {
    const cold = memory()
    await cold.open()
    const store = staging(cold)
    await write(store, [put({ id: 'a', scope: s1, content: 'staged' }), put({ id: 'b', scope: s1 })])
    await add(cold, 'a', 'written')
    expect(await promote(store)).toEqual({ migrated: 1, remaining: 0 })
    expect((await cold.get(all, ['a', 'b'])).map((stored) => stored?.record.content)).toEqual(['written', 'A memory.'])
    expect(await contentsOf(store, 'a')).toEqual(['staged', 'written'])
  })

  it('[TIR-36] a vector that could not be carried along is waited for again, and the migration is told as done', async () => {
    const late = { id: 'a', version: 1, vector: unitVector([3, 4]) }
    const { store } = await between(
      'get',
      (_, ids) => ids.includes(twinId('a')),
      (inner) => staging(inner).derive([late]),
      () => Promise.reject(new Error('connection lost')),
    )
    await add(store, 'a')
    expect(await promote(store)).toEqual({ migrated: 1, remaining: 0 })
    const query = { withoutVector: late.vector.space, order: 'oldest', limit: 9 } as const
    expect((await store.list(within(s1), query)).items.map(({ record }) => record.id)).toEqual(['a'])
  })

  it('[TIR-26] the log and its feed have what was staged, promoted and removed once, where a store without tiers has it', async () => {
    const plain = memory()
    const store = staging(memory())
    const logOf = async (one: MemoryStore) => {
      const { entries } = await one.log(null)
      const shown = entries.filter(({ changes }) => changes.length > 0)
      return shown.map(({ id, changes }) => ({ id, changes }))
    }
    for (const one of [plain, store]) {
      await one.open()
      count = 1000
      const put1 = (id: string) => put({ id, scope: s1, kind: 'episodic' }, { hash: `hash of ${id}` })
      await write(one, [put1('a'), put1('b')])
      await write(one, [put1('c')])
      if (one === store) await promote(store)
      await write(one, [{ type: 'remove', op: 'delete', id: 'a' }])
      await write(one, [put({ id: 'b', scope: s1, kind: 'episodic', content: 'new' }, { op: 'update' })])
      await one.erase(all, ['c'], { tx: 'erase' })
    }
    const erase = (await logOf(store)).pop()
    expect(erase?.changes.map(({ type }) => type)).toEqual(['remove'])
    const ofPlain = await logOf(plain)
    ofPlain.pop()
    const ofStaged = await logOf(store)
    ofStaged.pop()
    const timeless = (value: unknown) => JSON.parse(JSON.stringify(value).replace(/At":"[^"]*"/g, 'At":""'))
    expect(timeless(ofStaged)).toEqual(timeless(ofPlain))
  })
})
