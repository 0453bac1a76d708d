import { describe, expect, it } from 'vitest'
import { testFile, testStores } from '../../test/fixtures/stores.ts'
import { fixedClock } from '../testing/index.ts'
import { type MemoryEngine, type OpenMemoryOptions, openMemory } from './index.ts'

const ann = { userId: 'ann' }
const bob = { userId: 'bob' }

async function keysOf(listed: ReturnType<MemoryEngine['kv']['list']>): Promise<string[]> {
  return (await listed).entries.map(({ namespace, key }) => [...namespace, key].join('/'))
}

async function exported(memory: MemoryEngine, options: object = {}): Promise<string> {
  let text = ''
  for await (const line of memory.export(options)) text += line
  return text
}

describe.each(testStores)('key-values on the %s store', (_, makeStore) => {
  const open = async (options: Partial<OpenMemoryOptions> = {}) => {
    const clock = fixedClock(Date.UTC(2026, 0, 1))
    const memory = await openMemory({ store: makeStore(), scope: ann, embedder: false, clock, ...options })
    return { memory, clock }
  }

  it('[KV-1] any JSON comes back as it was put, and an absent key is null', async () => {
    const { memory } = await open()
    const values = [
      null,
      false,
      0,
      '',
      'text',
      1.5,
      [],
      {},
      [null, { a: [1] }],
      { ['__proto__']: 1 },
      JSON.parse('{"__proto__":{"x":1}}'),
    ]
    for (const [i, value] of values.entries()) {
      expect(await memory.kv.put(['n'], `k${i}`, value)).toMatchObject({ outcome: 'added', version: 1 })
      const entry = await memory.kv.get(['n'], `k${i}`)
      expect(JSON.stringify(entry?.value)).toBe(JSON.stringify(value))
    }
    expect(await memory.kv.get(['n'], 'nothing')).toBeNull()
    expect(await memory.kv.get([], 'k0')).toBeNull()
    expect(await memory.kv.get(['n'], 'k0')).toEqual({ value: null, version: 1, updatedAt: '2026-01-01T00:00:00.000Z' })
    for (const value of [Number.NaN, new Set([1]), new Date(0)]) {
      await expect(memory.kv.put(['n'], 'bad', value as never)).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    }
    await expect(memory.kv.put(['n'], 'bad', undefined as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await memory.kv.get(['n'], 'bad')).toBeNull()
    await memory.close()
  })

  it('[KV-2] a put replaces value, index and expiry, keeps its id and history, and counts versions', async () => {
    const { memory, clock } = await open()
    const first = await memory.kv.put(['n'], 'k', 1, { ttlMs: 1000, index: true })
    await memory.update(first.record.id, { tags: ['mine'], metadata: { own: 1 } })
    clock.advance(10)
    const second = await memory.kv.put(['n'], 'k', { two: 2 })
    expect(second).toMatchObject({
      outcome: 'updated',
      version: 3,
      record: { id: first.record.id, tags: ['mine'], metadata: { own: 1 } },
    })
    expect(second.record.expiresAt).toBeUndefined()
    expect(await memory.kv.get(['n'], 'k')).toEqual({
      value: { two: 2 },
      version: 3,
      updatedAt: '2026-01-01T00:00:00.010Z',
    })
    const again = await memory.kv.put(['n'], 'k', { two: 2 })
    expect(again).toMatchObject({ outcome: 'duplicate', version: 3, tx: second.tx })
    expect((await memory.history(first.record.id)).map(({ record }) => record?.data)).toEqual([1, 1, { two: 2 }])
    await memory.undo(second.tx)
    expect((await memory.kv.get(['n'], 'k'))?.value).toBe(1)
    await memory.close()
  })

  it('[KV-3] with ifVersion a put lands at that version only, and 0 or null means there must be none', async () => {
    const { memory, clock } = await open()
    const stale = { code: 'VERSION_CONFLICT' }
    await expect(memory.kv.put(['n'], 'k', 1, { ifVersion: 1 })).rejects.toMatchObject(stale)
    await memory.kv.put(['n'], 'k', 1, { ifVersion: 0, ttlMs: 1000 })
    for (const ifVersion of [0, null, 2]) {
      await expect(memory.kv.put(['n'], 'k', 1, { ifVersion })).rejects.toMatchObject(stale)
    }
    expect(await memory.kv.put(['n'], 'k', 2, { ifVersion: 1, ttlMs: 1000 })).toMatchObject({ version: 2 })
    await expect(memory.kv.delete(['n'], 'k', { ifVersion: 1 })).rejects.toMatchObject(stale)
    clock.advance(1000)
    // What has expired is not there, and its versions never come twice.
    await expect(memory.kv.put(['n'], 'k', 3, { ifVersion: 2 })).rejects.toMatchObject(stale)
    expect(await memory.kv.put(['n'], 'k', 3, { ifVersion: null })).toMatchObject({ outcome: 'added', version: 3 })
    expect(await memory.kv.delete(['n'], 'k', { ifVersion: 3 })).toMatchObject({ deleted: 1 })
    await memory.close()
  })

  it('[KV-3] of writers that race with one version exactly one wins, and counting with it loses nothing', async () => {
    const { memory } = await open()
    const first = await Promise.allSettled([1, 2, 3, 4].map((n) => memory.kv.put([], 'lock', n, { ifVersion: 0 })))
    expect(first.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await memory.kv.put([], 'count', 0)
    const increment = async (): Promise<void> => {
      for (;;) {
        const entry = await memory.kv.get([], 'count')
        const put = memory.kv.put([], 'count', Number(entry?.value) + 1, { ifVersion: entry?.version })
        if (
          await put.then(
            () => true,
            () => false,
          )
        )
          return
      }
    }
    await Promise.all(Array.from({ length: 8 }, increment))
    expect(await memory.kv.get([], 'count')).toMatchObject({ value: 8, version: 9 })
    await memory.close()
  })

  it('[KV-4] an entry is gone to the millisecond, in every read, and its key is free', async () => {
    const { memory, clock } = await open()
    await memory.kv.put(['n'], 'k', 'tea', { ttlMs: 50, index: true })
    await memory.kv.put(['n'], 'stays', 'coffee')
    clock.advance(49)
    expect(await memory.kv.get(['n'], 'k')).toMatchObject({ value: 'tea', expiresAt: '2026-01-01T00:00:00.050Z' })
    expect((await memory.search('tea')).results).toHaveLength(1)
    clock.advance(1)
    expect(await memory.kv.get(['n'], 'k')).toBeNull()
    expect(await keysOf(memory.kv.list(['n']))).toEqual(['n/stays'])
    expect((await memory.search('tea')).results).toEqual([])
    expect((await memory.stats()).total).toBe(1)
    expect(await exported(memory)).not.toContain('tea')
    expect(await memory.kv.delete(['n'], 'k')).toMatchObject({ deleted: 0 })
    for (const ttlMs of [0, -1, 1.5, Number.POSITIVE_INFINITY]) {
      await expect(memory.kv.put(['n'], 'x', 1, { ttlMs }), `${ttlMs}`).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
    }
    await memory.close()
    const { memory: strict, clock: later } = await open({ kinds: { kv: { ttlDays: 1 } } })
    await strict.kv.put([], 'k', 1)
    expect((await strict.kv.get([], 'k'))?.expiresAt).toBe('2026-01-02T00:00:00.000Z')
    later.advance(86_400_000)
    expect(await strict.kv.get([], 'k')).toBeNull()
    await strict.close()
  })

  it('[KV-5] search finds what is indexed, by its value or by the text given, and nothing else', async () => {
    const { memory } = await open()
    await memory.kv.put(['n'], 'plain', 'espresso with milk')
    await memory.kv.put(['n'], 'drink', 'green tea', { index: true })
    await memory.kv.put(['n'], 'blob', { a: 1 }, { index: 'the cello teacher' })
    const found = async (query: string) => (await memory.search(query)).results.map(({ key }) => key)
    expect(await found('espresso')).toEqual([])
    expect(await found('plain')).toEqual([])
    expect(await found('green')).toEqual(['drink'])
    expect(await found('drink')).toEqual(['drink'])
    expect(await found('cello')).toEqual(['blob'])
    // The index follows each put.
    await memory.kv.put(['n'], 'drink', 'green tea', { index: false })
    await memory.kv.put(['n'], 'plain', 'espresso with milk', { index: true })
    expect([await found('green'), await found('drink'), await found('espresso')]).toEqual([[], [], ['plain']])
    expect(await memory.verify()).toMatchObject({ ok: true })
    await memory.close()
  })

  it('[KV-5] what is indexed is found by meaning too', async () => {
    const { memory } = await open({ embedder: undefined })
    await memory.kv.put(['n'], 'k', { instrument: 'cello' }, { index: 'She plays the cello' })
    await memory.kv.put(['n'], 'hidden', 'She plays the violin')
    const { results } = await memory.search('music instruments', { mode: 'vector' })
    expect(results.map(({ key }) => key)).toEqual(['k'])
    expect((await memory.pending()).records).toEqual([])
    await memory.kv.put(['n'], 'k', 1)
    expect((await memory.search('music instruments', { mode: 'vector' })).results).toEqual([])
    expect(await memory.verify()).toMatchObject({ ok: true })
    await memory.close()
  })

  it('[KV-6] a list shows a namespace; with a prefix what lies below, by whole segments', async () => {
    const { memory } = await open()
    const places = [[], ['acme'], ['acme', 'eu'], ['acme', 'eu', 'x'], ['acme-corp'], ['acme/eu']]
    for (const namespace of places) await memory.kv.put(namespace, 'k', namespace.length)
    await memory.kv.put(['acme'], 'other', true)
    await memory.add({ content: 'no entry' }, { scope: { ...ann, namespace: ['acme'] } })
    expect(await keysOf(memory.kv.list([]))).toEqual(['k'])
    expect(await keysOf(memory.kv.list(['acme']))).toEqual(['acme/k', 'acme/other'])
    expect(await keysOf(memory.kv.list(['acme'], { prefix: true }))).toEqual([
      'acme/k',
      'acme/eu/k',
      'acme/eu/x/k',
      'acme/other',
    ])
    expect(await keysOf(memory.kv.list(['acme'], { prefix: ['eu'] }))).toEqual(['acme/eu/k', 'acme/eu/x/k'])
    expect(await keysOf(memory.kv.list([], { prefix: ['acme', 'eu'] }))).toEqual(['acme/eu/k', 'acme/eu/x/k'])
    expect((await memory.kv.list(['acme-corp'])).entries).toEqual([
      { namespace: ['acme-corp'], key: 'k', value: 1, version: 1, updatedAt: '2026-01-01T00:00:00.000Z', scope: ann },
    ])
    expect((await memory.kv.namespaces()).namespaces).toEqual([
      [],
      ['acme'],
      ['acme', 'eu'],
      ['acme', 'eu', 'x'],
      ['acme-corp'],
      ['acme/eu'],
    ])
    expect((await memory.kv.namespaces({ prefix: ['acme'] })).namespaces).toHaveLength(3)
    for (const bad of [[''], ['a', 1], 'acme', [null]]) {
      await expect(memory.kv.put(bad as never, 'k', 1)).rejects.toMatchObject({
        code: expect.stringMatching(/^INVALID_(SCOPE|ARGUMENT)$/),
      })
      await expect(memory.kv.list(bad as never)).rejects.toMatchObject({
        code: expect.stringMatching(/^INVALID_(SCOPE|ARGUMENT)$/),
      })
    }
    for (const key of ['', 'a\u0000b', 'x'.repeat(513)]) {
      await expect(memory.kv.put([], key, 1)).rejects.toMatchObject({ name: 'InputError' })
    }
    await memory.close()
  })

  it('[KV-7] pages show every entry once, as the first page saw them', async () => {
    const { memory } = await open()
    for (let i = 0; i < 5; i++) {
      await memory.kv.put(['n'], `k${i}`, i)
      await memory.kv.put([`n${i}`], 'k', i)
    }
    const first = await memory.kv.list(['n'], { limit: 2 })
    await memory.kv.put(['n'], 'k3', 'changed')
    await memory.kv.put(['n'], 'k9', 'new')
    const seen = [...first.entries]
    for (let cursor = first.nextCursor; cursor !== undefined; ) {
      const page = await memory.kv.list(['n'], { limit: 2, cursor })
      seen.push(...page.entries)
      cursor = page.nextCursor
    }
    expect(seen.map(({ key, value }) => [key, value])).toEqual([0, 1, 2, 3, 4].map((i) => [`k${i}`, i]))
    const names: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await memory.kv.namespaces({ limit: 2, cursor })
      names.push(...page.namespaces.map((one) => one.join('/')))
      cursor = page.nextCursor
      if (cursor === undefined) break
    }
    expect(names).toEqual(['n', 'n0', 'n1', 'n2', 'n3', 'n4'])
    await expect(memory.kv.list(['other'], { cursor: first.nextCursor })).rejects.toMatchObject({
      code: 'INVALID_CURSOR',
    })
    await expect(memory.kv.list(['n'], { limit: 0 })).rejects.toMatchObject({ code: 'LIMIT_OUT_OF_RANGE' })
    await memory.close()
  })

  it('[KV-8] keys are of one exact scope: nobody else reads, lists, puts or deletes them', async () => {
    const { memory } = await open({ scope: undefined })
    await memory.kv.put(['n'], 'home', 'Bremen', { scope: ann })
    await memory.kv.put(['n'], 'home', 'Kiel', { scope: bob })
    const session = { ...ann, sessionId: 's1' }
    await memory.kv.put(['n'], 'home', 'a hotel', { scope: session })
    const valueAt = async (scope: object, include?: 'shared') =>
      (await memory.kv.get(['n'], 'home', { scope, include }))?.value
    expect([await valueAt(ann), await valueAt(bob), await valueAt(session)]).toEqual(['Bremen', 'Kiel', 'a hotel'])
    expect(await valueAt({ appId: 'x', ...ann })).toBeUndefined()
    expect((await memory.kv.list(['n'], { scope: ann, prefix: true })).entries.map(({ value }) => value)).toEqual([
      'Bremen',
    ])
    expect((await memory.kv.namespaces({ scope: { ...ann, agentId: 'a' } })).namespaces).toEqual([])
    expect(await memory.kv.delete(['n'], 'home', { scope: ann })).toMatchObject({ deleted: 1 })
    expect([await valueAt(ann), await valueAt(bob), await valueAt(session)]).toEqual([undefined, 'Kiel', 'a hotel'])
    for (const call of [
      () => memory.kv.put(['n'], 'k', 1),
      () => memory.kv.get(['n'], 'k'),
      () => memory.kv.delete(['n'], 'k'),
      () => memory.kv.list(['n']),
      () => memory.kv.namespaces(),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' })
    expect((await memory.kv.list(['n'], { allScopes: true })).entries.map(({ scope }) => scope)).toEqual([bob, session])
    expect((await memory.kv.namespaces({ allScopes: true })).namespaces).toEqual([['n']])
    await memory.close()
  })

  it("[KV-9] include: 'shared' reads the nearest of the scopes that enclose it", async () => {
    const { memory } = await open()
    const agent = { ...ann, agentId: 'a' }
    const session = { ...agent, sessionId: 's' }
    await memory.kv.put(['p'], 'x', 'of Ann')
    await memory.kv.put(['p'], 'y', 'of Ann')
    await memory.kv.put(['p'], 'x', 'of the agent', { scope: agent })
    await memory.kv.put(['p'], 'z', 'of the session', { scope: session })
    const read = async (key: string) => (await memory.kv.get(['p'], key, { scope: session, include: 'shared' }))?.value
    expect([await read('x'), await read('y'), await read('z'), await read('w')]).toEqual([
      'of the agent',
      'of Ann',
      'of the session',
      undefined,
    ])
    expect(await memory.kv.get(['p'], 'x', { scope: session })).toBeNull()
    const listed = await memory.kv.list(['p'], { scope: session, include: 'shared' })
    expect(listed.entries.map(({ key, value, scope }) => [key, value, scope])).toEqual([
      ['y', 'of Ann', ann],
      ['x', 'of the agent', agent],
      ['z', 'of the session', session],
    ])
    const pages = await memory.kv.list(['p'], { scope: session, include: 'shared', limit: 1 })
    expect(
      (await memory.kv.list(['p'], { scope: session, include: 'shared', limit: 5, cursor: pages.nextCursor })).entries,
    ).toHaveLength(2)
    // A namespace of the scope encloses what is deeper; where the entry was asked for stays the same.
    await memory.kv.put(['x'], 'k', 'top')
    const deep = { ...ann, namespace: ['x'] }
    expect((await memory.kv.get(['x'], 'k', { scope: deep, include: 'shared' }))?.value).toBe('top')
    expect(await keysOf(memory.kv.list(['x'], { scope: deep, include: 'shared' }))).toEqual(['x/k'])
    expect((await memory.kv.get([], 'k', { scope: deep }))?.value).toBe('top')
    await memory.close()
  })

  it('[KV-10] a view keeps its ceiling: namespaces lie below its own, and alsoRead is read when shared', async () => {
    const { memory } = await open()
    await memory.kv.put(['acme-corp'], 'k', 'secret')
    const view = memory.scoped({ ...ann, namespace: ['acme'] })
    await view.kv.put(['eu'], 'k', 1)
    expect((await memory.kv.get(['acme', 'eu'], 'k'))?.value).toBe(1)
    expect(await keysOf(view.kv.list([], { prefix: true }))).toEqual(['eu/k'])
    expect((await view.kv.namespaces()).namespaces).toEqual([['eu']])
    await expect(view.kv.list([], { allScopes: true })).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
    await expect(view.kv.get([], 'k', { scope: { ...ann, namespace: ['acme-corp'] } })).rejects.toMatchObject({
      code: 'SCOPE_DENIED',
    })
    expect(await view.kv.get([], 'k', { include: 'shared' })).toBeNull()
    await memory.kv.put(['h'], 'rule', 'team', { scope: { userId: 'team' } })
    const reader = memory.scoped(ann, { readOnly: true, alsoRead: [{ userId: 'team' }] })
    expect(await reader.kv.get(['h'], 'rule')).toBeNull()
    expect((await reader.kv.get(['h'], 'rule', { include: 'shared' }))?.value).toBe('team')
    expect((await reader.kv.get(['h'], 'rule', { scope: { userId: 'team' } }))?.value).toBe('team')
    await expect(reader.kv.put([], 'k', 1)).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
    await expect(reader.kv.delete([], 'k')).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
    await memory.close()
  })

  it('[KV-11] a delete leaves no content, and says whether the key was there', async () => {
    const { memory } = await open()
    const { record } = await memory.kv.put(['n'], 'k', 'a secret word')
    await memory.kv.put(['n'], 'k', 'another')
    expect(await memory.kv.delete(['n'], 'k', { dryRun: true })).toMatchObject({
      deleted: 1,
      plan: { steps: [{ op: 'delete' }] },
    })
    expect(await memory.kv.delete(['n'], 'k')).toMatchObject({ deleted: 1, tx: expect.any(String) })
    expect(await memory.kv.delete(['n'], 'k')).toEqual({ deleted: 0 })
    expect((await memory.history(record.id)).map((one) => one.record)).toEqual([null, null, null])
    expect(await memory.kv.get(['n'], 'k')).toBeNull()
    expect(await memory.kv.put(['n'], 'k', 1, { ifVersion: 0 })).toMatchObject({ outcome: 'added', version: 1 })
    await memory.close()
  })

  it('[KV-12] previews, repeats and moves like every write: dry runs, idempotency keys, export and import', async () => {
    const { memory } = await open()
    const dry = await memory.kv.put(['n'], 'k', null, { dryRun: true })
    expect(dry).toMatchObject({
      outcome: 'added',
      version: 1,
      plan: { steps: [{ op: 'add', after: { key: 'k', data: null } }] },
    })
    expect(await memory.kv.get(['n'], 'k')).toBeNull()
    await memory.apply(JSON.parse(JSON.stringify(dry.plan)))
    expect(await memory.kv.get(['n'], 'k')).toMatchObject({ value: null })
    const once = await memory.kv.put(['n'], 'k', 2, { idempotencyKey: 'a' })
    await memory.kv.put(['n'], 'k', 3)
    expect(await memory.kv.put(['n'], 'k', 2, { idempotencyKey: 'a' })).toMatchObject({ tx: once.tx, version: 2 })
    await expect(memory.kv.put(['n'], 'k', 4, { idempotencyKey: 'a' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
    await memory.kv.put(['n'], 'blank', null)
    await memory.kv.put([], ' ', '', { index: true, ttlMs: 5000 })
    const text = await exported(memory)
    const { memory: other } = await open()
    await other.import(text)
    expect(await exported(other)).toBe(text)
    expect(await other.kv.get(['n'], 'blank')).toMatchObject({ value: null, version: 1 })
    expect(await other.kv.get([], ' ')).toMatchObject({ value: '', expiresAt: expect.any(String) })
    await memory.close()
    await other.close()
  })

  it('[KV-13] a kv record that was added as a text is an entry with that text', async () => {
    const { memory } = await open()
    await memory.add({ kind: 'kv', key: 'k', content: 'tea' }, { scope: { ...ann, namespace: ['n'] } })
    expect(await memory.kv.get(['n'], 'k')).toMatchObject({ value: 'tea' })
    expect((await memory.search('tea')).results).toEqual([])
    await memory.close()
  })
})

it('[KV-3] two engines on one file count together and lose nothing', async () => {
  const path = testFile()
  const engines = await Promise.all([1, 2].map(() => openMemory({ path, scope: ann, embedder: false })))
  const increment = async (memory: MemoryEngine): Promise<void> => {
    for (;;) {
      const entry = await memory.kv.get([], 'count')
      const next = Number(entry?.value ?? 0) + 1
      const done = await memory.kv.put([], 'count', next, { ifVersion: entry?.version ?? 0 }).then(
        () => true,
        (error: { code: string }) => {
          expect(error.code).toBe('VERSION_CONFLICT')
          return false
        },
      )
      if (done) return
    }
  }
  await Promise.all(engines.flatMap((memory) => Array.from({ length: 6 }, () => increment(memory))))
  for (const memory of engines) expect((await memory.kv.get([], 'count'))?.value).toBe(12)
  for (const memory of engines) await memory.close()
})
