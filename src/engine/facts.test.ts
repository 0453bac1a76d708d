import { describe, expect, it } from 'vitest'
import { testFile, testStores } from '../../test/fixtures/stores.ts'
import { fixedClock } from '../testing/index.ts'
import { type MemoryEngine, type OpenMemoryOptions, openMemory } from './index.ts'

const ann = { userId: 'ann' }

const keys = async (listed: ReturnType<MemoryEngine['facts']['all']>) => (await listed).entries.map(({ key }) => key)

describe.each(testStores)('facts on the %s store', (name, makeStore) => {
  const open = async (options: Partial<OpenMemoryOptions> = {}) => {
    const clock = fixedClock(Date.UTC(2026, 0, 1))
    const memory = await openMemory({ store: makeStore(), scope: ann, embedder: false, clock, ...options })
    return { memory, clock }
  }

  it('[FCT-1] a value of any JSON comes back, as an entry with source, confidence, version, time and id', async () => {
    const { memory } = await open()
    for (const [i, value] of [15000, 'Bremen', '', false, 0, null, { a: [1, null] }, []].entries()) {
      await memory.facts.set(`k${i}`, value)
      expect(await memory.facts.get(`k${i}`)).toEqual(value)
      expect((await memory.facts.entry(`k${i}`))?.value).toEqual(value)
    }
    const { record } = await memory.facts.set('client.dupont.budget', 15000, { source: 'crm', confidence: 0.9 })
    expect(await memory.facts.entry('client.dupont.budget')).toEqual({
      key: 'client.dupont.budget',
      value: 15000,
      source: { type: 'user', ref: 'crm' },
      confidence: 0.9,
      version: 1,
      updatedAt: '2026-01-01T00:00:00.000Z',
      id: record.id,
    })
    await memory.facts.set('seen', 1, { source: 'tool' })
    await memory.facts.set('read', 1, { source: { type: 'web', ref: 'https://example.org' } })
    expect([(await memory.facts.entry('seen'))?.source, (await memory.facts.entry('read'))?.source]).toEqual([
      { type: 'tool' },
      { type: 'web', ref: 'https://example.org' },
    ])
    expect([await memory.facts.get('nothing'), await memory.facts.entry('nothing')]).toEqual([null, null])
    for (const bad of [
      { confidence: 1.5 },
      { confidence: -0.1 },
      { confidence: Number.NaN },
      { source: { type: 'x' } },
      { sorce: 'a' },
    ]) {
      await expect(memory.facts.set('bad', 1, bad as never), JSON.stringify(bad)).rejects.toMatchObject({
        name: 'InputError',
      })
    }
    for (const bad of ['', 'a\u0000'])
      await expect(memory.facts.set(bad, 1)).rejects.toMatchObject({ name: 'InputError' })
    await expect(memory.facts.set('bad', Number.NaN)).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    expect(await memory.facts.get('bad')).toBeNull()
    await memory.close()
  })

  it('[FCT-2] another value takes the place of the one before, which is closed, linked both ways and kept', async () => {
    const { memory, clock } = await open()
    const first = await memory.facts.set('home', 'Bremen', { source: 'tool' })
    await memory.update(first.record.id, { tags: ['place'], importance: 0.9 })
    clock.advance(1000)
    const second = await memory.facts.set('home', 'Kiel', { reason: 'she moved' })
    expect(first.outcome).toBe('added')
    expect(second).toMatchObject({
      outcome: 'superseded',
      record: { supersedes: first.record.id, tags: ['place'], importance: 0.9, source: { type: 'user' }, version: 3 },
      previous: {
        id: first.record.id,
        status: 'superseded',
        supersededBy: second.record.id,
        validTo: '2026-01-01T00:00:01.000Z',
      },
    })
    clock.advance(1000)
    await memory.facts.set('home', { city: 'Ulm' })
    expect(await memory.facts.get('home')).toEqual({ city: 'Ulm' })
    const history = await memory.facts.history('home')
    expect(
      history.map(({ value, version, status, validFrom, validTo }) => [value, version, status, validFrom, validTo]),
    ).toEqual([
      ['Bremen', 1, 'superseded', undefined, undefined],
      ['Bremen', 2, 'superseded', undefined, '2026-01-01T00:00:01.000Z'],
      ['Kiel', 3, 'superseded', '2026-01-01T00:00:01.000Z', '2026-01-01T00:00:02.000Z'],
      [{ city: 'Ulm' }, 4, 'live', '2026-01-01T00:00:02.000Z', undefined],
    ])
    expect(history.map(({ updatedAt }) => updatedAt.slice(17, 19))).toEqual(['00', '00', '01', '02'])
    expect((await memory.list()).records).toHaveLength(1)
    expect(await memory.verify()).toMatchObject({ ok: true })
    await expect(memory.undo(second.tx)).rejects.toMatchObject({ code: 'CONFLICT' })
    await memory.close()
  })

  it('[FCT-3] the same value is a duplicate; said with more confidence it is the same fact, more certain', async () => {
    const { memory } = await open()
    const first = await memory.facts.set('home', { city: 'Bremen', zip: 1 }, { confidence: 0.5, source: 'crm' })
    const again = await memory.facts.set('home', { zip: 1, city: 'Bremen' }, { confidence: 0.4 })
    expect(again).toMatchObject({ outcome: 'duplicate', tx: first.tx, record: { id: first.record.id, version: 1 } })
    const surer = await memory.facts.set('home', { city: 'Bremen', zip: 1 }, { confidence: 0.8 })
    expect(surer).toMatchObject({
      outcome: 'updated',
      record: { id: first.record.id, version: 2, confidence: 0.8, source: { ref: 'crm' } },
    })
    expect(await memory.facts.history('home')).toHaveLength(2)
    await memory.close()
  })

  it('[FCT-4] a less certain value is not written, and the answer says so; an equal one is, and so is any over an expired fact', async () => {
    const { memory } = await open({ kinds: { semantic: { ttlDays: 1 } } })
    const { memory: later, clock } = await open({ kinds: { semantic: { ttlDays: 1 } } })
    await memory.facts.set('user.name', 'Nidal', { confidence: 0.9 })
    expect(await memory.facts.set('user.name', 'Unknown', { confidence: 0.5 })).toMatchObject({
      outcome: 'kept',
      record: { data: 'Nidal', version: 1 },
    })
    expect(await memory.facts.get('user.name')).toBe('Nidal')
    expect(await memory.facts.set('user.name', 'Nadal')).toMatchObject({ outcome: 'superseded' })
    await memory.facts.set('user.role', 'developer', { confidence: 0.5 })
    await memory.facts.set('user.role', 'CTO', { confidence: 0.5 })
    expect(await memory.facts.get('user.role')).toBe('CTO')
    await later.facts.set('k', 'old', { confidence: 0.9 })
    clock.advance(86_400_000)
    expect([await later.facts.get('k'), await later.facts.entry('k'), await later.facts.history('k')]).toEqual([
      null,
      null,
      [],
    ])
    expect(await later.facts.set('k', 'new', { confidence: 0.1 })).toMatchObject({ outcome: 'added' })
    expect(await later.facts.get('k')).toBe('new')
    await memory.close()
    await later.close()
  })

  it('[FCT-5] all facts, most recently written first, page by page as the first page saw them', async () => {
    const { memory, clock } = await open()
    for (const key of ['b', 'a', 'd', 'c']) {
      await memory.facts.set(key, key)
      clock.advance(1)
    }
    await memory.facts.set('a', 'again')
    await memory.add('no fact')
    await memory.kv.put([], 'k', 1)
    expect(await keys(memory.facts.all())).toEqual(['a', 'c', 'd', 'b'])
    expect(await keys(memory.facts.all({ limit: 2 }))).toEqual(['a', 'c'])
    const first = await memory.facts.all({ limit: 2 })
    clock.advance(1)
    await memory.facts.set('b', 'changed')
    await memory.facts.set('z', 'new')
    const rest = await memory.facts.all({ limit: 5, cursor: first.nextCursor })
    expect(rest.entries.map(({ key, value }) => [key, value])).toEqual([
      ['d', 'd'],
      ['b', 'b'],
    ])
    expect(rest.nextCursor).toBeUndefined()
    await expect(memory.facts.all({ limit: 1001 })).rejects.toMatchObject({ code: 'LIMIT_OUT_OF_RANGE' })
    for (let i = 0; i < 101; i++) await memory.facts.set(`n${i}`, i)
    expect((await memory.facts.all()).entries).toHaveLength(100)
    await memory.close()
  })

  it('[FCT-5] written within one millisecond, the last is the first', async () => {
    const { memory } = await open()
    for (const [i, key] of ['b', 'a', 'b', 'c', 'a'].entries()) await memory.facts.set(key, i)
    expect(await keys(memory.facts.all())).toEqual(['a', 'c', 'b'])
    await memory.close()
  })

  it('[FCT-6] facts are found by key and by value, their former values only when asked for', async () => {
    const { memory } = await open()
    await memory.facts.set('favourite.drink', 'espresso')
    await memory.facts.set('favourite.drink', 'green tea')
    await memory.facts.set('team', { lead: 'Zoé' })
    const found = async (query: string, options = {}) =>
      (await memory.search(query, options)).results.map(({ data }) => data)
    expect(await found('tea')).toEqual(['green tea'])
    expect(await found('what is her favourite drink?')).toEqual(['green tea'])
    expect(await found('favourite.drink')).toEqual(['green tea'])
    expect(await found('espresso')).toEqual([])
    expect(await found('espresso', { status: 'superseded' })).toEqual(['espresso'])
    expect(await found('zoe')).toEqual([{ lead: 'Zoé' }])
    await memory.close()
  })

  it('[FCT-7] a delete takes the fact with its former values, and their content everywhere', async () => {
    const { memory } = await open()
    await memory.facts.set('street', 'Am Wall')
    await memory.facts.set('street', 'Am Deich')
    await memory.facts.set('other', 1)
    expect(await memory.facts.delete('street', { dryRun: true })).toMatchObject({
      deleted: 1,
      plan: { steps: [{ op: 'delete' }, { op: 'delete' }] },
    })
    expect(await memory.facts.delete('street')).toMatchObject({ deleted: 1 })
    expect(await memory.facts.delete('street')).toEqual({ deleted: 0 })
    expect([await memory.facts.get('street'), await memory.facts.history('street')]).toEqual([null, []])
    expect((await memory.search('wall deich', { status: 'any' })).results).toEqual([])
    expect(JSON.stringify(await memory.changes())).not.toMatch(/Wall|Deich/)
    expect(await keys(memory.facts.all())).toEqual(['other'])
    await memory.close()
  })

  it('[FCT-8] facts are of one exact scope; shared reads take the nearest', async () => {
    const { memory } = await open({ scope: undefined })
    const session = { ...ann, sessionId: 's' }
    const bob = { userId: 'bob' }
    await memory.facts.set('last_file', 'ventes.xlsx', { scope: ann })
    await memory.facts.set('last_file', 'notes.md', { scope: session })
    await memory.facts.set('lang', 'de', { scope: ann })
    const read = (key: string, scope: object, include?: 'shared') => memory.facts.get(key, { scope, include })
    expect([await read('last_file', ann), await read('last_file', session), await read('last_file', bob)]).toEqual([
      'ventes.xlsx',
      'notes.md',
      null,
    ])
    expect([await read('lang', session), await read('lang', session, 'shared')]).toEqual([null, 'de'])
    expect(await memory.facts.entry('last_file', { scope: session, include: 'shared' })).toMatchObject({
      value: 'notes.md',
    })
    expect(await keys(memory.facts.all({ scope: ann }))).toEqual(['lang', 'last_file'])
    const shared = await memory.facts.all({ scope: session, include: 'shared' })
    expect(shared.entries.map(({ key, value, scope }) => [key, value, scope])).toEqual([
      ['lang', 'de', ann],
      ['last_file', 'notes.md', session],
    ])
    expect(
      (await memory.facts.history('lang', { scope: session, include: 'shared' })).map(({ value }) => value),
    ).toEqual(['de'])
    await memory.facts.set('lang', 'en', { scope: bob })
    expect(await keys(memory.facts.all({ allScopes: true }))).toEqual(['lang', 'lang', 'last_file', 'last_file'])
    await memory.facts.delete('last_file', { scope: ann })
    expect([await read('last_file', ann), await read('last_file', session)]).toEqual([null, 'notes.md'])
    const view = memory.scoped(bob)
    await expect(view.facts.get('lang', { scope: ann })).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
    await expect(memory.scoped(ann, { readOnly: true }).facts.set('lang', 'fr')).rejects.toMatchObject({
      code: 'SCOPE_DENIED',
    })
    await expect(memory.facts.get('lang')).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' })
    await memory.close()
  })

  it('[FCT-9] a read that gives a reason leaves a durable line, a miss too', async () => {
    if (name === 'memory') return
    const { memory } = await open()
    const { record } = await memory.facts.set('home', 'Bremen')
    await memory.facts.get('home')
    await memory.facts.get('home', { reason: 'to greet' })
    await memory.facts.entry('home', { reason: 'to send a letter', actor: 'mailer' })
    await memory.facts.entry('nothing', { reason: 'to look' })
    await memory.facts.all({ reason: 'to sum up' })
    await memory.facts.history('home', { reason: 'to compare' })
    await memory.kv.get([], 'k', { reason: 'to count' })
    await memory.stop()
    const { entries } = await memory.journal({ op: 'read' })
    expect(entries.map(({ verb, reason, actor, ids }) => [verb, reason, actor, ids])).toEqual([
      ['facts.get', 'to greet', undefined, [record.id]],
      ['facts.entry', 'to send a letter', 'mailer', [record.id]],
      ['facts.entry', 'to look', undefined, []],
      ['facts.all', 'to sum up', undefined, [record.id]],
      ['facts.history', 'to compare', undefined, [record.id]],
      ['kv.get', 'to count', undefined, []],
    ])
    expect(JSON.stringify(entries)).not.toContain('Bremen')
    await memory.close()
  })

  it('[FCT-10] previews, repeats, undoes and moves like every write', async () => {
    const { memory } = await open()
    await memory.facts.set('home', 'Bremen')
    const dry = await memory.facts.set('home', 'Kiel', { dryRun: true })
    expect(dry).toMatchObject({ outcome: 'superseded', plan: { steps: [{ op: 'supersede' }, { op: 'supersede' }] } })
    expect(await memory.facts.get('home')).toBe('Bremen')
    await memory.apply(JSON.parse(JSON.stringify(dry.plan)))
    expect(await memory.facts.entry('home')).toMatchObject({ value: 'Kiel', version: 2 })
    const once = await memory.facts.set('home', 'Ulm', { idempotencyKey: 'a' })
    expect(await memory.facts.set('home', 'Ulm', { idempotencyKey: 'a' })).toMatchObject({
      tx: once.tx,
      outcome: 'superseded',
      record: { version: 3 },
    })
    await expect(memory.facts.set('home', 'Jena', { idempotencyKey: 'a' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
    await memory.undo(once.tx)
    expect(await memory.facts.entry('home')).toMatchObject({ value: 'Kiel' })
    expect(await memory.facts.set('home', 'Jena')).toMatchObject({ record: { version: 5 } })
    await memory.facts.set('nothing', null)
    let text = ''
    for await (const line of memory.export()) text += line
    const { memory: other } = await open()
    await other.import(text)
    expect([await other.facts.get('home'), await other.facts.entry('nothing')]).toMatchObject(['Jena', { value: null }])
    await memory.close()
    await other.close()
  })

  it('[FCT-11] writers of one fact at once lose nothing: every value is in its history, one is live', async () => {
    const { memory } = await open()
    await Promise.all([1, 2, 3, 4, 5].map((n) => memory.facts.set('n', n)))
    const history = await memory.facts.history('n')
    expect(history.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5])
    expect(history.map(({ value }) => value).sort()).toEqual([1, 2, 3, 4, 5])
    expect(history.map(({ status }) => status)).toEqual([
      'superseded',
      'superseded',
      'superseded',
      'superseded',
      'live',
    ])
    await memory.close()
  })

  it('[FCT-12] a memory that was added with a key is a fact with its text as value', async () => {
    const { memory } = await open()
    await memory.add({ key: 'coffee', content: 'Ann drinks espresso' })
    expect(await memory.facts.get('coffee')).toBe('Ann drinks espresso')
    expect(await memory.facts.set('coffee', 'Ann drinks espresso')).toMatchObject({ outcome: 'duplicate' })
    await memory.add({ key: 'coffee', content: 'Ann drinks tea' })
    expect((await memory.facts.history('coffee')).map(({ value }) => value)).toEqual([
      'Ann drinks espresso',
      'Ann drinks tea',
    ])
    await memory.close()
  })

  it('[UND-3] a value whose name another one has by now does not come back; forced, the rest of its transaction is undone', async () => {
    const { memory, clock } = await open()
    await memory.facts.set('home', 'Bonn', { confidence: 0.5 })
    const { tx, record } = await memory.facts.set('home', 'Kiel', { confidence: 0.9 })
    clock.advance(1000)
    await memory.facts.set('home', 'Kiel', { confidence: 1 })
    await expect(memory.undo(tx)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect((await memory.undo(tx, { force: true })).reverted).toEqual([])
    expect(await memory.facts.entry('home')).toMatchObject({ id: record.id, value: 'Kiel', confidence: 1 })
    // Gone and said again: the one that was deleted last is not the one that was there.
    const { tx: removed } = await memory.invalidate(record.id)
    await memory.facts.set('home', 'Rome')
    const refused = await memory.undo(removed).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'CONFLICT', details: { ids: [record.id] } })
    expect(await memory.facts.get('home')).toBe('Rome')
    expect(await memory.verify()).toMatchObject({ ok: true })
    await memory.close()
  })
})

it('[FCT-11] two engines on one file that set one fact keep every value', async () => {
  const path = testFile()
  const engines = await Promise.all([1, 2].map(() => openMemory({ path, scope: ann, embedder: false })))
  await Promise.all(engines.flatMap((memory, e) => [1, 2, 3, 4].map((n) => memory.facts.set('n', e * 10 + n))))
  for (const memory of engines) {
    const history = await memory.facts.history('n')
    expect(history.map(({ value }) => value).sort((a, b) => Number(a) - Number(b))).toEqual([
      1, 2, 3, 4, 11, 12, 13, 14,
    ])
    expect(history.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect((await memory.facts.all()).entries).toHaveLength(1)
    await memory.close()
  }
})
