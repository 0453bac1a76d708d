import { describe, expect, it } from 'vitest'
import { embedderFrom } from '../src/embedders/index.ts'
import { defaultStrategies, type OpenMemoryOptions, openMemory } from '../src/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import { ann, contents, found, listed, storeKinds } from './fixtures/reference-stores.ts'

const dayMs = 86_400_000
const embedder = embedderFrom((text) => [...'abcdefgh'].map((letter) => text.split(letter).length - 1), {
  id: 'letters',
  dimensions: 8,
})

// 14 is decided otherwise: a field that a skill has not got is refused by name (SKL-2); a tool's payload may have more (TSP-2).
describe.each(storeKinds)('orqest: kinds and policies on $name', ({ create }) => {
  const open = (options: Partial<OpenMemoryOptions> = {}) =>
    openMemory({ scope: ann, embedder: false, store: create()(), ...options } as OpenMemoryOptions)

  it('[TSP-2] orqest 12, 13: any payload of a fact is kept; that of a tool has a form of its own, not that of a skill', async () => {
    const memory = await open()
    const odd = { random: 'stuff' }
    expect((await memory.add({ content: 'a fact', data: odd })).record.data).toEqual(odd)
    const tool = { only_tool_fields: true, name: 'x' }
    expect((await memory.add({ kind: 'tool', content: 'a tool', data: tool })).record.data).toEqual(tool)
    await expect(memory.add({ kind: 'tool', content: 'no tool', data: { ...tool, name: 1 } })).rejects.toMatchObject({
      code: 'INVALID_RECORD',
    })
    await memory.close()
  })

  it('[KND-2] orqest 23, 114: factors beyond 0 to 1 and lifetimes of 0 or less are refused', async () => {
    const refused = [
      { semantic: { decayOnFailure: 2 } },
      { semantic: { decayOnFailure: -3 } },
      { semantic: { pruneBelow: 9 } },
      { semantic: { ttlDays: 0 } },
      { episodic: { ttlDays: -1 } },
      { episodic: { ttlDays: 'x' as never } },
    ]
    for (const kinds of refused) await expect(open({ kinds })).rejects.toMatchObject({ code: 'BAD_CONFIG' })
  })

  it('[KND-6] orqest 32: what one failure prunes takes no other memory out of search', async () => {
    const memory = await open()
    const { record } = await memory.add({ content: 'fact one', reliability: 0.11 })
    await memory.add('fact two')
    expect(await memory.report(record.id, { success: false })).toMatchObject({ pruned: true })
    expect(await found(memory, 'fact')).toEqual(['fact two'])
    await memory.close()
  })

  it('[SKL-12] orqest 95, 96, 97: a first version may have a number, the next is one more; other letters are another name', async () => {
    const memory = await open()
    const given = Object.freeze({ name: 'deploy', trigger: 'deploy', version: 7, steps: Object.freeze(['one']) })
    const before = structuredClone(given)
    expect((await memory.skills.learn(given as never)).skill.version).toBe(7)
    expect((await memory.skills.learn({ ...given, steps: ['two'], version: 1 })).skill.version).toBe(8)
    expect((await memory.skills.learn({ ...given, name: 'Deploy', version: 1 })).skill.version).toBe(1)
    expect(given).toEqual(before)
    await memory.close()
  })

  it('[KND-7] orqest 98: writing a version again adds one and takes none away', async () => {
    const memory = await open()
    const first = await memory.skills.learn({ name: 'deploy', trigger: 'deploy', steps: ['one'] })
    await memory.skills.learn({ name: 'deploy', trigger: 'deploy', steps: ['two'] })
    await memory.skills.learn({ name: 'deploy', trigger: 'deploy', steps: ['one'] })
    const { versions } = await memory.skills.versions('deploy')
    expect(versions.map(({ version, steps }) => [version, steps[0]])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'one'],
    ])
    // The first version itself can't be written over.
    const data = { name: 'deploy', trigger: 'deploy', steps: ['other'] }
    await expect(memory.update(first.record.id, { data })).rejects.toMatchObject({ code: 'CONFLICT' })
    await memory.close()
  })

  it('[TSP-4] orqest 99, 100: a tool stored eight times at once has versions 1 to 8; three times one after the other, 1 to 3', async () => {
    const memory = await open()
    for (const code of ['a', 'b', 'c']) await memory.tools.learn({ name: 'web', implementation: code })
    await Promise.all(
      Array.from({ length: 8 }, (_, i) => memory.skills.learn({ name: 'deploy', trigger: 'deploy', steps: [`${i}`] })),
    )
    const numbers = (versions: readonly { version: number }[]) => versions.map(({ version }) => version)
    expect(numbers((await memory.tools.versions('web')).versions)).toEqual([1, 2, 3])
    expect(numbers((await memory.skills.versions('deploy')).versions)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    await memory.close()
  })

  it('[STR-8] orqest 104: a kind with the strategy of facts is found as facts are, without a kind as always', async () => {
    const memory = await open({ kinds: { tool: { strategy: defaultStrategies().semantic } } })
    await memory.add({ kind: 'tool', content: 'finds identifiers of papers' })
    expect(await found(memory, 'papers', { kinds: ['tool'] })).toEqual(['finds identifiers of papers'])
    expect(await found(memory, 'papers')).toEqual(['finds identifiers of papers'])
    await memory.close()
  })

  it('[STR-1] orqest 127: vectors are written also where the strategy of a kind goes by words alone', async () => {
    const memory = await open({ embedder, kinds: { note: { strategy: { rank: (_, from) => from.text() } } } })
    await memory.addMany(['abba', 'abc'].map((content) => ({ kind: 'note', content })))
    expect(await found(memory, 'abc', { kinds: ['note'] })).toEqual(['abc'])
    expect((await memory.pending()).records).toEqual([])
    expect((await found(memory, 'abc', { mode: 'vector' }))[0]).toBe('abc')
    await memory.close()
  })

  it('[KND-4] orqest 105, 108: success leaves a reliability as it is; what is at the floor stays, what is below goes', async () => {
    const memory = await open({ kinds: { semantic: { decayOnFailure: 0.5, pruneBelow: 0.5 } } })
    const { record } = await memory.add({ content: 'one', reliability: 0.8 })
    expect((await memory.report(record.id, { success: true })).record?.reliability).toBe(0.8)
    const sure = (await memory.add('two')).record
    expect(await memory.report(sure.id, { success: false })).toMatchObject({
      pruned: false,
      record: { reliability: 0.5 },
    })
    expect(await memory.report(sure.id, { success: false })).toMatchObject({ pruned: true })
    await memory.close()
  })

  it('[WRT-25] orqest 109: reporting on an unknown id is told and changes nothing', async () => {
    const memory = await open()
    await memory.add('one')
    await expect(memory.report('unknown', { success: false })).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' })
    expect(await listed(memory)).toEqual(['one'])
    await memory.close()
  })

  it('[KND-10] orqest 110, 111: each kind has its lifetime, and without one a memory of 1990 stays', async () => {
    const clock = fixedClock('1990-01-01T00:00:00Z')
    const memory = await open({ clock, kinds: { semantic: { ttlDays: 30 } } })
    await memory.add({ content: 'old fact' })
    await memory.add({ content: 'old event', kind: 'episodic' })
    clock.advance(99 * dayMs)
    await memory.add({ content: 'new fact' })
    clock.advance(dayMs)
    expect((await memory.maintain()).expired).toHaveLength(1)
    expect(await listed(memory)).toEqual(['old event', 'new fact'])
    clock.advance(30 * 365 * dayMs)
    expect(await listed(memory)).toEqual(['old event'])
    await memory.close()
  })

  it('[KND-10] orqest 112, 113: a lifetime counts from the making, not the use, of tools too; pruning twice takes nothing more', async () => {
    const clock = fixedClock('2024-01-01T00:00:00Z')
    const memory = await open({ clock, kinds: { episodic: { ttlDays: 90 }, tool: { ttlDays: 1 } } })
    await memory.add({ kind: 'episodic', content: 'event of 91 days' })
    clock.advance(2 * dayMs)
    await memory.add({ kind: 'episodic', content: 'event of 89 days' })
    clock.advance(79 * dayMs)
    await memory.add({ kind: 'tool', content: 'tool of 10 days' })
    await memory.add({ kind: 'episodic', content: 'event ahead', eventTime: { start: '2024-12-24T00:00:00Z' } })
    clock.advance(dayMs - 1)
    await memory.search('event of 91 days')
    clock.advance(9 * dayMs + 1)
    const { expired } = await memory.maintain()
    expect(expired).toHaveLength(2)
    expect((await listed(memory)).sort()).toEqual(['event ahead', 'event of 89 days'])
    expect((await memory.maintain()).expired).toEqual([])
    await memory.close()
  })

  it('[TSP-5] orqest 136: one code is one version whatever its description, each version stays, all of them go when asked', async () => {
    const memory = await open()
    const persist = (implementation: string, description: string) =>
      memory.tools.learn({ name: 'web', implementation, description })
    expect((await persist('a()', 'one')).tool.version).toBe(1)
    expect((await persist('a()', 'two')).tool.version).toBe(1)
    expect((await persist('b()', 'two')).tool.version).toBe(2)
    expect((await memory.tools.versions('web')).versions.map(({ implementation }) => implementation)).toEqual([
      'a()',
      'b()',
    ])
    expect((await memory.tools.get('web'))?.version).toBe(2)
    const all = { kinds: ['tool'], filter: { 'record.key': 'web' } }
    expect((await memory.deleteMany(all)).deleted).toBe(2)
    expect((await memory.deleteMany(all)).deleted).toBe(0)
    await memory.close()
  })
})

