import { describe, expect, it } from 'vitest'
import { testFile, testStores } from '../../test/fixtures/stores.ts'
import { fixedClock } from '../testing/index.ts'
import { type MemoryEngine, type OpenMemoryOptions, openMemory, type TimelineOptions } from './index.ts'

const ann = { userId: 'ann' }

const contents = async (memory: Pick<MemoryEngine, 'episodes'>, options?: TimelineOptions) =>
  (await memory.episodes.timeline(options)).records.map(({ content }) => content)

describe.each(testStores)('episodes on the %s store', (_, makeStore) => {
  const open = async (options: Partial<OpenMemoryOptions> = {}) => {
    const clock = fixedClock(Date.UTC(2026, 0, 1))
    const memory = await openMemory({ store: makeStore(), scope: ann, embedder: false, clock, ...options })
    return { memory, clock }
  }

  it('[EPI-1] an episode keeps what was said of it, with defaults for the rest, and is found', async () => {
    const { memory } = await open()
    const { record, tx } = await memory.episodes.record('Devis envoyé à Dupont', {
      importance: 0.8,
      task: 'task-1',
      metadata: { client: 'Dupont' },
    })
    expect(tx).toEqual(expect.any(String))
    expect(record).toMatchObject({ kind: 'episodic', importance: 0.8, metadata: { client: 'Dupont', task: 'task-1' } })
    const plain = (await memory.episodes.record('Ann called')).record
    expect(plain).toMatchObject({ importance: 0.5, metadata: {} })
    expect([plain.expiresAt, plain.eventTime]).toEqual([undefined, undefined])
    expect((await memory.search('devis envoye dupont')).results.map(({ id }) => id)).toEqual([record.id])
    expect((await memory.list({ filter: { task: 'task-1' } })).records).toHaveLength(1)
    const bad = [
      { importance: 1.5 },
      { importance: -0.1 },
      { importance: Number.NaN },
      { expiresIn: 0 },
      { expiresIn: 1.5 },
      { eventTime: '2026-05-08' },
      { eventTime: '2026-05-08T10:00:00' },
      { eventTime: { start: 5 } },
      { metadata: [] },
      { task: '' },
      { task: 'a', metadata: { task: 'b' } },
      { importence: 1 },
    ]
    for (const options of bad) {
      await expect(memory.episodes.record('bad', options as never), JSON.stringify(options)).rejects.toMatchObject({
        name: 'InputError',
      })
    }
    await expect(memory.episodes.record(' ')).rejects.toMatchObject({ name: 'InputError' })
    expect(await contents(memory)).toEqual(['Devis envoyé à Dupont', 'Ann called'])
    await memory.close()
  })

  it('[EPI-2] what happened again is another episode, unless both name the same time', async () => {
    const { memory } = await open()
    const first = await memory.episodes.record('the test failed')
    const second = await memory.episodes.record('the test failed')
    expect(second.record.id).not.toBe(first.record.id)
    const at = { eventTime: '2026-05-08T10:00:00Z' }
    const once = await memory.episodes.record('deployed', at)
    expect(
      await memory.episodes.record('deployed', { eventTime: { start: '2026-05-08T12:00:00+02:00' } }),
    ).toMatchObject({ outcome: 'duplicate', record: { id: once.record.id } })
    await memory.episodes.record('deployed', { eventTime: '2026-05-08T10:00:01Z' })
    await Promise.all([memory.episodes.record('at once', at), memory.episodes.record('at once', at)])
    expect(await contents(memory)).toEqual(['the test failed', 'the test failed', 'deployed', 'at once', 'deployed'])
    await memory.close()
  })

  it('[EPI-3] the timeline goes by the time of the event, and a window takes what reaches into it', async () => {
    const { memory } = await open()
    const day = { granularity: 'day', zone: 'Europe/Berlin' } as const
    await memory.episodes.record('c: known to the day, at noon', {
      eventTime: { start: '2026-05-08T12:00:00+02:00', ...day },
    })
    await memory.episodes.record('d: at one in the afternoon', { eventTime: '2026-05-08T13:00:00+02:00' })
    await memory.episodes.record('b: at nine', { eventTime: '2026-05-08T09:00:00+02:00' })
    await memory.episodes.record('a: some time in May', {
      eventTime: { start: '2026-05-01T00:00:00Z', granularity: 'month' },
    })
    await memory.episodes.record('e: a long weekend', {
      eventTime: { start: '2026-05-09T08:00:00Z', end: '2026-05-11T20:00:00Z' },
    })
    const letters = async (options: TimelineOptions) =>
      (await contents(memory, options)).map((text) => text.charAt(0)).join('')
    expect(await letters({})).toBe('abcde')
    expect(await letters({ since: '2026-05-08T12:30:00+02:00' })).toBe('acde')
    expect(await letters({ since: '2026-05-08T08:00:00+02:00', until: '2026-05-08T09:00:00+02:00' })).toBe('ac')
    expect(await letters({ since: '2026-05-08T09:00:00+02:00', until: '2026-05-08T09:00:00.001+02:00' })).toBe('abc')
    expect(await letters({ since: '2026-05-09T00:00:00+02:00', until: '2026-05-09T08:00:00Z' })).toBe('a')
    expect(await letters({ since: '2026-05-08T23:59:59.999+02:00', until: '2026-05-09T08:00:00Z' })).toBe('ac')
    expect(await letters({ since: '2026-05-11T00:00:00Z', until: '2026-05-12T00:00:00Z' })).toBe('ae')
    expect(await letters({ until: '2026-05-01T00:00:00Z' })).toBe('')
    expect(await letters({ since: '2026-06-01T00:00:00Z' })).toBe('')
    await expect(memory.episodes.timeline({ since: '2026-05-08' })).rejects.toMatchObject({ code: 'INVALID_TIME' })
    await memory.close()
  })

  it('[EPI-3] episodes of two years are told apart by since', async () => {
    const { memory } = await open()
    for (const eventTime of [
      '2025-06-15T08:00:00Z',
      '2025-06-15T09:00:00Z',
      '2026-02-01T00:00:00Z',
      '2026-02-02T00:00:00Z',
      '2026-02-03T00:00:00Z',
    ]) {
      await memory.episodes.record(eventTime, { eventTime })
    }
    expect(await contents(memory, { since: '2026-01-01T00:00:00Z' })).toHaveLength(3)
    expect((await memory.list({ kinds: ['episodic'], order: 'newest', limit: 3 })).records).toHaveLength(3)
    await memory.close()
  })

  it('[EPI-4] of one moment, episodes keep the order in which they were recorded, page by page', async () => {
    const { memory } = await open()
    const texts = Array.from({ length: 30 }, (_unused, i) => `step ${i}`)
    for (const text of texts) await memory.episodes.record(text)
    expect(await contents(memory)).toEqual(texts)
    const seen: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await memory.episodes.timeline({ limit: 7, cursor })
      seen.push(...page.records.map(({ content }) => content))
      await memory.episodes.record('in between', { eventTime: '2020-01-01T00:00:00Z' })
      cursor = page.nextCursor
      if (cursor === undefined) break
    }
    expect(seen).toEqual(texts)
    await expect(memory.episodes.timeline({ limit: 0 })).rejects.toMatchObject({ code: 'LIMIT_OUT_OF_RANGE' })
    await memory.close()
  })

  it('[EPI-5] sessions and tasks have timelines of their own, within the scope', async () => {
    const { memory } = await open()
    const record = (content: string, sessionId: string | undefined, task?: string) =>
      memory.episodes.record(content, { task, scope: { ...ann, ...(sessionId === undefined ? {} : { sessionId }) } })
    await record('a', 's1', 't')
    await record('b', 's2', 't')
    await record('c', 's1', 'u')
    await record('d', undefined, 't')
    await memory.episodes.record('of Bob', { scope: { userId: 'bob', sessionId: 's1' }, task: 't' })
    await memory.add({ content: 'no episode' })
    expect(await contents(memory)).toEqual(['a', 'b', 'c', 'd'])
    expect(await contents(memory, { session: 's1' })).toEqual(['a', 'c'])
    expect(await contents(memory, { session: 's1', task: 't' })).toEqual(['a'])
    expect(await contents(memory, { task: 't' })).toEqual(['a', 'b', 'd'])
    expect(await contents(memory, { session: 'nothing' })).toEqual([])
    expect(await contents(memory, { session: 's2', scope: { ...ann, sessionId: 's1' } })).toEqual([])
    expect(await contents(memory, { scope: { ...ann, sessionId: 's1' }, include: 'shared' })).toEqual(['a', 'c', 'd'])
    expect(await contents(memory, { session: 's1', scope: { ...ann, sessionId: 's1' }, include: 'shared' })).toEqual([
      'a',
      'c',
    ])
    expect(await contents(memory, { session: 's1', allScopes: true })).toEqual(['a', 'c', 'of Bob'])
    const view = memory.scoped(ann, { alsoRead: [{ userId: 'bob' }] })
    expect(await contents(view, { session: 's1' })).toEqual(['a', 'c', 'of Bob'])
    expect(await contents(memory.scoped({ ...ann, sessionId: 's2' }), { session: 's1' })).toEqual([])
    await expect(view.episodes.timeline({ allScopes: true })).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
    await expect(memory.scoped(ann, { readOnly: true }).episodes.record('x')).rejects.toMatchObject({
      code: 'SCOPE_DENIED',
    })
    await memory.close()
  })

  it('[EPI-6] an episode is forgotten to the millisecond, in every read', async () => {
    const { memory, clock } = await open()
    await memory.episodes.record('tea at four', { expiresIn: 3_600_000 })
    await memory.episodes.record('tea at five')
    const seen = async () => [
      (await contents(memory)).length,
      (await memory.search('tea')).results.length,
      (await memory.stats()).total,
    ]
    clock.advance(3_599_999)
    expect(await seen()).toEqual([2, 2, 2])
    clock.advance(1)
    expect(await seen()).toEqual([1, 1, 1])
    let text = ''
    for await (const line of memory.export()) text += line
    expect(text).not.toContain('four')
    await memory.close()
  })

  it('[EPI-7] forgetting takes the least important ones and leaves the timeline whole', async () => {
    const { memory } = await open()
    for (const [i, importance] of [0.1, 0.9, 0.2, 0.5].entries()) await memory.episodes.record(`e${i}`, { importance })
    await memory.forget({ strategy: 'importance', kinds: ['episodic'] })
    expect(await contents(memory)).toEqual(['e1', 'e3'])
    expect((await memory.search('e1')).results).toHaveLength(1)
    await memory.close()
  })

  it('[EPI-8] previews, repeats and undoes like every write, and a read with a reason is journalled', async () => {
    const { memory } = await open()
    const dry = await memory.episodes.record('tea', { dryRun: true })
    expect(dry).toMatchObject({ outcome: 'added', plan: { steps: [{ op: 'add' }] } })
    expect(await contents(memory)).toEqual([])
    const once = await memory.episodes.record('tea', { idempotencyKey: 'a', expiresIn: 1000 })
    expect(await memory.episodes.record('tea', { idempotencyKey: 'a', expiresIn: 1000 })).toMatchObject({ tx: once.tx })
    expect(await contents(memory, { reason: 'to recall' })).toEqual(['tea'])
    await memory.undo(once.tx)
    expect(await contents(memory)).toEqual([])
    await memory.close()
  })
})

it('[EPI-4] two engines on one file lose no episode', async () => {
  const path = testFile()
  const engines = await Promise.all([1, 2].map(() => openMemory({ path, scope: ann, embedder: false })))
  await Promise.all(engines.flatMap((memory) => Array.from({ length: 10 }, () => memory.episodes.record('again'))))
  for (const memory of engines) expect(await contents(memory)).toHaveLength(20)
  for (const memory of engines) await memory.close()
})
