import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MemoryStore } from '../contract/index.ts'
import { openMemory } from '../engine/index.ts'
import { memory as memoryStore } from '../stores/memory/index.ts'
import { sqlite } from '../stores/sqlite/index.ts'
import { fixedClock } from '../testing/index.ts'
import { agentMemory } from './index.ts'

const helper = { agentId: 'helper' }

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-agents-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let files = 0
const stores: Record<string, () => () => MemoryStore> = {
  memory: () => {
    const store = memoryStore()
    return () => ({ ...store, close: async () => undefined })
  },
  sqlite: () => {
    const path = join(folder, `${++files}.db`)
    return () => sqlite({ path })
  },
}

describe.each(Object.entries(stores))('an agent’s own memory on the %s store', (_name, makeData) => {
  const open = async (makeStore = makeData()) => {
    const clock = fixedClock(Date.UTC(2026, 0, 1))
    const memory = await openMemory({ store: makeStore(), embedder: false, clock })
    return { memory, clock, agent: agentMemory(memory, helper), makeStore }
  }

  it('[AGT-6] options are checked: unknown fields by name, what is no object, what can not be a document', async () => {
    const { memory, agent } = await open()
    const given = (options: unknown) => options as never
    const calls: readonly ((options: unknown) => Promise<unknown>)[] = [
      (options) => agent.record('x', given(options)),
      (options) => agent.remember('k', 1, given(options)),
      (options) => agent.recall('k', given(options)),
      (options) => agent.recallEntry('k', given(options)),
      (options) => agent.recallAll(given(options)),
      (options) => agent.search('x', given(options)),
      (options) => agent.recallProcedure('x', given(options)),
      (options) => agent.importData({ format_version: 1 }, given(options)),
      async (options) => agentMemory(memory, helper, given(options)),
    ]
    for (const call of calls) {
      await expect(call({ scope: { agentId: 'helper', sessionId: 's' } })).rejects.toMatchObject({
        code: 'UNKNOWN_FIELD',
      })
      await expect(call(null)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
      await call(undefined)
    }
    const circle: { self?: object } = {}
    circle.self = circle
    for (const document of [circle, { n: 1n }, undefined, null])
      await expect(agent.importData(document)).rejects.toMatchObject({ code: 'INVALID_RECORD' })
  })

  it('[AGT-1] writes land in the scope of the agent, nothing outside is read, and a read-only view writes nothing', async () => {
    const { memory, agent } = await open()
    const other = agentMemory(memory, { agentId: 'director' })
    const id = await agent.record('last file was ventes.xlsx', {
      importance: 0.8,
      task: 'sales',
      metadata: { client: 'Dupont' },
    })
    await agent.remember('last_file', 'ventes.xlsx')
    await agent.learnProcedure('open the sales file', ['open it'])
    expect((await memory.list({ allScopes: true })).records.map(({ scope }) => scope)).toEqual([helper, helper, helper])
    expect(await memory.get(id, { scope: helper })).toMatchObject({
      kind: 'episodic',
      importance: 0.8,
      metadata: { client: 'Dupont', task: 'sales' },
    })
    expect(await other.recall('last_file')).toBeNull()
    expect([await other.recallAll(), await other.search('ventes'), await other.recallProcedure('open')]).toEqual([
      [],
      [],
      [],
    ])
    expect(await other.forget('last_file')).toBe(false)

    const reader = agentMemory(memory, helper, { readOnly: true })
    expect(await reader.recall('last_file')).toBe('ventes.xlsx')
    expect((await reader.export()).semantic).toHaveLength(1)
    for (const write of [
      () => reader.record('x'),
      () => reader.remember('last_file', 'x'),
      () => reader.forget('last_file'),
      () => reader.learnProcedure('x', ['y']),
      async () => reader.importData(await agent.export(), { replace: true }),
    ])
      await expect(write()).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
    expect(await agent.recall('last_file')).toBe('ventes.xlsx')
    await memory.close()
  })

  it('[AGT-2] recall answers with a text, recallEntry with source, confidence and version, recallAll newest first', async () => {
    const { memory, clock, agent } = await open()
    await agent.remember('budget', 15000, { source: 'crm', confidence: 0.9 })
    clock.advance(1000)
    await agent.remember('city', 'Bremen', { source: 'web' })
    expect([await agent.recall('budget'), await agent.recall('city'), await agent.recall('none')]).toEqual([
      '15000',
      'Bremen',
      null,
    ])
    expect(await agent.recallEntry('budget')).toEqual({
      id: expect.any(String),
      key: 'budget',
      value: 15000,
      source: 'crm',
      confidence: 0.9,
      version: 1,
      updatedAt: '2026-01-01T00:00:00.000Z',
    })
    expect(await agent.recallEntry('none')).toBeNull()
    expect((await agent.recallAll()).map(({ key, source }) => [key, source])).toEqual([
      ['city', 'web'],
      ['budget', 'crm'],
    ])
    expect(await agent.recallAll({ limit: 1 })).toHaveLength(1)
    // Less certain: kept, and said so. As certain: overwritten, and without a source there is none.
    expect(await agent.remember('budget', 1, { confidence: 0.5 })).toMatchObject({ outcome: 'kept' })
    expect(await agent.remember('budget', 20000)).toMatchObject({ outcome: 'superseded' })
    expect(await agent.recallEntry('budget')).toMatchObject({ value: 20000, source: null, version: 2 })
    expect([await agent.forget('budget'), await agent.forget('budget'), await agent.recall('budget')]).toEqual([
      true,
      false,
      null,
    ])
    await memory.close()
  })

  it('[AGT-3] a read that gives a reason is in the journal with the agent’s name, found or not, after opening again', async () => {
    const { memory, agent, makeStore } = await open()
    const { id } = await agent.remember('budget', '15000')
    await agent.recall('budget')
    await agent.recallEntry('budget', { reason: 'to write the offer' })
    await agent.recallEntry('missing', { reason: 'to be sure' })
    await agent.recallAll({ reason: 'to begin' })
    await agent.search('budget', { reason: 'to look' })
    await agent.recallProcedure('offer', { reason: 'to act' })
    await memory.close()
    const again = await openMemory({ store: makeStore(), embedder: false })
    const { entries } = await again.journal({ scope: helper })
    expect(entries.map(({ op, verb, actor, reason, ids }) => [op, verb, actor, reason, ids])).toEqual([
      ['write', 'facts.set', 'helper', undefined, [id]],
      ['read', 'facts.entry', 'helper', 'to write the offer', [id]],
      ['read', 'facts.entry', 'helper', 'to be sure', []],
      ['read', 'facts.all', 'helper', 'to begin', [id]],
      ['read', 'search', 'helper', 'to look', [id]],
      ['read', 'skills.match', 'helper', 'to act', []],
    ])
    expect(await again.verifyJournal()).toMatchObject({ ok: true })
    await again.close()
  })

  it('[AGT-4] search finds events and facts with their ids, and nothing for a blank query', async () => {
    const { memory, agent } = await open()
    const id = await agent.record('The offer went to Dupont')
    const fact = await agent.remember('client.dupont.offer', 'sent')
    await agent.learnProcedure('send an offer to Dupont', ['write it', 'send it'])
    const hits = await agent.search('offer for Dupont')
    expect(hits.map((hit) => hit.id).sort()).toEqual([id, fact.id].sort())
    expect(hits.every(({ score }) => score > 0 && score <= 1)).toBe(true)
    expect(await agent.search('offer', { limit: 1 })).toHaveLength(1)
    expect([await agent.search(''), await agent.search('   '), await agent.search('zebra')]).toEqual([[], [], []])
    await memory.close()
  })

  it('[AGT-5] procedures are recalled in any words that fit, best first; other steps are the next version', async () => {
    const { memory, agent } = await open()
    const id = await agent.learnProcedure('Deploy the service', ['build', 'push'])
    expect(await agent.learnProcedure('Deploy the service', ['build', 'push'])).toBe(id)
    await agent.learnProcedure('deploy the service at night', ['wait', 'push'])
    for (const words of ['Deploy the service', 'deploy the service ', 'please deploy the service now']) {
      expect((await agent.recallProcedure(words))[0]).toMatchObject({ id, steps: ['build', 'push'], version: 1 })
    }
    const next = await agent.learnProcedure('Deploy the service', ['build', 'test', 'push'])
    const [best, second] = await agent.recallProcedure('deploy the service')
    expect(best).toMatchObject({ id: next, steps: ['build', 'test', 'push'], version: 2, successes: 0, failures: 0 })
    expect(second).toMatchObject({ trigger: 'deploy the service at night' })
    expect(await agent.recallProcedure('what is the capital of Peru?')).toEqual([])
    for (const bad of [() => agent.learnProcedure('', ['x']), () => agent.learnProcedure('x', [''])])
      await expect(bad()).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    await memory.close()
  })
})
