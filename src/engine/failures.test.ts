import { describe, expect, it } from 'vitest'
import type { Embedder } from '../contract/index.ts'
import { hashing } from '../embedders/index.ts'
import { memory as memoryStore } from '../stores/memory/index.ts'
import { type MemoryEngine, openMemory } from './index.ts'

const ann = { userId: 'ann' }

/** An embedder that works only while `up`. */
function unreliable(): Embedder & { up: boolean } {
  const inner = hashing()
  const embedder = {
    id: inner.id,
    dimensions: inner.dimensions,
    up: true,
    async embed(texts: readonly string[], options: Parameters<Embedder['embed']>[1]) {
      if (!embedder.up) throw new TypeError('connection refused: secret-token')
      return inner.embed(texts, options)
    },
  }
  return embedder
}

async function withEmbedder(): Promise<{ memory: MemoryEngine; embedder: ReturnType<typeof unreliable> }> {
  const embedder = unreliable()
  return { memory: await openMemory({ store: memoryStore(), scope: ann, embedder }), embedder }
}

describe('an embedder that fails', () => {
  it('[PEN-6] a record is tried again though a retry looked around just before it was committed', async () => {
    const store = memoryStore()
    const embedder = unreliable()
    embedder.up = false
    const slow = {
      ...store,
      async commit(...given: Parameters<typeof store.commit>) {
        // Longer than the first look for work after opening.
        await new Promise((resolve) => setTimeout(resolve, 50))
        return store.commit(...given)
      },
    }
    const memory = await openMemory({ store: slow, scope: ann, embedder })
    await memory.add('the lighthouse of Warnemünde')
    embedder.up = true
    const waiting = async () => (await memory.pending()).records.length
    for (let round = 0; round < 100 && (await waiting()) > 0; round++) await new Promise((r) => setTimeout(r, 100))
    expect(await waiting()).toBe(0)
  })

  it('[PEN-1] does not fail the write; the record is found by text and listed as pending', async () => {
    const { memory, embedder } = await withEmbedder()
    embedder.up = false
    const { record, degraded } = await memory.add('the lighthouse of Warnemünde')
    expect(degraded).toMatchObject([{ stage: 'embedder', code: 'EMBEDDER_UNAVAILABLE' }])
    const { records } = await memory.pending()
    expect(records).toMatchObject([{ id: record.id, attempts: 1, lastError: 'EMBEDDER_UNAVAILABLE' }])
    const found = await memory.search('lighthouse')
    expect(found.results.map((hit) => hit.id)).toEqual([record.id])
    expect(found.degraded).toMatchObject([{ stage: 'embedder', code: 'EMBEDDER_UNAVAILABLE' }])
    expect(JSON.stringify(found.degraded)).not.toContain('secret-token')
    expect((await memory.stats()).pending).toBe(1)
    await memory.close()
  })

  it('[PEN-2] late vectors arrive without a new version and are searched', async () => {
    const { memory, embedder } = await withEmbedder()
    embedder.up = false
    const { record } = await memory.add('the lighthouse of Warnemünde')
    embedder.up = true
    expect(await memory.rebuild({ part: 'vectors' })).toMatchObject({ embedded: 1 })
    expect((await memory.pending()).records).toEqual([])
    expect((await memory.get(record.id))?.version).toBe(1)
    const { results, degraded } = await memory.search('lighthouse', { mode: 'vector' })
    expect(results).toHaveLength(1)
    expect(degraded).toBeUndefined()
    await memory.close()
  })

  it('[PEN-3] vectors of a wrong length are never stored', async () => {
    const broken: Embedder = {
      id: 'broken',
      dimensions: 4,
      embed: async (texts) => texts.map(() => new Float32Array(3)),
    }
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: broken })
    await memory.add('text')
    expect((await memory.pending()).records).toMatchObject([{ lastError: 'EMBEDDER_BAD_OUTPUT' }])
    await memory.close()
  })
})

describe('opening with another embedder', () => {
  it('[EMB-20] is refused and names two ways out; text search alone may open it', async () => {
    const store = memoryStore()
    const first = await openMemory({ store, scope: ann, embedder: hashing({ dimensions: 64 }) })
    await first.add('some text')
    const second = await openMemory({ store, scope: ann, embedder: hashing({ dimensions: 32 }) })
    const refused = { code: 'EMBEDDER_CHANGED', message: expect.stringMatching(/former embedder.*export/) }
    await expect(second.search('text')).rejects.toMatchObject(refused)
  })

  it('[EMB-20] is refused as well when it has the same id and makes vectors of another length', async () => {
    const of = (dimensions: number) => ({ ...hashing({ dimensions }), id: 'one-id' })
    const store = memoryStore()
    const first = await openMemory({ store, scope: ann, embedder: of(64) })
    await first.add('some text')
    const file: string[] = []
    for await (const line of first.export()) file.push(line)
    const second = await openMemory({ store, scope: ann, embedder: of(32) })
    const refused = { code: 'EMBEDDER_CHANGED', message: expect.stringMatching(/64 dimensions.*32/) }
    await expect(second.add('other text')).rejects.toMatchObject(refused)

    // The way out: the file is embedded anew.
    const moved = memoryStore()
    const third = await openMemory({ store: moved, scope: ann, embedder: of(32) })
    await third.import(file.join('\n'))
    expect(await moved.vectorSpaces()).toEqual([{ space: 'one-id', dimensions: 32 }])
    expect((await third.search('some text')).results).toHaveLength(1)
  })
})

