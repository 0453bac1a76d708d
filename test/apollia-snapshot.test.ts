import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ApolliaDocument, agentMemory, type MemoryEngine } from '../src/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import { open, storeKinds } from './fixtures/reference-stores.ts'

const helper = { agentId: 'helper' }
const now = Date.UTC(2026, 10, 1)

/** A snapshot as it is found in the wild: values as JSON text, some wrongly encoded, times in several spellings. */
const wild = {
  format_version: 1,
  namespace: 'sales',
  exported_at: '2026-10-23T10:00:00Z',
  episodic: [
    {
      id: 'ep-1',
      namespace: 'sales',
      agent_id: 'excel-worker',
      task_id: 'task-1',
      content: 'Devis envoyé à Dupont',
      importance: 0.8,
      created_at: '2026-02-01T09:00:00Z',
      expires_at: null,
      metadata: '{"client": "Dupont", "n": 1.0}',
    },
    {
      id: 'ep-2',
      namespace: 'sales',
      agent_id: 'excel-worker',
      task_id: null,
      content: 'Ran the report',
      importance: 0.5,
      created_at: '2026-01-01T09:00:00.250+01:00',
      expires_at: '2036-01-01T00:00:00Z',
      metadata: { wrongly: 'encoded', task: 'own' },
    },
    { id: '', content: 'no id and hardly a field', metadata: 'no json', created_at: '2026-03-01T00:00:00Z' },
  ],
  semantic: [
    {
      id: 'f-1',
      namespace: 'sales',
      key: 'user.name',
      value: '"Nidal"',
      source: 'crm',
      confidence: 0.9,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-02-01T00:00:00Z',
      expires_at: null,
    },
    { id: 'f-2', key: 'budget', value: 15000, confidence: 1, created_at: '2026-01-02T00:00:00Z' },
    { id: 'f-3', key: 'city', value: 'Bremen', created_at: '2026-01-03T00:00:00Z', extra: [1] },
    { id: 'f-4', key: 'limits', value: '{"max": [1, 2]}', created_at: '2026-01-04T00:00:00Z' },
    { id: 'f-5', key: 'nothing', value: null, created_at: '2026-01-05T00:00:00Z' },
    { id: 'f-6', key: 'twice', value: '"\\"x\\""', source: '', created_at: '2026-01-06T00:00:00Z' },
  ],
  procedural: [
    {
      id: 'p-1',
      namespace: 'sales',
      trigger: 'devis grand compte',
      steps: ['ask', 'write', ''],
      success_count: 3,
      last_used_at: '2026-05-01T00:00:00Z',
      created_at: '2026-01-01T00:00:00Z',
    },
    { id: 'p-2', trigger: 'devis grand compte', steps: '["call"]', created_at: '2026-01-02T00:00:00Z' },
  ],
}

const equalButTime = (document: object, other: object) =>
  expect({ ...document, exported_at: '' }).toEqual({ ...other, exported_at: '' })

const snapshotOf = async (memory: Pick<MemoryEngine, 'export'>, scope: object) => {
  const pieces: string[] = []
  for await (const piece of memory.export({ format: 'apollia-1', scope })) pieces.push(piece)
  return JSON.parse(pieces.join('')) as ApolliaDocument
}

