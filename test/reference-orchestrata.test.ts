import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { memoryContext } from '../src/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import { contents, open, refusal } from './fixtures/reference-stores.ts'

// Cases of orchestrata, by their numbers: the memory of a run, and what every store holds. Its two layers come with theirs.

const project = { appId: 'project' }
const session = (sessionId: string) => ({ ...project, sessionId })

describe('orchestrata: the memory of a run', () => {
  it('[CTX-1] orchestrata 77: code in a run recalls from the engine of the run, without a parameter', async () => {
    const [first, second] = [await open(), await open()]
    await first.add('from the first', { scope: session('s1') })
    await second.add('from the second', { scope: session('s1') })
    const recall = async () => {
      await setImmediate()
      return contents((await memoryContext.current()?.search('from the'))?.results ?? [])
    }
    const runs = [first, second].map((engine) => memoryContext.run({ engine, scope: session('s1') }, recall))
    expect(await Promise.all(runs)).toEqual([['from the first'], ['from the second']])
    expect(await recall()).toEqual([])
  })

  it('[CTX-2] orchestrata 80: after a run that failed the next one does not see its memory', async () => {
    const engine = await open()
    const failing = memoryContext.run({ engine, scope: session('s1') }, async () => {
      await setImmediate()
      throw new Error('the run broke')
    })
    await expect(failing).rejects.toThrow('the run broke')
    expect(memoryContext.current()).toBeNull()
    await memoryContext.run({ engine, scope: session('s2') }, async () => {
      expect(memoryContext.current()?.scope).toEqual(session('s2'))
    })
  })
})

describe('orchestrata: what every store holds', () => {
  it('[REC-1] orchestrata 15, 20: an unknown id is null, and an empty content is refused', async () => {
    const memory = await open()
    expect(await memory.get('unknown')).toBeNull()
    await expect(memory.add('')).rejects.toMatchObject(refusal('INVALID_RECORD') as object)
  })

  it('[RED-22] orchestrata 22: tags narrow: b finds both, a the one', async () => {
    const memory = await open()
    await memory.add({ content: 'e1', tags: ['a', 'b'] })
    await memory.add({ content: 'e2', tags: ['b'] })
    const tagged = async (tag: string) => contents((await memory.list({ tags: [tag], order: 'oldest' })).records)
    expect([await tagged('b'), await tagged('a')]).toEqual([['e1', 'e2'], ['e1']])
  })

  it('[SCO-2] orchestrata 23, 24, 56: scopes and sessions are listed and counted apart', async () => {
    const memory = await open()
    for (const text of ['one', 'two', 'three']) await memory.add(text, { scope: session('s1') })
    await memory.add('four', { scope: session('s2') })
    const in1 = await memory.list({ scope: session('s1'), order: 'oldest' })
    expect(contents(in1.records)).toEqual(['one', 'two', 'three'])
    const counts = [session('s1'), session('s2'), project].map(async (scope) => (await memory.stats({ scope })).total)
    expect(await Promise.all(counts)).toEqual([3, 1, 4])
  })

  it('[TIM-5] orchestrata 25: what has expired is not enumerated with its session', async () => {
    const clock = fixedClock()
    const memory = await open({ clock })
    await memory.episodes.record('short', { expiresIn: 1000, scope: session('s1') })
    await memory.episodes.record('long', { scope: session('s1') })
    clock.advance(1000)
    const { records } = await memory.episodes.timeline({ session: 's1', scope: project })
    expect(contents(records)).toEqual(['long'])
  })

  it('[EPI-3] orchestrata 55: of January and March, February to April finds March; the beginning is in, the end is not', async () => {
    const memory = await open()
    for (const date of ['2026-01-15', '2026-03-15', '2026-04-01', '2026-02-01'])
      await memory.episodes.record(date, { eventTime: `${date}T00:00:00Z` })
    const window = { since: '2026-02-01T00:00:00Z', until: '2026-04-01T00:00:00Z' }
    expect(contents((await memory.episodes.timeline(window)).records)).toEqual(['2026-02-01', '2026-03-15'])
    const listed = await memory.list({ ...window, order: 'eventTime' })
    expect(contents(listed.records)).toEqual(['2026-02-01', '2026-03-15'])
  })

  it('[SEA-22] orchestrata 37: of eight candidates the five best', async () => {
    const memory = await open()
    await memory.addMany(Array.from({ length: 8 }, (_, i) => `invoice number ${i}`))
    expect((await memory.search('invoice', { limit: 5 })).results).toHaveLength(5)
  })
})
