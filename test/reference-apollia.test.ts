import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentMemory } from '../src/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import { contents, open, refusal, storeKinds, temporaryFolder } from './fixtures/reference-stores.ts'

// Cases of apollia, by their numbers, seen through an agent's own memory: what it keeps, and what was wrong, put right.

const worker = { agentId: 'excel-worker' }
const director = { agentId: 'director' }
const hour = 3_600_000
const day = 24 * hour

const start = async (options: Parameters<typeof open>[0] = {}) => {
  const clock = fixedClock(Date.UTC(2026, 9, 23))
  const memory = await open({ scope: undefined, clock, ...options })
  return { memory, clock, agent: agentMemory(memory, worker) }
}

describe('apollia: storage and namespaces', () => {
  it('[OPN-1] apollia 7: as long as nothing was called there is no file', async () => {
    const path = join(temporaryFolder(), 'lazy.db')
    const { agent } = await start({ path })
    expect(existsSync(path)).toBe(false)
    await agent.remember('a', '1')
    expect(existsSync(path)).toBe(true)
  })

  it('[STA-1] apollia 8: two episodes and one fact are counted by kind', async () => {
    const { memory, agent } = await start()
    await agent.record('one')
    await agent.record('two')
    await agent.remember('k', 'v')
    expect(await memory.stats({ scope: worker })).toMatchObject({ total: 3, byKind: { episodic: 2, semantic: 1 } })
  })

  it('[AGT-1] apollia 9: an own scope is read and written, a shared one is read, another one neither', async () => {
    const { memory } = await start()
    const shared = { namespace: ['shared'] }
    await agentMemory(memory, shared).remember('tone', 'polite')
    const reader = agentMemory(memory, shared, { readOnly: true })
    expect(await reader.recall('tone')).toBe('polite')
    expect((await reader.search('polite')).map(({ key }) => key)).toEqual(['tone'])
    await expect(reader.remember('tone', 'rude')).rejects.toMatchObject(refusal('SCOPE_DENIED') as object)
    const view = memory.scoped(worker, { alsoRead: [shared] })
    expect(contents((await view.list()).records)).toEqual(['tone: polite'])
    await expect(view.list({ scope: director })).rejects.toMatchObject(refusal('SCOPE_DENIED') as object)
    expect(await agentMemory(memory, worker).recall('tone')).toBeNull()
  })

  it('[SCO-1] apollia 11: without a scope nothing is stored', async () => {
    const { memory } = await start()
    expect(() => agentMemory(memory, {})).toThrow(expect.objectContaining(refusal('SCOPE_REQUIRED')))
    await expect(memory.facts.set('a', 1)).rejects.toMatchObject(refusal('SCOPE_REQUIRED') as object)
    await expect(memory.forget({ strategy: 'age', olderThanDays: 1 })).rejects.toMatchObject(
      refusal('SCOPE_REQUIRED') as object,
    )
  })

  it('[AGT-1] apollia 14, 16: the same key, trigger and event in two scopes are two', async () => {
    const { memory, agent } = await start()
    const other = agentMemory(memory, director)
    await agent.remember('last_file', 'ventes.xlsx')
    expect(await other.recall('last_file')).toBeNull()
    for (const [mine, said] of [
      [agent, 'val-a'],
      [other, 'val-b'],
    ] as const) {
      await mine.remember('key', said)
      await mine.record('the same event')
      await mine.learnProcedure('the same trigger', [said])
    }
    for (const [mine, said] of [
      [agent, 'val-a'],
      [other, 'val-b'],
    ] as const) {
      expect(await mine.recall('key')).toBe(said)
      expect(await mine.recallProcedure('the same trigger')).toMatchObject([{ steps: [said] }])
      expect(await mine.search('event')).toHaveLength(1)
    }
  })
})

