import { describe, expect, it } from 'vitest'
import { testStores } from '../../test/fixtures/stores.ts'
import { staticEn256 } from '../embedders/index.ts'
import { fixedClock } from '../testing/index.ts'
import { type OpenMemoryOptions, openMemory } from './index.ts'

const ann = { userId: 'ann' }

const parameters = { type: 'object', properties: { city: { type: 'string', description: 'where' } } }
const weather = { name: 'get_weather', description: 'Tells the weather of a city', parameters }
const dois = {
  name: 'extract_dois',
  description: 'Finds identifiers of papers in a text',
  implementation: 'find(text)',
}

describe.each(testStores)('tools on the %s store', (_, makeStore) => {
  const open = (options: Partial<OpenMemoryOptions> = {}) =>
    openMemory({ store: makeStore(), scope: ann, embedder: false, clock: fixedClock(), ...options })

  it('[TSP-2] what is known of the payload of a tool memory has its form, and there may be more', async () => {
    const memory = await open()
    const bad = { kind: 'tool', content: 'x', data: { name: 'x', parameters: { type: 'array' } } }
    await expect(memory.add(bad)).rejects.toMatchObject({
      code: 'INVALID_RECORD',
      message: expect.stringContaining('memory.data.parameters.type'),
    })
    const { record } = await memory.add({ ...bad, key: 'x', data: { only_tool_fields: true, name: 'x' } })
    expect(record.data).toEqual({ only_tool_fields: true, name: 'x' })
    await expect(memory.update(record.id, { data: { name: 5 } })).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    expect((await memory.tools.get('x'))?.name).toBe('x')
    await expect(memory.tools.learn({} as never)).rejects.toMatchObject({ message: expect.stringContaining('name') })
    await memory.close()
  })

  it('[TSP-4] another tool of a name is its next version, the one before is kept; the same one twice is one', async () => {
    const memory = await open()
    const first = await memory.tools.learn(weather)
    expect([first.outcome, first.tool.version, first.record.key]).toEqual(['added', 1, 'get_weather'])
    expect(first.record.content).toBe(weather.description)
    const again = await memory.tools.learn(structuredClone(weather))
    expect([again.outcome, again.tool.version, again.record.id]).toEqual(['duplicate', 1, first.record.id])
    const second = await memory.tools.learn({ ...weather, parameters: { type: 'object' } })
    expect([second.outcome, second.tool.version, second.previous?.id]).toEqual(['superseded', 2, first.record.id])
    await memory.tools.learn({ ...weather, name: 'Get_weather' })
    const { versions } = await memory.tools.versions('get_weather')
    expect(versions.map(({ version, parameters: takes }) => [version, 'properties' in takes])).toEqual([
      [1, true],
      [2, false],
    ])
    expect((await memory.tools.get('get_weather'))?.version).toBe(2)
    expect(await memory.tools.get('unknown')).toBeNull()
    const back = await memory.tools.rollback('get_weather', 1)
    expect([back.tool.version, back.tool.parameters]).toEqual([3, parameters])
    await expect(memory.tools.rollback('get_weather', 9)).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' })
    await memory.undo(back.tx)
    expect((await memory.tools.versions('get_weather')).versions).toHaveLength(2)
    await memory.close()
    const inPlace = await open({ kinds: { tool: { versionOnEdit: false } } })
    await inPlace.tools.learn(weather)
    expect((await inPlace.tools.learn({ ...weather, parameters: {} })).outcome).toBe('updated')
    expect((await inPlace.tools.versions('get_weather')).versions.map(({ version }) => version)).toEqual([2])
    await inPlace.close()
  })

  it('[TSP-5] the same implementation is the same version, whatever its description; without one any change is another', async () => {
    const memory = await open()
    const first = await memory.tools.learn(dois)
    await memory.tools.report('extract_dois', { success: true })
    const told = await memory.tools.learn({ ...dois, description: 'Lists the DOIs of a text' })
    expect([told.outcome, told.record.id, told.record.content]).toEqual([
      'updated',
      first.record.id,
      'Lists the DOIs of a text',
    ])
    expect(told.tool).toMatchObject({ version: 1, successes: 1, description: 'Lists the DOIs of a text' })
    expect((await memory.tools.learn({ ...dois, implementation: 'other(text)' })).tool.version).toBe(2)
    await memory.tools.learn(weather)
    expect((await memory.tools.learn({ ...weather, description: 'Tells if it rains' })).tool.version).toBe(2)
    await memory.close()
  })

  it('[TSP-4] edits at once give as many versions, none lost', async () => {
    const memory = await open()
    await Promise.all(Array.from({ length: 8 }, (__, i) => memory.tools.learn({ ...dois, implementation: `f${i}()` })))
    const { versions } = await memory.tools.versions('extract_dois')
    expect(versions.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(new Set(versions.map(({ implementation }) => implementation)).size).toBe(8)
    await memory.close()
  })

  it('[TSP-3] match finds the newest versions by name, description and meaning, and nothing for what no tool can do', async () => {
    const memory = await open({ embedder: staticEn256() })
    await memory.tools.learn(dois)
    await memory.tools.learn(weather)
    await memory.tools.learn({ ...weather, parameters: { type: 'object' } })
    await memory.add({ kind: 'tool', content: 'says nothing of a tool' })
    const matched = async (query: string, options: object = {}) =>
      (await memory.tools.match(query, options)).matches.map(({ tool }) => `${tool.name} ${tool.version}`)
    expect(await matched('extract_dois')).toEqual(['extract_dois 1'])
    expect((await matched('EXTRACT DOIS'))[0]).toBe('extract_dois 1')
    expect((await matched('will it rain in Bremen tomorrow?'))[0]).toBe('get_weather 2')
    expect((await matched('which references does this article cite?'))[0]).toBe('extract_dois 1')
    expect(await matched('sing me a song about pirates')).toEqual([])
    expect(await matched('')).toEqual([])
    expect(await matched('weather of a city', { minVersion: 3 })).toEqual([])
    expect(await matched('weather of a city', { name: 'extract_dois' })).not.toContain('get_weather 2')
    await memory.close()
  })

  it('[TSP-3] a judge sees only what passed scope, version and reliability', async () => {
    const memory = await open()
    await memory.tools.learn(dois)
    await memory.tools.learn(weather)
    await memory.tools.learn({ name: 'secret' }, { scope: { userId: 'bob' } })
    await memory.tools.learn({ name: 'weak' })
    await memory.tools.report('weak', { success: false })
    const seen: string[][] = []
    const judge = async (__: string, candidates: readonly { trigger: string }[]) => {
      seen.push(candidates.map(({ trigger }) => trigger).sort())
      return [0]
    }
    const { matches } = await memory.tools.match('something else', { judge, minReliability: 0.9 })
    expect([seen, matches.length, matches[0]?.by]).toEqual([[[dois.description, weather.description]], 1, 'judged'])
    await memory.close()
  })

  it('[TSP-6] report counts, halves the reliability with a failure, and removes a tool with the fourth', async () => {
    const memory = await open()
    await memory.tools.learn(weather)
    expect(await memory.tools.report('get_weather', { success: true })).toMatchObject({ pruned: false })
    const failed = await memory.tools.report('get_weather', { success: false, reason: 'timed out' })
    expect(failed.record?.reliability).toBe(0.5)
    const [match] = (await memory.tools.match('the weather of a city')).matches
    expect(match).toMatchObject({ reliability: 0.5, tool: { successes: 1, failures: 1, version: 1 } })
    for (let i = 0; i < 2; i++) await memory.tools.report('get_weather', { success: false })
    expect(await memory.tools.report('get_weather', { success: false })).toMatchObject({ pruned: true, record: null })
    await expect(memory.tools.report('get_weather', { success: true })).rejects.toMatchObject({
      code: 'RECORD_NOT_FOUND',
    })
    await memory.close()
  })

  it('[TSP-7] tools are of one exact scope, the nearest with shared; dry runs, keys and views hold as everywhere', async () => {
    const memory = await open()
    await memory.tools.learn(weather)
    const session = { userId: 'ann', sessionId: 's1' }
    expect(await memory.tools.get('get_weather', { scope: session })).toBeNull()
    expect((await memory.tools.get('get_weather', { scope: session, include: 'shared' }))?.name).toBe('get_weather')
    const dry = await memory.tools.learn({ ...weather, parameters: {} }, { dryRun: true })
    expect(dry.plan.steps.map(({ op }) => op)).toEqual(['supersede', 'supersede'])
    expect((await memory.tools.get('get_weather'))?.version).toBe(1)
    await memory.apply(dry.plan)
    expect((await memory.tools.get('get_weather'))?.version).toBe(2)
    const keyed = { idempotencyKey: 'k' }
    const once = await memory.tools.learn({ ...dois }, keyed)
    expect(await memory.tools.learn({ ...dois }, keyed)).toEqual(once)
    const view = memory.scoped(ann, { readOnly: true })
    await expect(view.tools.learn({ name: 'x' })).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
    expect((await view.tools.versions('get_weather')).versions).toHaveLength(2)
    await memory.close()
  })
})
