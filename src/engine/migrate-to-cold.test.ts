import { describe, expect, it } from 'vitest'
import { type Scope, scopeKey } from '../model/index.ts'
import { memory as memoryStore } from '../stores/memory/index.ts'
import { openMemory } from './index.ts'

const ann = { userId: 'ann' }

/** A store in which everything waits to be moved, and which notes what it is asked to move. */
function waiting(moves: readonly { migrated: number; remaining: number }[]) {
  const asked: string[] = []
  const left = [...moves]
  const store = {
    ...memoryStore(),
    async migrateToCold(scope: Scope) {
      asked.push(scopeKey(scope))
      return left.shift() ?? { migrated: 0, remaining: 0 }
    },
  }
  return { store, asked }
}

describe('migrateToCold', () => {
  it('[LIF-12] has nothing to move where everything is durable at once', async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    await memory.add('client prefers French', { scope: { ...ann, sessionId: 's1' } })
    expect(await memory.migrateToCold('s1')).toEqual({ migrated: 0, remaining: 0 })
    await expect(memory.migrateToCold('')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(memory.migrateToCold('s1', { scope: { ...ann, sessionId: 's2' } })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    await memory.close()
  })

  it('[LIF-12] names the session in the scope of the call, and tells what was moved and what is left', async () => {
    const moves = [
      { migrated: 2, remaining: 1 },
      { migrated: 1, remaining: 0 },
    ]
    const { store, asked } = waiting(moves)
    const memory = await openMemory({ store, scope: ann, embedder: false })
    expect(await memory.migrateToCold('s1')).toEqual(moves[0])
    expect(await memory.migrateToCold('s1', { scope: { userId: 'bob', sessionId: 's1' } })).toEqual(moves[1])
    expect(asked).toEqual([scopeKey({ ...ann, sessionId: 's1' }), scopeKey({ userId: 'bob', sessionId: 's1' })])
    await memory.close()
  })

  it('[LIF-12] stays within the ceiling of a view, and one that only reads moves nothing', async () => {
    const { store, asked } = waiting([])
    const memory = await openMemory({ store, embedder: false })
    const session = { ...ann, sessionId: 's1' }
    await memory.scoped(ann).migrateToCold('s1')
    await memory.scoped(session).migrateToCold('s1')
    expect(asked).toEqual([scopeKey(session), scopeKey(session)])
    const denied = { code: 'SCOPE_DENIED' }
    await expect(memory.scoped(session).migrateToCold('s2')).rejects.toMatchObject(denied)
    await expect(memory.scoped(ann).migrateToCold('s1', { scope: { userId: 'bob' } })).rejects.toMatchObject(denied)
    await expect(memory.scoped(ann, { readOnly: true }).migrateToCold('s1')).rejects.toMatchObject(denied)
    await expect(memory.migrateToCold('s1')).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' })
    expect(asked).toHaveLength(2)
    await memory.close()
  })
})
