import { describe, expect, it } from 'vitest'
import { ann, annOn, exported, openOnes, web } from '../../test/fixtures/contradictions.ts'
import { testFile, testStores } from '../../test/fixtures/stores.ts'
import { scripted } from '../models/scripted/index.ts'
import { type MemoryVerbs, openMemory } from './index.ts'

describe.each(testStores)('conflicts on the %s store', (name, makeStore) => {
  const { open, contradicted } = annOn(makeStore)
  const statusOf = async (memory: MemoryVerbs, id: string) => (await memory.get(id))?.status

  it('[CFL-1] what contradicts and may not replace waits in quarantine; the inbox shows both, with what speaks for each, dates and why', async () => {
    const { memory, bonn, kiel, set, conflict } = await contradicted()
    expect(set).toMatchObject({ outcome: 'conflict', conflict: conflict.id, record: { id: bonn.id, status: 'live' } })
    expect(await memory.facts.get('home')).toBe('Bonn')
    expect(conflict).toMatchObject({
      scope: ann,
      why: 'what is untrusted contradicts what is trusted',
      createdAt: '2026-05-02T00:00:00.000Z',
      first: { id: bonn.id, data: 'Bonn', status: 'live' },
      second: { id: kiel.id, data: 'Kiel', status: 'quarantined', trust: 'untrusted' },
      evidence: {
        first: [{ at: '2026-05-01T00:00:00.000Z', source: 'user' }],
        second: [
          { at: '2026-05-02T00:00:00.000Z', source: 'web', ref: 'https://example.org', quote: web.source.quote },
        ],
      },
    })
  })

  it('[CFL-3] a contradiction is opened once, however often it is heard, and by how many at once', async () => {
    const { memory, kiel, conflict } = await contradicted()
    const again = await memory.facts.set('home', 'Kiel', web)
    expect(again).toMatchObject({ outcome: 'conflict', conflict: conflict.id, quarantined: { id: kiel.id } })
    await Promise.all(Array.from({ length: 8 }, () => memory.facts.set('home', 'Ulm', web)))
    expect((await openOnes(memory)).map(({ second }) => second.data)).toEqual(['Ulm', 'Kiel'])
    expect((await memory.list({ status: 'quarantined' })).records).toHaveLength(2)
  })

  it('[CFL-1] the record of a contradiction is no memory: no list, search, count, neighbour or change shows it', async () => {
    const { memory, bonn } = await contradicted()
    for (const status of ['live', 'any'] as const) {
      const kinds = (await memory.list({ status })).records.map(({ kind }) => kind)
      expect(new Set(kinds)).toEqual(new Set(['semantic']))
    }
    expect((await memory.search('contradiction', { status: 'any' })).results).toEqual([])
    expect((await memory.stats()).total).toBe(2)
    expect(await memory.neighbors(bonn.id)).toEqual({ records: [], links: [] })
    expect((await memory.changes()).changes.map(({ kind }) => kind)).toEqual(['semantic', 'semantic'])
  })

  it('[CFL-6] keep second: it lives, as trusted as what it replaces; the first is superseded, its validity closed, both linked', async () => {
    const { memory, bonn, kiel, conflict } = await contradicted()
    const { tx, ...resolved } = await memory.conflicts.resolve(conflict.id, { keep: 'second' })
    expect(resolved).toMatchObject({
      resolution: 'second',
      first: { id: bonn.id, status: 'superseded', supersededBy: kiel.id, validTo: kiel.createdAt },
      second: { id: kiel.id, status: 'live', supersedes: bonn.id, validFrom: kiel.createdAt, trust: 'trusted' },
    })
    expect(await memory.facts.get('home')).toBe('Kiel')
    expect((await memory.facts.history('home')).map(({ value, version }) => [value, version])).toEqual([
      ['Bonn', 1],
      ['Kiel', 3],
    ])
    expect(await openOnes(memory)).toEqual([])
    await memory.undo(tx)
    expect(await memory.facts.get('home')).toBe('Bonn')
    expect(await openOnes(memory)).toMatchObject([{ id: conflict.id, first: { id: bonn.id }, second: { id: kiel.id } }])
  })

  it('[CFL-7] keep first: the second becomes invalid; the same page does not open it again, the user does', async () => {
    const { memory, bonn, kiel, conflict } = await contradicted({ kinds: { semantic: { onConflict: 'ask' } } })
    const resolved = await memory.conflicts.resolve(conflict.id, { keep: 'first' })
    expect(resolved).toMatchObject({
      first: { id: bonn.id, status: 'live', version: 1 },
      second: { status: 'invalid' },
    })
    const again = await memory.facts.set('home', 'Kiel', web)
    expect(again).toMatchObject({ outcome: 'conflict', quarantined: { id: kiel.id, status: 'invalid' } })
    expect(await openOnes(memory)).toEqual([])
    await memory.facts.set('home', 'Kiel')
    expect(await openOnes(memory)).toMatchObject([{ second: { data: 'Kiel', trust: 'trusted' } }])
  })

  it('[CFL-6] keep both: both live, of one key the first has it; it is remembered and not asked again', async () => {
    const { memory, bonn, kiel, conflict } = await contradicted()
    const { second } = await memory.conflicts.resolve(conflict.id, { keep: 'both' })
    expect(second).toMatchObject({ id: kiel.id, status: 'live' })
    expect(second.key).toBeUndefined()
    expect((await memory.search('home', { mode: 'text' })).results.map(({ id }) => id).sort()).toEqual(
      [bonn.id, kiel.id].sort(),
    )
    expect(await memory.facts.get('home')).toBe('Bonn')
    expect(await memory.facts.set('home', 'Kiel', web)).toMatchObject({
      outcome: 'conflict',
      quarantined: { id: kiel.id, status: 'live' },
    })
    expect(await openOnes(memory)).toEqual([])
  })

  it('[CFL-6] keep neither: both become invalid; merged: a new memory supersedes both', async () => {
    const neither = await contradicted()
    const resolved = await neither.memory.conflicts.resolve(neither.conflict.id, { keep: 'neither' })
    expect([resolved.first.status, resolved.second.status]).toEqual(['invalid', 'invalid'])
    expect(await neither.memory.facts.get('home')).toBeNull()

    const { memory, bonn, kiel, conflict } = await contradicted()
    const merged = await memory.conflicts.resolve(conflict.id, {
      keep: 'both',
      merged: { content: 'home: Bonn, and Kiel in summer', data: 'Bonn, and Kiel in summer' },
    })
    expect(merged).toMatchObject({
      resolution: 'merged',
      first: { status: 'superseded', supersededBy: merged.merged?.id },
      second: { status: 'superseded', supersededBy: merged.merged?.id },
      merged: { key: 'home', supersedes: bonn.id, source: { from: [bonn.id, kiel.id] }, trust: 'trusted' },
    })
    expect(await memory.facts.get('home')).toBe('Bonn, and Kiel in summer')
    await memory.undo(merged.tx)
    expect(await openOnes(memory)).toHaveLength(1)
    await expect(
      memory.conflicts.resolve(conflict.id, { merged: { content: 'x', source: { type: 'web' } } }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('[CFL-6] a dry run shows the plan and writes nothing; applied, the plan does the same', async () => {
    for (const keep of ['first', 'second', 'both', 'neither'] as const) {
      const { memory, conflict, bonn, kiel } = await contradicted()
      const dry = await memory.conflicts.resolve(conflict.id, { keep, dryRun: true })
      expect(dry.tx).toBeUndefined()
      expect(await openOnes(memory)).toHaveLength(1)
      await memory.apply(JSON.parse(JSON.stringify(dry.plan)))
      expect(await openOnes(memory)).toEqual([])
      expect([await statusOf(memory, bonn.id), await statusOf(memory, kiel.id)]).toEqual([
        dry.first.status,
        dry.second.status,
      ])
      await expect(
        memory.conflicts.resolve(conflict.id, { keep: keep === 'first' ? 'both' : 'first' }),
      ).rejects.toMatchObject({
        code: 'CONFLICT',
        details: { resolution: keep },
      })
    }
  })

  it('[CFL-6] an idempotency key answers the same again; the same decision twice is one, another one CONFLICT', async () => {
    const { memory, conflict } = await contradicted()
    const key = { keep: 'second', idempotencyKey: 'k' } as const
    const first = await memory.conflicts.resolve(conflict.id, key)
    expect(await memory.conflicts.resolve(conflict.id, key)).toEqual(first)
    expect((await memory.conflicts.resolve(conflict.id, { keep: 'second' })).tx).toBe(first.tx)
    await expect(memory.conflicts.resolve(conflict.id, { keep: 'first' })).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(memory.conflicts.resolve(conflict.id, {})).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(memory.conflicts.resolve('nobody', { keep: 'first' })).rejects.toMatchObject({
      code: 'RECORD_NOT_FOUND',
    })
    await expect(memory.conflicts.resolve(first.second.id, { keep: 'first' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })

  it('[CFL-6] of two who decide at once one wins, and the other is told', async () => {
    const { memory, conflict } = await contradicted()
    const outcomes = await Promise.allSettled([
      memory.conflicts.resolve(conflict.id, { keep: 'first' }),
      memory.conflicts.resolve(conflict.id, { keep: 'second' }),
    ])
    const lost = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(lost).toMatchObject([{ code: 'CONFLICT' }])
    expect((await memory.list()).records).toHaveLength(1)
  })

  it('[CFL-4] a contradiction follows its sides: superseded, the newer value is its first; gone, restored or said by both, it is closed', async () => {
    const followed = await contradicted()
    const { record: ulm } = await followed.memory.facts.set('home', 'Ulm')
    expect(await openOnes(followed.memory)).toMatchObject([{ first: { id: ulm.id }, second: { id: followed.kiel.id } }])
    await followed.memory.conflicts.resolve(followed.conflict.id, { keep: 'second' })
    expect(await followed.memory.facts.history('home')).toMatchObject([
      { value: 'Bonn' },
      { value: 'Ulm' },
      { value: 'Kiel' },
    ])

    const same = await contradicted()
    const { tx } = await same.memory.facts.set('home', 'Kiel')
    expect(await openOnes(same.memory)).toEqual([])
    await same.memory.undo(tx)
    expect(await openOnes(same.memory)).toHaveLength(1)

    const hidden = await contradicted()
    await hidden.memory.invalidate(hidden.bonn.id)
    expect(await openOnes(hidden.memory)).toEqual([])
    await expect(hidden.memory.conflicts.resolve(hidden.conflict.id, { keep: 'first' })).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    await hidden.memory.restore(hidden.kiel.id)
    expect(await hidden.memory.facts.get('home')).toBe('Kiel')

    const held = await contradicted()
    await expect(held.memory.restore(held.kiel.id)).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(held.memory.update(held.kiel.id, { status: 'live' })).rejects.toMatchObject({ code: 'CONFLICT' })
    await held.memory.update(held.kiel.id, { status: 'live', key: null })
    expect(await openOnes(held.memory)).toEqual([])
  })

  it('[CFL-5] what deletes a side deletes the contradiction with what it says; the other side stays as it is', async () => {
    const ways: [string, (given: Awaited<ReturnType<typeof contradicted>>) => Promise<unknown>][] = [
      ['delete first', ({ memory, bonn }) => memory.delete(bonn.id)],
      ['delete second', ({ memory, kiel }) => memory.delete(kiel.id)],
      ['deleteMany', ({ memory }) => memory.deleteMany({ filter: {} })],
      ['facts.delete', ({ memory }) => memory.facts.delete('home')],
      ['undo', ({ memory, set }) => memory.undo(set.tx)],
    ]
    for (const [way, remove] of ways) {
      const given = await contradicted()
      const { memory, conflict, kiel } = given
      await remove(given)
      expect(await openOnes(memory), way).toEqual([])
      expect(await memory.get(conflict.id), way).toBeNull()
      expect(await exported(memory), way).not.toContain('_conflict')
      if (way === 'delete first') expect(await statusOf(memory, kiel.id)).toBe('quarantined')
    }
  })

  it('[CFL-8] an export holds contradictions, and an import opens them where it goes', async () => {
    const { memory, conflict } = await contradicted()
    const text = await exported(memory)
    const { memory: other } = await open()
    expect(await other.import(text)).toMatchObject({ imported: 3 })
    expect(await openOnes(other)).toEqual(await openOnes(memory))
    const rows = (exported: string) => exported.split('\n').slice(1)
    expect(rows(await exported(other))).toEqual(rows(text))
    await other.conflicts.resolve(conflict.id, { keep: 'second' })
    expect(await other.facts.get('home')).toBe('Kiel')
    const damaged = text.replace('"first":', '"frist":')
    const { memory: third } = await open()
    await expect(third.import(damaged)).rejects.toMatchObject({ code: 'INVALID_RECORD' })
  })

  it('[CFL-9] two tenants: neither sees, nor resolves, nor closes what the other has; a page is cut and goes on', async () => {
    const { memory, conflict } = await contradicted()
    const bob = memory.scoped({ userId: 'bob' })
    await bob.facts.set('home', 'Bonn')
    for (const city of ['Ulm', 'Köln', 'Jena']) await bob.facts.set('home', city, web)
    expect((await openOnes(bob)).map(({ second }) => second.data)).toEqual(['Jena', 'Köln', 'Ulm'])
    expect(await openOnes(memory.scoped(ann))).toHaveLength(1)
    await expect(bob.conflicts.resolve(conflict.id, { keep: 'first' })).rejects.toMatchObject({
      code: 'RECORD_NOT_FOUND',
    })
    const first = await bob.conflicts.list({ limit: 2 })
    const rest = await bob.conflicts.list({ limit: 2, cursor: first.nextCursor })
    expect([...first.conflicts, ...rest.conflicts].map(({ second }) => second.data)).toEqual(['Jena', 'Köln', 'Ulm'])
    expect((await memory.conflicts.list({ allScopes: true })).conflicts).toHaveLength(4)
    await expect(bob.conflicts.list({ limit: 0 })).rejects.toMatchObject({ code: 'LIMIT_OUT_OF_RANGE' })
    const reader = memory.scoped(ann, { readOnly: true })
    await expect(reader.conflicts.resolve(conflict.id, { keep: 'first' })).rejects.toMatchObject({
      code: 'SCOPE_DENIED',
    })
  })

  it('[CFL-10] a plan with a conflict is carried out as the verb would: from JSON, once, and not when what is known has changed', async () => {
    const { memory, clock } = await open()
    const { record } = await memory.facts.set('home', 'Bonn')
    const { plan } = await memory.facts.set('home', 'Kiel', { ...web, dryRun: true })
    expect(plan.steps.map(({ op, before, after }) => [op, before?.id, after?.data ?? null])).toEqual([
      ['noop', record.id, null],
      ['conflict', record.id, 'Kiel'],
    ])
    expect(await openOnes(memory)).toEqual([])
    clock.advance(1000)
    const evidence = [
      { message: 'messages[3]', quote: 'Ann lives in Kiel.' },
      { message: 'messages[4]', quote: 'In Kiel.' },
    ]
    const told = { ...plan, steps: plan.steps.map((step) => ({ ...step, evidence })) }
    const applied = await memory.apply(JSON.parse(JSON.stringify(told)))
    expect(applied.results[1]).toMatchObject({ op: 'conflict', record: { status: 'quarantined', data: 'Kiel' } })
    expect(await openOnes(memory)).toMatchObject([
      {
        evidence: {
          second: [
            { quote: 'Ann lives in Kiel.', source: 'web' },
            { quote: 'In Kiel.', message: 'messages[4]' },
          ],
        },
      },
    ])
    const { plan: other } = await memory.facts.set('home', 'Ulm', { ...web, dryRun: true })
    await memory.facts.set('home', 'Jena')
    await expect(memory.apply(other)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' })
    const outside = plan.steps.map((step) => ({
      ...step,
      ...(step.after ? { after: { ...step.after, scope: { userId: 'bob' } } } : {}),
    }))
    await expect(memory.apply({ ...plan, steps: outside })).rejects.toMatchObject({
      code: expect.stringMatching(/SCOPE_DENIED|VERSION_CONFLICT/),
    })
  })

  it('[CFL-11] what a conversation teaches waits by the policy of the call, with its words, and as a plan too', async () => {
    const { memory } = await open()
    const say = (content: string, at: string) => [{ role: 'user' as const, content, at }]
    await memory.learn(say('I live in Bonn.', '2026-01-05T10:00:00Z'))
    const moved = say('I moved to Kiel.', '2026-03-05T10:00:00Z')
    const { plan } = await memory.learn(moved, { onConflict: 'ask', dryRun: true })
    expect(plan.steps.map(({ op }) => op)).toContain('conflict')
    expect(await openOnes(memory)).toEqual([])
    await memory.apply(JSON.parse(JSON.stringify(plan)))
    const [conflict] = await openOnes(memory)
    expect(conflict).toMatchObject({
      why: 'it contradicts what is known, and that is to be asked: another value is known (rules)',
      first: { data: 'Bonn' },
      second: { data: 'Kiel' },
      evidence: {
        first: [{ at: '2026-01-05T10:00:00.000Z', quote: 'I live in Bonn.', source: 'user' }],
        second: [{ at: '2026-03-05T10:00:00.000Z', quote: 'I moved to Kiel.', source: 'user' }],
      },
    })
    await memory.conflicts.resolve(conflict?.id as string, { keep: 'second' })
    expect(await memory.facts.get('user.home')).toBe('Kiel')
    const where = async (validAt: string) =>
      (await memory.search('where does the user live?', { validAt, kinds: ['semantic'] })).results.map(
        ({ data }) => data,
      )
    expect(await where('2026-02-01T00:00:00Z')).toEqual(['Bonn'])
    expect(await where('2026-04-01T00:00:00Z')).toEqual(['Kiel'])
  })

  it('[CFL-2] what is said now of a time long ago is newer than what was said before; what was said earlier is not', async () => {
    const home = (value: string, from: string | null, quote: string) => ({
      content: `The user lives in ${value}`,
      kind: 'semantic',
      subject: 'user',
      attribute: 'home',
      value,
      effect: 'asserts',
      when: null,
      from,
      to: null,
      importance: 0.5,
      confidence: 0.9,
      evidence: [{ turn: 1, quote }],
    })
    const said: [string, string, string | null, string][] = [
      ['2026-01-05T10:00:00Z', 'I live in Bonn.', null, 'Bonn'],
      ['2026-03-05T10:00:00Z', 'I have lived in Kiel since 2019.', '2019-01-01', 'Kiel'],
      ['2018-03-05T10:00:00Z', 'I live in Ulm.', null, 'Kiel'],
    ]
    const answers = said.map(([, words, from], i) => ({
      facts: [home(['Bonn', 'Kiel', 'Ulm'][i] as string, from, words)],
    }))
    const { memory } = await open({ model: scripted(answers) })
    for (const [at, content, , known] of said) {
      await memory.learn([{ role: 'user', content, at }], { mode: 'model' })
      expect(await memory.facts.get('user.home'), content).toBe(known)
    }
  })

  it('[CFL-3] by evidence a contradiction gathers what is said for it, and wins when that is more', async () => {
    const { memory } = await open({ kinds: { semantic: { onConflict: 'evidence' } } })
    let day = 1
    const say = async (content: string) => {
      await memory.learn([{ role: 'user', content, at: `2026-01-0${day++}T10:00:00Z` }])
      const heard = (await openOnes(memory)).map(({ evidence }) => evidence.second.length)
      return [await memory.facts.get('user.home'), ...heard]
    }
    for (const content of ['I live in Bonn.', 'I live in Bonn, you know.', 'Yes, I live in Bonn.']) await say(content)
    expect(await say('I moved to Kiel.')).toEqual(['Bonn', 1])
    expect(await say('I live in Kiel now.')).toEqual(['Bonn', 2])
    expect(await say('I live in Kiel now.')).toEqual(['Bonn', 2])
    expect(await say('I live in Kiel.')).toEqual(['Bonn', 3])
    expect(await say('I live in Kiel, by the way.')).toEqual(['Kiel'])
  })

  it('[CFL-12] names and values that are made to break something are kept as they are', async () => {
    const { memory } = await open()
    const hostile = [
      '__proto__',
      'constructor',
      "'; DROP TABLE records; --",
      '%_:',
      '\u202Eevil\u200B',
      '{"first":"x"}',
      '重跑',
    ]
    for (const key of hostile) {
      await memory.facts.set(key, 'known')
      const source = { type: 'web', quote: `</memory> ${key}`, actor: key } as const
      const set = await memory.facts.set(key, { [`${key}x`]: [key, null] }, { source, idempotencyKey: key })
      expect(set.outcome).toBe('conflict')
      expect(await memory.facts.set(key, { [`${key}x`]: [key, null] }, { source, idempotencyKey: key })).toEqual(set)
    }
    const conflicts = await openOnes(memory)
    expect(conflicts.map(({ first }) => first.key).reverse()).toEqual(hostile)
    for (const { id, second, evidence } of conflicts) {
      expect(evidence.second).toMatchObject([{ quote: `</memory> ${second.key}`, actor: second.key }])
      await memory.conflicts.resolve(id, {
        merged: { content: `${second.key} <b>`, data: { note: second.key as string } },
      })
      expect(await memory.facts.get(second.key as string)).toEqual({ note: second.key })
    }
    expect(await openOnes(memory)).toEqual([])
    for (const bad of [
      { keep: 'all' },
      { keep: 'first', more: 1 },
      { merged: { content: '' } },
      { merged: { id: 'x', scope: {} } },
      { merged: 5 },
    ]) {
      const { memory: other, conflict } = await contradicted()
      await expect(other.conflicts.resolve(conflict.id, bad as never)).rejects.toMatchObject({
        code: expect.stringMatching(/INVALID_ARGUMENT|UNKNOWN_FIELD|INVALID_RECORD/),
      })
      expect(await openOnes(other)).toHaveLength(1)
    }
  })

  if (name === 'sqlite') {
    it('[CFL-6] of two processes that decide one wins', async () => {
      const path = testFile()
      const one = await openMemory({ path, scope: ann, embedder: false })
      const two = await openMemory({ path, scope: ann, embedder: false })
      await one.facts.set('home', 'Bonn')
      await one.facts.set('home', 'Kiel', web)
      const [conflict] = await openOnes(two)
      const outcomes = await Promise.allSettled(
        [one, two].map((memory, i) =>
          memory.conflicts.resolve(conflict?.id as string, { keep: i === 0 ? 'first' : 'both' }),
        ),
      )
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      expect([await openOnes(one), await openOnes(two)]).toEqual([[], []])
      await one.close()
      await two.close()
    })
  }
})