describe('apollia: record', () => {
  it('[EPI-1] apollia 17, 18: an event has an id, is found once, and has defaults for what was not said', async () => {
    const { memory, agent } = await start()
    const id = await agent.record('Devis envoye a Dupont', {
      importance: 0.8,
      task: 'task-1',
      metadata: { client: 'Dupont' },
    })
    expect(id).toMatch(/\S/)
    expect((await agent.search('devis')).map((hit) => hit.id)).toEqual([id])
    const plain = await memory.get(await agent.record('plain'), { scope: worker })
    expect(plain).toMatchObject({ metadata: {}, importance: 0.5 })
    expect(plain).not.toHaveProperty('expiresAt')
  })

  it('[EPI-1] apollia 19: an importance outside of 0 to 1 is refused and leaves nothing', async () => {
    const { memory, agent } = await start()
    for (const importance of [1.5, -0.1, Number.NaN]) {
      await expect(agent.record('x', { importance })).rejects.toMatchObject(refusal('INVALID_ARGUMENT') as object)
    }
    for (const importance of [0, 1]) await agent.record(`of ${importance}`, { importance })
    expect((await memory.stats({ scope: worker })).total).toBe(2)
  })

  it('[EPI-3] apollia 21, 22: the newest few, and those since a day', async () => {
    const { memory } = await start()
    const times = ['2025-06-15', '2025-06-15', '2026-02-01', '2026-02-02', '2026-02-03']
    for (const [i, date] of times.entries()) {
      await memory.episodes.record(`event ${i}`, { eventTime: `${date}T1${i}:00:00Z`, scope: worker })
    }
    const newest = await memory.list({ kinds: ['episodic'], order: 'newest', limit: 3, scope: worker })
    expect(contents(newest.records)).toEqual(['event 4', 'event 3', 'event 2'])
    const since = await memory.episodes.timeline({ since: '2026-01-01T00:00:00Z', scope: worker })
    expect(contents(since.records)).toEqual(['event 2', 'event 3', 'event 4'])
  })

  it('[KND-3] apollia 23: of five equal events beyond a capacity of three the two oldest go, from search too', async () => {
    const { memory, clock, agent } = await start({ kinds: { episodic: { maxRecords: 3 } } })
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      ids.push(await agent.record(`event ${i}`))
      clock.advance(hour)
    }
    expect((await memory.maintain({ dryRun: true, allScopes: true })).evicted).toEqual(ids.slice(0, 2))
    expect((await memory.maintain({ allScopes: true })).evicted).toEqual(ids.slice(0, 2))
    expect((await agent.search('event')).map(({ id }) => id).sort()).toEqual(ids.slice(2).sort())
    expect(await memory.verify()).toMatchObject({ ok: true })
  })

  it('[EPI-6] apollia 26, 28: an event ends to the millisecond of its expiry, in history, search and export', async () => {
    const { memory, clock, agent } = await start()
    await agent.record('short-lived', { expiresIn: hour })
    const there = async () => [
      (await memory.episodes.timeline({ scope: worker })).records.length,
      (await agent.search('lived')).length,
      (await agent.export()).episodic.length,
      (await memory.stats({ scope: worker })).total,
    ]
    clock.advance(hour - 1)
    expect(await there()).toEqual([1, 1, 1, 1])
    clock.advance(1)
    expect(await there()).toEqual([0, 0, 0, 0])
  })

  it('[KND-3] apollia 29: clearing away goes by what has expired, however short ago it was done before', async () => {
    const { memory, clock, agent } = await start()
    const swept: number[] = []
    for (let i = 0; i < 2; i++) {
      await agent.record(`short ${i}`, { expiresIn: 1 })
      clock.advance(1)
      swept.push((await memory.maintain({ allScopes: true })).expired.length)
    }
    expect(swept).toEqual([1, 1])
  })
})

