import { describe, expect, it } from 'vitest'
import { testStores } from '../../test/fixtures/stores.ts'
import type { JournalEntry } from '../contract/index.ts'
import { fixedClock } from '../testing/index.ts'
import { type MemoryEngine, type OpenMemoryOptions, openMemory } from './index.ts'

const ann = { userId: 'ann' }
const bob = { userId: 'bob' }

/** Lines without what differs from run to run, once all that was read is written. */
async function linesOf(memory: MemoryEngine, options: object = {}) {
  await memory.stop()
  const { entries } = await memory.journal(options)
  return entries.map(({ seq, op, verb, actor, reason, ids }) => ({ seq, op, verb, actor, reason, ids }))
}

describe.each(testStores)('the journal on the %s store', (name, makeStore) => {
  const open = (options: Partial<OpenMemoryOptions> = {}) =>
    openMemory({ store: makeStore(), scope: ann, embedder: false, clock: fixedClock(), ...options })

  it('[JRN-1] every write leaves its lines in its own transaction, one a scope; a dry run or a write that changes nothing none', async () => {
    const memory = await open()
    await memory.addMany([
      { id: 'a', content: 'tea is hot' },
      { id: 'b', content: 'tea is black' },
    ])
    await memory.update('a', { importance: 1 }, { actor: 'ann', reason: 'it matters' })
    await memory.update('a', { importance: 1 })
    await memory.delete('b', { dryRun: true })
    await memory.link('a', 'b', { type: 'like' })
    await memory.add({ id: 'x', content: 'elsewhere' }, { scope: { ...ann, sessionId: 's' } })
    await memory.add({ id: 'y', content: 'not hers' }, { scope: bob })
    await memory.deleteMany({ ids: ['b', 'x'] })
    const { entries } = await memory.journal()
    expect(
      entries.map(({ seq, op, verb, actor, reason, ids, scope }) => [seq, op, verb, actor, reason, ids, scope]),
    ).toEqual([
      [1, 'write', 'addMany', undefined, undefined, ['a', 'b'], ann],
      [2, 'write', 'update', 'ann', 'it matters', ['a'], ann],
      [3, 'write', 'link', undefined, undefined, ['a', 'b'], ann],
      [4, 'write', 'add', undefined, undefined, ['x'], { ...ann, sessionId: 's' }],
      [5, 'write', 'deleteMany', undefined, undefined, ['b'], ann],
      [6, 'write', 'deleteMany', undefined, undefined, ['x'], { ...ann, sessionId: 's' }],
    ])
    expect(entries[0]?.at).toBe('2026-01-01T00:00:00.000Z')
    expect(JSON.stringify(entries)).not.toMatch(/hot|black|elsewhere/)
    expect((await memory.journal({ scope: bob })).entries).toHaveLength(1)
    expect((await memory.journal({ allScopes: true })).entries).toHaveLength(7)
    await memory.close()
  })

  it('[JRN-2] a read that gives a reason leaves a line, found or not; others only where all are asked for', async () => {
    if (name === 'memory') return
    const memory = await open()
    await memory.add({ id: 'a', content: 'tea is hot' })
    await memory.search('tea')
    await memory.search('tea', { reason: 'to brew', actor: 'kettle' })
    await memory.get('nobody', { reason: 'to see' })
    await memory.list({ reason: 'all of it' })
    await memory.search('tea', { allScopes: true, reason: 'to look around' } as never)
    expect(await linesOf(memory, { op: 'read' })).toEqual([
      { seq: 2, op: 'read', verb: 'search', actor: 'kettle', reason: 'to brew', ids: ['a'] },
      { seq: 3, op: 'read', verb: 'get', actor: undefined, reason: 'to see', ids: [] },
      { seq: 4, op: 'read', verb: 'list', actor: undefined, reason: 'all of it', ids: ['a'] },
      { seq: 5, op: 'read', verb: 'search', actor: undefined, reason: 'to look around', ids: ['a'] },
    ])
    await memory.close()
    const all = await open({ journalReads: 'all' })
    await all.get('a')
    await all.stats()
    for await (const _ of all.export());
    expect((await linesOf(all)).map(({ verb }) => verb)).toEqual(['get', 'export'])
    await all.close()
  })

  it('[JRN-3] the journal is shown by time, actor, ids and kind of act, page by page', async () => {
    const clock = fixedClock()
    const memory = await open({ clock })
    for (let i = 0; i < 7; i++) {
      await memory.add({ id: `r${i}`, content: `tea ${i}` }, { actor: i % 2 ? 'ann' : 'eve' })
      clock.advance(1000)
    }
    const ids = async (options: object) => (await memory.journal(options)).entries.flatMap((entry) => entry.ids)
    expect(await ids({ since: '2026-01-01T00:00:05Z' })).toEqual(['r5', 'r6'])
    expect(await ids({ actor: 'ann' })).toEqual(['r1', 'r3', 'r5'])
    expect(await ids({ ids: ['r3', 'r0'] })).toEqual(['r0', 'r3'])
    expect(await ids({ op: 'read' })).toEqual([])
    const paged: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await memory.journal({ actor: 'eve', limit: 2, cursor })
      paged.push(...page.entries.flatMap((entry) => entry.ids))
      cursor = page.nextCursor
      if (cursor === undefined) break
      await expect(memory.journal({ actor: 'ann', limit: 2, cursor })).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
    }
    expect(paged).toEqual(['r0', 'r2', 'r4', 'r6'])
    await memory.close()
  })

  it('[JRN-4] a chain is whole, and a line that was changed is found', async () => {
    const store = makeStore()
    const memory = await openMemory({ store, scope: ann, embedder: false })
    for (let i = 0; i < 5; i++) await memory.add(`tea ${i}`)
    await memory.add('coffee', { scope: bob })
    expect(await memory.verifyJournal()).toEqual({ ok: true, entries: 6 })
    const { journal } = store
    Object.assign(store, {
      journal: async (...args: Parameters<typeof journal>) =>
        (await journal(...args)).map((entry) => (entry.seq === 3 ? { ...entry, reason: 'forged' } : entry)),
    })
    expect(await memory.verifyJournal()).toMatchObject({ ok: false, brokenAt: 3, owner: ann })
    await memory.close()
  })

  it('[JRN-4] that the last lines of a chain are gone, or all of them, is found too', async () => {
    const store = makeStore()
    const memory = await openMemory({ store, scope: ann, embedder: false })
    for (let i = 0; i < 5; i++) await memory.add(`tea ${i}`)
    await memory.add('coffee', { scope: bob })
    const { journal } = store
    const withhold = (isGone: (entry: JournalEntry) => boolean) =>
      Object.assign(store, {
        journal: async (...args: Parameters<typeof journal>) =>
          (await journal(...args)).filter((entry) => !isGone(entry)),
      })
    withhold(({ seq }) => seq > 3)
    expect(await memory.verifyJournal()).toEqual({ ok: false, entries: 4, brokenAt: 4, owner: ann })
    withhold(({ scope }) => scope.userId === 'bob')
    expect(await memory.verifyJournal()).toEqual({ ok: false, entries: 5, brokenAt: 1, owner: bob })
    withhold(() => false)
    expect(await memory.verifyJournal()).toEqual({ ok: true, entries: 6 })
    await memory.close()
  })
})