describe('writes that meet', () => {
  it('[WRT-7] concurrent adds of one text make one record', async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    const answers = await Promise.all(Array.from({ length: 20 }, () => memory.add('the same text')))
    expect(new Set(answers.map(({ record }) => record.id)).size).toBe(1)
    expect(answers.filter(({ outcome }) => outcome === 'added')).toHaveLength(1)
  })

  it('[WRT-8] concurrent updates of one record all land, each with its own version', async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    const { record } = await memory.add('counter')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => memory.update(record.id, { metadata: { [`n${n}`]: n } })),
    )
    expect(new Set(answers.map((answer) => answer.record.version)).size).toBe(20)
    expect(Object.keys((await memory.get(record.id))?.metadata ?? {})).toHaveLength(20)
  })

  it('[WRT-9] a conflict that waiting cannot solve is told at once', async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    const { record } = await memory.add({ content: 'old', key: 'k' })
    await memory.invalidate(record.id)
    await memory.add({ content: 'new', key: 'k' })
    await expect(memory.restore(record.id)).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('[WRT-10] the same idempotency key at once is one write', async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    const add = () => memory.add('once only', { idempotencyKey: 'key', dedupe: false })
    const answers = await Promise.all(Array.from({ length: 10 }, add))
    expect(new Set(answers.map(({ tx }) => tx)).size).toBe(1)
    expect((await memory.list()).records).toHaveLength(1)
  })
})

describe('following', () => {
  it('[CHG-1] changes resumes where it stopped, watch hears what comes', async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    await memory.addMany(['a', 'b', 'c'])
    await memory.add('of bob', { scope: { userId: 'bob' } })
    const first = await memory.changes({ limit: 2 })
    const second = await memory.changes({ after: first.cursor })
    expect([...first.changes, ...second.changes].map((change) => change.record?.content)).toEqual(['a', 'b', 'c'])
    expect((await memory.changes({ after: second.cursor })).changes).toEqual([])
    const controller = new AbortController()
    const heard = (async () => {
      for await (const change of memory.watch({ signal: controller.signal, after: second.cursor })) return change
      return undefined
    })()
    await memory.add('d')
    expect((await heard)?.record?.content).toBe('d')
    controller.abort()
  })

  it('[RED-5] pages show the state of the first page', async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    await memory.addMany(Array.from({ length: 5 }, (_, n) => `record ${n}`))
    const first = await memory.list({ limit: 2, order: 'oldest' })
    const [one] = (await memory.list({ order: 'newest', limit: 1 })).records
    await memory.delete(one?.id as string)
    await memory.add('another')
    const second = await memory.list({ limit: 10, order: 'oldest', cursor: first.nextCursor })
    expect(second.records.map((record) => record.content)).toEqual(['record 2', 'record 3'])
    await expect(memory.list({ cursor: first.nextCursor, order: 'newest' })).rejects.toMatchObject({
      code: 'INVALID_CURSOR',
    })
  })
})

describe('explain', () => {
  it('[EXL-1] names the stage that kept or dropped a record', async () => {
    let now = Date.parse('2026-05-01T00:00:00Z')
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false, clock: () => now })
    const shown = (await memory.add('sailing in Rostock')).record.id
    const other = (await memory.add('nothing of the sort')).record.id
    const gone = (await memory.add({ content: 'sailing, soon over', expiresAt: '2026-05-02T00:00:00Z' })).record.id
    const hidden = (await memory.add('sailing long ago')).record.id
    await memory.invalidate(hidden)
    now += 2 * 86_400_000
    const stage = async (id: string, options = {}) => (await memory.explain('sailing', id, options)).stage
    expect(await stage(shown)).toBe('returned')
    expect(await stage(other)).toBe('text')
    expect(await stage(gone)).toBe('expired')
    expect(await stage(hidden)).toBe('status')
    expect(await stage('nobody')).toBe('scope')
    expect(await stage(shown, { kinds: ['episodic'] })).toBe('filter')
    expect(await stage(shown, { minScore: 0.99 })).toBe('threshold')
  })
})