describe('apollia: remember, recall, forget', () => {
  it('[AGT-2] apollia 31, 40, 41: a value comes back with its confidence, a number as a text too; no key is null', async () => {
    const { agent } = await start()
    await agent.remember('client.dupont.budget', '15000', { source: 'crm', confidence: 0.9 })
    expect(await agent.recallEntry('client.dupont.budget')).toMatchObject({
      value: '15000',
      confidence: 0.9,
      source: 'crm',
    })
    await agent.importData({ format_version: 1, semantic: [{ id: 'n', key: 'number', value: '15000' }] })
    expect([await agent.recall('number'), (await agent.recallEntry('number'))?.value]).toEqual(['15000', 15000])
    expect(await agent.recall('missing')).toBeNull()
  })

  it('[FCT-4] apollia 33, 34, 36: less certain is kept and said so, as certain overwrites, an expired one gives way', async () => {
    const { memory, clock, agent } = await start()
    await agent.remember('user.name', 'Nidal', { confidence: 0.9 })
    expect((await agent.remember('user.name', 'Unknown', { confidence: 0.5 })).outcome).toBe('kept')
    expect(await agent.recall('user.name')).toBe('Nidal')
    await agent.remember('user.role', 'developer', { confidence: 0.5 })
    await agent.remember('user.role', 'CTO', { confidence: 0.5 })
    expect(await agent.recall('user.role')).toBe('CTO')
    const key = 'offer'
    const expiresAt = new Date(clock() + hour).toISOString()
    await memory.add({ content: 'old', key, expiresAt, confidence: 0.9 }, { scope: worker })
    clock.advance(day)
    expect(await agent.recallEntry(key)).toBeNull()
    expect((await agent.remember(key, 'new', { confidence: 0.5 })).outcome).toBe('added')
    expect(await agent.recall(key)).toBe('new')
  })

  it('[AGT-2] apollia 37: remembered without a source, a fact has none; the one before is in its history', async () => {
    const { memory, agent } = await start()
    await agent.remember('k', 'a', { source: 'crm' })
    await agent.remember('k', 'b')
    expect((await agent.recallEntry('k'))?.source).toBeNull()
    const history = await memory.facts.history('k', { scope: worker })
    expect(history.map(({ value, source }) => [value, source.ref])).toEqual([
      ['a', 'crm'],
      ['b', undefined],
    ])
  })

  it('[FCT-7] apollia 42, 98: forgetting takes the fact out of search and says whether it was there', async () => {
    const { memory, agent } = await start()
    const { id } = await agent.remember('k', 'lighthouse')
    expect([await agent.forget('k'), await agent.forget('k')]).toEqual([true, false])
    expect([await agent.recall('k'), await agent.search('lighthouse')]).toEqual([null, []])
    const other = await agent.record('a lighthouse')
    expect([
      (await memory.delete(other, { scope: worker })).deleted,
      (await memory.delete(id, { scope: worker })).deleted,
    ]).toEqual([1, 0])
  })

  it('[KND-3] apollia 43: of five facts beyond a capacity of three the two go that were written longest ago', async () => {
    const { memory, clock, agent } = await start({ kinds: { semantic: { maxRecords: 3 } } })
    for (let i = 0; i < 5; i++) {
      await agent.remember(`k${i}`, `v${i}`)
      clock.advance(hour)
    }
    await agent.remember('k0', 'anew')
    expect((await memory.maintain({ allScopes: true })).evicted).toHaveLength(2)
    expect((await agent.recallAll()).map(({ key }) => key)).toEqual(['k0', 'k4', 'k3'])
  })

  it('[KND-10] apollia 46: a fact that has expired is absent for every way of recalling', async () => {
    const { memory, clock, agent } = await start({ kinds: { semantic: { ttlDays: 1 } } })
    await agent.remember('k', 'v')
    clock.advance(day)
    expect([await agent.recall('k'), await agent.recallEntry('k'), await agent.recallAll()]).toEqual([null, null, []])
    expect(await memory.facts.get('k', { scope: worker })).toBeNull()
  })

  it('[AGT-2] apollia 47, 48: as many as asked for, 100 unless said otherwise, most recently written first', async () => {
    const { clock, agent } = await start()
    for (let i = 0; i < 101; i++) await agent.remember(`a${i}`, i)
    clock.advance(1)
    await agent.remember('b', 'last')
    await agent.remember('a0', 'again')
    expect((await agent.recallAll({ limit: 5 })).map(({ key }) => key)).toEqual(['a0', 'b', 'a100', 'a99', 'a98'])
    expect(await agent.recallAll()).toHaveLength(100)
  })
})

describe('apollia: why something was read', () => {
  it.each(storeKinds)(
    '[AGT-3] apollia 51, 53, 56, 57: reasons are in the journal of the $name store for good',
    async ({ create }) => {
      const makeStore = create()
      const { memory, agent } = await start({ store: makeStore() })
      const { id } = await agent.remember('k', 'v')
      for (let turn = 1; turn <= 60; turn++) await agent.recallEntry('k', { reason: `turn ${turn}` })
      await memory.close()
      const again = await open({ store: makeStore() })
      const { entries } = await again.journal({ scope: worker, ids: [id], limit: 100 })
      expect(entries.filter(({ op }) => op === 'read').map(({ reason }) => reason)).toEqual(
        Array.from({ length: 60 }, (_, i) => `turn ${i + 1}`),
      )
      expect((await again.journal({ scope: worker, ids: ['unknown'] })).entries).toEqual([])
      expect(JSON.stringify(entries)).not.toContain('"v"')
    },
  )
})

