import { describe, expect, it } from 'vitest'
import { learningStores, openLearning, user } from '../../test/fixtures/learning.ts'
import type { MemoryEngine } from './index.ts'

const home = { kind: 'semantic', key: 'user.home' }
const page = { ...home, content: 'The user lives in Rome', data: 'Rome', source: { type: 'tool' as const } }

async function statesIn(memory: MemoryEngine): Promise<string[]> {
  const { records } = await memory.list({ status: 'any' })
  return records.map(({ content, status, trust, validTo }) => [content, status, trust, validTo].join(' | ')).sort()
}

async function waitingIn(memory: MemoryEngine): Promise<string[]> {
  const { records } = await memory.list({ status: ['quarantined'] })
  expect((await memory.conflicts.list()).conflicts).toHaveLength(records.length)
  return records.map(({ content }) => content)
}

describe.each(Object.entries(learningStores))('what no longer waits on the %s store', (_, makeStore) => {
  /** Ann lives in Bonn, and a page says that she lives in Rome. */
  async function openWaiting() {
    const { memory, clock } = await openLearning({ store: makeStore() })
    await memory.learn('I live in Bonn.')
    await memory.add(page)
    expect(await waitingIn(memory)).toEqual(['The user lives in Rome'])
    return { memory, clock }
  }

  it.each<[string, (memory: MemoryEngine) => Promise<{ tx?: string | undefined }>]>([
    ['the user says it', (memory) => memory.learn('I moved to Rome.')],
    ['a caller sets it', (memory) => memory.facts.set('user.home', 'Rome')],
    ['a caller adds it', (memory) => memory.add({ ...page, source: { type: 'user' } })],
    [
      'a caller supersedes with it',
      async (memory) =>
        memory.supersede((await memory.facts.entry('user.home'))?.id as string, { ...page, source: { type: 'user' } }),
    ],
    [
      'the memory is changed to it',
      async (memory) =>
        memory.update((await memory.facts.entry('user.home'))?.id as string, { content: page.content, data: 'Rome' }),
    ],
    ['a plan says it', async (memory) => memory.apply((await memory.learn('I moved to Rome.', { dryRun: true })).plan)],
  ])(
    '[CFL-13] %s: nothing waits any more, what was said then is shown once, and undo brings it back',
    async (_, write) => {
      const { memory, clock } = await openWaiting()
      const before = await statesIn(memory)
      clock.advance(1000)
      const { tx } = await write(memory)
      expect(await memory.facts.get('user.home')).toBe('Rome')
      expect(await waitingIn(memory)).toEqual([])
      const validAt = new Date(clock()).toISOString()
      const { results } = await memory.search('Where does the user live? Rome', { validAt, kinds: ['semantic'] })
      expect(results.filter(({ content }) => content.includes('Rome'))).toHaveLength(1)
      await memory.undo(tx as string)
      expect(await waitingIn(memory)).toEqual(['The user lives in Rome'])
      expect(await statesIn(memory)).toEqual(before)
      expect((await memory.verify()).ok).toBe(true)
    },
  )

  it('[CFL-13] also when something else was known in between', async () => {
    const { memory } = await openWaiting()
    await memory.learn('I moved to Oslo.')
    expect(await waitingIn(memory)).toEqual(['The user lives in Rome'])
    await memory.learn('I moved to Rome.')
    expect(await waitingIn(memory)).toEqual([])
  })

  it('[CFL-13] by evidence: what has won at last does not wait beside itself', async () => {
    const { memory } = await openLearning({ store: makeStore(), kinds: { semantic: { onConflict: 'evidence' } } })
    await memory.add({ ...home, content: 'The user lives in Bonn', data: 'Bonn', confidence: 1 })
    await memory.learn('I live in Kiel.')
    expect(await waitingIn(memory)).toEqual(['The user lives in Kiel'])
    await memory.learn('As I said, I live in Kiel.')
    expect(await memory.facts.get('user.home')).toBe('Kiel')
    expect(await waitingIn(memory)).toEqual([])
  })

  it('[CFL-13] what says something else, is of another scope, or was put aside by hand, stays', async () => {
    const { memory } = await openWaiting()
    const bob = { scope: { userId: 'bob' } }
    await memory.facts.set('user.home', 'Bonn', bob)
    await memory.add(page, bob)
    await memory.add({ ...page, content: 'The user lives in Oslo', data: 'Oslo' })
    await memory.learn([user('I moved to Rome.')])
    expect(await waitingIn(memory)).toEqual(['The user lives in Oslo'])
    expect((await memory.conflicts.list(bob)).conflicts).toHaveLength(1)
  })

  it('[CFL-13] a memory without a key', async () => {
    const { memory } = await openLearning({ store: makeStore() })
    const { record } = await memory.add('The boiler is from 1998')
    const newer = { content: 'The boiler is from 2024', source: { type: 'tool' as const } }
    await memory.supersede(record.id, newer)
    expect(await waitingIn(memory)).toEqual(['The boiler is from 2024'])
    await memory.supersede(record.id, { ...newer, source: { type: 'user' } })
    expect(await waitingIn(memory)).toEqual([])
  })
})
