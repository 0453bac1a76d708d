import { describe, expect, it } from 'vitest'
import { testStores } from '../../test/fixtures/stores.ts'
import type { MemoryStore } from '../contract/index.ts'
import { fixedClock } from '../testing/index.ts'
import { type MemoryEngine, type OpenMemoryOptions, openMemory } from './index.ts'

const day = 86_400_000
const start = Date.UTC(2026, 0, 1)
const ann = { userId: 'ann' }

const idsOf = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id).sort()
const found = async (memory: MemoryEngine, query = 'tea') => idsOf((await memory.search(query)).results)

async function exported(memory: MemoryEngine): Promise<number> {
  let records = 0
  for await (const line of memory.export()) if (line.includes('"record"')) records++
  return records
}

describe.each(testStores)('on the %s store', (_, makeStore) => {
  const open = (options: Partial<OpenMemoryOptions> = {}, store: MemoryStore = makeStore()) => {
    const clock = fixedClock(start)
    return openMemory({ store, scope: ann, embedder: false, clock, ...options }).then((memory) => ({
      memory,
      clock,
    }))
  }

  it('[KND-10] a lifetime ends to the millisecond, in every read, count, search, export and write', async () => {
    const { memory, clock } = await open({ kinds: { episodic: { ttlDays: 1 } } })
    await memory.addMany([
      { id: 'e', kind: 'episodic', content: 'tea at four' },
      { id: 'p', kind: 'episodic', content: 'tea with a pin', pinned: true },
      { id: 's', content: 'tea is hot' },
      { id: 'k', kind: 'episodic', content: 'tea by name', key: 'tea' },
    ])
    await memory.link('s', 'e', { type: 'about' })
    const seen = async () => ({
      got: (await memory.get('e'))?.id,
      many: (await memory.getMany(['e', 's'])).map((one) => one?.id),
      listed: idsOf((await memory.list()).records),
      found: await found(memory),
      keyed: await found(memory, 'by name'),
      counted: (await memory.stats()).byKind,
      beside: idsOf((await memory.neighbors('s')).records),
      explained: (await memory.explain('tea', 'e')).stage,
      exported: await exported(memory),
    })
    clock.advance(day - 1)
    expect(await seen()).toEqual({
      got: 'e',
      many: ['e', 's'],
      listed: ['e', 'k', 'p', 's'],
      found: ['e', 'k', 'p', 's'],
      keyed: ['k'],
      counted: { episodic: 3, semantic: 1 },
      beside: ['e'],
      explained: 'returned',
      exported: 4,
    })
    clock.advance(1)
    expect(await seen()).toEqual({
      got: undefined,
      many: [undefined, 's'],
      listed: ['p', 's'],
      found: ['p', 's'],
      keyed: [],
      counted: { episodic: 1, semantic: 1 },
      beside: [],
      explained: 'expired',
      exported: 2,
    })
    await expect(memory.update('e', { importance: 1 })).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' })
    // What takes its place begins a life of its own.
    expect((await memory.add({ kind: 'episodic', content: 'tea again', key: 'tea' })).outcome).toBe('added')
    expect(await found(memory, 'again')).toEqual(['k'])
    expect((await memory.verify()).problems).toEqual([])
    await memory.close()
  })

  it('[KND-11] is judged by the policy of whoever reads', async () => {
    const store = makeStore()
    const { memory: first } = await open({}, store)
    await first.add({ id: 'e', kind: 'episodic', content: 'tea at four' })
    expect(await found(first)).toEqual(['e'])
    if (store.name === 'memory') return first.close()
    await first.close()
    const later = { clock: () => start + 40 * day }
    const { memory: strict } = await open({ kinds: { episodic: { ttlDays: 30 } }, ...later }, store)
    expect([await found(strict), await strict.get('e'), (await strict.stats()).total]).toEqual([[], null, 0])
    await strict.close()
    const { memory: lenient } = await open({ kinds: { episodic: { ttlDays: 60 } }, ...later }, store)
    expect([await found(lenient), (await lenient.stats()).total]).toEqual([['e'], 1])
    await lenient.close()
  })

  it('[KND-3] maintain removes what has expired, failed or is too much, says why, and previews the same', async () => {
    const { memory, clock } = await open({
      kinds: { episodic: { ttlDays: 90 }, semantic: { maxRecords: 2, pruneBelow: 0.2 } },
    })
    await memory.addMany([
      { id: 'old', kind: 'episodic', content: 'an old episode' },
      { id: 'old-pin', kind: 'episodic', content: 'an old episode to keep', pinned: true },
      { id: 'own', content: 'tea until noon', expiresAt: new Date(start + day).toISOString(), pinned: true },
      { id: 'bad', content: 'tea is cold', reliability: 0.19 },
      { id: 'bad-pin', content: 'tea is blue', reliability: 0.1, pinned: true },
      { id: 'edge', content: 'tea is green', reliability: 0.2, importance: 1 },
      { id: 'low', content: 'tea is a leaf', importance: 0.1 },
      { id: 'high', content: 'tea is a drink', importance: 0.9 },
    ])
    await memory.add({ id: 'elsewhere', content: 'tea in another scope' }, { scope: { userId: 'bob' } })
    clock.advance(91 * day)
    await memory.add({ id: 'young', kind: 'episodic', content: 'a young episode' })
    const plan = await memory.maintain({ dryRun: true })
    expect(plan.plan?.steps.map(({ op, before }) => [op, before?.id]).sort()).toEqual(
      ['bad', 'edge', 'low', 'old', 'own'].map((id) => ['delete', id]),
    )
    expect(await memory.get('low')).not.toBeNull()
    const done = await memory.maintain()
    expect({ ...done, tx: '', plan: plan.plan, expired: [...done.expired].sort() }).toEqual({
      ...plan,
      tx: '',
      expired: ['old', 'own'],
      pruned: ['bad'],
      evicted: ['low', 'edge'],
      archived: [],
    })
    expect(done.why).toMatchObject({ old: 'expired', bad: 'reliability below 0.2' })
    expect(await found(memory)).toEqual(['bad-pin', 'high'])
    expect(idsOf((await memory.list({ kinds: ['episodic'] })).records)).toEqual(['old-pin', 'young'])
    expect(await memory.maintain()).toMatchObject({ expired: [], pruned: [], evicted: [] })
    expect((await memory.maintain({ allScopes: true })).tx).toBeUndefined()
    expect(await memory.get('elsewhere', { scope: { userId: 'bob' } })).not.toBeNull()
    await memory.close()
  })

  it('[KND-3] maintain can archive instead, and what is archived can be restored', async () => {
    const { memory } = await open({ kinds: { semantic: { maxRecords: 1 } } })
    await memory.addMany([
      { id: 'a', content: 'tea is hot', importance: 0.1 },
      { id: 'b', content: 'tea is black' },
    ])
    expect(await memory.maintain({ mode: 'archive' })).toMatchObject({ archived: ['a'], evicted: [] })
    expect(await found(memory)).toEqual(['b'])
    await memory.restore('a')
    expect(await found(memory)).toEqual(['a', 'b'])
    await memory.close()
  })

  it('[KND-6] report moves reliability, counts the outcomes of skills, and removes what fails too often', async () => {
    const { memory } = await open({ kinds: { semantic: { recoverOnSuccess: 0.5 }, procedural: { pruneBelow: 0.5 } } })
    await memory.addMany([
      { id: 'f', content: 'tea is hot' },
      { id: 'p', content: 'tea is pinned', pinned: true, reliability: 0.11 },
      {
        id: 's',
        kind: 'procedural',
        content: 'brew tea',
        data: { name: 'brew', description: 'brews', trigger: 'brew tea', steps: ['boil'] },
      },
      { id: 'other', content: 'tea for two' },
    ])
    const failed = await memory.report('f', { success: false, reason: 'it was cold' })
    expect([failed.record?.reliability, failed.pruned]).toEqual([0.7, false])
    expect((await memory.report('f', { success: true })).record?.reliability).toBeCloseTo(0.85)
    expect((await memory.history('f')).map(({ op, reason }) => [op, reason])).toEqual([
      ['add', undefined],
      ['report', 'it was cold'],
      ['report', undefined],
    ])
    expect(await memory.report('p', { success: false })).toMatchObject({ pruned: false })
    expect(await memory.report('s', { success: true })).toMatchObject({
      record: { data: { successes: 1, failures: 0 } },
    })
    expect(await memory.report('s', { success: false })).toMatchObject({
      record: { data: { failures: 1 } },
      pruned: false,
    })
    expect(await memory.report('s', { success: false })).toMatchObject({ record: null, pruned: true })
    expect(await memory.get('s')).toBeNull()
    expect(await found(memory)).toEqual(['f', 'other', 'p'])
    await expect(memory.report('nobody', { success: true })).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' })
    await memory.close()
  })

  it('[KND-6] by default a memory goes with the seventh failure, a tool with the fourth; at the floor it stays', async () => {
    const { memory } = await open({ kinds: { entity: { decayOnFailure: 0.5, pruneBelow: 0.5 } } })
    const failures = async (kind: string) => {
      const { record } = await memory.add({ kind, content: `a ${kind}`, data: { name: 'x' } })
      for (let n = 1; ; n++) if ((await memory.report(record.id, { success: false })).pruned) return n
    }
    expect([await failures('semantic'), await failures('tool'), await failures('entity')]).toEqual([7, 4, 2])
    await memory.close()
  })

  it('[KND-5] forget archives by importance, age or number, pinned ones never', async () => {
    const { memory, clock } = await open()
    await memory.addMany([
      { id: 'a', content: 'tea a', importance: 0.1 },
      { id: 'b', content: 'tea b', importance: 0.3 },
      { id: 'pin', content: 'tea pinned', importance: 0, pinned: true },
    ])
    clock.advance(2 * day)
    await memory.add({ id: 'c', content: 'tea c', importance: 0.3 })
    expect(await memory.forget({ strategy: 'importance' }, { dryRun: true })).toMatchObject({ ids: ['a'] })
    expect(await memory.forget({ strategy: 'importance', below: 0.1 })).toMatchObject({ ids: [] })
    expect(await memory.forget({ strategy: 'age', olderThanDays: 2 })).toMatchObject({ ids: [] })
    clock.advance(1)
    expect(await memory.forget({ strategy: 'age', olderThanDays: 2, mode: 'archive', dryRun: true })).toMatchObject({
      ids: ['a', 'b'],
    })
    expect(await memory.forget({ strategy: 'capacity', keep: 2 })).toMatchObject({ ids: ['a', 'b'] })
    expect(await found(memory)).toEqual(['c', 'pin'])
    await memory.restore('b')
    expect(await memory.forget({ strategy: 'capacity', keep: 0, mode: 'delete' })).toMatchObject({ ids: ['b', 'c'] })
    expect([await memory.get('c'), (await memory.get('a'))?.status]).toEqual([null, 'archived'])
    await memory.close()
  })

  it('[KND-5] forget refuses what a strategy lacks or does not know', async () => {
    const { memory } = await open()
    const bad: [object, string][] = [
      [{ strategy: 'age' }, 'olderThanDays'],
      [{ strategy: 'age', olderThanDays: 0 }, 'olderThanDays'],
      [{ strategy: 'capacity' }, 'keep'],
      [{ strategy: 'capacity', keep: -1 }, 'keep'],
      [{ strategy: 'importance', below: 1.5 }, 'below'],
      [{ strategy: 'importance', keep: 1 }, 'keep'],
      [{ strategy: 'x' }, 'importance'],
    ]
    for (const [selection, named] of bad) {
      await expect(memory.forget(selection as never), named).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringContaining(named),
      })
    }
    await memory.close()
  })
})
