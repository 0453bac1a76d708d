import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memory as memoryStore } from '../../stores/memory/index.ts'
import { openMemory } from '../index.ts'
import { environmentSpec, parseStoreSpec, storeFromSpec } from './index.ts'

const ann = { userId: 'ann' }
const badConfig = (words: string) => ({ code: 'BAD_CONFIG', message: expect.stringContaining(words) })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-spec-'))
  for (const name of ['MNEME_STORE', 'MNEME_DB']) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

describe('a store that a text names', () => {
  it('[LIF-1] is a file, or the memory of this process', async () => {
    const path = join(folder, 'a.db')
    expect(parseStoreSpec(`sqlite:${path}`, {})).toMatchObject({ file: path, name: path })
    expect(parseStoreSpec('SQLITE', { MNEME_DB: path })).toMatchObject({ file: path })
    expect((await storeFromSpec(`sqlite:${path}`, {})).name).toBe('sqlite')
    expect((await storeFromSpec('memory:', {})).name).toBe('memory')
    expect(existsSync(path)).toBe(false)
  })

  it('[LIF-1] is a hot tier before a file, of which the environment says the rest', async () => {
    const env = {
      MNEME_REDIS_URL: 'redis://ann:hunter2@localhost:1',
      MNEME_TIER_MODE: 'session',
      MNEME_REDIS_TTL_MS: '60000',
    }
    const path = join(folder, 'a.db')
    const spec = parseStoreSpec(`tiered:sqlite:${path}`, env)
    expect([spec.name, spec.file]).toEqual([`a hot tier before ${path}`, undefined])
    expect((await spec.make()).settings).toEqual({ mode: 'session', hot: 'redis', cold: 'sqlite', hotTtlMs: 60_000 })
    const short = await storeFromSpec('tiered', { MNEME_REDIS_URL: env.MNEME_REDIS_URL, MNEME_DB: path })
    expect(short.settings).toMatchObject({ mode: 'write-through', cold: 'sqlite' })
    const wrong: [string, object, string][] = [
      ['tiered', {}, 'MNEME_REDIS_URL'],
      ['tiered', { MNEME_REDIS_URL: env.MNEME_REDIS_URL }, 'tiered:sqlite:'],
      ['tiered:memory:', env, 'names no store'],
      ['tiered:tiered', env, 'names no store'],
      ['tiered:sqlite:x', { ...env, MNEME_TIER_MODE: 'hunter2' }, 'MNEME_TIER_MODE'],
      ['tiered:sqlite:x', { ...env, MNEME_REDIS_TTL_MS: '1 hunter2' }, 'MNEME_REDIS_TTL_MS'],
      ['tiered', { ...env, MNEME_POSTGRES_URL: 'postgres://x', MNEME_BOLT_URL: 'bolt://x' }, 'tiered:postgres'],
    ]
    for (const [text, given, words] of wrong) {
      const made = storeFromSpec(text, given as Record<string, string>)
      await expect(made, text).rejects.toMatchObject(badConfig(words))
      await expect(made, text).rejects.not.toMatchObject({ message: expect.stringContaining('hunter2') })
    }
    const junk = { ...env, MNEME_REDIS_URL: 'http://ann:hunter2@x' }
    await expect(storeFromSpec('tiered:sqlite:x', junk)).rejects.toMatchObject({ code: 'BAD_CONFIG' })
    await expect(storeFromSpec('tiered:sqlite:x', junk)).rejects.not.toMatchObject({
      message: expect.stringContaining('hunter2'),
    })
    expect(existsSync(path)).toBe(false)
  })

  it('[LIF-1] is a server at an address, or at that of the environment; shown without user and password', async () => {
    const url = 'postgres://ann:hunter2@db.example.com:5432/memory?sslmode=require'
    for (const [text, env] of [
      [url, {}],
      ['postgres', { MNEME_POSTGRES_URL: url }],
      ['postgres:', { MNEME_POSTGRES_URL: url }],
      [url, { MNEME_POSTGRES_URL: 'postgres://elsewhere/x' }],
    ] as const) {
      const spec = parseStoreSpec(text, env)
      expect(spec.name).toBe('postgres at db.example.com:5432/memory')
      expect((await spec.make()).name).toBe('postgres')
    }
    expect(parseStoreSpec('postgresql://db/x', {}).name).toBe('postgres at db/x')
    // Of several memories on a server it says which: a misspelt one would be made, and look empty.
    expect(parseStoreSpec('postgres://db/x?schema=notes', {}).name).toBe('postgres at db/x, schema notes')
    expect(parseStoreSpec('bolt://db?namespace=notes', {}).name).toBe('bolt at db, namespace notes')
    expect(() => parseStoreSpec('postgres', {})).toThrow(expect.objectContaining(badConfig('MNEME_POSTGRES_URL')))
    expect(() => parseStoreSpec('postgres:db', {})).toThrow(expect.objectContaining(badConfig('postgres://')))
    const hot = parseStoreSpec('tiered', {
      MNEME_REDIS_URL: 'redis://localhost',
      MNEME_POSTGRES_URL: url,
      MNEME_DB: 'x',
    })
    expect(hot.name).toBe('a hot tier before postgres at db.example.com:5432/memory')
  })

  it('[LIF-1] is a graph server, whose user, password and database the environment says where the address does not', async () => {
    const env = {
      MNEME_BOLT_URL: 'neo4j+s://ann:hunter2@graph.example.com/notes',
      MNEME_BOLT_USER: 'bob',
      MNEME_BOLT_PASSWORD: 'hunter3',
      MNEME_BOLT_DATABASE: 'neo4j',
    }
    for (const text of ['bolt', 'neo4j:', 'bolt://localhost:7687', 'bolt+s://a@b', 'neo4j+ssc://x?namespace=notes']) {
      expect((await storeFromSpec(text, env)).name, text).toBe('bolt')
    }
    expect(parseStoreSpec('bolt', env).name).toBe('bolt at graph.example.com/notes')
    expect(() => parseStoreSpec('bolt', {})).toThrow(expect.objectContaining(badConfig('MNEME_BOLT_URL')))
    const hot = parseStoreSpec('tiered', { MNEME_REDIS_URL: 'redis://localhost', MNEME_BOLT_URL: env.MNEME_BOLT_URL })
    expect(hot.name).toBe('a hot tier before bolt at graph.example.com/notes')
    await expect(storeFromSpec('bolt://localhost?namespace=a b', env)).rejects.toMatchObject(badConfig('namespace'))
  })

  it('[LIF-2] is refused where it can not be meant, and not shown, as it may hold a password', () => {
    const texts = ['', 'hunter2', './hunter2.db', 'postgress://ann:hunter2@db/x', 'memory:hunter2', 'sqlite://hunter2']
    for (const text of texts) {
      const parse = () => parseStoreSpec(text, {}, '--store')
      expect(parse, text).toThrow(expect.objectContaining(badConfig('--store')))
      expect(parse, text).not.toThrow(/hunter2/)
    }
    for (const text of [
      './hunter2.db',
      '/tmp/hunter2',
      '~/hunter2',
      'hunter2.db',
      'C:\\hunter2',
      '.\\hunter2',
      'tiered:./hunter2',
    ]) {
      const parse = () => parseStoreSpec(text, { MNEME_REDIS_URL: 'redis://localhost' }, '--store')
      expect(parse, text).toThrow(expect.objectContaining(badConfig('--store: a file is written with sqlite:')))
      expect(parse, text).not.toThrow(/hunter2/)
    }
    expect(() => parseStoreSpec('sqlite:', {})).toThrow(expect.objectContaining(badConfig('MNEME_DB')))
  })
})

