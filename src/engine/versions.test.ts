import { describe, expect, it } from 'vitest'
import { testStores } from '../../test/fixtures/stores.ts'
import type { StoredRecord } from '../contract/index.ts'
import { allScopes } from '../model/index.ts'
import { fixedClock, transaction } from '../testing/index.ts'
import { type MemoryEngine, type OpenMemoryOptions, openMemory } from './index.ts'

const tea = { name: 'tea', trigger: 'brew tea', steps: ['boil water'] }

describe.each(testStores)('versions of edited memories on the %s store', (_, makeStore) => {
  const open = (options: Partial<OpenMemoryOptions> = {}) =>
    openMemory({ store: makeStore(), scope: { userId: 'ann' }, embedder: false, clock: fixedClock(), ...options })

  it('[KND-7] an edit of a kind with versionOnEdit keeps the id, and the version before as a superseded memory', async () => {
    const clock = fixedClock()
    const memory = await open({ clock })
    const { record } = await memory.add({ kind: 'tool', key: 'web', content: 'search the web', tags: ['net'] })
    clock.advance(1000)
    const edited = await memory.update(record.id, { content: 'search the web and read pages' })
    expect([edited.record.id, edited.record.version]).toEqual([record.id, 2])
    const former = await memory.get(edited.record.supersedes as string)
    expect(former).toEqual({
      ...record,
      id: former?.id,
      status: 'superseded',
      supersededBy: record.id,
      validTo: '2026-01-01T00:00:01.000Z',
    })
    const found = async (options: object = {}) =>
      (await memory.search('search the web', options)).results.map(({ content }) => content)
    expect(await found()).toEqual(['search the web and read pages'])
    expect((await found({ status: 'any' })).sort()).toEqual(['search the web', 'search the web and read pages'])
    await memory.close()
  })

  it('[KND-7] what is no edit of what a memory says makes no version', async () => {
    const memory = await open()
    const { record } = await memory.skills.learn(tea)
    await memory.update(record.id, { importance: 0.9, tags: ['hot'], metadata: { by: 'ann' } })
    await memory.report(record.id, { success: true })
    await memory.update(record.id, { data: { ...tea, successes: 5 } })
    expect((await memory.list({ status: 'any' })).records).toHaveLength(1)
    const semantic = await memory.add('Ann lives in Kiel')
    await memory.update(semantic.record.id, { content: 'Ann lives in Bremen' })
    expect((await memory.list({ status: 'any' })).records).toHaveLength(2)
    await memory.close()
  })

  it('[KND-7] versions of a skill go on by one, whether it is updated, added again, superseded or learned', async () => {
    const memory = await open()
    const { record } = await memory.skills.learn(tea)
    const steps = (...names: string[]) => ({ ...tea, steps: names })
    await memory.update(record.id, { data: steps('two') })
    await memory.add({ kind: 'procedural', key: 'tea', content: 'brew tea', data: steps('three') })
    const learnt = await memory.skills.learn(steps('four'))
    await memory.supersede(learnt.record.id, { content: 'brew tea', data: steps('five') })
    const { versions } = await memory.skills.versions('tea')
    expect(versions.map((skill) => [skill.version, skill.steps[0]])).toEqual([
      [1, 'boil water'],
      [2, 'two'],
      [3, 'three'],
      [4, 'four'],
      [5, 'five'],
    ])
    expect((await memory.skills.match('brew tea')).matches.map(({ skill }) => skill.version)).toEqual([5])
    await memory.close()
  })

  it('[KND-7] edits of one memory at once are all kept', async () => {
    const memory = await open()
    const { record } = await memory.tools.learn({ name: 'web', implementation: 'f0()' })
    const edits = Array.from({ length: 6 }, (__, i) =>
      memory.update(record.id, { data: { name: 'web', implementation: `f${i + 1}()` } }),
    )
    await Promise.all(edits)
    const newest = await memory.tools.learn({ name: 'web', implementation: 'g()' })
    // A version that is no longer the newest stays as it was: the edit is refused, not lost.
    await expect(memory.update(record.id, { data: { name: 'web' } })).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { supersededBy: newest.record.id },
    })
    const { versions } = await memory.tools.versions('web')
    const said = versions.map(({ implementation }) => implementation)
    expect([...said].sort()).toEqual(['f0()', 'f1()', 'f2()', 'f3()', 'f4()', 'f5()', 'f6()', 'g()'])
    expect(versions.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    await memory.close()
  })

  it('[KND-7] with versionOnEdit false an edit is written in place, and the text before is in the history alone', async () => {
    const memory = await open({ kinds: { tool: { versionOnEdit: false }, semantic: { versionOnEdit: true } } })
    const { record } = await memory.add({ kind: 'tool', content: 'search the web' })
    await memory.update(record.id, { content: 'read pages' })
    expect((await memory.list({ status: 'any', kinds: ['tool'] })).records).toHaveLength(1)
    expect((await memory.history(record.id)).map((revision) => revision.record?.content)).toEqual([
      'search the web',
      'read pages',
    ])
    const fact = await memory.add('Ann lives in Kiel')
    await memory.update(fact.record.id, { content: 'Ann lives in Bremen' })
    expect((await memory.list({ status: 'superseded' })).records.map(({ content }) => content)).toEqual([
      'Ann lives in Kiel',
    ])
    await memory.close()
  })

  it('[KND-7] undo takes an edit back with the version that it kept; a plan carries it out', async () => {
    const memory = await open()
    const { record } = await memory.tools.learn({ name: 'web', implementation: 'f()' })
    const dry = await memory.update(record.id, { data: { name: 'web', implementation: 'g()' } }, { dryRun: true })
    expect((await memory.tools.versions('web')).versions).toHaveLength(1)
    const { tx } = await memory.apply(dry.plan)
    const versions = async () =>
      (await memory.tools.versions('web')).versions.map(({ version, implementation }) => [version, implementation])
    expect(await versions()).toEqual([
      [1, 'f()'],
      [2, 'g()'],
    ])
    await memory.undo(tx as string)
    expect(await versions()).toEqual([[1, 'f()']])
    await memory.update(record.id, { data: { name: 'web', implementation: 'h()' } })
    expect(await versions()).toEqual([
      [1, 'f()'],
      [2, 'h()'],
    ])
    await memory.close()
  })

  it('[KND-8] a delete takes the versions along that edits of a memory have kept', async () => {
    const memory = await open()
    const { record } = await memory.add({ kind: 'tool', key: 'web', content: 'one' })
    for (const content of ['two', 'three']) await memory.update(record.id, { content })
    await memory.report(record.id, { success: true })
    await memory.update(record.id, { content: 'four' })
    const other = await memory.add({ kind: 'tool', key: 'other', content: 'one other' })
    expect((await memory.list({ status: 'any' })).records).toHaveLength(5)
    expect((await memory.delete(record.id)).deleted).toBe(1)
    expect((await memory.list({ status: 'any' })).records.map(({ id }) => id)).toEqual([other.record.id])
    await memory.close()
  })

  it.each([
    ['delete-many', (memory: MemoryEngine) => memory.deleteMany({ filter: {}, status: 'live' })],
    ['forget', (memory: MemoryEngine) => memory.forget({ strategy: 'capacity', keep: 0, mode: 'delete' })],
    ['report', (memory: MemoryEngine, id: string) => memory.report(id, { success: false })],
    ['maintain', (memory: MemoryEngine) => memory.maintain()],
  ] as const)('[KND-8] so does whatever else removes it: %s', async (name, remove) => {
    const memory = await open({ kinds: { tool: { decayOnFailure: 0 } } })
    const { record } = await memory.add({ kind: 'tool', content: 'one' })
    for (const content of ['two', 'three']) await memory.update(record.id, { content })
    if (name === 'maintain') await memory.update(record.id, { reliability: 0 })
    await remove(memory, record.id)
    expect((await memory.list({ status: 'any' })).records).toEqual([])
    await memory.close()
  })

  it('[EXP-1] kept versions go out and come in as they were', async () => {
    const memory = await open()
    const { record } = await memory.skills.learn(tea)
    await memory.update(record.id, { data: { ...tea, steps: ['two'] } })
    await memory.skills.learn({ ...tea, steps: ['three'] })
    let text = ''
    for await (const line of memory.export()) text += line
    const other = await openMemory({ path: ':memory:', scope: { userId: 'ann' }, embedder: false })
    await other.import(text)
    expect(await other.skills.versions('tea')).toEqual(await memory.skills.versions('tea'))
    expect((await other.skills.versions('tea')).versions).toHaveLength(3)
    await other.close()
    await memory.close()
  })

  it('[KND-9] a damaged payload hides no other skill and no other tool', async () => {
    const store = makeStore()
    const memory = await open({ store })
    const broken = await memory.add({ kind: 'procedural', key: 'odd', content: 'brew something odd' })
    const [found] = await store.get(allScopes(), [broken.record.id])
    await memory.skills.learn(tea)
    // Not by mneme, which refuses such a payload.
    const { record, analysis } = found as StoredRecord
    const damaged = { ...record, data: { trigger: 5 }, version: 2 }
    await store.commit(
      transaction({
        id: '00000000-0000-7000-8000-000000000000',
        at: Date.UTC(2026, 0, 1),
        changes: [{ type: 'put', op: 'update', record: damaged, hash: null, analysis, vector: null }],
      }),
    )
    expect((await memory.get(record.id))?.data).toEqual({ trigger: 5 })
    expect((await memory.skills.match('brew tea')).matches.map(({ skill }) => skill.name)).toEqual(['tea'])
    expect((await memory.skills.versions('odd')).versions).toEqual([])
    expect((await memory.search('brew', { kinds: ['procedural'] })).results).toHaveLength(2)
    expect((await memory.list({ kinds: ['procedural'] })).records).toHaveLength(2)
    // Another skill takes its place, and what is no skill still can't.
    await expect(memory.update(record.id, { data: { trigger: 6 } })).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    const odd = { name: 'odd', trigger: 'brew something odd', steps: ['stir'] }
    expect(await memory.skills.learn(odd)).toMatchObject({ outcome: 'superseded', skill: { name: 'odd' } })
    expect((await memory.skills.versions('odd')).versions).toHaveLength(1)
    await memory.close()
  })
})
