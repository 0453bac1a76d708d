import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { MemoryStore, StoreHealth } from '../contract/index.ts'
import { BackendError } from '../errors/index.ts'
import { memory as memoryStore } from '../stores/memory/index.ts'
import { openMemory } from './index.ts'

const ann = { userId: 'ann' }
const away = () => new BackendError({ code: 'BACKEND_UNAVAILABLE', message: 'nobody answers at db.example.com' })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-health-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function open(options: object = {}) {
  return openMemory({ scope: ann, embedder: false, store: memoryStore(), ...options })
}

/** A store whose server may be away, and then answers nobody. */
function faraway(isThere: () => boolean | Promise<boolean>, more: Partial<MemoryStore> = {}): MemoryStore {
  const inner = memoryStore()
  const reach = async () => {
    if (!(await isThere())) throw away()
  }
  return {
    ...inner,
    name: 'faraway',
    open: (options) => reach().then(() => inner.open(options)),
    head: (options) => reach().then(() => inner.head(options)),
    ...more,
  }
}

describe('health', () => {
  it('[LIF-4] asks every layer, and the end of the log where a store says nothing of itself', async () => {
    const path = join(folder, 'a.db')
    const file = await open({ store: undefined, path })
    const { tiers, ...rest } = await file.health()
    expect(rest).toEqual({ status: 'ok', metadata: file.metadata })
    expect(tiers).toEqual([{ name: 'sqlite', role: 'store', status: 'ok', latencyMs: expect.any(Number) }])
    await file.close()

    const said: StoreHealth = {
      status: 'degraded',
      tiers: [
        { name: 'hot', role: 'hot', status: 'down', reason: 'nobody answers' },
        { name: 'cold', role: 'cold', status: 'ok', latencyMs: 1, waiting: 2 },
      ],
    }
    const layered = await open({ store: faraway(() => true, { health: async () => said }) })
    expect(await layered.health()).toEqual({ ...said, metadata: layered.metadata })
  })

  it('[LIF-5] is down where the store does not open, in its words, and ok again when it does', async () => {
    let there = false
    const memory = await open({ store: faraway(() => there) })
    const tier = { name: 'faraway', role: 'store', status: 'down', reason: away().message }
    expect(await memory.health()).toEqual({ status: 'down', tiers: [tier], metadata: memory.metadata })
    there = true
    expect(await memory.health()).toMatchObject({ status: 'ok' })
    await memory.add('Ann plays the cello')
    there = false
    expect(await memory.health()).toMatchObject({ status: 'down', tiers: [tier] })
    there = true
    expect(await memory.health()).toMatchObject({ status: 'ok' })
    await memory.close()
    await expect(memory.health()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' })
  })

  it('[LIF-5] waits no longer than it is told, for the opening and for the answer', async () => {
    const reason = 'No answer within 20 ms.'
    const never = new Promise<boolean>(() => {})
    const closed = await open({ store: faraway(() => never) })
    expect(await closed.health({ timeoutMs: 20 })).toMatchObject({ status: 'down', tiers: [{ reason }] })
    let answers: boolean | Promise<boolean> = true
    const opened = await open({ store: faraway(() => answers) })
    await opened.start()
    answers = never
    expect(await opened.health({ timeoutMs: 20 })).toMatchObject({ status: 'down', tiers: [{ reason }] })
    const aborted = opened.health({ timeoutMs: 60_000, signal: AbortSignal.abort(new Error('enough')) })
    await expect(aborted).rejects.toThrow('enough')
    await expect(opened.health({ timeoutMs: 0 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await opened.close()
  })

  it('[LIF-5] tells a file that is none as down too, and does not touch it', async () => {
    const path = join(folder, 'letter.txt')
    writeFileSync(path, 'Dear Ann, this is no database but a letter.\n'.repeat(100))
    const memory = await open({ store: undefined, path })
    expect(await memory.health()).toMatchObject({ status: 'down', tiers: [{ name: 'sqlite', status: 'down' }] })
    expect(readFileSync(path, 'utf8')).toContain('Dear Ann')
  })

  it('[LIF-6] is no business of views', async () => {
    const view = (await open()).scoped(ann)
    expect('health' in view).toBe(false)
    expect('metadata' in view).toBe(false)
  })
})

describe('metadata', () => {
  it('[LIF-7] is there before, while and after the engine is open, and asks nobody', async () => {
    const store = faraway(() => false, { settings: { mode: 'session', hotTtlMs: 1000 } })
    const memory = await open({ store, embedder: undefined, kinds: { episodic: { ttlDays: 90 } } })
    const { metadata } = memory
    expect(metadata).toMatchObject({
      name: 'mneme',
      store: 'faraway',
      storeSettings: { mode: 'session', hotTtlMs: 1000 },
      embedder: { id: expect.stringContaining('static-en-256'), dimensions: 256 },
      tokenCounter: 'words',
      model: null,
      reranker: null,
      ttlDays: { episodic: 90 },
    })
    expect(metadata.analyser).toMatch(/^mneme-/)
    await memory.close()
    expect(memory.metadata).toEqual(metadata)
    expect((await open()).metadata).toMatchObject({ embedder: null, storeSettings: null, ttlDays: {} })
  })

  it('[LIF-7] has the version of the package', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as object
    expect(manifest).toMatchObject({ version: (await open()).metadata.version })
  })
})
