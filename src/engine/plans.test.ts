import { describe, expect, it } from 'vitest'
import type { MemoryStore } from '../contract/index.ts'
import { memory as memoryStore } from '../stores/memory/index.ts'
import { sqlite } from '../stores/sqlite/index.ts'
import { fixedClock } from '../testing/index.ts'
import { type MemoryEngine, openMemory, type Plan } from './index.ts'

const stores: Record<string, () => MemoryStore> = {
  memory: memoryStore,
  sqlite: () => sqlite({ path: ':memory:' }),
}

/** A write as its options come: with `dryRun` it is only planned. */
type Write = (
  memory: MemoryEngine,
  options: { readonly dryRun?: true },
) => Promise<{ readonly plan?: Plan | undefined }>

const second = 1000
const at = '2026-01-01T00:00:10Z'

/** Each a second after the one before. */
const writes: readonly Write[] = [
  (memory, options) => memory.add({ id: 'a', content: 'one', expiresAt: '2026-02-01T00:00:00Z', validTo: at }, options),
  (memory, options) => memory.update('a', { expiresAt: null, validTo: null, eventTime: { start: at } }, options),
  (memory, options) => memory.update('a', { eventTime: null }, options),
  (memory, options) => memory.invalidate('a', options),
  (memory, options) => memory.restore('a', options),
  (memory, options) => memory.add({ id: 'b', content: 'one' }, options),
  (memory, options) => memory.add('one', { ...options, dedupe: false }),
  (memory, options) => memory.episodes.record('rain', options),
  (memory, options) => memory.episodes.record('rain', options),
  (memory, options) => memory.supersede('a', 'one', options),
  (memory, options) => memory.report('b', { success: false, ...options }),
  (memory, options) => memory.kv.put(['n'], 'short', 1, { ttlMs: 2 * second, ...options }),
  (memory, options) => memory.kv.put(['n'], 'long', 1, { ttlMs: 60 * second, ...options }),
  (memory, options) => memory.kv.put(['n'], 'long', 1, options),
  (memory, options) => memory.kv.put(['n'], 'short', 2, options),
  (memory, options) => memory.tools.learn({ name: 'kettle', description: 'boils water' }, options),
  (memory, options) => memory.tools.report('kettle', { success: false, ...options }),
  (memory, options) => memory.tools.learn({ name: 'kettle', description: 'boils water fast' }, options),
  (memory, options) => memory.skills.learn({ name: 'tea', trigger: 'make tea', steps: ['boil'] }, options),
  (memory, options) => memory.skills.report('tea', { success: true, ...options }),
  (memory, options) => memory.facts.set('city', 'Bremen', options),
  (memory, options) => memory.facts.set('city', 'Kiel', options),
  (memory, options) => memory.entities.set('Ann', { aliases: ['Anna'], ...options }),
  (memory, options) => memory.entities.set('Anne', options),
  (memory, options) => memory.entities.merge('Anne', 'Ann', options),
  (memory, options) => memory.add({ id: 'c', content: 'former' }, options),
  (memory, options) => memory.supersede('c', { id: 'd', content: 'newer' }, options),
  (memory, options) => memory.delete('d', options),
  (memory, options) => memory.report('c', { success: true, ...options }),
  (memory, options) => memory.forget({ strategy: 'capacity', keep: 4, ...options }),
  (memory, options) => memory.maintain(options),
]

/** Every record as it is, but for generated ids. */
async function allOf(memory: MemoryEngine): Promise<readonly object[]> {
  const { records } = await memory.list({ status: 'any', order: 'oldest', limit: 1000 })
  const told = records.map(({ id: _id, supersedes, supersededBy, ...record }) => ({
    ...record,
    chained: [supersedes !== undefined, supersededBy !== undefined],
  }))
  return told.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

describe.each(Object.entries(stores))('plans on the %s store', (_, makeStore) => {
  it('[PLN-5] applying the plan of a dry run leaves what the call itself would have left', async () => {
    const clock = fixedClock(Date.UTC(2026, 0, 1))
    const open = () => openMemory({ store: makeStore(), scope: { userId: 'ann' }, embedder: false, clock })
    const [called, planned] = await Promise.all([open(), open()])
    for (const [i, write] of writes.entries()) {
      clock.advance(second)
      await write(called, {})
      const { plan } = await write(planned, { dryRun: true })
      await planned.apply(JSON.parse(JSON.stringify(plan)))
      expect(await allOf(planned), `write ${i}`).toEqual(await allOf(called))
    }
    // Taken back, too: what was superseded is so again.
    const [undone, alike] = await Promise.all(
      [called, planned].map(async (memory) => {
        await memory.add({ id: 'e', content: 'older' })
        await memory.supersede('e', 'newer than e')
        return memory.restore('e')
      }),
    )
    await called.undo(undone?.tx as string)
    await planned.apply((await planned.undo(alike?.tx as string, { dryRun: true })).plan as Plan)
    expect((await planned.get('e'))?.status).toBe('superseded')
    expect(await allOf(planned)).toEqual(await allOf(called))
    expect(await planned.verify()).toMatchObject({ ok: true })
    await Promise.all([called.close(), planned.close()])
  })

  it('[PLN-5] what was new when it was planned and is there by now is refused', async () => {
    const memory = await openMemory({ store: makeStore(), scope: { userId: 'ann' }, embedder: false })
    const { plan } = await memory.add('said once', { dryRun: true })
    await memory.add('said once')
    await expect(memory.apply(plan as Plan)).rejects.toMatchObject({ code: 'CONFLICT' })
    await memory.close()
  })
})