describe('importing', () => {
  const exported = async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    await memory.addMany(['a', 'b'])
    await memory.add('of bob', { scope: { userId: 'bob' } })
    const lines: string[] = []
    for await (const line of memory.export({ allScopes: true })) lines.push(line)
    return lines
  }

  it('[EXP-2] refuses a bad file whole, naming the row; a dry run reports every row', async () => {
    const lines = await exported()
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    const broken = [lines[0], '{"type":"record"\n', ...lines.slice(1)].join('')
    await expect(memory.import(broken, { allScopes: true })).rejects.toMatchObject({
      code: 'INVALID_RECORD',
      details: { row: 2 },
    })
    await expect(memory.import(lines.slice(0, -1).join(''), { allScopes: true })).rejects.toThrow(/row 5.*cut off/)
    expect((await memory.list({ allScopes: true })).records).toEqual([])
    const report = await memory.import(broken, { dryRun: true, allScopes: true })
    expect(report.rows.map(({ row, outcome }) => [row, outcome])).toEqual([
      [2, 'failed'],
      [3, 'imported'],
      [4, 'imported'],
      [5, 'imported'],
    ])
    await expect(memory.import({ path: '/nowhere/at/all.jsonl' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('[EXP-3] an idempotency key answers an import again; a view imports nothing outside of it', async () => {
    const lines = (await exported()).join('')
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    const first = await memory.import(lines, { idempotencyKey: 'once', allScopes: true })
    const again = await memory.import(lines, { idempotencyKey: 'once', allScopes: true })
    expect(again).toEqual(first)
    expect(first).toMatchObject({ imported: 3, skipped: 0 })
    expect(await memory.import(lines, { allScopes: true })).toMatchObject({ imported: 0, skipped: 3 })
    const view = memory.scoped({ userId: 'carol' })
    await expect(view.import(lines)).rejects.toThrow(/outside the scope/)
  })
})

describe('pages', () => {
  it('[RED-6] what others write does not turn later pages into reads of the past', async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    const { results: added } = await memory.addMany(['sailing a', 'sailing b', 'sailing c'])
    const first = await memory.search('sailing', { limit: 2, explain: true })
    await memory.add('sailing of bob', { scope: { userId: 'bob' } })
    const second = await memory.search('sailing', { limit: 2, explain: true, cursor: first.nextCursor })
    expect(second.results).toHaveLength(1)
    // A read of the past shows no access counts: the present one is read.
    await memory.list()
    expect(new Set([...first.results, ...second.results].map(({ id }) => id))).toEqual(
      new Set(added.map(({ record }) => record.id)),
    )
    await memory.add('sailing d')
    const late = await memory.search('sailing', { limit: 2, explain: true, cursor: first.nextCursor })
    expect(late.results.map(({ id }) => id)).toEqual(second.results.map(({ id }) => id))
  })
})

describe('a plan from elsewhere', () => {
  it('[PLN-2] is checked like any input: what it may not say is refused and nothing is written', async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    const { plan } = await memory.add('planned', { dryRun: true })
    const step = plan?.steps[0]
    const forged = (after: object) => ({ ...plan, steps: [{ ...step, after: { ...step?.after, ...after } }] }) as never
    await expect(memory.apply(forged({ scope: { userId: 'bob' } }))).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
    await expect(memory.apply(forged({ supersedes: 5 }))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(memory.apply(forged({ kind: '_conflict' }))).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    await expect(memory.apply(forged({ nonsense: 1 }))).rejects.toMatchObject({ code: 'UNKNOWN_FIELD' })
    await expect(memory.apply({ steps: 'all' } as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect((await memory.list({ allScopes: true })).records).toEqual([])
  })

  it('[PLN-3] says when it was applied already', async () => {
    const engine = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    const { plan } = await engine.add('Ann plays the cello', { dryRun: true })
    await engine.apply(plan!)
    await expect(engine.apply(plan!)).rejects.toMatchObject({
      code: 'VERSION_CONFLICT',
      message: expect.stringContaining('The plan was applied already'),
    })
    expect((await engine.list()).records).toHaveLength(1)
  })

  it('[PLN-3] is refused when its records changed meanwhile', async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    const { record } = await memory.add('first')
    const { plan } = await memory.update(record.id, { content: 'second' }, { dryRun: true })
    await memory.update(record.id, { tags: ['meanwhile'] })
    await expect(memory.apply(plan as never)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' })
    expect((await memory.get(record.id))?.content).toBe('first')
  })
})

describe('what an import may touch', () => {
  it('[REC-7] ids in a file are names like any other', async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    await memory.add({ id: 'a', content: 'x' })
    const lines: string[] = []
    for await (const line of memory.export()) lines.push(line)
    const [head, row, end] = lines.join('').split('\n')
    const record = JSON.parse(row as string).record
    for (const name of ['\ud800', 'a\u0000', ''])
      for (const field of ['id', 'supersedes', 'supersededBy']) {
        const other = JSON.stringify({ type: 'record', record: { ...record, id: 'b', [field]: name } })
        const file = [head, other, end].join('\n')
        await expect(memory.import(file)).rejects.toMatchObject({ code: 'INVALID_RECORD', details: { row: 2 } })
      }
    expect((await memory.list()).records).toHaveLength(1)
  })

  it('[EXP-6] is the scope of the call; the root engine may say allScopes; other content of an id is an error by default', async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    const { record } = await memory.add('old words')
    const lines: string[] = []
    for await (const line of memory.export()) lines.push(line)
    const file = lines.join('')
    await memory.update(record.id, { content: 'new words' })
    await expect(memory.import(file)).rejects.toMatchObject({ code: 'INVALID_RECORD', details: { row: 2 } })
    expect(await memory.import(file, { ifExists: 'skip' })).toMatchObject({ skipped: 1 })
    expect((await memory.get(record.id))?.content).toBe('new words')
    expect(await memory.import(file, { ifExists: 'update' })).toMatchObject({ updated: 1 })
    const zoe = await openMemory({ store: memoryStore(), scope: { userId: 'zoe' }, embedder: false })
    await expect(zoe.import(file)).rejects.toThrow(/outside the scope/)
    expect(await zoe.import(file, { allScopes: true })).toMatchObject({ imported: 1 })
    const nobody = await openMemory({ store: memoryStore(), embedder: false })
    await expect(nobody.import(file)).rejects.toMatchObject({ code: 'SCOPE_REQUIRED' })
    await expect(zoe.scoped({ userId: 'zoe' }).import(file, { allScopes: true })).rejects.toMatchObject({
      code: 'SCOPE_DENIED',
    })
  })
})

describe('closing and opening again', () => {
  it('[OPN-14] a call made while a stop is under way waits for its end and is answered', async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    await memory.add('x')
    const stopped = memory.stop()
    const { outcome } = await memory.add('y')
    await stopped
    expect(outcome).toBe('added')
    await memory.close()
  })
})

describe('what waits for a vector', () => {
  it('[PEN-5] a text that the embedder refuses keeps no other one waiting', async () => {
    const inner = hashing()
    let down = true
    const picky: Embedder = {
      id: inner.id,
      dimensions: inner.dimensions,
      async embed(texts, options) {
        if (down || texts.some((text) => text.includes('poison'))) throw new TypeError('refused')
        return inner.embed(texts, options)
      },
    }
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: picky })
    const { results } = await memory.addMany(['first', 'poison', 'third', 'fourth'])
    down = false
    await expect(memory.rebuild({ part: 'vectors' })).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' })
    expect((await memory.pending()).records.map(({ id }) => id)).toEqual([results[1]?.record.id])
    await memory.close()
  })
})

