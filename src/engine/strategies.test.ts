import { describe, expect, it } from 'vitest'
import { testStores } from '../../test/fixtures/stores.ts'
import type { RankedCandidate, RetrievalStrategy, StrategySources } from '../contract/index.ts'
import { staticEn256 } from '../embedders/index.ts'
import { defaultStrategies } from '../kinds/index.ts'
import { fixedClock } from '../testing/index.ts'
import { type OpenMemoryOptions, openMemory } from './index.ts'

/** By the number in their text, whatever is asked. */
const byNumber: RetrievalStrategy = {
  async rank(_, from) {
    const all = await from.list()
    const numberOf = ({ record }: RankedCandidate) => Number(/\d+/.exec(record.content)?.[0])
    return all.sort((a, b) => numberOf(a) - numberOf(b)).map((one) => ({ ...one, score: 1 / (1 + numberOf(one)) }))
  },
}

const skill = (trigger: string, more: object = {}) => ({ trigger, description: trigger, ...more })

describe.each(testStores)('strategies on the %s store', (_, makeStore) => {
  const open = (options: Partial<OpenMemoryOptions> = {}) =>
    openMemory({ store: makeStore(), scope: { userId: 'ann' }, embedder: false, clock: fixedClock(), ...options })

  it('[STR-1] the strategy of the one kind that is asked for ranks; several kinds are searched as without', async () => {
    const memory = await open({ kinds: { note: { strategy: byNumber } } })
    await memory.addMany([3, 1, 2].map((n) => ({ kind: 'note', content: `note ${n} about the harbour` })))
    await memory.add('the harbour 0')
    const found = async (options: object) => (await memory.search('harbour', options)).results
    const ranked = await found({ kinds: ['note'] })
    expect(ranked.map(({ content }) => content[5])).toEqual(['1', '2', '3'])
    expect(ranked.map(({ score }) => score)).toEqual([1 / 2, 1 / 3, 1 / 4])
    expect((await found({ kinds: ['note'], minScore: 0.3 })).map(({ content }) => content[5])).toEqual(['1', '2'])
    expect(await found({ kinds: ['note', 'semantic'] })).toHaveLength(4)
    expect((await found({})).map(({ content }) => content)).toContain('the harbour 0')
    expect((await memory.search('', { kinds: ['note'] })).results).toEqual([])
    await memory.close()
  })

  it('[STR-2] a strategy sees and shows only what passed scope, status, expiry and filters', async () => {
    const seen: string[] = []
    let stray: RankedCandidate | undefined
    const nosy: RetrievalStrategy = {
      async rank(query, from) {
        const all = [
          ...(await from.list()),
          ...(await from.text()),
          ...(await from.vector()),
          ...(await from.hybrid!()),
        ]
        seen.push(...all.map(({ record }) => record.content))
        stray ??= all[0]
        const invented = { ...(all[0] as RankedCandidate), id: 'invented' }
        return [invented, stray as RankedCandidate, ...all, null as never, { id: 5 } as never].slice(0, query.limit + 5)
      },
    }
    const clock = fixedClock()
    const memory = await open({ kinds: { note: { strategy: nosy } }, clock, embedder: staticEn256() })
    await memory.add({ kind: 'note', content: 'harbour mine', tags: ['t'] })
    await memory.add({ kind: 'note', content: 'harbour untagged' })
    await memory.add({ kind: 'note', content: 'harbour archived', status: 'archived', tags: ['t'] })
    await memory.add({ kind: 'note', content: 'harbour expired', expiresAt: '2026-01-01T00:00:01Z', tags: ['t'] })
    await memory.add({ content: 'harbour of another kind', tags: ['t'] })
    await memory.add({ kind: 'note', content: 'harbour of bob', tags: ['t'] }, { scope: { userId: 'bob' } })
    clock.advance(2000)
    const first = await memory.search('harbour', { kinds: ['note'], tags: ['t'] })
    expect(first.results.map(({ content }) => content)).toEqual(['harbour mine'])
    expect(new Set(seen)).toEqual(new Set(['harbour mine']))
    // Nothing that an earlier search gave gets into another one.
    const others = await memory.search('harbour', { kinds: ['note'], scope: { userId: 'bob' } })
    expect(others.results.map(({ content }) => content)).toEqual(['harbour of bob'])
    await memory.close()
  })

  it('[STR-3] pages of a strategy follow each other, explanations and uses are as everywhere', async () => {
    const memory = await open({ kinds: { note: { strategy: byNumber } } })
    await memory.addMany(Array.from({ length: 25 }, (__, n) => ({ kind: 'note', content: `note ${n} of a list` })))
    const shown: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await memory.search('list', { kinds: ['note'], limit: 7, cursor, explain: true })
      shown.push(...page.results.map(({ content }) => /\d+/.exec(content)?.[0] as string))
      expect(page.results.every(({ explanation }) => explanation?.relevance !== undefined)).toBe(true)
      cursor = page.nextCursor
      if (!cursor) break
    }
    expect(shown).toEqual(Array.from({ length: 25 }, (__, n) => String(n)))
    const [first] = (await memory.search('list', { kinds: ['note'], limit: 1 })).results
    expect(first?.accessCount).toBe(1)
    expect(await memory.explain('list', first?.id as string, { kinds: ['note'] })).toMatchObject({
      stage: 'returned',
      rank: 1,
    })
    await memory.close()
  })

  it('[STR-3] an explanation says beyond the limit and below the threshold what it says without a strategy', async () => {
    const memory = await open()
    const contents = ['brew tea', 'tea in the cup of a stranger who sleeps', 'the cup of tea', 'coffee'].map(
      (content) => ({ content }),
    )
    const stages = async (kind: string) => {
      const { results } = await memory.addMany(contents.map((one) => ({ ...one, kind })))
      const explained = async (options: object) => {
        const all = results.map(({ record }) => memory.explain('the tea cup', record.id, { kinds: [kind], ...options }))
        return (await Promise.all(all)).map(({ stage, rank }) => [stage, rank])
      }
      return [await explained({ limit: 1 }), await explained({ minScore: 0.5 })]
    }
    const usual = await stages('note')
    expect(usual.flat().map(([stage]) => stage)).toEqual(
      expect.arrayContaining(['limit', 'threshold', 'returned', 'text']),
    )
    expect(await stages('procedural')).toEqual(usual)
    await memory.close()
  })

  it('[STR-4] where a strategy fails search goes its own way, and says so', async () => {
    const broken: RetrievalStrategy[] = [
      { rank: () => Promise.reject(new Error('secret text')) },
      { rank: async () => 'none' as never },
    ]
    for (const strategy of broken) {
      const memory = await open({ kinds: { note: { strategy } } })
      await memory.addMany(['harbour one', 'harbour two'].map((content) => ({ kind: 'note', content })))
      const { results, degraded } = await memory.search('harbour', { kinds: ['note'] })
      expect([results.length, degraded?.map(({ stage }) => stage)]).toEqual([2, ['strategy']])
      expect(JSON.stringify(degraded)).not.toContain('secret')
      await memory.close()
    }
    await expect(open({ kinds: { note: { strategy: {} as never } } })).rejects.toMatchObject({ code: 'BAD_CONFIG' })
  })

  it('[STR-5] skills and tools that a need names, or that name it, come first, then the others as without a strategy', async () => {
    const memory = await open({ embedder: staticEn256() })
    const plain = {
      kind: 'procedural',
      content: 'to fix lint one runs the formatter over and over: fix lint, fix lint',
    }
    await memory.add(plain)
    const fix = await memory.skills.learn(skill('fix lint', { description: 'Repairs style errors' }))
    await memory.skills.learn(skill('brew tea'))
    const found = async (query: string, kind: string) => (await memory.search(query, { kinds: [kind] })).results
    const [first, second] = await found('please fix lint now', 'procedural')
    expect([first?.id, first?.score, second?.content]).toEqual([fix.record.id, 1, plain.content])
    await memory.tools.learn({ name: 'web_search', description: 'Looks for pages' })
    await memory.tools.learn({ name: 'notes', description: 'Says when to use web_search and web_search again' })
    expect((await found('web search', 'tool'))[0]).toMatchObject({ key: 'web_search', score: 1 })
    await memory.close()
  })

  it('[STR-6] of skills that are named alike the more reliable one comes first, then the newer version, then the one used last', async () => {
    const clock = fixedClock()
    const memory = await open({ clock })
    const data = (version: number) => ({ ...skill('run solver', { name: `s${version}` }), version })
    const ids: string[] = []
    for (const version of [1, 10, 2, 2]) {
      clock.advance(86_400_000)
      const { record } = await memory.add(
        { kind: 'procedural', content: 'run solver', data: data(version) },
        { dedupe: false },
      )
      ids.push(record.id)
    }
    const order = async () =>
      (await memory.search('run solver', { kinds: ['procedural'], touch: false })).results.map(({ id }) =>
        ids.indexOf(id),
      )
    expect(await order()).toEqual([1, 3, 2, 0])
    await memory.report(ids[1] as string, { success: false })
    expect(await order()).toEqual([3, 2, 0, 1])
    await memory.close()
  })

  it('[STR-7] one judge serves search and match: it sees at most 20 that passed scope, filter and quality, where none is named', async () => {
    const asked: string[][] = []
    const judge = async (__: string, candidates: readonly { id: string; trigger: string }[]) => {
      asked.push(candidates.map(({ trigger }) => trigger))
      return [1, 1, 99, -1, 0.5, 0]
    }
    const memory = await open({ kinds: { procedural: { strategy: defaultStrategies({ judge }).procedural } } })
    for (let i = 0; i < 25; i++) await memory.skills.learn(skill(`do thing ${'abcdefghijklmnopqrstuvwxyz'[i]}`))
    await memory.skills.learn(skill('secret of bob'), { scope: { userId: 'bob' } })
    const weak = await memory.skills.learn(skill('water the plants'))
    await memory.report(weak.record.id, { success: false })
    await memory.add({ kind: 'procedural', content: 'something hot is tea' })
    const filter = { 'record.reliability': { gte: 0.9 } }
    const { results } = await memory.search('something hot', { kinds: ['procedural'], filter })
    expect(asked[0]).toHaveLength(20)
    for (const trigger of asked[0] as string[]) expect(trigger).toMatch(/^do thing/)
    expect(results.slice(0, 2).map(({ content }) => content)).toEqual([asked[0]?.[1], asked[0]?.[0]])
    expect(results.slice(2).map(({ content }) => content)).toEqual(['something hot is tea'])
    expect((await memory.search('do thing a', { kinds: ['procedural'] })).results[0]?.score).toBe(1)
    expect(asked).toHaveLength(1)
    const { matches } = await memory.skills.match('something hot', { minReliability: 0.9 })
    expect([asked.length, asked[1]?.length, matches.map(({ by }) => by)]).toEqual([2, 20, ['judged', 'judged']])
    await memory.skills.match('something hot', { judge: async () => [] })
    expect(asked).toHaveLength(2)
    await memory.close()
  })

  it('[STR-8] any table may be given another strategy: a tool is found as facts are', async () => {
    const memory = await open({ kinds: { tool: { strategy: defaultStrategies().semantic } } })
    await memory.tools.learn({ name: 'web', description: 'Looks for pages' })
    expect((await memory.search('pages', { kinds: ['tool'] })).results.map(({ key }) => key)).toEqual(['web'])
    expect((await memory.search('web', { kinds: ['tool'] })).results[0]?.score).toBe(1)
    await memory.close()
  })
})