describe.each(storeKinds)('snapshots of format_version 1 on the $name store', ({ create }) => {
  const start = async () => {
    const memory = await open({ store: create()(), clock: fixedClock(now) })
    return { memory, agent: agentMemory(memory, helper) }
  }
  const bring = (memory: MemoryEngine, document: unknown, options: object = {}) =>
    memory.import(JSON.stringify(document), { format: 'apollia-1', scope: helper, ...options })

  it('[SNP-1] a snapshot with wrongly encoded values comes in whole and goes out equal', async () => {
    const { memory, agent } = await start()
    const { rows, ...counts } = await bring(memory, wild)
    expect(counts).toMatchObject({ imported: 11, updated: 0, skipped: 0, failed: 0 })
    expect(rows.map(({ row, outcome }) => [row, outcome])).toEqual(rows.map((_, i) => [i + 1, 'imported']))
    equalButTime(await agent.export(), wild)
    expect([
      await agent.recall('user.name'),
      await agent.recall('budget'),
      await agent.recall('city'),
      await agent.recall('limits'),
      await agent.recall('nothing'),
      await agent.recall('twice'),
    ]).toEqual(['Nidal', '15000', 'Bremen', '{"max":[1,2]}', null, '"x"'])
    expect(await agent.recallEntry('user.name')).toMatchObject({ source: 'crm', confidence: 0.9, value: 'Nidal' })
    expect(await agent.recallEntry('budget')).toMatchObject({ source: null, value: 15000 })
    expect((await agent.recallProcedure('devis grand compte')).map(({ id, steps }) => [id, steps])).toEqual([
      ['p-1', ['ask', 'write']],
      ['p-2', ['call']],
    ])
    const timeline = await memory.episodes.timeline({ scope: helper, task: 'task-1' })
    expect(timeline.records).toMatchObject([{ id: 'ep-1', metadata: { client: 'Dupont', n: 1 } }])
    expect((await agent.search('devis envoye')).map(({ id }) => id)).toContain('ep-1')
  })

  const text = fc.oneof(
    fc.constantFrom('a', 'ü', '__proto__', '"', '{}', '1', 'null', ' x '),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((value) => value.trim() !== ''),
  )
  const name = text.filter((value) => !value.includes('\u0000'))
  const time = fc
    .tuple(fc.integer({ min: 0, max: 1_600_000_000 }), fc.constantFrom('Z', '+00:00', '.5Z'))
    .map(([seconds, end]) => new Date(seconds * 1000).toISOString().replace('.000Z', end))
  const later = fc.option(fc.constantFrom('2030-01-01T00:00:00Z', '2031-06-01T00:00:00+02:00'))
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown)
  const encoded = fc.oneof(
    json.map((value) => JSON.stringify(value)),
    json.map((value) => JSON.stringify(value, null, 1)),
    json,
    text,
  )
  const partly = <T extends object>(row: T, requiredKeys: (keyof T & string)[]) =>
    fc.record(row as never, { requiredKeys } as never) as fc.Arbitrary<Record<string, unknown>>
  const common = { namespace: fc.constantFrom('sales', 'helper'), created_at: time }
  const part = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => (value === 0 ? 0 : value))
  const episode = partly(
    {
      ...common,
      agent_id: fc.option(name),
      task_id: fc.option(name),
      content: text,
      importance: part,
      expires_at: later,
      metadata: encoded,
    },
    ['content', 'created_at'],
  )
  const fact = partly(
    {
      ...common,
      key: name,
      value: encoded,
      source: fc.option(text),
      confidence: part,
      updated_at: time,
      expires_at: later,
    },
    ['key', 'value', 'created_at'],
  )
  const procedure = partly(
    {
      ...common,
      trigger: name,
      steps: fc.array(text, { maxLength: 3 }),
      success_count: fc.nat(100),
      last_used_at: time,
    },
    ['trigger', 'steps', 'created_at'],
  )
  const numbered = (rows: fc.Arbitrary<Record<string, unknown>>, letter: string) =>
    fc
      .array(rows, { maxLength: 5 })
      .map((many) => many.map((row, i): Record<string, unknown> => ({ id: `${letter}-${i}`, ...row })))
  const documents = fc.record({
    format_version: fc.constant(1),
    namespace: fc.constant('helper'),
    exported_at: fc.constant('2026-01-01T00:00:00Z'),
    episodic: numbered(episode, 'e'),
    semantic: numbered(fact, 'f').map((rows) =>
      rows.map((row, i): Record<string, unknown> => ({ ...row, key: `${row.key}${i}` })),
    ),
    procedural: numbered(procedure, 'p'),
  })

  it('[SNP-1] any snapshot goes out as it came in, also when it is imported again and over itself', async () => {
    const { memory } = await start()
    let round = 0
    await fc.assert(
      fc.asyncProperty(documents, async (document) => {
        const scope = { agentId: 'helper', namespace: [`round ${round++}`] }
        const agent = agentMemory(memory, scope)
        const count = document.episodic.length + document.semantic.length + document.procedural.length
        expect(await agent.importData(document)).toBe(count)
        const first = await agent.export()
        // Of an empty one nothing is left that could have a name.
        equalButTime(first, count === 0 ? { ...document, namespace: first.namespace } : document)
        expect(await agent.importData(document)).toBe(0)
        expect(await agent.importData(first, { replace: true })).toBe(count)
        equalButTime(await agent.export(), first)
      }),
      { numRuns: 60 },
    )
  })

  it('[SNP-1] the namespace of a snapshot whose rows name none goes out too, until something is added', async () => {
    const { agent } = await start()
    const rows = [{ id: 'f', key: 'k', value: '1', created_at: '2026-01-01T00:00:00Z' }]
    const document = {
      format_version: 1,
      namespace: 'sales',
      exported_at: '',
      episodic: [],
      semantic: rows,
      procedural: [],
    }
    await agent.importData(document)
    equalButTime(await agent.export(), document)
    await agent.record('mine')
    expect((await agent.export()).namespace).toBe('helper')
  })

  it('[SNP-1] what was never given a name or steps goes out by its id and without steps', async () => {
    const { memory, agent } = await start()
    await memory.add({ id: 'note', content: 'Ann likes tea' }, { scope: helper })
    const trigger = 'a trigger that is longer than a line '.repeat(200).trim()
    await memory.add({ id: 'plain', kind: 'procedural', content: trigger }, { scope: helper })
    const document = await agent.export()
    expect(document.semantic).toMatchObject([{ id: 'note', key: 'note', value: '"Ann likes tea"' }])
    expect(document.procedural).toMatchObject([{ id: 'plain', trigger, steps: [], success_count: 0 }])
  })

  it('[SNP-2] every row is reported; one that cannot be used is named and stops all', async () => {
    const { memory, agent } = await start()
    const rows = {
      format_version: 1,
      episodic: [
        { id: 'a', content: 'fine' },
        { id: 'b', content: '  ' },
        { id: 'c', content: 'old', expires_at: '2026-10-31T23:59:59Z' },
        { id: 'd', content: 'x', importance: 1.5 },
        { id: 'e', content: 'x', created_at: '2026-01-01 00:00:00' },
        'no row',
        { id: 'a', content: 'again' },
      ],
      semantic: [
        { id: 'f', key: '', value: '1' },
        { id: 'g', key: 'k' },
        { id: 'h', key: 'twice', value: '1' },
        { id: 'i', key: 'twice', value: '2' },
      ],
      procedural: [
        { id: 'j', trigger: ' ', steps: ['x'] },
        { id: 'k', trigger: 't', steps: 'x' },
      ],
    }
    const { rows: report, failed } = await bring(memory, rows, { dryRun: true })
    expect(report.map(({ row, id, outcome }) => `${row} ${id?.slice(0, 1)} ${outcome}`)).toEqual([
      '1 a imported',
      '2 b skipped',
      '3 c skipped',
      '4 d failed',
      '5 e failed',
      expect.stringMatching(/^6 . failed$/),
      '7 a failed',
      '8 f failed',
      '9 g failed',
      '10 h imported',
      '11 i failed',
      '12 j failed',
      '13 k failed',
    ])
    expect(failed).toBe(9)
    expect(report[3]?.reason).toContain('episodic[3].importance')
    expect(report.every(({ outcome, reason }) => outcome === 'imported' || reason)).toBe(true)
    await expect(bring(memory, rows)).rejects.toMatchObject({ code: 'INVALID_RECORD', details: { row: 4, failed: 9 } })
    expect((await memory.stats({ allScopes: true })).total).toBe(0)
    expect((await agent.export()).episodic).toEqual([])
  })

  it('[SNP-3] rows land in the scope of the call; an id of another scope becomes one that is the same each time', async () => {
    const { memory, agent } = await start()
    await agent.importData(wild)
    const other = agentMemory(memory, { agentId: 'other' })
    expect(await other.importData(wild)).toBe(11)
    equalButTime(await other.export(), wild)
    expect(await other.recall('user.name')).toBe('Nidal')
    expect((await memory.get('f-1', { allScopes: true }))?.scope).toEqual(helper)
    expect(await other.importData(wild)).toBe(0)
    // An id that was deleted elsewhere stays there too.
    await memory.deleteMany({ filter: {} }, { scope: helper })
    const third = agentMemory(memory, { agentId: 'third' })
    expect(await third.importData(wild)).toBe(11)
    equalButTime(await third.export(), wild)
    await expect(memory.import(JSON.stringify(wild), { format: 'apollia-1', allScopes: true })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })

  it('[SNP-4] a merge leaves ids and names alone; replace takes what the exact scope holds, and nothing else', async () => {
    const { memory, agent } = await start()
    await agent.remember('user.name', 'Ann')
    await memory.add({ id: 'ep-1', kind: 'episodic', content: 'old secret plan' }, { scope: helper })
    await memory.kv.put([], 'kept', 1, { scope: helper })
    const finer = { ...helper, sessionId: 's1' }
    await memory.episodes.record('in a session', { scope: finer })
    const merged = await bring(memory, wild)
    expect(merged.rows.filter(({ outcome }) => outcome === 'skipped').map(({ id, reason }) => [id, reason])).toEqual([
      ['ep-1', 'a memory with this id is there'],
      ['f-1', 'its name is taken'],
    ])
    expect([await agent.recall('user.name'), await agent.recall('budget')]).toEqual(['Ann', '15000'])

    expect(await agent.importData(wild, { replace: true })).toBe(11)
    equalButTime(await agent.export(), wild)
    expect(await agent.recall('user.name')).toBe('Nidal')
    expect(await agent.search('secret')).toEqual([])
    expect((await agent.search('devis')).map(({ id }) => id)).toContain('ep-1')
    expect((await memory.kv.get([], 'kept', { scope: helper }))?.value).toBe(1)
    expect((await memory.episodes.timeline({ scope: finer })).records).toHaveLength(1)
    expect(await memory.verify()).toMatchObject({ ok: true })

    for (const ifExists of ['error', 'update'])
      await expect(bring(memory, wild, { ifExists })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect((await bring(memory, wild, { ifExists: 'skip' })).skipped).toBe(11)
    const before = await agent.export()
    await expect(agent.importData({ ...wild, semantic: [{}] }, { replace: true })).rejects.toMatchObject({
      code: 'INVALID_RECORD',
    })
    equalButTime(await agent.export(), before)
  })

  it('[SNP-2] a value that is nested too deeply to be kept is named like any other', async () => {
    const { memory } = await start()
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    const rows = {
      format_version: 1,
      episodic: [{ id: 'a', content: 'x', metadata: `{"m":${deep}}` }],
      semantic: [{ id: 'b', key: 'k', value: deep }],
      procedural: [{ id: 'c', trigger: 't', steps: deep }],
    }
    const { rows: report } = await bring(memory, rows, { dryRun: true })
    expect(report.map(({ id, outcome }) => `${id?.slice(0, 1)} ${outcome}`)).toEqual([
      'a failed',
      'b failed',
      'c failed',
    ])
  })

  it('[SNP-5] another version or none, and what is no snapshot, is refused before anything changes', async () => {
    const { memory, agent } = await start()
    await agent.importData({ schema_version: 1, semantic: [{ id: 'x', key: 'k', value: '1' }] })
    const { format_version: _version, ...unversioned } = wild
    const bad = [
      { ...wild, format_version: 99 },
      { ...wild, format_version: 0 },
      { ...wild, format_version: 2 },
    ]
    for (const document of [...bad, unversioned, {}, [], null, 'text', 7, undefined, { ...wild, episodic: {} }]) {
      const attempt = agent.importData(document, { replace: true })
      await expect(attempt).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    }
    await expect(
      memory.import(JSON.stringify(wild).slice(0, -3), { format: 'apollia-1', scope: helper }),
    ).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    expect(await agent.recallAll()).toMatchObject([{ id: 'x', key: 'k', value: 1 }])
    for (const options of [{ allScopes: true }, { include: 'shared' }, { vectors: true }] as const) {
      const pieces = memory.export({ format: 'apollia-1', scope: helper, ...options })
      await expect(pieces[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
  })

  it('[SNP-6] what came in is changed and undone like everything else; a row that changed goes out as it is now', async () => {
    const { memory, agent } = await start()
    const { tx } = await bring(memory, wild)
    await agent.remember('budget', 20000, { source: 'boss' })
    const facts = (await agent.export()).semantic
    expect(facts.find(({ key }) => key === 'budget')).toMatchObject({ value: '20000', source: 'boss' })
    expect(facts.filter(({ key }) => key !== 'budget')).toHaveLength(5)
    expect((await agent.export()).procedural).toEqual(wild.procedural)
    await memory.undo(tx as string, { scope: helper, force: true })
    expect((await agent.recallAll()).map(({ key }) => key)).toEqual(['budget'])
    expect((await agent.export()).episodic).toEqual([])
    // Made here: in the words of the format, with the name of the scope.
    await agent.record('Ran it', { task: 't', metadata: { a: 1 }, expiresIn: 3_600_000 })
    const [row] = (await snapshotOf(memory, helper)).episodic
    expect(row).toEqual({
      id: expect.any(String),
      namespace: 'helper',
      agent_id: 'helper',
      task_id: 't',
      content: 'Ran it',
      importance: 0.5,
      created_at: '2026-11-01T00:00:00Z',
      expires_at: '2026-11-01T01:00:00Z',
      metadata: '{"a":1}',
    })
  })
})