describe('options that can not be meant', () => {
  it('[OPN-15] an embedder without id, dimensions or with batches of nothing is BAD_CONFIG', async () => {
    const inner = hashing()
    const broken = [
      { ...inner, id: '' },
      { ...inner, dimensions: 0 },
      { ...inner, maxBatchSize: 0 },
      { embed: inner.embed },
    ] as Embedder[]
    for (const embedder of broken) {
      await expect(openMemory({ store: memoryStore(), embedder })).rejects.toMatchObject({ code: 'BAD_CONFIG' })
    }
  })

  it('[OPN-15] an address in place of a store is BAD_CONFIG, says what a store is, and is not shown', async () => {
    const store = 'postgres://ann:hunter2@db/x' as never
    const error = (await openMemory({ store }).catch((reason: unknown) => reason)) as Error
    expect(error).toMatchObject({ code: 'BAD_CONFIG', message: expect.stringContaining('postgres({ url })') })
    expect(error.message).not.toContain('hunter2')
  })

  it('[OPN-15] a store that is no file has no backup, and it is said what to do instead', async () => {
    const memory = await openMemory({ store: memoryStore() })
    await expect(memory.backup('./copy.db')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('mneme migrate'),
    })
    await memory.close()
  })

  it('[DEL-24] deleteMany by ids takes nothing that narrows a filter', async () => {
    const memory = await openMemory({ store: memoryStore(), scope: ann, embedder: false })
    const { record } = await memory.add('x')
    const call = memory.deleteMany({ ids: [record.id], tags: ['other'] } as never)
    await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await memory.get(record.id)).not.toBeNull()
  })
})
