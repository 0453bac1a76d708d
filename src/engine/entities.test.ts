import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testStores } from '../../test/fixtures/stores.ts'
import { nameForm } from '../kinds/index.ts'
import { fixedClock } from '../testing/index.ts'
import { type MemoryEngine, openMemory } from './index.ts'

const ann = { userId: 'ann' }
const bob = { userId: 'bob' }

const idsOf = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id)

describe.each(testStores)('entities and links on the %s store', (_name, makeStore) => {
  const open = () =>
    openMemory({ store: makeStore(), scope: ann, embedder: false, clock: fixedClock(Date.UTC(2026, 0, 1)) })
  const notes = (memory: MemoryEngine, ids: readonly string[], options: object = {}) =>
    memory.addMany(
      ids.map((id) => ({ id, content: `note ${id}` })),
      options,
    )
  const chain = async (memory: MemoryEngine, ids: readonly string[], options: object = {}) => {
    for (const [i, id] of ids.slice(1).entries()) await memory.link(ids[i] as string, id, { type: 'next', ...options })
  }

  it('[ENT-1] a name or an alias leads to an entity in any case, with or without accents, and to one only', async () => {
    const memory = await open()
    const { entity } = await memory.entities.set('Société Dupont', { type: 'company', aliases: ['Dupont SA'] })
    await memory.entities.set('Kiel', { type: 'city' })
    for (const name of ['Société Dupont', 'societe dupont', 'DUPONT SA', ' dupont  sa '])
      expect(await memory.entities.get(name)).toEqual(entity)
    expect([await memory.entities.get('Dupont'), await memory.entities.get('Kie')]).toEqual([null, null])
    for (const taken of [
      () => memory.entities.set('Lyon', { aliases: ['dupont sa'] }),
      () => memory.entities.alias('Kiel', 'SOCIÉTÉ DUPONT'),
    ])
      await expect(taken()).rejects.toMatchObject({ code: 'CONFLICT', details: { id: entity.id } })
    // A spelling of a name that is there is that name.
    const again = await memory.entities.set('dupont sa', { description: 'A customer' })
    expect(again).toMatchObject({ outcome: 'updated', entity: { id: entity.id, name: 'Société Dupont', version: 2 } })
    expect((await memory.entities.list()).entities.map(({ name }) => name)).toEqual(['Société Dupont', 'Kiel'])
    await memory.close()
  })

  it('[ENT-2] what is said is kept, searched and listed; what is not said stays, and nothing new writes nothing', async () => {
    const memory = await open()
    const { outcome, entity, tx } = await memory.entities.set('Kiel', { type: 'city', description: 'By the sea' })
    expect(outcome).toBe('added')
    expect(await memory.entities.set('Kiel', { type: 'city' })).toMatchObject({ outcome: 'unchanged', tx })
    const { entity: sailing } = await memory.entities.alias('Kiel', 'Holstenstadt')
    expect(sailing).toEqual({ ...entity, aliases: ['Holstenstadt'], version: 2 })
    expect(idsOf((await memory.search('holstenstadt')).results)).toEqual([entity.id])
    expect(idsOf((await memory.search('sea', { kinds: ['entity'] })).results)).toEqual([entity.id])
    await memory.entities.unalias('Kiel', 'HOLSTENSTADT')
    expect(await memory.entities.get('Holstenstadt')).toBeNull()
    expect((await memory.history(entity.id)).map(({ version }) => version)).toEqual([1, 2, 3])
    await memory.entities.set('Tom')
    expect((await memory.entities.list({ type: 'city' })).entities).toMatchObject([{ name: 'Kiel' }])
    const first = await memory.entities.list({ limit: 1 })
    const second = await memory.entities.list({ limit: 1, cursor: first.nextCursor })
    expect([...first.entities, ...second.entities].map(({ name }) => name)).toEqual(['Kiel', 'Tom'])
    const preview = await memory.entities.set('Lyon', { dryRun: true })
    expect(preview.plan?.steps).toMatchObject([{ op: 'add' }])
    expect(await memory.entities.get('Lyon')).toBeNull()
    for (const unknown of [() => memory.entities.alias('Nobody', 'x'), () => memory.entities.merge('Nobody', 'Tom')])
      await expect(unknown()).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' })
    await memory.close()
  })

  it('[ENT-2] where the kind keeps versions, an edit and a merge keep the one before', async () => {
    const memory = await openMemory({
      store: makeStore(),
      scope: ann,
      embedder: false,
      clock: fixedClock(Date.UTC(2026, 0, 1)),
      kinds: { entity: { versionOnEdit: true } },
    })
    const { entity } = await memory.entities.set('Kiel')
    await memory.entities.set('Holstenstadt')
    await memory.entities.set('Kiel', { type: 'city' })
    await memory.entities.merge('Holstenstadt', 'Kiel')
    expect(await memory.entities.get('holstenstadt')).toMatchObject({ id: entity.id, type: 'city' })
    const { records } = await memory.list({ status: 'superseded', order: 'oldest' })
    expect(records.map(({ content }) => content).sort()).toEqual(['Holstenstadt', 'Kiel', 'Kiel (city)'])
    expect((await memory.entities.list()).entities.map(({ name }) => name)).toEqual(['Kiel'])
    await memory.close()
  })

  it('[ENT-3] names are of one exact scope; shared reads take the nearest', async () => {
    const memory = await open()
    const session = { ...ann, sessionId: 's1' }
    await memory.entities.set('Tom', { description: 'the neighbour' })
    await memory.entities.set('Tom', { description: 'the tenor', scope: session })
    await memory.entities.set('Tom', { description: 'somebody else', scope: bob })
    await memory.entities.set('Kiel')
    const about = async (options: object) => (await memory.entities.get('tom', options))?.description
    expect([await about({}), await about({ scope: session }), await about({ scope: bob })]).toEqual([
      'the neighbour',
      'the tenor',
      'somebody else',
    ])
    expect(await memory.entities.get('Kiel', { scope: session })).toBeNull()
    expect(await memory.entities.get('kiel', { scope: session, include: 'shared' })).toMatchObject({ name: 'Kiel' })
    const { entities } = await memory.entities.list({ scope: session, include: 'shared' })
    expect(entities.map(({ name, description }) => [name, description])).toEqual([
      ['Tom', 'the tenor'],
      ['Kiel', ''],
    ])
    await memory.close()
  })

  it('[ENT-4] a merge gives the one that stays the names and links of both, in one transaction that undo takes back', async () => {
    const memory = await open()
    const { entity: stays } = await memory.entities.set('Dupont', { type: 'company' })
    const { entity: goes } = await memory.entities.set('Ets Dupont', { aliases: ['Maison D'], description: 'In Lyon' })
    await memory.update(goes.id, { tags: ['customer'], metadata: { since: 2020 } })
    await notes(memory, ['a', 'b', 'c'])
    await memory.link(goes.id, 'a', { type: 'orders', weight: 0.5 })
    await memory.link('b', goes.id, { type: 'mentions', weight: 0.9, metadata: { page: 2, by: 'goes' } })
    await memory.link('b', stays.id, { type: 'mentions', weight: 0.4, metadata: { by: 'stays' } })
    await memory.link(goes.id, stays.id, { type: 'same as' })
    await memory.link(stays.id, 'c', { type: 'orders' })
    const before = {
      near: await memory.neighbors(stays.id),
      far: await memory.neighbors(goes.id),
      list: await memory.entities.list(),
    }

    const preview = await memory.entities.merge('ets dupont', 'Dupont', { dryRun: true })
    expect(preview.plan?.steps.map(({ op }) => op)).toEqual(['supersede', 'update', 'link', 'link'])
    expect(await memory.entities.list()).toEqual(before.list)

    const { entity, merged, links, tx } = await memory.entities.merge('ets dupont', 'Dupont', {
      reason: 'one customer',
    })
    expect(entity).toMatchObject({
      id: stays.id,
      name: 'Dupont',
      type: 'company',
      aliases: ['Ets Dupont', 'Maison D'],
      description: 'In Lyon',
    })
    expect(merged).toMatchObject({ id: goes.id, status: 'superseded', supersededBy: stays.id })
    expect(links).toBe(2)
    expect(await memory.get(stays.id)).toMatchObject({ tags: ['customer'], metadata: { since: 2020 } })
    for (const name of ['Ets Dupont', 'maison d', 'Dupont']) expect(await memory.entities.get(name)).toEqual(entity)
    const after = await memory.neighbors(stays.id)
    expect(idsOf(after.records)).toEqual(['c', 'b', 'a'])
    expect(after.links).toContainEqual({
      from: 'b',
      to: stays.id,
      type: 'mentions',
      weight: 0.9,
      metadata: { page: 2, by: 'stays' },
    })
    expect(after.links).toContainEqual({ from: stays.id, to: 'a', type: 'orders', weight: 0.5, metadata: {} })
    expect(idsOf((await memory.search('lyon')).results)).toEqual([stays.id])
    await expect(memory.entities.merge('Maison D', 'Dupont')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })

    await memory.undo(tx as string)
    expect(await memory.neighbors(stays.id)).toMatchObject({ links: before.near.links })
    expect((await memory.neighbors(goes.id)).links).toEqual(before.far.links)
    const said = ({ entities }: typeof before.list) => entities.map(({ version: _v, updatedAt: _u, ...rest }) => rest)
    expect(said(await memory.entities.list())).toEqual(said(before.list))
    expect(await memory.verify()).toMatchObject({ ok: true })
    await memory.close()
  })

  it('[ENT-4] a merge that was only shown is carried out by apply, and refused when one of the two changed since', async () => {
    const memory = await open()
    await memory.entities.set('Dupont')
    const { entity: goes } = await memory.entities.set('Ets Dupont')
    await notes(memory, ['a'])
    await memory.link('a', goes.id, { type: 'mentions' })
    const { plan } = await memory.entities.merge('Ets Dupont', 'Dupont', { dryRun: true })
    const { plan: stale } = await memory.entities.merge('Dupont', 'Ets Dupont', { dryRun: true })
    await memory.apply(JSON.parse(JSON.stringify(plan)))
    expect(await memory.entities.get('ets dupont')).toMatchObject({ name: 'Dupont', aliases: ['Ets Dupont'] })
    expect((await memory.neighbors('a')).records).toMatchObject([{ key: 'Dupont' }])
    await expect(memory.apply(stale)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' })
    await memory.close()
  })

  it('[ENT-4] whatever is set, named and merged, every name leads to one, no name gets lost, and undo goes all the way back', async () => {
    const memory = await open()
    let round = 0
    const name = fc.constantFrom('A', 'B', 'C', 'D', 'É', 'e', 'F g', 'f  G')
    const step = fc.oneof(
      fc.tuple(fc.constant('set' as const), name, name),
      fc.tuple(fc.constant('alias' as const), name, name),
      fc.tuple(fc.constant('merge' as const), name, name),
      fc.tuple(fc.constant('link' as const), name, name),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const scope = { ...ann, namespace: [`round ${round++}`] }
        const view = memory.scoped(scope)
        const named = new Set<string>()
        const txs: (string | undefined)[] = []
        const act = async ([verb, one, other]: (typeof steps)[0]) => {
          if (verb === 'set') return view.entities.set(one, { type: other })
          if (verb === 'alias') return view.entities.alias(one, other)
          if (verb === 'merge') return view.entities.merge(one, other)
          const [from, to] = [await view.entities.get(one), await view.entities.get(other)]
          return from && to && from.id !== to.id ? view.link(from.id, to.id, { type: 'knows' }) : null
        }
        for (const each of steps) {
          const [verb, one, other] = each
          const done = await act(each).catch((error) => {
            expect(['CONFLICT', 'RECORD_NOT_FOUND', 'INVALID_ARGUMENT']).toContain(error.code)
            return null
          })
          if (done === null) continue
          if (verb !== 'link') named.add(one)
          if (verb === 'alias' || verb === 'merge') named.add(other)
          if ('outcome' in done ? done.outcome !== 'unchanged' : done.tx !== undefined) txs.push(done.tx)
        }
        const { entities } = await view.entities.list()
        const forms = entities.flatMap((entity) => [entity.name, ...entity.aliases].map((each) => nameForm(each)))
        expect(new Set(forms).size).toBe(forms.length)
        for (const each of named) expect(forms).toContain(nameForm(each))
        // Nobody hidden is seen over a link.
        for (const { id } of entities) {
          for (const { status } of (await view.neighbors(id)).records) expect(status).toBe('live')
        }
        for (const tx of [...new Set(txs)].reverse()) if (tx !== undefined) await view.undo(tx)
        expect((await view.entities.list()).entities).toEqual([])
        expect((await view.list({ status: 'any' })).records).toEqual([])
      }),
      { numRuns: 60 },
    )
    await memory.close()
  })

  it('[ENT-4] a merge stays in its scope: links to what the call does not reach are left where they are', async () => {
    const memory = await open()
    const shared = { appId: 'app' }
    const own = { ...shared, userId: 'ann' }
    const { entity: stays } = await memory.entities.set('Dupont', { scope: own })
    const { entity: goes } = await memory.entities.set('Ets Dupont', { scope: own })
    await notes(memory, ['theirs'], { scope: { ...shared, userId: 'bob' } })
    await memory.link(goes.id, 'theirs', { type: 'knows', scope: shared })
    const view = memory.scoped(own)
    expect(await view.entities.merge('Ets Dupont', 'Dupont')).toMatchObject({ links: 0 })
    expect((await memory.neighbors(stays.id, { scope: shared })).links).toEqual([])
    await expect(memory.scoped(own, { readOnly: true }).entities.merge('a', 'b')).rejects.toMatchObject({
      code: 'SCOPE_DENIED',
    })
    await memory.close()
  })

  it('[GRA-1] paths are the shortest ways over links in either direction, within the depth and the limit', async () => {
    const memory = await open()
    await notes(memory, ['a', 'b', 'c', 'd', 'e'])
    await chain(memory, ['a', 'b', 'c', 'd'])
    await memory.link('a', 'e', { type: 'aside', weight: 0.5 })
    await memory.link('d', 'e', { type: 'aside', weight: 0.5 })
    const shown = async (options: object) =>
      (await memory.paths('a', 'd', options)).paths.map(({ records, strength }) => [idsOf(records).join(''), strength])
    expect(await shown({})).toEqual([
      ['aed', 0.25],
      ['abcd', 1],
    ])
    expect(await shown({ depth: 2 })).toEqual([['aed', 0.25]])
    expect(await shown({ depth: 1 })).toEqual([])
    expect(await shown({ limit: 1 })).toEqual([['aed', 0.25]])
    expect(await shown({ types: ['next'] })).toEqual([['abcd', 1]])
    expect((await memory.paths('d', 'a', { types: ['next'] })).paths[0]?.links.map(({ from }) => from)).toEqual([
      'c',
      'b',
      'a',
    ])
    expect((await memory.paths('a', 'd')).complete).toBe(true)
    for (const bad of [{ depth: 0 }, { depth: 11 }, { depth: 1.5 }, { limit: 0 }, { limit: 1001 }])
      await expect(memory.paths('a', 'd', bad)).rejects.toMatchObject({ code: 'LIMIT_OUT_OF_RANGE' })
    await expect(memory.paths('a', 'a')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(memory.paths('a', 'zebra')).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' })
    await memory.close()
  })

  it('[GRA-3] what is out of scope, hidden or expired is no way through, at any step; asOf shows the links of then', async () => {
    const memory = await openMemory({ store: makeStore(), embedder: false, clock: fixedClock(Date.UTC(2026, 0, 1)) })
    const team = { appId: 'team' }
    const mine = { ...team, userId: 'ann' }
    await notes(memory, ['a', 'c', 'e'], { scope: mine })
    await notes(memory, ['b'], { scope: { ...team, userId: 'bob' } })
    await chain(memory, ['a', 'b', 'c'], { scope: team })
    const through = async (options: object, to = 'c') =>
      (await memory.paths('a', to, options)).paths.map(({ records }) => idsOf(records).join(''))
    expect(await through({ scope: team })).toEqual(['abc'])
    expect(await through({ scope: mine })).toEqual([])
    expect(idsOf((await memory.neighbors('a', { scope: mine, depth: 3 })).records)).toEqual([])
    await expect(memory.paths('a', 'b', { scope: mine })).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' })
    await memory.invalidate('b', { scope: team })
    expect(await through({ scope: team })).toEqual([])
    expect(await through({ scope: team }, 'b')).toEqual(['ab'])
    await memory.close()
  })

  it('[GRA-3] asOf shows the links of then', async () => {
    const clock = fixedClock(Date.UTC(2026, 0, 1))
    const memory = await openMemory({ store: makeStore(), scope: ann, embedder: false, clock })
    await notes(memory, ['a', 'b', 'c'])
    await chain(memory, ['a', 'b', 'c'])
    const then = new Date(clock()).toISOString()
    clock.advance(1000)
    await memory.unlink('a', 'b', { type: 'next' })
    expect((await memory.paths('a', 'c')).paths).toEqual([])
    expect((await memory.paths('a', 'c', { asOf: then })).paths).toHaveLength(1)
    await memory.close()
  })
})
