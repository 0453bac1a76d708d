import { beforeEach, describe, expect, it } from 'vitest'
import { testStores } from '../../../test/fixtures/stores.ts'
import { fixedClock } from '../../testing/index.ts'
import type { MemoryEngine } from '../index.ts'
import { openMemory } from '../index.ts'

const ann = { userId: 'ann' }
const bob = { userId: 'bob' }

describe.each(testStores)('consolidate on the %s store', (_name, makeStore) => {
  const clock = fixedClock('2026-05-01T09:00:00Z')
  let engine: MemoryEngine
  beforeEach(async () => {
    clock.set('2026-05-01T09:00:00Z')
    engine = await openMemory({ store: makeStore(), embedder: false, clock })
    return () => engine.close()
  })
  const contents = async (scope: object = ann) =>
    (await engine.list({ scope, order: 'oldest' })).records.map(({ content }) => content)
  const addAll = async (texts: readonly string[], scope: object = ann) =>
    (await engine.addMany([...texts], { scope })).results.map(({ record }) => record)

  it('[CSL-3] what states the same becomes one memory; look-alikes stay', async () => {
    const [first, second, third] = await addAll([
      'Ann likes tea',
      'Ann enjoys tea.',
      'ann LIKES  tea!',
      "Ann doesn't like tea",
      'The meeting is at 3',
      'The meeting is at 4',
    ])
    const { plan, results, tx, ignored, degraded } = await engine.consolidate({ scope: ann })
    expect(await contents()).toEqual([
      'Ann likes tea',
      "Ann doesn't like tea",
      'The meeting is at 3',
      'The meeting is at 4',
    ])
    expect(plan?.steps.map(({ op, before, reason }) => [op, before?.id, reason])).toEqual([
      ['supersede', second?.id, `says the same as ${first?.id}`],
      ['supersede', third?.id, `says the same as ${first?.id}`],
    ])
    expect(results?.map(({ op, id, record }) => [op, id, record?.status, record?.supersededBy])).toEqual([
      ['supersede', second?.id, 'superseded', first?.id],
      ['supersede', third?.id, 'superseded', first?.id],
    ])
    expect(tx).toEqual(expect.any(String))
    expect([ignored, degraded]).toEqual([[], undefined])
    expect(await engine.verify()).toMatchObject({ ok: true })
    const again = await engine.consolidate({ scope: ann })
    expect(again).toMatchObject({ plan: { steps: [] }, results: [], ignored: [] })
    expect(again.tx).toBeUndefined()
  })

  it('[CSL-4] what is kept takes over tags, metadata and the higher importance', async () => {
    await engine.add({ content: 'Ann likes tea', tags: ['a'], importance: 0.2, metadata: { x: 1 } }, { scope: ann })
    await engine.add({ content: 'Ann enjoys tea', tags: ['b'], importance: 0.8, confidence: 0.5 }, { scope: ann })
    await engine.consolidate({ scope: ann })
    const { records } = await engine.list({ scope: ann })
    expect(records).toHaveLength(1)
    expect(records[0]).toMatchObject({
      content: 'Ann likes tea',
      tags: ['a', 'b'],
      importance: 0.8,
      metadata: { x: 1 },
      version: 2,
    })
    expect((await engine.search('tea', { scope: ann })).results).toHaveLength(1)
  })

  it('[CSL-4] at no moment in the past are both true; what is restored is valid as it was', async () => {
    const [, second] = await addAll(['Ann likes tea', 'Ann enjoys tea'])
    await engine.consolidate({ scope: ann })
    for (const validAt of ['2000-01-01T00:00:00Z', '2026-05-01T09:00:00Z', '2027-01-01T00:00:00Z'])
      expect((await engine.search('tea', { scope: ann, validAt })).results.map(({ content }) => content)).toEqual([
        'Ann likes tea',
      ])
    const { record } = await engine.restore(second?.id as string, { scope: ann })
    expect([record.validFrom, record.validTo, record.supersededBy]).toEqual([undefined, undefined, undefined])
  })

  it('[CSL-1] exact scopes are never brought together, and other users are never touched', async () => {
    const scopes = [ann, { ...ann, sessionId: 's1' }, { ...ann, agentId: 'a' }, { ...ann, namespace: ['n'] }, bob]
    for (const scope of scopes) await engine.add('Ann likes tea', { scope })
    await engine.add('Ann enjoys tea', { scope: scopes[1] })
    const before = await engine.list({ scope: bob })
    const { plan } = await engine.consolidate({ scope: ann })
    expect(plan?.steps.map(({ before }) => before?.scope)).toEqual([scopes[1]])
    expect(await contents()).toEqual(['Ann likes tea', 'Ann likes tea', 'Ann likes tea', 'Ann likes tea'])
    expect(await engine.list({ scope: bob })).toEqual(before)
    await expect(engine.scoped(ann).consolidate({ scope: bob })).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
    await expect(engine.scoped(ann, { readOnly: true }).consolidate()).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
  })

  it('[CSL-2] a dry run writes nothing; its plan, through JSON, does what the call does', async () => {
    const texts = ['Ann likes tea', 'Ann enjoys tea', 'Ann has 3 cats', 'Ann has three cats', 'Ann hums']
    await addAll(texts)
    await addAll(texts, bob)
    const before = await engine.changes({ scope: ann })
    const { plan, results, tx } = await engine.consolidate({ scope: ann, dryRun: true })
    expect([results, tx]).toEqual([undefined, undefined])
    expect(await engine.changes({ scope: ann })).toEqual(before)
    const applied = await engine.apply(JSON.parse(JSON.stringify(plan)), { scope: ann })
    const called = await engine.consolidate({ scope: bob })
    const shape = (results: typeof applied.results = []) =>
      results.map(({ op, record }) => [op, record?.content, record?.status])
    expect(shape(applied.results)).toEqual(shape(called.results))
    expect(await contents()).toEqual(await contents(bob))
  })

  it('[CSL-2] a plan whose records changed meanwhile is refused whole', async () => {
    const [, , , cats] = await addAll(['Ann likes tea', 'Ann enjoys tea', 'Ann has 3 cats', 'Ann has three cats'])
    const { plan } = await engine.consolidate({ scope: ann, dryRun: true })
    await engine.update(cats?.id as string, { content: 'Ann has four cats' }, { scope: ann })
    const before = await contents()
    await expect(engine.apply(plan as never, { scope: ann })).rejects.toMatchObject({ code: 'VERSION_CONFLICT' })
    expect(await contents()).toEqual(before)
  })

  it('[CSL-2] undo brings back all of it, and restore one of them', async () => {
    const [, second] = await addAll(['Ann likes tea', 'Ann enjoys tea', 'Ann has 3 cats', 'Ann has three cats'])
    const before = await contents()
    const { tx } = await engine.consolidate({ scope: ann })
    await engine.undo(tx as string, { scope: ann })
    expect(await contents()).toEqual(before)
    await engine.consolidate({ scope: ann })
    await engine.restore(second?.id as string, { scope: ann })
    expect(await contents()).toEqual(['Ann likes tea', 'Ann enjoys tea', 'Ann has 3 cats'])
  })

  it('[CSL-2] a key answers the same call again and writes once', async () => {
    await addAll(['Ann likes tea', 'Ann enjoys tea'])
    const first = await engine.consolidate({ scope: ann, idempotencyKey: 'k' })
    await addAll(['Ann has 3 cats', 'Ann has three cats'])
    const again = await engine.consolidate({ scope: ann, idempotencyKey: 'k' })
    expect(again).toEqual({ results: first.results, ignored: [], tx: first.tx })
    expect(await contents()).toHaveLength(3)
    await expect(engine.consolidate({ scope: ann, idempotencyKey: 'k', episodes: 'keep' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    })
  })

  it('[CSL-2] several at once, beside other writes, merge once', async () => {
    await addAll(['Ann likes tea', 'Ann enjoys tea', 'Ann has 3 cats', 'Ann has three cats'])
    const [first, second] = await Promise.all([
      engine.consolidate({ scope: ann }),
      engine.consolidate({ scope: ann }),
      engine.add('Ann hums', { scope: ann }),
    ])
    expect((first.results?.length ?? 0) + (second.results?.length ?? 0)).toBe(2)
    expect((await contents()).sort()).toEqual(['Ann has 3 cats', 'Ann hums', 'Ann likes tea'])
  })

  it('[CSL-5] pinned, keyed, untrusted and quarantined memories, key-values, skills and tools stay', async () => {
    await engine.add({ content: 'Ann likes tea', pinned: true }, { scope: ann })
    await engine.add({ content: 'Ann enjoys tea', pinned: true }, { scope: ann })
    await engine.add({ content: 'ann likes tea', key: 'likes' }, { scope: ann })
    await engine.add({ content: 'Ann likes tea!', source: { type: 'web' } }, { scope: ann })
    await engine.add({ content: 'ANN likes tea', status: 'quarantined' }, { scope: ann })
    await engine.kv.put(['n'], 'a', 'Ann likes tea', { scope: ann })
    await engine.skills.learn({ trigger: 'Ann likes tea', steps: ['boil water'] }, { scope: ann })
    expect((await engine.consolidate({ scope: ann })).plan?.steps).toEqual([])
    await engine.add('Ann likes tea, really', { scope: ann })
    await engine.add({ content: 'Ann likes the tea', source: { type: 'web' } }, { scope: ann })
    const { plan } = await engine.consolidate({ scope: ann })
    expect(plan?.steps.map(({ op, before }) => [op, before?.content])).toEqual([['supersede', 'Ann likes tea, really']])
    for (const kind of ['kv', 'procedural', 'tool', 'entity', 'summary'])
      await expect(engine.consolidate({ scope: ann, kinds: [kind] })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
  })

  it('[CSL-5] an inferred memory gives way to a trusted one, never the other way round', async () => {
    await engine.add({ content: 'Ann enjoys tea', source: { type: 'assistant' }, importance: 1 }, { scope: ann })
    await engine.add({ content: 'Ann likes tea', importance: 0.1, confidence: 0.6 }, { scope: ann })
    await engine.consolidate({ scope: ann })
    expect((await engine.list({ scope: ann })).records).toMatchObject([{ content: 'Ann likes tea', trust: 'trusted' }])
  })

  it('[CSL-5] who said it and when it happened keep memories apart', async () => {
    const said = (content: string, actor: string) => ({ content, source: { type: 'user' as const, actor } })
    await engine.addMany([said('I like tea', 'Ann'), said('I like tea.', 'Bob'), said('I enjoy tea', 'Ann')], {
      scope: ann,
    })
    const at = (start: string) => ({ kind: 'episodic', content: 'Ann swam', eventTime: { start } })
    await engine.addMany([at('2026-04-01T10:00:00Z'), at('2026-04-02T10:00:00Z')], { scope: ann })
    await engine.consolidate({ scope: ann })
    expect(await contents()).toEqual(['I like tea', 'I like tea.', 'Ann swam', 'Ann swam'])
  })

  it('[CSL-6] a link of a chain that changed nothing is archived, and what it led to holds since then', async () => {
    const { record } = await engine.add(
      { content: 'Ann lives in Bonn', validFrom: '2020-01-01T00:00:00Z' },
      { scope: ann },
    )
    const same = await engine.supersede(record.id, 'Ann resides in Bonn', { scope: ann })
    const { plan } = await engine.consolidate({ scope: ann })
    expect(plan?.steps.map(({ op, before }) => [op, before?.id])).toEqual([
      ['archive', record.id],
      ['update', same.record.id],
    ])
    expect((await engine.get(record.id, { scope: ann }))?.status).toBe('archived')
    expect(await engine.get(same.record.id, { scope: ann })).toMatchObject({ validFrom: '2020-01-01T00:00:00.000Z' })
    const moved = await engine.supersede(same.record.id, 'Ann lives in Kiel', { scope: ann })
    expect((await engine.consolidate({ scope: ann })).plan?.steps).toEqual([])
    expect((await engine.get(moved.record.id, { scope: ann }))?.status).toBe('live')
  })

  it('[CSL-7] with olderThanDays only what is old enough is touched', async () => {
    await addAll(['Ann likes tea', 'Ann enjoys tea'])
    clock.advance(10 * 86_400_000)
    await addAll(['Ann has 3 cats', 'Ann has three cats', 'Ann is fond of tea'])
    const { plan } = await engine.consolidate({ scope: ann, olderThanDays: 5 })
    expect(plan?.steps.map(({ before }) => before?.content)).toEqual(['Ann enjoys tea'])
  })

  it('[CSL-8] says how far it is, and ends when it is told to', async () => {
    await addAll(Array.from({ length: 1200 }, (_, i) => `Ann has ${i} cats`))
    const seen: [number, number][] = []
    await engine.consolidate({ scope: ann, onProgress: (done, total) => void seen.push([done, total]) })
    expect(seen).toEqual([
      [500, 1200],
      [1000, 1200],
      [1200, 1200],
    ])
    const controller = new AbortController()
    const stopped = engine.consolidate({
      scope: ann,
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('enough')),
    })
    await expect(stopped).rejects.toThrow('enough')
  })
})
