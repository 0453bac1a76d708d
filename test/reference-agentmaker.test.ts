import { describe, expect, it } from 'vitest'
import { hashing } from '../src/embedders/index.ts'
import { openMemory, type Scope } from '../src/index.ts'
import { memory as memoryStore } from '../src/stores/memory/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import { breakable, noting } from './fixtures/reference-faults.ts'
import { ann, found, listed, open } from './fixtures/reference-stores.ts'

const bob = { userId: 'bob' }

describe('agentmaker: scope', () => {
  it('[SCO-10] agentmaker 1, 2, 6, 7: dimensions that are empty, no text or unknown are refused by name', async () => {
    const memory = await open()
    const refused: [unknown, string, string][] = [
      [{ userId: '', agentId: 'writer' }, 'INVALID_SCOPE', 'scope.userId'],
      ...[0, false, 1.5, {}].map((userId): [unknown, string, string] => [{ userId }, 'INVALID_SCOPE', 'scope.userId']),
      [{ base: 'rag', userId: 'ann' }, 'UNKNOWN_FIELD', 'scope.base'],
    ]
    for (const [scope, code, place] of refused) {
      const wanted = { code, message: expect.stringContaining(place) }
      await expect(memory.list({ scope: scope as Scope })).rejects.toMatchObject(wanted)
      await expect(memory.add('x', { scope: scope as Scope })).rejects.toMatchObject(wanted)
      await expect(openMemory({ store: memoryStore(), scope: scope as Scope })).rejects.toMatchObject(wanted)
    }
  })

  it('[SCO-4] agentmaker 3: " Alice " and "alice" are different users', async () => {
    const memory = await open()
    await memory.add('x', { scope: { userId: ' Alice ' } })
    for (const userId of ['alice', 'Alice', ' Alice']) expect(await listed(memory, { scope: { userId } })).toEqual([])
    expect(await listed(memory, { scope: { userId: ' Alice ' } })).toEqual(['x'])
  })

  it('[SCO-1] agentmaker 4, 12: no scope means the default one; without one the call fails before anything is embedded', async () => {
    const embedder = noting(hashing())
    const memory = await open({ embedder, scope: undefined })
    await memory.add('x', { scope: ann })
    embedder.asked.length = 0
    for (const scope of [undefined, {}]) {
      await expect(memory.search('x', { scope })).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' })
      await expect(memory.add('x', { scope })).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' })
    }
    expect(embedder.asked).toEqual([])
    const bound = await open()
    expect((await bound.add('x')).record.scope).toEqual(ann)
  })

  it('[SCO-5] agentmaker 8: a write lands at exactly the scope given', async () => {
    const memory = await open()
    const scope = { appId: 'app', userId: 'ann', agentId: 'a', sessionId: 's', namespace: ['n', 'm'] }
    expect((await memory.add('x', { scope: { ...scope } })).record.scope).toEqual(scope)
    const { record } = await memory.add('y')
    expect(record.scope).toEqual(ann)
    const { record: updated } = await memory.update(record.id, { importance: 1 })
    const { record: next } = await memory.supersede(record.id, 'z')
    expect([updated.scope, next.scope]).toEqual([ann, ann])
  })

  it('[SCO-2] agentmaker 9: a scope sees itself and everything finer', async () => {
    const memory = await open()
    const [u, ua, uas] = [ann, { ...ann, agentId: 'a' }, { ...ann, agentId: 'a', sessionId: 's' }]
    for (const [i, scope] of [u, ua, uas].entries()) await memory.add(`memory ${i}`, { scope })
    const seen = async (scope: Scope) => (await listed(memory, { scope })).length
    expect([await seen(u), await seen(ua), await seen(uas), await seen({ ...ann, agentId: 'b' })]).toEqual([3, 2, 1, 0])
    expect((await memory.stats({ scope: ua })).total).toBe(2)
  })

  it('[SCO-6] agentmaker 10: what lies coarser is seen with shared, and only then', async () => {
    const memory = await open()
    const agent = { ...ann, agentId: 'a' }
    await memory.add('user-level words')
    await memory.add('agent-level words', { scope: agent })
    await memory.add('words of Bob', { scope: bob })
    expect((await found(memory, 'words')).sort()).toEqual(['agent-level words', 'user-level words'])
    expect(await found(memory, 'words', { scope: agent })).toEqual(['agent-level words'])
    const shared = await found(memory, 'words', { scope: agent, include: 'shared' })
    expect(shared.sort()).toEqual(['agent-level words', 'user-level words'])
  })

  it('[WRT-23] agentmaker 11, 112, 150: an id is unique in the whole store, so no two scopes can hold the same', async () => {
    const memory = await open()
    await memory.add({ id: 'x', content: 'of Ann' })
    for (const scope of [bob, { ...ann, agentId: 'a' }]) {
      const attempt = memory.add({ id: 'x', content: 'of another' }, { scope })
      await expect(attempt).rejects.toMatchObject({ code: 'CONFLICT', message: expect.not.stringContaining('of Ann') })
      for (const ifExists of ['skip', 'update'] as const) {
        await expect(memory.add({ id: 'x', content: 'z' }, { scope, ifExists })).rejects.toMatchObject({
          code: 'CONFLICT',
        })
      }
    }
    expect(await listed(memory, { scope: bob })).toEqual([])
    expect(await found(memory, 'of Ann')).toEqual(['of Ann'])
    await memory.add({ id: 'x', content: 'newer' }, { ifExists: 'update' })
    expect(await listed(memory)).toEqual(['newer'])
  })

  it('[SCO-7] agentmaker 13, 14: allScopes reads, on the root only, and never writes', async () => {
    const memory = await open({ scope: undefined })
    await memory.add('words of Ann', { scope: ann })
    await memory.add('words of Bob', { scope: bob })
    expect(await found(memory, 'words', { allScopes: true })).toHaveLength(2)
    expect(await listed(memory, { allScopes: true })).toHaveLength(2)
    await expect(memory.list({ allScopes: true, scope: ann })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    const [record] = (await memory.list({ scope: ann })).records
    const id = record?.id as string
    const writes = [
      memory.deleteMany({ filter: {}, allScopes: true } as never),
      memory.deleteMany({ ids: [id] }, { allScopes: true } as never),
      memory.update(id, { importance: 1 }, { allScopes: true } as never),
      memory.add('x', { allScopes: true } as never),
    ]
    for (const write of writes) await expect(write).rejects.toMatchObject({ code: 'UNKNOWN_FIELD' })
    await expect(memory.update(id, { importance: 1 })).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' })
    const view = memory.scoped(ann)
    for (const read of [
      view.list({ allScopes: true }),
      view.search('words', { allScopes: true }),
      view.stats({ allScopes: true }),
    ]) {
      await expect(read).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
    }
    expect(await listed(memory, { allScopes: true })).toHaveLength(2)
  })

  it('[DEL-23] agentmaker 15, 86: a delete touches what was named and nothing beside it', async () => {
    const memory = await open()
    const finer = { ...ann, agentId: 'a' }
    const mine = (await memory.add('the same words')).record.id
    const nested = (await memory.add('the same words', { scope: finer })).record.id
    const other = (await memory.add('the same words', { scope: bob })).record.id
    expect((await memory.delete(other)).deleted).toBe(0)
    expect((await memory.deleteMany({ ids: [mine, other] })).deleted).toBe(1)
    expect(await memory.get(nested)).not.toBeNull()
    expect(await found(memory, 'words', { scope: bob })).toEqual(['the same words'])
    expect(await found(memory, 'words')).toEqual(['the same words'])
    // A delete by id reaches finer scopes, like a read.
    expect((await memory.delete(nested)).deleted).toBe(1)
  })

  it('[SCO-3] agentmaker 17, 18, 20, 70: a view is a ceiling for every call, an empty scope included', async () => {
    const memory = await open()
    await memory.add('words of Ann')
    const { record } = await memory.add('words of Bob', { scope: bob })
    const view = memory.scoped(ann)
    for (const scope of [bob, { appId: 'x', userId: 'bob' }]) {
      await expect(view.search('words', { scope })).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
      await expect(view.add('x', { scope })).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
    }
    expect(await found(view, 'words', { scope: {} })).toEqual(['words of Ann'])
    expect(await found(view, 'words', { scope: { agentId: 'a' } })).toEqual([])
    expect((await view.add('by an agent', { scope: { agentId: 'a' } })).record.scope).toEqual({ ...ann, agentId: 'a' })
    expect(await view.get(record.id)).toBeNull()
    expect((await view.delete(record.id)).deleted).toBe(0)
    for (const write of [
      view.update(record.id, { content: 'x' }),
      view.invalidate(record.id),
      view.restore(record.id),
      view.supersede(record.id, 'x'),
    ]) {
      await expect(write).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' })
    }
    expect(await memory.get(record.id, { scope: bob })).toEqual(record)
  })

  it('[SCO-8] agentmaker: what is stored in another scope moves no score of mine', async () => {
    const clock = fixedClock()
    const memory = await open({ clock })
    await memory.addMany(['alpha beta', 'alpha gamma', 'something else'])
    const before = (await memory.search('alpha beta')).results.map(({ id, score }) => [id, score])
    await memory.addMany(
      Array.from({ length: 50 }, (_, n) => `beta beta gamma ${n}`),
      { scope: bob },
    )
    expect((await memory.search('alpha beta')).results.map(({ id, score }) => [id, score])).toEqual(before)
    const { parts } = await memory.explain('alpha beta', before[0]?.[0] as string)
    await memory.addMany(
      Array.from({ length: 50 }, (_, n) => `alpha ${n}`),
      { scope: { userId: 'annette' } },
    )
    expect((await memory.explain('alpha beta', before[0]?.[0] as string)).parts).toEqual(parts)
  })
})

describe('agentmaker: metadata filters', () => {
  it('[FLT-4] agentmaker 25: any field may be asked for; one that no record has matches nothing', async () => {
    const memory = await open()
    await memory.add({ content: 'x', metadata: { doc_id: 1 } })
    expect(await listed(memory, { filter: { tag: 'a' } })).toEqual([])
    expect(await listed(memory, { filter: { tag: { exists: false } } })).toEqual(['x'])
  })

  it('[FLT-2] agentmaker 26: values keep their types: 1 is 1.0 and neither "1" nor true, "" is not null', async () => {
    const memory = await open()
    const values: Record<string, unknown> = { a: 1, b: '1', c: 1.0, d: true, e: null }
    for (const [content, value] of Object.entries(values))
      await memory.add({ content, metadata: { v: value as never } })
    await memory.add('f')
    const equal = (v: unknown) => listed(memory, { filter: { v } })
    expect(await equal(1)).toEqual(['a', 'c'])
    expect(await equal('1')).toEqual(['b'])
    expect(await equal(true)).toEqual(['d'])
    expect(await equal('True')).toEqual([])
    expect(await equal('')).toEqual([])
    expect(await equal(null)).toEqual(['e'])
    expect(await listed(memory, { filter: { v: { ne: 1 } } })).toEqual(['b', 'd', 'e', 'f'])
  })

  it('[FLT-3] agentmaker 27: metadata may be named like fields of a record', async () => {
    const memory = await open()
    const metadata = { id: 'mine', content: 'other', scope: { userId: 'bob' }, kind: 7, 'a b': 1, 'select *': 1 }
    const { record } = await memory.add({ content: 'x', metadata })
    for (const filter of [
      { id: 'mine' },
      { content: 'other' },
      { 'scope.userId': 'bob' },
      { kind: 7 },
      { 'a b': 1 },
      { 'select *': 1 },
    ]) {
      expect(await listed(memory, { filter }), JSON.stringify(filter)).toEqual(['x'])
    }
    expect(await listed(memory, { filter: { 'record.id': record.id, 'record.content': 'x' } })).toEqual(['x'])
  })

  it('[FLT-7] agentmaker 28: no filter, an empty one, and what is none', async () => {
    const memory = await open()
    await memory.addMany(['one', 'two'])
    for (const filter of [undefined, {}, { AND: [] }]) expect(await listed(memory, { filter })).toHaveLength(2)
    await expect(memory.list({ filter: [] as never })).rejects.toMatchObject({ code: 'INVALID_FILTER' })
    await expect(memory.list({ filter: [{ a: 1 }] as never })).rejects.toMatchObject({ code: 'INVALID_FILTER' })
  })

  it('[FLT-12] agentmaker 109: filters see metadata at once, after an add and after an update', async () => {
    const memory = await open()
    const { record } = await memory.add({ content: 'words', metadata: { team: 'be' } })
    expect(await found(memory, 'words', { filter: { team: 'be' } })).toEqual(['words'])
    await memory.update(record.id, { metadata: { team: 'fe' } })
    expect(await found(memory, 'words', { filter: { team: 'be' } })).toEqual([])
    expect(await found(memory, 'words', { filter: { team: 'fe' } })).toEqual(['words'])
    await memory.rebuild()
    expect(await found(memory, 'words', { filter: { team: 'fe' } })).toEqual(['words'])
  })
})

describe('agentmaker: adding', () => {
  it('[TIM-2] agentmaker 149: a time without an offset is refused, not taken for one of UTC', async () => {
    const memory = await open()
    for (const field of ['validFrom', 'validTo', 'expiresAt']) {
      const attempt = memory.add({ content: 'x', [field]: '2026-01-01T00:00:00' })
      await expect(attempt).rejects.toMatchObject({ code: 'INVALID_TIME', details: { path: `memory.${field}` } })
    }
    await expect(memory.list({ since: '2026-01-01' })).rejects.toMatchObject({ code: 'INVALID_TIME' })
    expect((await memory.add({ content: 'x', validFrom: '2026-01-01T02:00:00+02:00' })).record).toMatchObject({
      validFrom: '2026-01-01T00:00:00.000Z',
    })
  })

  it('[WRT-24] agentmaker 42, 43: many are added all or none; two different ones with one id are refused', async () => {
    const memory = await open()
    const refused: [unknown[], string][] = [
      [
        [
          { id: 'a', content: 'one' },
          { id: 'a', content: 'two' },
        ],
        'INVALID_ARGUMENT',
      ],
      [['one', {}], 'INVALID_RECORD'],
      [['one', { content: 'two', importance: 7 }], 'INVALID_RECORD'],
      [['one', null], 'INVALID_RECORD'],
      [['one', { content: 'two', metadata: [] }], 'INVALID_RECORD'],
    ]
    for (const [items, code] of refused) {
      await expect(memory.addMany(items as never)).rejects.toMatchObject({ code })
      expect(await listed(memory)).toEqual([])
    }
    await memory.add({ id: 'a', content: 'there already' })
    const late = memory.addMany(['one', { id: 'a', content: 'two' }])
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await listed(memory)).toEqual(['there already'])
    expect((await memory.addMany([])).results).toEqual([])
    const twice = await memory.addMany([
      { id: 'b', content: 'b' },
      { id: 'b', content: 'b' },
      { id: 'c', content: 'b' },
    ])
    expect(twice.results.map(({ outcome }) => outcome)).toEqual(['added', 'duplicate', 'added'])
  })

  it('[REC-5] agentmaker 59, 60: importance is 0 to 1, 0 is kept, none is the default', async () => {
    const memory = await open({ defaults: { importance: 0.7 } })
    for (const importance of [1.5, -0.1, Number.NaN]) {
      await expect(memory.add({ content: 'x', importance })).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    }
    expect((await memory.stats()).total).toBe(0)
    expect((await memory.add({ content: 'zero', importance: 0 })).record.importance).toBe(0)
    expect((await memory.add('none')).record.importance).toBe(0.7)
    expect((await (await open()).add('none')).record.importance).toBe(0.5)
  })

  it('[WRT-20] agentmaker 63: the same text twice is one memory, of another kind or scope another', async () => {
    const memory = await open()
    await memory.add('x')
    expect((await memory.add('x')).outcome).toBe('duplicate')
    expect((await memory.add({ content: 'x', kind: 'episodic' })).outcome).toBe('added')
    expect((await memory.add('x', { scope: { ...ann, agentId: 'a' } })).outcome).toBe('added')
    const times = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
    const outcomes: string[] = []
    for (const start of times) {
      outcomes.push((await memory.add({ content: 'met', kind: 'episodic', eventTime: { start } })).outcome)
    }
    expect(outcomes).toEqual(['added', 'duplicate', 'added'])
  })

  it('[JSN-2] agentmaker 64: metadata that is not JSON is refused with its path; nothing is stored, nothing waits', async () => {
    const memory = await open({ embedder: noting(hashing()) })
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    for (const value of [new Set(), new Date(), Number.NaN, () => 1, cycle, undefined, 1n]) {
      const attempt = memory.add({ content: 'x', metadata: { list: [value] } as never })
      await expect(attempt).rejects.toMatchObject({
        details: { path: expect.stringMatching(/^memory\.metadata\.list\[0\]/) },
      })
      const keyed = memory.add({ content: 'x', metadata: { list: [value] } as never }, { idempotencyKey: 'k' })
      await expect(keyed).rejects.toMatchObject({ code: expect.stringMatching(/^INVALID_/) })
    }
    expect((await memory.stats()).total).toBe(0)
    expect((await memory.pending()).records).toEqual([])
  })

  it('[WRT-30] an expired memory gives its key and its content up to a new one, which keeps an id of its own', async () => {
    const clock = fixedClock('2026-01-01T00:00:00Z')
    const memory = await open({ clock })
    const expiring = { content: 'old words', expiresAt: '2026-01-01T00:00:01Z' }
    await memory.add({ ...expiring, key: 'k' })
    await memory.add(expiring)
    clock.advance(1000)
    expect(await listed(memory)).toEqual([])
    const named = await memory.add({ id: 'mine', key: 'k', content: 'new words' })
    expect(named).toMatchObject({ outcome: 'added', record: { id: 'mine', key: 'k' } })
    expect((await memory.add('old words')).outcome).toBe('added')
    expect((await listed(memory)).sort()).toEqual(['new words', 'old words'])
    expect((await memory.add({ key: 'k', content: 'newer words' })).record.id).toBe('mine')
  })

  it('[REC-4] agentmaker 66: what was handed over may be changed afterwards', async () => {
    const memory = await open()
    const metadata = { list: [1] }
    const { record } = await memory.add({ content: 'x', metadata })
    metadata.list.push(2)
    expect((await memory.get(record.id))?.metadata).toEqual({ list: [1] })
  })
})

