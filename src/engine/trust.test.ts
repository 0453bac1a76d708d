import { describe, expect, it } from 'vitest'
import { annOn, exported, openOnes, web } from '../../test/fixtures/contradictions.ts'
import { testStores } from '../../test/fixtures/stores.ts'
import type { NewMemory } from '../model/index.ts'

describe.each(testStores)('trust on the %s store', (_name, makeStore) => {
  const { open, contradicted } = annOn(makeStore)

  it('[TRU-4] what is quarantined is in no search, list, fact or match unless its status is asked for', async () => {
    const { memory, kiel } = await contradicted()
    expect((await memory.search('Kiel')).results).toEqual([])
    expect((await memory.search('Kiel', { mode: 'text', status: 'quarantined' })).results.map(({ id }) => id)).toEqual([
      kiel.id,
    ])
    expect((await memory.search('Kiel', { validAt: '2026-06-01T00:00:00Z' })).results).toEqual([])
    expect((await memory.list()).records.map(({ data }) => data)).toEqual(['Bonn'])
    expect((await memory.facts.all()).entries.map(({ value }) => value)).toEqual(['Bonn'])
    expect((await memory.facts.history('home')).map(({ value }) => value)).toEqual(['Bonn'])
    expect(await memory.facts.entry('home')).toMatchObject({ value: 'Bonn' })
    expect((await memory.context('Where is home? Kiel?', { budget: { tokens: 500 } })).text).not.toContain('Kiel')
    await memory.skills.learn({ name: 'tea', trigger: 'make tea', steps: ['boil water'] })
    const [tea] = (await memory.list({ kinds: ['procedural'] })).records
    await memory.update(tea?.id as string, { status: 'quarantined' })
    expect((await memory.skills.match('make tea')).matches).toEqual([])
    await memory.restore(tea?.id as string)
    expect((await memory.skills.match('make tea')).matches).toHaveLength(1)
  })

  it('[TRU-3] untrusted replaces nothing trusted: not by key, id, update or supersede; trust: trusted confirms it', async () => {
    const { memory } = await open()
    const untrusted = { source: { type: 'web' } } as const
    const known: NewMemory = { content: 'Ann likes tea', key: 'likes' }
    const { record } = await memory.add({ ...known, id: 'tea' }).catch(() => memory.add(known))
    const ways = {
      add: () => memory.add({ content: 'Ann likes rum', key: 'likes', ...untrusted }),
      id: () => memory.add({ content: 'Ann likes gin', id: record.id, ...untrusted }, { ifExists: 'update' }),
      update: () => memory.update(record.id, { content: 'Ann likes ale', ...untrusted }),
      supersede: () => memory.supersede(record.id, { content: 'Ann likes cider', ...untrusted }),
    }
    for (const [way, write] of Object.entries(ways)) {
      const answer = await write()
      expect(answer, way).toMatchObject({ record: { status: 'quarantined' }, conflict: expect.any(String) })
      expect(answer.record.id).not.toBe(record.id)
      expect(await memory.get(record.id), way).toMatchObject({ content: 'Ann likes tea', status: 'live', version: 1 })
    }
    expect((await openOnes(memory)).map(({ second }) => second.content)).toEqual([
      'Ann likes cider',
      'Ann likes ale',
      'Ann likes gin',
      'Ann likes rum',
    ])
    const { results } = await memory.addMany([
      { content: 'Ann likes rum', key: 'likes', ...untrusted },
      'Ann likes jam',
    ])
    expect(results).toMatchObject([{ outcome: 'conflict', conflict: expect.any(String) }, { outcome: 'added' }])
    const { record: page } = await memory.add({ content: 'Ann likes whey', ...untrusted })
    await expect(memory.supersede(record.id, { id: page.id })).rejects.toMatchObject({ code: 'CONFLICT' })

    const confirmed = await memory.supersede(record.id, { content: 'Ann likes mead', ...untrusted, trust: 'trusted' })
    expect(confirmed).toMatchObject({
      record: { status: 'live', trust: 'trusted' },
      previous: { status: 'superseded' },
    })
    // Confirmed once is not confirmed for whatever the page says next.
    const { id } = confirmed.record
    expect(await memory.update(id, { tags: ['drink'], ...untrusted })).toMatchObject({
      record: { id, trust: 'trusted' },
    })
    expect(await memory.update(id, { content: 'Ann likes kvass', ...untrusted })).toMatchObject({
      record: { status: 'quarantined' },
      conflict: expect.any(String),
    })
    expect(await memory.update(id, { content: 'Ann likes kvass', ...untrusted, trust: 'trusted' })).toMatchObject({
      record: { id, content: 'Ann likes kvass', source: { type: 'web' } },
    })
  })

  it('[TRU-5] an import skips rows that are untrusted and contradict what is trusted; replacing is the own act of who imports', async () => {
    const { memory } = await open()
    const { record } = await memory.add({ id: 'home', content: 'Ann lives in Bonn' })
    const { memory: other } = await open()
    await other.add({ id: 'home', content: 'Ann lives in Kiel', source: { type: 'web' } })
    const text = await exported(other)
    expect(await memory.import(text, { ifExists: 'update' })).toMatchObject({ rows: [{ outcome: 'skipped' }] })
    expect(await memory.get('home')).toEqual(record)
    await memory.import(text, { mode: 'replace' })
    expect(await memory.get('home')).toMatchObject({ content: 'Ann lives in Kiel', trust: 'untrusted' })
  })

  it('[TRU-6] the same value from who is trusted more makes it more trusted, from who is trusted less changes nothing', async () => {
    const { memory } = await open()
    await memory.facts.set('home', 'Kiel', web)
    expect(await memory.facts.set('home', 'Kiel')).toMatchObject({
      outcome: 'updated',
      record: { trust: 'trusted', source: { type: 'user' } },
    })
    expect(await memory.facts.set('home', 'Kiel', web)).toMatchObject({ outcome: 'duplicate' })
    const { record } = await memory.facts.set('food', 'rice', { confidence: 0.5 })
    expect(await memory.facts.set('food', 'rice', web)).toMatchObject({ outcome: 'duplicate', record })
    const { record: tea } = await memory.add({ content: 'Ann likes tea', key: 'likes' })
    const again = await memory.add({ content: 'Ann likes tea', key: 'likes', tags: ['drink'], ...web })
    expect(again.record).toMatchObject({ id: tea.id, tags: ['drink'], trust: 'trusted', source: { type: 'user' } })
    const { record: next } = await memory.supersede(tea.id, { content: 'Ann likes tea', tags: [], ...web })
    expect(next).toMatchObject({ status: 'live', trust: 'trusted' })
  })

  it('[TRU-2] by key an assistant sets what its user said; a policy that asks is asked', async () => {
    const { memory } = await open()
    await memory.facts.set('home', 'Bonn')
    expect(await memory.facts.set('home', 'Kiel', { source: 'assistant' })).toMatchObject({ outcome: 'superseded' })
    const careful = (await open({ kinds: { semantic: { onConflict: 'trusted' } } })).memory
    await careful.facts.set('home', 'Bonn')
    expect(await careful.facts.set('home', 'Kiel', { source: 'assistant' })).toMatchObject({ outcome: 'conflict' })
    expect(await careful.facts.set('home', 'Ulm')).toMatchObject({ outcome: 'superseded' })
    await expect(open({ kinds: { semantic: { onConflict: 'loudest' as never } } })).rejects.toMatchObject({
      code: 'BAD_CONFIG',
    })
  })
})
