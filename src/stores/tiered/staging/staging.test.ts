import { describe, expect, it } from 'vitest'
import { testFile } from '../../../../test/fixtures/stores.ts'
import { describeConformance } from '../../../conformance/index.ts'
import type { MemoryStore } from '../../../contract/index.ts'
import { formatInstant } from '../../../model/index.ts'
import { put } from '../../../testing/index.ts'
import { memory } from '../../memory/index.ts'
import { sqlite } from '../../sqlite/index.ts'
import { staging } from './index.ts'

const everything = () => true
/** Every scope is that of a session here, so that the suite asks of staged records all that it asks of others. */
const again = 'the transaction that makes records of what was staged is in the log, though it shows no change'
const knownGaps = [
  { rule: 'STO-OPN-3', reason: 'the door is that of the tiered store' },
  { rule: 'STO-COM-4', reason: `${again}; a commit that then fails may have caused it` },
  { rule: 'STO-ASO-6', reason: 'uses of a staged record are in its first version once it is a record' },
  { rule: 'STO-LNK-3', reason: again },
  { rule: 'STO-DER-5', reason: again },
  { rule: 'STO-LOG-7', reason: again },
]
const paths = new WeakMap<MemoryStore, string>()

function overFile(path: string): MemoryStore {
  const store = staging(sqlite({ path }), everything)
  paths.set(store, path)
  return store
}

describeConformance(
  { name: 'staged in memory', knownGaps, create: () => staging(memory(), everything) },
  { describe, it },
)
describeConformance(
  {
    name: 'staged in sqlite',
    durable: true,
    knownGaps,
    create: () => overFile(testFile()),
    openSecond: (first) => overFile(paths.get(first) as string),
  },
  { describe, it },
)

describe('staging', () => {
  it('[TIR-33] a record that says it was created later does not move the time of its owner when it is made', async () => {
    const store = staging(memory())
    await store.open()
    const at = Date.parse('2026-01-01T00:00:00Z')
    const scope = { userId: 'ann', sessionId: 's1' }
    const commit = (id: string, createdAt: number) =>
      store.commit({
        id: `tx-${id}`,
        at,
        verb: 'test',
        requires: [],
        changes: [put({ id, scope, createdAt: formatInstant(createdAt) })],
      })
    await commit('early', at + 60_000)
    expect(await store.promote(scope, () => {}, undefined)).toEqual({ migrated: 1, remaining: 0 })
    expect(await commit('late', at)).toMatchObject({ at })
    await store.close()
  })

  it('[TIR-33] the log tells no uses of a record that was used before it was made', async () => {
    const store = staging(memory())
    await store.open()
    const scope = { userId: 'ann', sessionId: 's1' }
    await store.commit({ id: 'tx', at: 0, verb: 'test', requires: [], changes: [put({ id: 'a', scope })] })
    const before = await store.transaction('tx')
    await store.derive([], [{ id: 'a', at: 1 }])
    expect(await store.promote(scope, () => {}, undefined)).toEqual({ migrated: 1, remaining: 0 })
    expect(await store.transaction('tx')).toEqual(before)
    await store.close()
  })
})
