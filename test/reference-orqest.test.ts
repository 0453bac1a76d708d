import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { embedderFrom } from '../src/embedders/index.ts'
import { openMemory } from '../src/index.ts'
import { memory as memoryStore } from '../src/stores/memory/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import { ann, contents, found, listed, open, temporaryFolder } from './fixtures/reference-stores.ts'

/** A skill as the payload of a procedural memory. */
const skill = (name: string, version = 1) => ({ name, description: name, trigger: name, steps: [], version })

describe('orqest: model and validation', () => {
  it('[REC-13] orqest 1: two memories with only content get ids of 36 characters of their own', async () => {
    const memory = await open()
    const ids = [(await memory.add('one')).record.id, (await memory.add('two')).record.id]
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('[REC-5] orqest 3, 4, 5: confidence and reliability outside of 0 to 1, and NaN, fail; 0 and 1 pass', async () => {
    const memory = await open()
    for (const field of ['confidence', 'reliability']) {
      for (const value of [1.5, -0.1, 2, -0.5, Number.NaN]) {
        await expect(memory.add({ content: 'x', [field]: value })).rejects.toMatchObject({ code: 'INVALID_RECORD' })
      }
      for (const value of [0, 1]) {
        expect((await memory.add({ content: `${field} ${value}`, [field]: value })).record).toMatchObject({
          [field]: value,
        })
      }
    }
    expect((await memory.stats()).total).toBe(4)
  })

  it('[REC-7] orqest 6: kinds are open, names with _ and closed lists are not; an unknown kind finds nothing', async () => {
    const memory = await open()
    expect((await memory.add({ content: 'x', kind: 'foo' })).record.kind).toBe('foo')
    expect(await listed(memory, { kinds: ['bar'] })).toEqual([])
    await expect(memory.add({ content: 'x', kind: '_foo' })).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    await expect(memory.list({ kinds: ['_foo'] })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(memory.list({ status: 'foo' as never })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('[REC-1] orqest 7, 8: no content, content 5, empty content and an empty id fail', async () => {
    const memory = await open()
    for (const given of [{}, { content: 5 }, { content: '' }, '', { content: 'x', id: '' }]) {
      await expect(memory.add(given as never)).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    }
    expect(await listed(memory)).toEqual([])
  })

  it('[REC-4] orqest 11, 12: a procedural memory needs no payload, a semantic one takes any, unchanged', async () => {
    const memory = await open()
    expect((await memory.add({ content: 'run_solver', kind: 'procedural' })).record.data).toBeUndefined()
    const { record } = await memory.add({ content: 'x', data: { random: 'stuff', deep: [null, { a: 1 }] } })
    expect(record.data).toEqual({ random: 'stuff', deep: [null, { a: 1 }] })
  })

  it('[REC-14] orqest 19: a record written as JSON and read again is the same', async () => {
    const memory = await open()
    const { record } = await memory.add({ content: 'x', kind: 'episodic', confidence: 0.8, metadata: { key: 'value' } })
    expect(JSON.parse(JSON.stringify(record))).toEqual(record)
    expect(record).toMatchObject({ kind: 'episodic', confidence: 0.8, metadata: { key: 'value' } })
  })

  it('[FLT-6] orqest 20: an empty filter restricts nothing', async () => {
    const memory = await open()
    await memory.addMany(['one', 'two'])
    expect(await listed(memory, { filter: {} })).toEqual(await listed(memory))
  })

  it('[RED-24] orqest 21: an unknown option or field is refused, so a misspelling never widens a result', async () => {
    const memory = await open()
    await memory.add('one')
    await expect(memory.list({ nope: 1 } as never)).rejects.toMatchObject({ code: 'UNKNOWN_FIELD' })
    await expect(memory.search('one', { nope: 1 } as never)).rejects.toMatchObject({ code: 'UNKNOWN_FIELD' })
    await expect(memory.list({ filter: { 'record.nope': 1 } })).rejects.toMatchObject({ code: 'INVALID_FILTER' })
  })
})

describe('orqest: storing, deleting, life cycle', () => {
  it('[EXP-1] orqest 25: every field comes back as it was, times and counts through an import', async () => {
    const embedder = embedderFrom(() => [1, 2], { id: 'two', dimensions: 2 })
    const memory = await open({ embedder })
    const given = {
      id: 'r1',
      kind: 'episodic',
      content: 'x',
      data: { x: 1 },
      key: 'k',
      tags: ['t'],
      metadata: { nested: { deep: [1, null] } },
      importance: 0.1,
      confidence: 0.9,
      reliability: 0.6,
      source: { type: 'web' as const, actor: 'writer', ref: 'https://example.org', quote: 'x', from: ['r0'] },
      trust: 'trusted' as const,
      eventTime: {
        start: '2024-01-01T00:00:00.000Z',
        end: '2024-01-02T00:00:00.000Z',
        zone: 'UTC',
        granularity: 'day' as const,
      },
      validFrom: '2024-01-01T00:00:00.000Z',
      validTo: '2025-01-01T00:00:00.000Z',
      expiresAt: '2999-01-01T00:00:00.000Z',
      pinned: true,
    }
    const { record } = await memory.add({ ...given, vector: [1, 2] })
    expect(record).toMatchObject({ ...given, scope: ann, status: 'live', version: 1, accessCount: 0 })
    expect((await memory.list()).records).toEqual([record])

    const lines: string[] = []
    for await (const line of memory.export()) lines.push(line)
    const row = JSON.parse(lines[1] as string)
    Object.assign(row.record, {
      createdAt: '2024-01-01T00:00:00.000Z',
      lastAccessedAt: '2024-02-01T00:00:00.000Z',
      accessCount: 4,
    })
    lines[1] = `${JSON.stringify(row)}\n`
    const other = await open({ embedder })
    await other.import(lines.join(''))
    expect(await other.get('r1')).toEqual(row.record)
  })

  it('[WRT-22] orqest 26: an id that is there is a conflict, or updated, or skipped, as the caller says', async () => {
    const memory = await open()
    await memory.add({ id: 'A', content: 'user likes tea' })
    const coffee = { id: 'A', content: 'user likes coffee' }
    await expect(memory.add(coffee)).rejects.toMatchObject({ code: 'CONFLICT', details: { id: 'A' } })
    expect((await memory.add(coffee, { ifExists: 'skip' })).record.content).toBe('user likes tea')
    await memory.search('tea')
    expect((await memory.add(coffee, { ifExists: 'update' })).outcome).toBe('updated')
    expect((await memory.list()).records).toMatchObject([{ content: 'user likes coffee', version: 2, accessCount: 1 }])
    expect((await memory.add(coffee)).outcome).toBe('duplicate')
  })

  it('[SEA-21] orqest 27: after an update the new text is found, the old one is not', async () => {
    const memory = await open()
    await memory.add({ id: 'A', content: 'user likes tea' })
    await memory.add({ id: 'A', content: 'user likes coffee' }, { ifExists: 'update' })
    expect(contents((await memory.search('user')).results)).toEqual(['user likes coffee'])
    expect(await found(memory, 'tea')).toEqual([])
  })

  it('[DEL-22] orqest 29: deleting says how many went; an unknown id is none and no error', async () => {
    const memory = await open()
    const { record } = await memory.add('one')
    expect((await memory.stats()).total).toBe(1)
    expect((await memory.delete(record.id)).deleted).toBe(1)
    expect((await memory.stats()).total).toBe(0)
    expect((await memory.delete(record.id)).deleted).toBe(0)
    expect((await memory.delete('nobody')).deleted).toBe(0)
  })

  it.each(['memory', 'sqlite'])(
    '[SEA-21] orqest 30: deleting one of three keeps the others findable, on %s',
    async (name) => {
      const store = name === 'sqlite' ? sqlite({ path: join(temporaryFolder(), 'a.db') }) : memoryStore()
      const memory = await open({ store })
      await memory.addMany(['project alpha status', 'project beta status', 'unrelated gamma'])
      const [, beta] = (await memory.list({ order: 'oldest' })).records
      await memory.delete(beta?.id as string)
      for (const query of ['project', 'status', 'alpha'])
        expect(await found(memory, query)).toEqual(['project alpha status'])
      expect(await found(memory, 'gamma')).toEqual(['unrelated gamma'])
      expect(await found(memory, 'beta')).toEqual([])
    },
  )

  it.each(['memory', 'sqlite'])(
    '[SEA-21] orqest 31: what is stored after a delete does not take its place, on %s',
    async (name) => {
      const store = name === 'sqlite' ? sqlite({ path: join(temporaryFolder(), 'a.db') }) : memoryStore()
      const memory = await open({ store })
      await memory.add('apple one')
      const { record } = await memory.add('banana two')
      await memory.delete(record.id)
      await memory.add('cherry three')
      expect(await found(memory, 'banana')).toEqual([])
      expect(await found(memory, 'cherry')).toEqual(['cherry three'])
    },
  )

  it('[JSN-2] orqest 34: a payload that is not JSON is refused with its path, as JSON it is kept', async () => {
    const memory = await open()
    const example = { inputs: { a: 1 }, outputs: {}, occurredAt: new Date('2024-01-01T00:00:00Z') }
    const data = { ...skill('s'), examples: [example] }
    await expect(memory.add({ content: 's', kind: 'procedural', data: data as never })).rejects.toMatchObject({
      code: 'INVALID_RECORD',
      details: { path: 'memory.data.examples[0].occurredAt' },
    })
    expect((await memory.stats()).total).toBe(0)
    const kept = { ...data, examples: [{ ...example, occurredAt: '2024-01-01T00:00:00Z' }] }
    await memory.add({ content: 's', kind: 'procedural', data: kept })
    expect((await memory.stats()).total).toBe(1)
  })

  it('[OPN-1] orqest 36: nothing is written before the first use, then folders and all', async () => {
    const path = join(temporaryFolder(), 'new', 'folder', 'memory.db')
    const memory = await open({ path })
    expect(existsSync(join(path, '..'))).toBe(false)
    await memory.add('one')
    expect(existsSync(path)).toBe(true)
  })

  it('[OPN-2] orqest 37: a memory is at exactly the path given, ~ is the home folder, no path and two places are refused', async () => {
    const home = temporaryFolder()
    vi.stubEnv('HOME', home)
    try {
      expect(homedir()).toBe(home)
      const memory = await open({ path: '~/deep/memory.db' })
      await memory.add('one')
      expect(existsSync(join(home, 'deep', 'memory.db'))).toBe(true)
    } finally {
      vi.unstubAllEnvs()
    }
    await expect(openMemory({})).rejects.toMatchObject({ code: 'BAD_CONFIG' })
    await expect(openMemory({ path: 'a.db', store: memoryStore() })).rejects.toMatchObject({ code: 'BAD_CONFIG' })
    await expect(openMemory({ path: '' })).rejects.toMatchObject({ code: 'BAD_CONFIG' })
  })

  it('[OPN-3] orqest 38: close is final and may be repeated; a file is there again, a store in memory is empty', async () => {
    const path = join(temporaryFolder(), 'memory.db')
    const memory = await open({ path })
    await memory.add('one')
    await memory.close()
    await memory.close()
    await expect(memory.stats()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' })
    expect(await listed(await open({ path }))).toEqual(['one'])

    for (const kept of [await open(), await open({ path: ':memory:' })]) {
      await kept.add('one')
      await kept.stop()
      await kept.stop()
      expect((await kept.stats()).total).toBe(0)
    }
  })

  it('[OPN-4] orqest 41: ten first operations at once open the store once, and all ten land', async () => {
    const inner = sqlite({ path: join(temporaryFolder(), 'memory.db') })
    let opened = 0
    const counted = {
      ...inner,
      open(...given: Parameters<typeof inner.open>) {
        opened++
        return inner.open(...given)
      },
    }
    const memory = await open({ store: counted })
    await Promise.all(Array.from({ length: 10 }, (_, n) => memory.add(`memory ${n}`)))
    expect(opened).toBe(1)
    expect((await memory.stats()).total).toBe(10)
  })
})

describe('orqest: access, lists, kinds', () => {
  it('[SEA-26] orqest 65: a search shows counts from before it, and then counts; version and times of change stay', async () => {
    const clock = fixedClock('2024-01-01T00:00:00Z')
    const memory = await open({ clock })
    const { record } = await memory.add('cello')
    clock.advance(1000)
    const shown = [await memory.search('cello'), await memory.search('cello')].map(
      ({ results }) => results[0]?.accessCount,
    )
    expect(shown).toEqual([0, 1])
    const after = await memory.get(record.id)
    expect(after).toEqual({ ...record, accessCount: 2, lastAccessedAt: '2024-01-01T00:00:01.000Z' })
    await memory.search('cello', { touch: false })
    expect((await memory.get(record.id))?.accessCount).toBe(2)
  })

  it('[SEA-26] orqest 65: only what was returned is counted', async () => {
    const memory = await open()
    await memory.addMany(['cello one', 'cello two', 'cello three'])
    const [hit] = (await memory.search('cello', { limit: 1 })).results
    const counts = (await memory.list()).records.map(({ id, accessCount }) => [id === hit?.id, accessCount])
    expect(counts.filter(([returned]) => returned)).toEqual([[true, 1]])
    expect(counts.filter(([returned, count]) => !returned && count === 0)).toHaveLength(2)
  })

  it('[SEA-26] orqest 66: lists, counts, reads by id and explanations count nothing', async () => {
    const memory = await open()
    const { record } = await memory.add('cello')
    await memory.list()
    await memory.stats()
    await memory.get(record.id)
    await memory.history(record.id)
    await memory.explain('cello', record.id)
    expect(await memory.get(record.id)).toEqual(record)
  })

  it('[RED-22] orqest 70, 116: lists are ordered by creation, whatever was used, and the kind counts before the limit', async () => {
    const clock = fixedClock('2024-01-01T00:00:00Z')
    const memory = await open({ clock })
    for (let i = 0; i < 510; i++) {
      await memory.add({ content: `n${i}`, kind: i % 100 === 0 ? 'episodic' : 'semantic' })
      clock.advance(60_000)
    }
    await memory.search('n0')
    expect(contents((await memory.list({ limit: 2 })).records)).toEqual(['n509', 'n508'])
    const episodes = await memory.list({ kinds: ['episodic'], limit: 3 })
    expect(contents(episodes.records)).toEqual(['n500', 'n400', 'n300'])
    expect(await listed(memory, { kinds: ['unheard'] })).toEqual([])
    expect((await memory.list({ limit: 1000 })).records).toHaveLength(510)
  })

  it('[SEA-27] orqest 71: every kind is searched by meaning too, episodes among them', async () => {
    const embedder = embedderFrom((text) => (/cat|kitten/.test(text) ? [1, 0] : [0, 1]), { id: 'pets', dimensions: 2 })
    const memory = await open({ embedder })
    await memory.addMany([
      { kind: 'episodic', content: 'cat' },
      { kind: 'episodic', content: 'boat' },
    ])
    expect(await found(memory, 'kitten', { kinds: ['episodic'], mode: 'vector' })).toEqual(['cat'])
    expect((await found(memory, 'kitten', { kinds: ['episodic'] }))[0]).toBe('cat')
  })

  it('[SEA-23] orqest 73, 75, 76, 77: a trigger is found in a request that holds it, in any case, and not by wildcards', async () => {
    const memory = await open()
    for (const name of ['run_solver', 'fix lint']) {
      await memory.add({ kind: 'procedural', content: name, data: skill(name) })
    }
    const match = (query: string) => found(memory, query, { kinds: ['procedural'] })
    expect(await match('RUN_SOLVER')).toEqual(['run_solver'])
    expect(await match('please fix lint now')).toEqual(['fix lint'])
    expect(await match('completely unrelated')).toEqual([])
    expect(await match('r_n')).toEqual([])
  })

  it('[SEA-24] orqest 79: a blank query finds no skills; a list shows them all', async () => {
    const memory = await open()
    await memory.addMany(['a', 'b', 'c'].map((name) => ({ kind: 'procedural', content: name, data: skill(name) })))
    expect(await found(memory, '', { kinds: ['procedural'] })).toEqual([])
    expect(await listed(memory, { kinds: ['procedural'] })).toHaveLength(3)
  })

  it('[SEA-25] orqest 81: a procedural memory without a payload is found by its content', async () => {
    const memory = await open()
    await memory.add({ kind: 'procedural', content: 'zebra crossing' })
    expect(await found(memory, 'zebra')).toEqual(['zebra crossing'])
  })

  it('[FLT-3] orqest 84, 85: names and versions inside of a payload can be filtered by, exactly', async () => {
    const memory = await open()
    for (const [name, version] of [
      ['alpha', 1],
      ['beta', 3],
    ] as const) {
      await memory.add({ kind: 'procedural', content: `t ${name}`, data: skill(name, version) })
    }
    await memory.add({ kind: 'procedural', content: 't without' })
    expect(await found(memory, 't', { filter: { 'record.data.name': 'beta' } })).toEqual(['t beta'])
    expect(await found(memory, 't', { filter: { 'record.data.name': 'BETA' } })).toEqual([])
    expect(await found(memory, 't', { filter: { 'record.data.version': { gte: 2 } } })).toEqual(['t beta'])
  })

  it('[SEA-28] orqest 101: a key is found exactly and comes first, within the kind asked for', async () => {
    const memory = await open()
    await memory.add('extract_dois was mentioned here: extract_dois extract_dois')
    await memory.add({ kind: 'tool', key: 'extract_dois', content: 'Finds identifiers of papers in a text' })
    await memory.add({ kind: 'tool', key: 'other', content: 'Uses extract_dois' })
    const hits = (await memory.search('extract_dois', { kinds: ['tool'] })).results
    expect(hits.map(({ key, score }) => [key, score === 1])).toEqual([
      ['extract_dois', true],
      ['other', false],
    ])
    expect((await memory.search('extract_dois')).results[0]?.key).toBe('extract_dois')
  })

  it('[RED-23] orqest 118: times are compared by instant, whatever offset they came with', async () => {
    const memory = await open()
    await memory.add({ content: 'late evening', eventTime: { start: '2024-01-01T23:00:00Z' } })
    await memory.add({ content: 'night elsewhere', eventTime: { start: '2024-01-02T01:00:00+09:00' } })
    expect(contents((await memory.list({ order: 'eventTime' })).records)).toEqual(['night elsewhere', 'late evening'])
    expect(await listed(memory, { since: '2024-01-02T01:00:01+09:00' })).toEqual(['late evening'])
    expect(await listed(memory, { until: '2024-01-01T16:00:01Z' })).toEqual(['night elsewhere'])
  })
})

// kinds, policies, versions, tools and strategies: reference-orqest-kinds.test.ts; procedural recall: reference-procedural.test.ts
// not part of a memory (orchestrator, workbench): 129, 135
