import { describe, expect, it } from 'vitest'
import { testStores } from '../../test/fixtures/stores.ts'
import { staticEn256 } from '../embedders/index.ts'
import { fixedClock } from '../testing/index.ts'
import { type OpenMemoryOptions, openMemory } from './index.ts'

const ann = { userId: 'ann' }

const tea = { name: 'tea', trigger: 'brew tea', description: 'Makes a hot drink', steps: ['boil water', 'wait'] }
const lint = { trigger: 'fix lint', description: 'Repairs style errors in code', steps: ['run the formatter'] }

describe.each(testStores)('skills on the %s store', (name, makeStore) => {
  const open = (options: Partial<OpenMemoryOptions> = {}) =>
    openMemory({ store: makeStore(), scope: ann, embedder: false, clock: fixedClock(), ...options })

  it('[SKL-11] a procedural memory with a payload that is no skill is refused, one without is a memory like others', async () => {
    const memory = await open()
    const bad = { kind: 'procedural', content: 'x', data: { missing: true } }
    await expect(memory.add(bad)).rejects.toMatchObject({ message: expect.stringContaining('memory.data.') })
    await expect(memory.add({ ...bad, data: {} })).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    const { record } = await memory.add({ kind: 'procedural', content: 'plain words about tea' })
    await expect(memory.update(record.id, { data: { x: 1 } })).rejects.toMatchObject({ code: 'UNKNOWN_FIELD' })
    expect((await memory.skills.match('plain words about tea')).matches).toEqual([])
    await expect(memory.skills.learn({} as never)).rejects.toMatchObject({
      message: expect.stringContaining('trigger'),
    })
    await memory.close()
  })

  it('[SKL-12] another skill of a name is its next version, the one before is kept; the same one twice is one', async () => {
    const memory = await open()
    const first = await memory.skills.learn(tea)
    expect([first.outcome, first.skill.version]).toEqual(['added', 1])
    expect((await memory.skills.learn({ ...tea })).outcome).toBe('duplicate')
    const second = await memory.skills.learn({ ...tea, steps: ['boil water', 'wait', 'pour'] })
    expect([second.outcome, second.skill.version, second.previous?.id]).toEqual(['superseded', 2, first.record.id])
    await memory.skills.learn({ ...tea, name: 'Tea' })
    const { versions } = await memory.skills.versions('tea')
    expect(versions.map(({ version, steps }) => [version, steps.length])).toEqual([
      [1, 2],
      [2, 3],
    ])
    expect((await memory.skills.match('brew tea')).matches.map(({ id }) => id)).toContain(second.record.id)
    expect((await memory.skills.match('brew tea')).matches.map(({ id }) => id)).not.toContain(first.record.id)
    const back = await memory.skills.rollback('tea', 1)
    expect([back.skill.version, back.skill.steps]).toEqual([3, tea.steps])
    await expect(memory.skills.rollback('tea', 9)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' })
    await memory.undo(back.tx)
    expect((await memory.skills.versions('tea')).versions).toHaveLength(2)
    await memory.close()
    const inPlace = await open({ kinds: { procedural: { versionOnEdit: false } } })
    await inPlace.skills.learn(tea)
    expect((await inPlace.skills.learn({ ...tea, steps: ['pour'] })).outcome).toBe('updated')
    expect((await inPlace.skills.versions('tea')).versions.map(({ version }) => version)).toEqual([2])
    await inPlace.close()
  })

  it('[SKL-12] edits at once give as many versions, none lost', async () => {
    const memory = await open()
    await Promise.all(Array.from({ length: 8 }, (_, i) => memory.skills.learn({ ...tea, steps: [`step ${i}`] })))
    const { versions } = await memory.skills.versions('tea')
    expect(versions.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(new Set(versions.map(({ steps }) => steps[0])).size).toBe(8)
    await memory.close()
  })

  it('[SKL-13] match finds by trigger in both directions and by meaning, and nothing for what no skill fits', async () => {
    const memory = await open({ embedder: staticEn256() })
    await memory.skills.learn(tea)
    await memory.skills.learn(lint)
    await memory.skills.learn({ trigger: 'book a flight', description: 'Finds and reserves plane tickets' })
    const names = async (query: string, options: object = {}) =>
      (await memory.skills.match(query, options)).matches.map(({ skill }) => skill.name)
    expect(await names('BREW TEA')).toContain('tea')
    expect((await names('please fix lint now'))[0]).toBe('fix lint')
    expect((await names('reserve me a seat on a plane'))[0]).toBe('book a flight')
    expect(await names('r_n')).toEqual([])
    expect(await names('')).toEqual([])
    expect(await names('fix lint', { name: 'tea' })).not.toContain('fix lint')
    expect(await names('fix lint', { minVersion: 2 })).toEqual([])
    await memory.close()
  })

  it('[SKL-14] a judge sees only what passed scope, version and reliability, and only where no trigger matches', async () => {
    const memory = await open()
    await memory.skills.learn(tea)
    await memory.skills.learn(lint)
    await memory.skills.learn({ trigger: 'feed the cat' }, { scope: { userId: 'bob' } })
    const weak = await memory.skills.learn({ trigger: 'water the plants' })
    await memory.report(weak.record.id, { success: false })
    const seen: string[][] = []
    const judge = async (_: string, candidates: readonly { trigger: string }[]) => {
      seen.push(candidates.map(({ trigger }) => trigger).sort())
      return [0, 0, 99, -1]
    }
    const { matches } = await memory.skills.match('something hot', { judge, minReliability: 0.9 })
    expect([seen, matches.length, matches[0]?.by]).toEqual([[['brew tea', 'fix lint']], 1, 'judged'])
    await memory.skills.match('brew tea', { judge })
    expect(seen).toHaveLength(1)
    await memory.close()
  })

  it('[SKL-15] report counts, keeps examples of what worked and removes what fails too often', async () => {
    const memory = await open()
    await memory.skills.learn(tea)
    const example = { inputs: { leaves: 'green' }, outputs: { cups: 2 } }
    await memory.skills.report('tea', { success: true, example })
    await memory.skills.report('tea', { success: false, reason: 'no water' })
    const [match] = (await memory.skills.match('brew tea')).matches
    expect(match?.skill).toMatchObject({
      successes: 1,
      failures: 1,
      examples: [{ ...example, occurredAt: '2026-01-01T00:00:00.000Z' }],
    })
    expect([match?.reliability, match?.successBound.toFixed(3)]).toEqual([0.7, '0.095'])
    for (let i = 0; i < 5; i++) await memory.skills.report('tea', { success: false })
    expect(await memory.skills.report('tea', { success: false })).toMatchObject({ pruned: true, record: null })
    await expect(memory.skills.report('tea', { success: true })).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' })
    await memory.close()
  })

  it('[SKL-16] a SKILL.md goes out and comes in as the same skill', async () => {
    if (name === 'memory') return
    const memory = await open()
    await memory.skills.learn({ ...tea, preconditions: ['a kettle'], expectedOutcome: 'tea' })
    const text = await memory.skills.toMarkdown('tea')
    const learnt = await memory.skills.fromMarkdown(text as string, { scope: { userId: 'bob' } })
    const { versions } = await memory.skills.versions('tea')
    expect([learnt.outcome, learnt.skill, learnt.ignored]).toEqual(['added', versions[0], []])
    expect((await memory.skills.fromMarkdown(text as string)).outcome).toBe('duplicate')
    expect(await memory.skills.toMarkdown('coffee')).toBeNull()
    await memory.close()
  })
})