describe('apollia: search', () => {
  it('[SEA-23] apollia 61, 65, 66: accents and case do not count, operators are words, an unknown word finds nothing', async () => {
    const { agent } = await start()
    const id = await agent.record('réunion avec la société')
    for (const query of ['reunion societe', 'SOCIÉTÉ', 'Réunion']) {
      expect((await agent.search(query)).map((hit) => hit.id)).toEqual([id])
    }
    for (const query of ['NOT AND OR devis*', '"', 'content:devis', '(a OR', 'zebra']) {
      expect(await agent.search(query)).toEqual([])
    }
  })

  it('[SEA-24] apollia 64: a blank query finds nothing and is no error', async () => {
    const { agent } = await start()
    await agent.record('something')
    expect([await agent.search(''), await agent.search('   ')]).toEqual([[], []])
  })

  it('[FLT-1] apollia 60: of hits, those of at least some importance or confidence', async () => {
    const { memory, agent } = await start()
    await agent.record('Dupont called', { importance: 0.9 })
    await agent.record('Dupont waved', { importance: 0.2 })
    await agent.remember('dupont.mood', 'good', { confidence: 0.8 })
    await agent.remember('dupont.rumour', 'broke', { confidence: 0.3 })
    const least = { gte: 0.7 }
    const filter = {
      OR: [
        { 'record.kind': 'episodic', 'record.importance': least },
        { 'record.kind': 'semantic', 'record.confidence': least },
      ],
    }
    const { results } = await memory.search('Dupont', { filter, scope: worker })
    expect(contents(results).sort()).toEqual(['Dupont called', 'dupont.mood: good'])
  })
})

describe('apollia: procedures', () => {
  it('[AGT-5] apollia 71, 72: steps come back in order; other steps take their place and the ones before are kept', async () => {
    const { memory, agent } = await start()
    await agent.learnProcedure('devis grand compte', ['ask', 'write'])
    expect(await agent.recallProcedure('devis grand compte')).toMatchObject([{ steps: ['ask', 'write'], version: 1 }])
    await agent.learnProcedure('devis grand compte', ['call'])
    expect(await agent.recallProcedure('devis grand compte')).toMatchObject([{ steps: ['call'], version: 2 }])
    const { versions } = await memory.skills.versions('devis grand compte', { scope: worker })
    expect(versions.map(({ steps }) => steps)).toEqual([['ask', 'write'], ['call']])
  })

  it('[SKL-15] apollia 73: success is what is reported, not what is learned again', async () => {
    const { memory, agent } = await start()
    await agent.learnProcedure('send the invoice', ['send'])
    for (let i = 0; i < 3; i++) await memory.skills.report('send the invoice', { success: true, scope: worker })
    await memory.skills.report('send the invoice', { success: false, scope: worker })
    expect(await agent.recallProcedure('send the invoice')).toMatchObject([{ successes: 3, failures: 1 }])
    expect((await agent.export()).procedural).toMatchObject([{ success_count: 3 }])
  })

  it('[AGT-5] apollia 76, 78: case and spaces do not count, and all that fit are returned, best first', async () => {
    const { agent } = await start()
    await agent.learnProcedure('Deploy', ['push'])
    await agent.learnProcedure('Deploy on Fridays', ['wait'])
    for (const words of ['deploy', 'Deploy ', 'DEPLOY']) {
      expect((await agent.recallProcedure(words)).map(({ trigger }) => trigger)).toEqual([
        'Deploy',
        'Deploy on Fridays',
      ])
    }
  })

  it('[KND-3] apollia 77: of five procedures beyond a capacity of three the two go that were learned longest ago', async () => {
    const { memory, clock, agent } = await start({ kinds: { procedural: { maxRecords: 3 } } })
    for (let i = 0; i < 5; i++) {
      await agent.learnProcedure(`procedure number ${i}`, [`step ${i}`])
      clock.advance(hour)
    }
    expect((await memory.maintain({ allScopes: true })).evicted).toHaveLength(2)
    const left = (await agent.export()).procedural.map(({ trigger }) => trigger)
    expect(left).toEqual(['procedure number 2', 'procedure number 3', 'procedure number 4'])
  })
})

