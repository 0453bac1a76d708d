import { describe, expect, it } from 'vitest'
import { describeConformance } from '../../conformance/index.ts'
import { allScopes } from '../../model/index.ts'
import { put, transaction, unitVector } from '../../testing/index.ts'
import { commit } from './commit.ts'
import { memory } from './index.ts'
import { emptyState, type State } from './state.ts'
import { verify } from './verify.ts'

describeConformance({ name: 'memory', create: memory }, { describe, it })

const scope = { userId: 'ann' }

function filledState(): State {
  const state = emptyState()
  const line = { op: 'write', verb: 'add', ids: ['a'], scope } as const
  const link = { from: 'a', to: 'b', type: 'x', weight: 1, metadata: {} }
  commit(state, transaction({ id: 't1', at: 1, changes: [put({ id: 'a', scope }, { vector: unitVector([1, 2]) })] }))
  commit(state, transaction({ id: 't2', at: 2, changes: [put({ id: 'b', scope, key: 'k' }), { type: 'link', link }] }))
  commit(state, transaction({ id: 't3', at: 3, changes: [put({ id: 'a', scope }), { type: 'journal', line }] }))
  commit(state, transaction({ id: 't4', at: 4, changes: [{ type: 'journal', line }] }))
  return state
}

describe('memory store', () => {
  it('[STO-MEM-1] close forgets everything: a store that is opened again is empty, and old cursors are invalid', async () => {
    const store = memory()
    await store.open()
    await store.commit(transaction({ id: 't1', at: 1, changes: [put({ id: 'a', scope })] }))
    const { cursor } = await store.log(null)
    await store.close()
    await store.open()
    expect(await store.get(allScopes(), ['a'])).toEqual([null])
    expect((await store.log(null)).entries).toEqual([])
    await expect(store.log(cursor)).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
  })

  it('[STO-MEM-2] two stores share nothing', async () => {
    const [one, two] = [memory(), memory()]
    await Promise.all([one.open(), two.open()])
    await one.commit(transaction({ id: 't1', at: 1, changes: [put({ id: 'a', scope })] }))
    expect(await two.get(allScopes(), ['a'])).toEqual([null])
  })

  it.each<[code: string, damage: (state: State) => void]>([
    [
      'RECORD_MISMATCH',
      (state) => Object.assign(state.heads.get('a') ?? {}, { current: state.heads.get('b')?.current }),
    ],
    ['RECORD_MISMATCH', (state) => Object.assign(state.heads.get('b') ?? {}, { current: null })],
    ['REVISION_ORDER', (state) => void state.heads.get('a')?.versions.reverse()],
    ['CLAIM_MISMATCH', (state) => void state.claims.clear()],
    ['LINK_BROKEN', (state) => void state.heads.delete('b')],
    ['LOG_MISMATCH', (state) => void state.heads.delete('a')],
    ['LOG_ORDER', (state) => void state.log.reverse()],
    ['JOURNAL_BROKEN', (state) => void [...state.chains.values()][0]?.shift()],
    ['JOURNAL_BROKEN', (state) => Object.assign([...state.chains.values()][0]?.[1] ?? {}, { actor: 'other' })],
  ])('[STO-VFY-1] verify finds what does not fit together: %s', (code, damage) => {
    const state = filledState()
    expect(verify(state)).toEqual([])
    damage(state)
    expect(verify(state).map((problem) => problem.code)).toContain(code)
  })
})