describe('default strategies on plain data', () => {
  const record = (id: string, content: string, data?: object) => ({ id, record: { id, content, data, reliability: 1 } })
  const from = (text: object[], vector: object[]): StrategySources =>
    ({ text: async () => text, vector: async () => vector, list: async () => text }) as never
  const query = { query: 'please brew tea', terms: ['brew', 'tea'], limit: 10 }

  it('[STR-9] there is one for every kind, and each works on any sources', async () => {
    expect(Object.keys(defaultStrategies())).toEqual(['semantic', 'episodic', 'procedural', 'tool', 'kv', 'entity'])
    const { semantic, procedural } = defaultStrategies()
    const a = { ...record('a', 'x'), score: 0.4 }
    const b = { ...record('b', 'y'), score: 0.5 }
    const both = await semantic?.rank(query, from([a, b], [{ ...a, score: 0.8 }]))
    expect(both?.map(({ id, score }) => [id, score])).toEqual([
      ['a', expect.closeTo(0.6)],
      ['b', 0.25],
    ])
    expect((await semantic?.rank(query, from([a, b], [])))?.map(({ id, score }) => [id, score])).toEqual([
      ['b', 0.5],
      ['a', 0.4],
    ])
    const named = { ...record('c', 'brew tea', { trigger: 'brew tea' }), score: 0.1 }
    expect((await procedural?.rank(query, from([a, named as never], [])))?.map(({ id }) => id)).toEqual(['c', 'a'])
  })
})