describe('agentmaker: changing and deleting', () => {
  it('[WRT-25] agentmaker 69, 79: an unknown id is told, whatever the write', async () => {
    const memory = await open()
    const writes = [
      memory.update('nobody', { content: 'x' }),
      memory.invalidate('nobody'),
      memory.restore('nobody'),
      memory.supersede('nobody', 'x'),
      memory.update('nobody', { content: 'x' }, { dryRun: true }),
    ]
    for (const write of writes)
      await expect(write).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND', details: { id: 'nobody' } })
    expect(await memory.get('nobody')).toBeNull()
    expect(await memory.history('nobody')).toEqual([])
    expect(await memory.explain('x', 'nobody')).toMatchObject({ found: false, stage: 'scope' })
  })

  it('[WRT-28] agentmaker 54, 55, 73, 80, 85: a write that fails leaves everything as it was', async () => {
    const fault = breakable(memoryStore(), 'commit')
    const memory = await open({ store: fault.store })
    const [a, b] = (await memory.addMany(['old one', 'old two'])).results.map(({ record }) => record.id) as [
      string,
      string,
    ]
    fault.broken = true
    const writes = [
      () => memory.add('never'),
      () => memory.update(a, { content: 'new' }),
      () => memory.invalidate(a),
      () => memory.supersede(a, 'new'),
      () => memory.deleteMany({ ids: [a, b] }),
    ]
    for (const write of writes) await expect(write()).rejects.toThrow()
    fault.broken = false
    expect(await listed(memory, { status: 'any' })).toEqual(['old one', 'old two'])
    expect((await found(memory, 'old')).sort()).toEqual(['old one', 'old two'])
    expect(await found(memory, 'new never')).toEqual([])
    expect(await memory.verify()).toMatchObject({ ok: true })
  })

  it('[WRT-26] agentmaker 76, 194: only a new text is embedded, and a change that changes nothing is none', async () => {
    const embedder = noting(hashing())
    const memory = await open({ embedder })
    const { record } = await memory.add('one')
    await memory.add('one')
    expect((await memory.update(record.id, { content: 'one' })).record).toEqual(record)
    const { record: tagged } = await memory.update(record.id, { tags: ['t'], importance: 1 })
    expect(tagged.version).toBe(2)
    expect(embedder.asked).toEqual([['one']])
    await memory.update(record.id, { content: 'two' })
    expect(embedder.asked).toEqual([['one'], ['two']])
    expect(await found(memory, 'two', { mode: 'vector' })).toEqual(['two'])
  })

  it('[WRT-27] agentmaker 78: the newer fact is what is found and listed; the older is kept, closed and linked', async () => {
    const clock = fixedClock('2026-01-01T00:00:00Z')
    const memory = await open({ clock })
    const { record: old } = await memory.add('Ann lives in Bremen')
    clock.advance(1000)
    const { record: next, previous } = await memory.supersede(old.id, 'Ann lives in Kiel')
    expect(await found(memory, 'where does Ann live')).toEqual(['Ann lives in Kiel'])
    expect(await listed(memory)).toEqual(['Ann lives in Kiel'])
    expect(previous).toMatchObject({ status: 'superseded', supersededBy: next.id, validTo: '2026-01-01T00:00:01.000Z' })
    expect(next.supersedes).toBe(old.id)
    expect((await memory.list({ status: 'superseded' })).records).toEqual([previous])
    expect(await found(memory, 'Bremen', { status: 'any' })).toContain('Ann lives in Bremen')
  })

  it('[WRT-29] agentmaker 82: invalidating again keeps when and by whom it was closed first', async () => {
    const clock = fixedClock('2026-01-01T00:00:00Z')
    const memory = await open({ clock })
    const { record } = await memory.add('first')
    const closed = await memory.invalidate(record.id, { at: '2025-12-01T00:00:00Z', reason: 'moved' })
    expect(closed.record).toMatchObject({ status: 'invalid', validTo: '2025-12-01T00:00:00.000Z' })
    clock.advance(1000)
    expect((await memory.invalidate(record.id)).record).toEqual(closed.record)
    const { record: other } = await memory.add('second')
    const { previous } = await memory.supersede(other.id, 'third')
    clock.advance(1000)
    const { record: both } = await memory.invalidate(other.id)
    expect(both).toMatchObject({ status: 'invalid', supersededBy: previous.supersededBy, validTo: previous.validTo })
  })

  it('[DEL-22] agentmaker 84: unknown ids, no ids and repeated ids are no trouble and counted right', async () => {
    const memory = await open()
    const { record } = await memory.add('one')
    expect((await memory.deleteMany({ ids: [] })).deleted).toBe(0)
    expect((await memory.deleteMany({ ids: ['nobody', record.id, record.id] })).deleted).toBe(1)
    await expect(memory.deleteMany({} as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(memory.deleteMany({ ids: [], filter: {} } as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })

  it('[SEA-21] agentmaker 29, 57, 83, 87, 105: a search shows what the store holds, after every change and a rebuild', async () => {
    const memory = await open()
    await memory.add({ id: 'n1', content: 'hello' })
    await memory.add({ id: 'n1', content: 'hello v2' }, { ifExists: 'update' })
    expect(await found(memory, 'hello')).toEqual(['hello v2'])
    const olds = (await memory.addMany(['old one', 'old two'])).results.map(({ record }) => record.id)
    await memory.deleteMany({ ids: olds })
    await memory.add('new one')
    expect(await found(memory, 'one two')).toEqual(['new one'])
    const { record } = await memory.add('gone by now')
    await memory.invalidate(record.id)
    await memory.rebuild()
    expect(await found(memory, 'gone new hello')).toHaveLength(2)
    expect(await memory.verify()).toMatchObject({ ok: true })
  })
})

// later, with run-scoped views and tools: 20, 21, 22 (merging), 113, 176 to 184, 203, 210, 213, 214
// forgetting, strategies, keys and values: reference-agentmaker-kinds.test.ts
// learning: reference-agentmaker-learning.test.ts
// later, with summaries and consolidation: 125 to 134, 205, 206, 207
// nothing to test: 81 (ids are unique), 91, 92 (no pool is visible), 141, 199 (no index beside the log), 153, 192 (no such calls), 154 (the file store's own)
