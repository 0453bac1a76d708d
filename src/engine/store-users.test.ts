import { describe, expect, it } from 'vitest'
import { testFile, testStores } from '../../test/fixtures/stores.ts'
import { hashing } from '../embedders/index.ts'
import { allScopes } from '../model/index.ts'
import { sqlite } from '../stores/sqlite/index.ts'
import { openMemory } from './index.ts'

const scope = { userId: 'ann' }
const embedder = hashing({ dimensions: 64 })
const closed = { code: 'ENGINE_CLOSED' }

describe.each(testStores)('a store in %s that several engines were given', (_, makeStore) => {
  it('[OPN-7] stays open for the others when one of them is refused, stopped or closed, and is closed with the last', async () => {
    const store = makeStore()
    const [first, second] = await Promise.all([1, 2].map(() => openMemory({ store, scope, embedder })))
    const { record } = await first!.add('Ann plays the cello')
    const other = await openMemory({ store, scope, embedder: hashing({ dimensions: 32 }) })
    for (const attempt of [1, 2]) {
      await expect(other.search('cello'), `${attempt}`).rejects.toMatchObject({ code: 'EMBEDDER_CHANGED' })
    }
    await other.close()
    expect((await first!.get(record.id))?.content).toBe(record.content)
    await second!.search('cello')
    await first!.stop()
    for (const each of [second, first]) expect((await each!.get(record.id))?.content).toBe(record.content)
    await second!.close()
    expect((await first!.search('cello')).results).toHaveLength(1)
    await first!.close()
    await first!.close()
    await expect(store.stats(allScopes(), { now: 0 })).rejects.toMatchObject(closed)
  })
})

it('[OPN-7] a store is open again for the engine that was given it while the last one before closed it', async () => {
  const store = sqlite({ path: testFile() })
  const open = () => openMemory({ store, scope, embedder: false })
  const [first, second] = [await open(), await open()]
  const { record } = await first.add('Ann plays the cello')
  const closing = first.close()
  const added = second.add('Ann plays the flute')
  await closing
  expect((await added).outcome).toBe('added')
  expect((await second.get(record.id))?.content).toBe(record.content)
  await second.close()
  await expect(store.head()).rejects.toMatchObject(closed)
})
