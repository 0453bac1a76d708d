import { describe, expect, it } from 'vitest'
import { type Judge, type MemoryEngine, type NewSkill, openMemory } from '../src/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import { ann, storeKinds } from './fixtures/reference-stores.ts'

// What earlier systems did when a procedure was asked for, and what is to come of it here.

describe.each(storeKinds.map((kind) => [kind.name, kind] as const))('procedures on the %s store', (_name, kind) => {
  const open = (options: object = {}) =>
    openMemory({ store: kind.create()(), scope: ann, embedder: false, clock: fixedClock(), ...options })
  const learn = async (memory: MemoryEngine, ...skills: NewSkill[]) => {
    for (const skill of skills) await memory.skills.learn(skill)
  }
  const names = async (memory: MemoryEngine, need: string, options: object = {}) =>
    (await memory.skills.match(need, options)).matches.map(({ skill }) => skill.name)

  it('[SKL-7] orqest 73, 75, 77: a trigger matches in both directions, in any case and script, never as a pattern', async () => {
    const memory = await open()
    await learn(memory, { trigger: 'run_solver' }, { trigger: 'fix lint' }, { trigger: 'ÄRGER melden' })
    expect(await names(memory, 'RUN_SOLVER')).toEqual(['run_solver'])
    expect(await names(memory, 'please fix lint now')).toEqual(['fix lint'])
    expect(await names(memory, 'lint')).toEqual(['fix lint'])
    expect((await names(memory, 'ich will ärger melden'))[0]).toBe('ÄRGER melden')
    for (const pattern of ['r_n', '%', '_', 'ru%', '*', '.*', '"', "'", 'fix" OR "run']) {
      const { matches } = await memory.skills.match(pattern)
      expect(
        matches.filter(({ by }) => by === 'trigger').map(({ skill }) => skill.name),
        pattern,
      ).toEqual([])
    }
    await memory.close()
  })

  it('[SKL-9] orqest 76, 79: nothing fits what is unrelated, and nothing a blank need; a list shows them all', async () => {
    const memory = await open()
    await learn(memory, { trigger: 'run_solver' }, { trigger: 'b' }, { trigger: 'c' })
    expect(await names(memory, 'completely unrelated')).toEqual([])
    for (const blank of ['', '  ', '\n', '?!']) expect(await names(memory, blank)).toEqual([])
    expect((await memory.list({ kinds: ['procedural'] })).records).toHaveLength(3)
    await memory.close()
  })

  it('[SKL-11] orqest 80, 81: it is the payload that says what a skill is for; without one there is no skill', async () => {
    const memory = await open()
    const data = { name: 'other', trigger: 'other', description: 'other', steps: [] }
    await memory.add({ kind: 'procedural', content: 'zebra text', data })
    await memory.add({ kind: 'procedural', content: 'giraffe text' })
    expect(await names(memory, 'zebra')).toEqual([])
    expect(await names(memory, 'other')).toEqual(['other'])
    expect(await names(memory, 'giraffe text')).toEqual([])
    expect((await memory.search('giraffe')).results).toHaveLength(1)
    await memory.close()
  })

  it('[SKL-8] orqest 82: of the same trigger the more reliable comes first, then newer versions, as numbers', async () => {
    const memory = await open()
    for (const version of [1, 10, 2]) await memory.skills.learn({ name: `v${version}`, trigger: 'ship it', version })
    expect(await names(memory, 'ship it')).toEqual(['v10', 'v2', 'v1'])
    await memory.skills.report('v10', { success: false })
    expect(await names(memory, 'ship it')).toEqual(['v2', 'v1', 'v10'])
    await memory.close()
  })

  it('[SKL-13] orqest 84, 85: a name is exact, and a version the least that is asked for', async () => {
    const memory = await open()
    await learn(memory, { name: 'alpha', trigger: 't run', version: 1 }, { name: 'beta', trigger: 't run', version: 3 })
    expect(await names(memory, 't run', { name: 'beta' })).toEqual(['beta'])
    expect(await names(memory, 't run', { name: 'BETA' })).toEqual([])
    expect(await names(memory, 't run', { minVersion: 2 })).toEqual(['beta'])
    await memory.close()
  })

  it('[SKL-10] orqest 87, 88: a judge is asked where no trigger matches, and where there is something to choose from', async () => {
    const memory = await open()
    let asked = 0
    const judge: Judge = async () => {
      asked++
      return [0]
    }
    expect(await names(memory, 'anything at all', { judge })).toEqual([])
    await learn(memory, { trigger: 'brew tea' })
    expect(await names(memory, 'please brew tea', { judge })).toEqual(['brew tea'])
    expect(asked).toBe(0)
    const { matches } = await memory.skills.match('something warm', { judge })
    expect([asked, matches.map(({ skill, by }) => [skill.name, by])]).toEqual([1, [['brew tea', 'judged']]])
    await memory.close()
  })

  it('[SKL-10] orqest 89, 90: it sees twenty; its order counts, its limit is that of the call, twice is once', async () => {
    const memory = await open()
    await learn(memory, ...Array.from({ length: 25 }, (_, i) => ({ trigger: `routine number ${i}` })))
    let seen: readonly string[] = []
    const judging = (answer: readonly number[]) => ({
      judge: (async (_need, candidates) => {
        seen = candidates.map(({ trigger }) => trigger)
        return answer
      }) satisfies Judge,
    })
    expect(await names(memory, 'whatever else', { ...judging([0, 1, 2]), limit: 2 })).toEqual(seen.slice(0, 2))
    expect(seen).toHaveLength(20)
    expect(await names(memory, 'whatever else', judging([25, -1, 1]))).toEqual([seen[1]])
    expect(await names(memory, 'whatever else', judging([1, 0]))).toEqual([seen[1], seen[0]])
    expect(await names(memory, 'whatever else', judging([0, 0]))).toEqual([seen[0]])
    expect(await names(memory, 'whatever else', judging([]))).toEqual([])
    await memory.close()
  })

  it('[SKL-14] orqest 91: what it is shown has passed scope, name, version, reliability and status', async () => {
    const memory = await open()
    await learn(memory, { name: 'a', trigger: 'first', version: 2 }, { name: 'b', trigger: 'second' })
    await memory.skills.learn({ name: 'c', trigger: 'third', version: 2 })
    await memory.skills.report('c', { success: false })
    const hidden = await memory.skills.learn({ name: 'd', trigger: 'fourth', version: 2 })
    await memory.invalidate(hidden.record.id)
    const brief = await memory.skills.learn({ name: 'e', trigger: 'fifth', version: 2 })
    await memory.update(brief.record.id, { expiresAt: '2025-01-01T00:00:00Z' } as never).catch(() => undefined)
    await memory.delete(brief.record.id)
    await memory.skills.learn({ name: 'a', trigger: 'of another', version: 2 }, { scope: { userId: 'bob' } })
    const shown: string[][] = []
    const judge: Judge = async (_need, candidates) => {
      shown.push(candidates.map(({ trigger }) => trigger))
      return candidates.map((_one, i) => i)
    }
    expect(await names(memory, 'whatever else', { judge, minVersion: 2, minReliability: 0.9 })).toEqual(['a'])
    expect(await names(memory, 'whatever else', { judge, name: 'b' })).toEqual(['b'])
    expect(await names(memory, 'whatever else', { judge, name: 'z' })).toEqual([])
    expect(shown).toEqual([['first'], ['second']])
    await memory.close()
  })

  it('[SKL-14] what a judge throws is thrown, and an answer that is no list is refused', async () => {
    const memory = await open()
    await learn(memory, { trigger: 'brew tea' })
    const broken: Judge = async () => {
      throw new Error('no answer')
    }
    await expect(memory.skills.match('something warm', { judge: broken })).rejects.toThrow('no answer')
    const prose = (async () => 'the first one') as unknown as Judge
    await expect(memory.skills.match('something warm', { judge: prose })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    await memory.close()
  })

  it('[SKL-2] orqest 10, 15, 16: what a skill must have, what it has by default, and versions from 1', async () => {
    const memory = await open()
    const { skill } = await memory.skills.learn({ name: 'n', description: 'd', trigger: 't' })
    expect(skill).toEqual({
      name: 'n',
      description: 'd',
      trigger: 't',
      steps: [],
      preconditions: [],
      expectedOutcome: '',
      examples: [],
      version: 1,
      successes: 0,
      failures: 0,
    })
    for (const bad of [
      {},
      { trigger: '' },
      { trigger: 'x', version: '3' },
      { trigger: 'x', version: 0 },
      { trigger: 'x', bogus: 1 },
    ]) {
      await expect(memory.skills.learn(bad as never)).rejects.toMatchObject({ name: 'InputError' })
    }
    await memory.close()
  })

  it('[SKL-12] preconditions are kept with each version, are shown with a match and go out and come in', async () => {
    const memory = await open()
    await learn(
      memory,
      { name: 'refund', trigger: 'customer wants a refund', preconditions: 'order is paid' },
      { name: 'refund', trigger: 'customer wants a refund', preconditions: ['order is paid', 'less than 30 days ago'] },
    )
    const { matches } = await memory.skills.match('the customer wants a refund')
    expect(matches[0]?.skill.preconditions).toEqual(['order is paid', 'less than 30 days ago'])
    const { versions } = await memory.skills.versions('refund')
    expect(versions.map(({ preconditions }) => preconditions.length)).toEqual([1, 2])
    const text = (await memory.skills.toMarkdown('refund')) as string
    const { skill } = await memory.skills.fromMarkdown(text, { scope: { userId: 'bob' } })
    expect(skill.preconditions).toEqual(matches[0]?.skill.preconditions)
    await memory.close()
  })

  it('[SKL-15] orqest 34: a case in which it worked is kept with a success, not with a failure, the latest thousand', async () => {
    const memory = await open()
    const examples = Array.from({ length: 1000 }, (_, i) => ({ inputs: { i }, occurredAt: '2026-01-01T00:00:00Z' }))
    await learn(memory, { name: 'tea', trigger: 'brew tea', examples: examples.slice(0, 1) })
    const kept = async (name: string) => (await memory.skills.versions(name)).versions.at(-1)?.examples ?? []
    await memory.skills.report('tea', { success: false, example: { inputs: {}, outputs: {} } })
    expect(await kept('tea')).toHaveLength(1)
    const example = { inputs: { leaves: 'green' }, outputs: { cups: 2 } }
    await memory.skills.report('tea', { success: true, example })
    expect(await kept('tea')).toEqual([
      { inputs: { i: 0 }, outputs: {}, occurredAt: '2026-01-01T00:00:00.000Z' },
      { ...example, occurredAt: '2026-01-01T00:00:00.000Z' },
    ])
    await learn(memory, { name: 'full', trigger: 'fill up', examples })
    expect(await memory.skills.report('full', { success: true, example })).toMatchObject({ pruned: false })
    const full = await kept('full')
    expect([full.length, full[0]?.inputs, full.at(-1)?.outputs]).toEqual([1000, { i: 1 }, { cups: 2 }])
    await expect(memory.skills.report('tea', { success: true, example: { input: 1 } as never })).rejects.toMatchObject({
      code: 'UNKNOWN_FIELD',
    })
    await memory.close()
  })

  it('[SKL-12] orqest 93, 94: stored three times it has three versions; twice at once none is lost', async () => {
    const memory = await open()
    for (const step of ['a', 'b', 'c']) await memory.skills.learn({ name: 'deploy', trigger: 'deploy', steps: [step] })
    const versions = async () => (await memory.skills.versions('deploy')).versions.map(({ version }) => version)
    expect(await versions()).toEqual([1, 2, 3])
    await Promise.all(
      ['d', 'e'].map((step) => memory.skills.learn({ name: 'deploy', trigger: 'deploy', steps: [step] })),
    )
    expect(await versions()).toEqual([1, 2, 3, 4, 5])
    expect(await names(memory, 'deploy')).toEqual(['deploy'])
    await memory.close()
  })

  it('[SKL-13] apollia 78: where two triggers match a situation both are shown, the nearer one first', async () => {
    const memory = await open()
    await learn(memory, { trigger: 'devis' }, { trigger: 'devis grand compte' })
    expect(await names(memory, 'un devis grand compte pour demain')).toEqual(['devis grand compte', 'devis'])
    await memory.close()
  })
})
