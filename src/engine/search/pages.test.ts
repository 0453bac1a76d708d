import { describe, expect, it } from 'vitest'
import { memory as memoryStore } from '../../stores/memory/index.ts'
import { fixedClock } from '../../testing/index.ts'
import { type MemoryEngine, openMemory, type SearchOptions } from '../index.ts'

async function open(scope: object) {
  const clock = fixedClock()
  const memory = await openMemory({ store: memoryStore(), scope, embedder: false, clock })
  return { memory, clock }
}

async function restOf(memory: MemoryEngine, query: string, cursor: string | undefined, options: SearchOptions) {
  const ids: string[] = []
  for (let next = cursor; next !== undefined; ) {
    const page = await memory.search(query, { ...options, cursor: next })
    ids.push(...page.results.map(({ id }) => id))
    next = page.nextCursor
  }
  return ids
}

describe('pages of a search', () => {
  it('[SEA-34] show the ranks of the first one when something expires or ages in between', async () => {
    const { memory, clock } = await open({ userId: 'ann' })
    for (let i = 0; i < 6; i++) {
      await memory.add({
        id: `n${i}`,
        content: `${'tea '.repeat(6 - i)}word${i}`,
        ...(i === 0 || i === 3 ? { expiresAt: '2026-01-01T00:00:01Z' } : {}),
      })
    }
    const options = { limit: 2, touch: false }
    const first = await memory.search('tea', options)
    expect(first.results.map(({ id }) => id)).toEqual(['n0', 'n1'])
    clock.advance(200 * 3_600_000)
    // What has expired by then is not shown, and nothing is passed over for it.
    expect(await restOf(memory, 'tea', first.nextCursor, options)).toEqual(['n2', 'n4', 'n5'])
    await memory.close()
  })

  it('[SEA-34] show each record once when others write in between, whatever the order of ids', async () => {
    const { memory, clock } = await open({ userId: 'ann', sessionId: 's' })
    const texts = ['what tea?', 'green tea it is', 'no milk', 'rain', 'tea tea tea', 'dog tea']
    await memory.addMany(
      [9, 3, 7, 1, 5, 8].map((n, i) => ({ id: `t${n}`, kind: 'episodic', content: texts[i] as string })),
    )
    const whole = (await memory.search('tea', { touch: false })).results.map(({ id }) => id)
    const options = { limit: 1, touch: false }
    const first = await memory.search('tea', options)
    clock.advance(10)
    await memory.add('unrelated tea')
    expect([...first.results.map(({ id }) => id), ...(await restOf(memory, 'tea', first.nextCursor, options))]).toEqual(
      whole,
    )
    await memory.close()
  })
})