describe('apollia: export, import and retention', () => {
  const dump = {
    format_version: 1,
    namespace: 'agent-src',
    episodic: [{ id: 'ep-1', content: 'old secret plan', created_at: '2026-01-01T00:00:00Z' }],
    semantic: [{ id: 'f-1', key: 'k', value: '"v"', created_at: '2026-01-01T00:00:00Z' }],
  }

  it('[SNP-3] apollia 80, 86: replacing in an empty scope brings two rows in, whatever namespace they name', async () => {
    const { memory, agent } = await start()
    expect(await agent.importData(dump, { replace: true })).toBe(2)
    expect(await agent.recall('k')).toBe('v')
    expect((await memory.list({ allScopes: true })).records.map(({ scope }) => scope)).toEqual([worker, worker])
  })

  it('[SNP-5] apollia 83, 84: another version or none is refused before any change', async () => {
    const { agent } = await start()
    await agent.remember('k', 'mine')
    const { format_version: _version, ...unversioned } = dump
    for (const bad of [
      { ...dump, format_version: 99 },
      { ...dump, format_version: 0 },
      { ...dump, format_version: 2 },
      unversioned,
    ]) {
      await expect(agent.importData(bad, { replace: true })).rejects.toMatchObject(refusal('INVALID_RECORD') as object)
    }
    expect(await agent.recall('k')).toBe('mine')
  })

  it('[SNP-4] apollia 85, 88: a merge leaves a known id alone; what was cleared and comes back says the new text only', async () => {
    const { agent } = await start()
    await agent.importData(dump)
    const changed = { ...dump, episodic: [{ ...dump.episodic[0], content: 'new public text' }] }
    expect(await agent.importData(changed)).toBe(0)
    expect(contents(await agent.search('plan'))).toEqual(['old secret plan'])
    await agent.importData({ format_version: 1 }, { replace: true })
    expect(await agent.search('secret')).toEqual([])
    await agent.importData(changed)
    expect([contents(await agent.search('public')), await agent.search('secret')]).toEqual([['new public text'], []])
  })

  it('[SNP-1] apollia 89, 90: rows without an id get one each, the same each time; a value that is no text is that value', async () => {
    const { agent } = await start()
    const rows = {
      format_version: 1,
      episodic: [{ content: 'one' }, { content: 'two' }],
      semantic: [{ key: 'n', value: 7 }],
    }
    expect(await agent.importData(rows)).toBe(3)
    expect(await agent.importData(rows)).toBe(0)
    const { episodic } = await agent.export()
    expect(episodic.map(({ content }) => content).sort()).toEqual(['one', 'two'])
    expect((await agent.recallEntry('n'))?.value).toBe(7)
  })

  it('[KND-5] apollia 91, 94: forgetting by age takes the kind that was named, and the preview is what goes', async () => {
    const { memory, clock, agent } = await start()
    await agent.record('old event')
    await agent.remember('k', 'old fact')
    await agent.learnProcedure('old procedure', ['x'])
    clock.advance(8 * day)
    await agent.record('new event')
    const selection = { strategy: 'age', olderThanDays: 7, kinds: ['episodic'], mode: 'delete' } as const
    const preview = await memory.forget(selection, { dryRun: true, scope: worker })
    const { ids } = await memory.forget(selection, { scope: worker })
    expect(ids).toHaveLength(1)
    expect(preview.ids).toEqual(ids)
    expect((await memory.stats({ scope: worker })).byKind).toEqual({ episodic: 1, semantic: 1, procedural: 1 })
  })

  it('[KND-10] apollia 92: without a policy old memories stay, with a lifetime of a day they are gone', async () => {
    for (const [kinds, left] of [
      [{}, 1],
      [{ episodic: { ttlDays: 1 } }, 0],
    ] as const) {
      const { memory, clock, agent } = await start({ kinds })
      await agent.record('old')
      clock.advance(100 * day)
      await memory.maintain({ allScopes: true })
      expect((await memory.stats({ scope: worker })).total).toBe(left)
    }
  })

  it('[SNP-2] apollia 95: a row with a date that is none is named, and nothing is imported', async () => {
    const { agent } = await start()
    const bad = { ...dump, episodic: [{ id: 'x', content: 'x', created_at: 'yesterday' }] }
    await expect(agent.importData(bad)).rejects.toMatchObject({ code: 'INVALID_RECORD', details: { row: 1 } })
    expect(await agent.recallAll()).toEqual([])
  })
})
