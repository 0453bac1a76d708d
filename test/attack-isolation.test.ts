import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type MemoryEngine, type MemoryView, openMemory } from '../src/index.ts'

const step = (op: 'link' | 'unlink', from: string, to: string, type: string) => ({
  id: 'p',
  createdAt: '2026-01-01T00:00:00.000Z',
  base: 'p',
  steps: [{ op, link: { from, to, type, weight: 1, metadata: {} }, reason: 'r', evidence: [] }],
})

describe('two tenants of one store', () => {
  let memory: MemoryEngine
  let ann: MemoryView
  let bob: MemoryView
  let first: string
  let second: string

  beforeEach(async () => {
    memory = await openMemory({ path: ':memory:', embedder: false })
    ann = memory.scoped({ userId: 'ann' })
    bob = memory.scoped({ userId: 'bob' })
    first = (await ann.add('one')).record.id
    second = (await ann.add('two')).record.id
    await ann.link(first, second, { type: 'own' })
  })
  afterEach(() => memory.close())

  it('[PLN-4] A plan links and unlinks only records that its call may reach: RECORD_NOT_FOUND otherwise.', async () => {
    await expect(bob.apply(step('link', first, second, 'evil'))).rejects.toMatchObject({ code: 'RECORD_NOT_FOUND' })
    await bob.apply(step('unlink', first, second, 'own')).catch(() => undefined)
    expect((await ann.neighbors(first)).links.map((link) => link.type)).toEqual(['own'])
  })

  it('[EXP-4] The links of an imported file join only records that the call may reach.', async () => {
    const lines = [
      { mneme: 1, exportedAt: '2026-01-01T00:00:00.000Z' },
      { type: 'link', link: { from: second, to: first, type: 'evil', weight: 1, metadata: {} } },
      { type: 'end', records: 0, links: 1 },
    ]
    await bob.import(lines.map((line) => JSON.stringify(line)).join('\n')).catch(() => undefined)
    expect((await ann.neighbors(first)).links.map((link) => link.type)).toEqual(['own'])
  })

  it('[STA-2] What a view is told of sizes does not follow what others store.', async () => {
    const before = await bob.stats()
    await ann.addMany(Array.from({ length: 300 }, (_, i) => `${i} ${'x'.repeat(2000)}`))
    expect(await bob.stats()).toEqual(before)
  })

  it('[CHG-2] A cursor of a view does not move when others write.', async () => {
    const before = (await bob.changes()).cursor
    await ann.add('three')
    expect((await bob.changes({ after: before })).cursor).toBe(before)
  })

  it('[SCO-12] A scope is read once: a getter that answers differently the next time gets nothing.', async () => {
    const view = memory.scoped({ userId: 'bob' }, { alsoRead: [{ userId: 'shared' }] })
    for (let turn = 1; turn <= 6; turn++) {
      let reads = 0
      const scope = {
        get userId() {
          return ++reads <= turn ? 'shared' : 'ann'
        },
      }
      const seen = await view.get(first, { scope }).catch(() => null)
      expect(seen).toBeNull()
    }
  })

  it('[SCO-13] Unknown options of a view are refused: a misspelt readOnly never gives a view that writes.', () => {
    expect(() => memory.scoped({ userId: 'bob' }, { readonly: true } as object)).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_FIELD' }),
    )
  })
})

it('[EXP-5] A file with versions or counts beyond what can go on counting is refused: it never stops anybody from searching.', async () => {
  const memory = await openMemory({ path: ':memory:', embedder: false })
  const ann = memory.scoped({ userId: 'ann' })
  const bob = memory.scoped({ userId: 'bob' })
  await ann.add('cello')
  const record = {
    id: 'huge',
    content: 'x',
    scope: { userId: 'bob' },
    version: Number.MAX_SAFE_INTEGER,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    accessCount: 0,
  }
  const lines = [{ mneme: 1 }, { type: 'record', record }, { type: 'end', records: 1, links: 0 }]
  await bob.import(lines.map((line) => JSON.stringify(line)).join('\n')).catch(() => undefined)
  await bob.update('huge', { importance: 0.1 }).catch(() => undefined)
  expect((await ann.search('cello')).results).toHaveLength(1)
  expect((await ann.changes()).changes).toHaveLength(1)
  expect((await memory.verify()).ok).toBe(true)
  await memory.close()
})