describe('a memory that the environment names', () => {
  it('[LIF-1] is MNEME_STORE, else the file MNEME_DB, and what is given wins over both', async () => {
    const [first, second, third] = ['1.db', '2.db', '3.db'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    const add = async (options?: Parameters<typeof openMemory>[0]) => {
      const memory = await openMemory({ scope: ann, embedder: false, ...options })
      await memory.add('Ann plays the cello')
      const { store } = await memory.stats()
      await memory.close()
      return store
    }
    vi.stubEnv('MNEME_DB', first)
    await add()
    expect(existsSync(first)).toBe(true)
    vi.stubEnv('MNEME_STORE', `sqlite:${second}`)
    await add()
    expect(existsSync(second)).toBe(true)
    vi.stubEnv('MNEME_STORE', 'memory:')
    expect(await add()).toBe('memory')
    vi.stubEnv('MNEME_STORE', 'nonsense')
    await add({ path: third })
    expect(existsSync(third)).toBe(true)
    expect(await add({ store: memoryStore() })).toBe('memory')
    await expect(add()).rejects.toMatchObject(badConfig('MNEME_STORE'))
  })

  it('[LIF-3] without any it is refused, an empty variable being none; nothing is made before the first use', async () => {
    await expect(openMemory()).rejects.toMatchObject(badConfig('MNEME_STORE'))
    expect(environmentSpec({ MNEME_STORE: '', MNEME_DB: '' })).toBeNull()
    vi.stubEnv('MNEME_STORE', `sqlite:${join(folder, 'sub', 'later.db')}`)
    const memory = await openMemory()
    expect(existsSync(join(folder, 'sub'))).toBe(false)
    await memory.close()
    expect(existsSync(join(folder, 'sub'))).toBe(false)
    await expect(openMemory({ durability: 'full' })).rejects.toMatchObject(badConfig('durability'))
    await expect(openMemory({ path: 'x', store: memoryStore() })).rejects.toMatchObject(badConfig('contradict'))
  })
})