describe.each(storeKinds)('what earlier systems lost, on $name', ({ create }) => {
  const open = (options: Partial<OpenMemoryOptions> = {}) =>
    openMemory({ scope: ann, embedder: false, store: create()(), ...options } as OpenMemoryOptions)

  it.each(['semantic', 'episodic', 'procedural', 'tool', 'entity', 'diary'])(
    '[SEA-21] deleting, pruning, forgetting and expiring never break the search of other memories, of kind %s',
    async (kind) => {
      const clock = fixedClock()
      const memory = await open({ clock, embedder, kinds: { [kind]: { maxRecords: 30, pruneBelow: 0.5 } } })
      const texts = Array.from({ length: 30 }, (_, i) => `harbour bead ${i} of the deck`)
      await memory.addMany(texts.map((content, i) => ({ id: `r${i}`, kind, content, importance: i / 100 })))
      const gone = new Set<number>()
      const check = async (...ids: number[]) => {
        for (const id of ids) gone.add(id)
        const left = texts.filter((_, i) => !gone.has(i)).sort()
        for (const options of [{}, { kinds: [kind] }, { mode: 'text' as const }]) {
          expect((await found(memory, 'harbour bead of the deck', { limit: 100, ...options })).sort()).toEqual(left)
        }
        expect((await listed(memory, { limit: 100 })).sort()).toEqual(left)
      }
      await check()
      await memory.delete('r3')
      await check(3)
      await memory.deleteMany({ ids: ['r5', 'r6'] })
      await check(5, 6)
      while (!(await memory.report('r9', { success: false })).pruned);
      await check(9)
      await memory.forget({ strategy: 'importance', below: 0.03, mode: 'delete' })
      await check(0, 1, 2)
      await memory.forget({ strategy: 'capacity', keep: 20 })
      await check(4, 7, 8)
      await memory.update('r20', { expiresAt: '2026-01-02T00:00:00Z' })
      clock.advance(2 * dayMs)
      await check(20)
      await memory.maintain()
      await check()
      await memory.update('r21', { status: 'quarantined' })
      await check(21)
      // The id comes back with another text.
      await memory.add({ id: 'r3', kind, content: 'a cafe beside' })
      expect(await found(memory, 'cafe', { mode: 'text' })).toEqual(['a cafe beside'])
      expect((await memory.verify()).problems).toEqual([])
      await memory.close()
    },
  )

  it('[CTR-2] what is written in one millisecond keeps its order, whatever the kind', async () => {
    const memory = await open({ clock: fixedClock() })
    for (let i = 0; i < 60; i++) {
      if (i % 3 === 0) await memory.add({ content: `memory ${i}`, kind: 'note' })
      else if (i % 3 === 1) await memory.episodes.record(`memory ${i}`)
      else await memory.tools.learn({ name: `t${i}`, description: `memory ${i}` })
    }
    const all = Array.from({ length: 60 }, (_, i) => `memory ${i}`)
    expect(await listed(memory, { limit: 100 })).toEqual(all)
    expect(contents((await memory.list({ limit: 100 })).records)).toEqual([...all].reverse())
    const timeline = contents((await memory.episodes.timeline({ limit: 100 })).records)
    expect(timeline).toEqual(all.filter((_, i) => i % 3 === 1))
    await memory.close()
  })

  it('[KND-7] two engines that edit one skill and one tool at once give two versions each, none lost', async () => {
    const again = create()
    const options = { scope: ann, embedder: false as const }
    const one = await openMemory({ ...options, store: again() })
    const two = await openMemory({ ...options, store: again() })
    await one.skills.learn({ name: 'deploy', trigger: 'deploy', steps: ['zero'] })
    const { record } = await one.tools.learn({ name: 'web', implementation: 'zero' })
    const edits = [
      one.skills.learn({ name: 'deploy', trigger: 'deploy', steps: ['one'] }),
      two.skills.learn({ name: 'deploy', trigger: 'deploy', steps: ['two'] }),
      one.update(record.id, { data: { name: 'web', implementation: 'one' } }),
      two.update(record.id, { data: { name: 'web', implementation: 'two' } }),
    ]
    await Promise.all(edits)
    const skills = (await two.skills.versions('deploy')).versions
    expect(skills.map(({ version }) => version)).toEqual([1, 2, 3])
    expect(skills.map(({ steps }) => steps[0]).sort()).toEqual(['one', 'two', 'zero'])
    const tools = (await one.tools.versions('web')).versions
    expect(tools.map(({ version }) => version)).toEqual([1, 2, 3])
    expect(tools.map(({ implementation }) => implementation).sort()).toEqual(['one', 'two', 'zero'])
    await one.close()
    await two.close()
  })
})
