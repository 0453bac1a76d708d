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
  it('[PEN-1] does not fail the write; the record is found by text and listed as pending', async () => {
    const { memory, embedder } = await withEmbedder()
    embedder.up = false
    const { record } = await memory.add('the lighthouse of Warnemünde')
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
