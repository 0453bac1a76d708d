import { describe, expect, it } from 'vitest'
import type { MemoryStore } from '../src/contract/index.ts'
import { BackendError } from '../src/errors/index.ts'
import type { OpenMemoryOptions } from '../src/index.ts'
import { open, storeKinds } from './fixtures/reference-stores.ts'

const seconds = { timeout: 120_000 }
/** Some hundred of them are too much for one transaction by their length. */
const text = 'x'.repeat(70_000)
const count = 600

describe.each(storeKinds)('much at once, on $name', ({ create }) => {
  const filled = async (store: MemoryStore, options: Partial<OpenMemoryOptions> = {}) => {
    const memory = await open({ store, ...options })
    const items = Array.from({ length: count }, (_, n) => ({
      content: `${text} ${n}`,
      importance: n < 550 ? 0.1 : 0.9,
    }))
    for (let start = 0; start < count; start += 200) await memory.addMany(items.slice(start, start + 200))
    return memory
  }

  it(
    '[DEL-25] what is too much for one transaction is deleted in several; an end half-way is gone on from',
    seconds,
    async () => {
      const store = create()()
      let left = 0
      const failing: MemoryStore = {
        ...store,
        async commit(transaction, options) {
          if (transaction.verb === 'deleteMany' && left-- <= 0)
            throw new BackendError({ code: 'BACKEND_FAILED', message: 'the disk is full.' })
          return store.commit(transaction, options)
        },
      }
      const memory = await filled(failing)
      await memory.add({ id: 'bob', content: 'of Bob' }, { scope: { userId: 'bob' } })
      const dry = await memory.deleteMany({ filter: {} }, { dryRun: true })
      expect(dry).toEqual({ deleted: count })
      left = 1
      const call = { idempotencyKey: 'all of it' }
      const failure = await memory.deleteMany({ filter: {} }, call).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'BACKEND_FAILED', details: { tx: expect.any(String) } })
      const { total } = await memory.stats()
      expect(total).toBeGreaterThan(0)
      expect(total).toBeLessThan(count)
      left = 100
      const { details } = failure as BackendError
      const answer = await memory.deleteMany({ filter: {} }, call)
      expect(answer).toEqual({ deleted: count, tx: details.tx })
      expect((await memory.stats()).total).toBe(0)
      await memory.add('came later')
      expect(await memory.deleteMany({ filter: {} }, call)).toEqual(answer)
      expect((await memory.stats()).total).toBe(1)
      expect((await memory.stats({ scope: { userId: 'bob' } })).total).toBe(1)
    },
  )

  it('[KND-20] so is what is forgotten; undo brings all of it back that was archived', seconds, async () => {
    const memory = await filled(create()())
    const selection = { strategy: 'importance', below: 0.3 } as const
    const dry = await memory.forget(selection, { dryRun: true })
    expect(dry.ids).toHaveLength(550)
    expect(dry.plan).toBeUndefined()
    const { ids, tx } = await memory.forget(selection)
    expect(new Set(ids)).toEqual(new Set(dry.ids))
    expect((await memory.stats()).live).toBe(count - 550)
    const txs = await Promise.all([0, 549].map(async (n) => (await memory.history(ids[n] as string)).at(-1)?.tx))
    expect(txs[0]).toBe(tx)
    expect(txs[1]).not.toBe(tx)
    expect((await memory.undo(tx as string)).reverted).toHaveLength(550)
    expect((await memory.stats()).live).toBe(count)
    expect((await memory.forget({ ...selection, mode: 'delete' })).ids).toHaveLength(550)
    expect((await memory.stats()).total).toBe(count - 550)
  })

  it('[KND-20] so is what maintenance removes', seconds, async () => {
    const memory = await filled(create()(), { kinds: { semantic: { maxRecords: 10 } } })
    const dry = await memory.maintain({ dryRun: true })
    expect(dry.evicted).toHaveLength(count - 10)
    expect(dry.plan).toBeUndefined()
    const done = await memory.maintain()
    expect(new Set(done.evicted)).toEqual(new Set(dry.evicted))
    expect(Object.keys(done.why)).toHaveLength(count - 10)
    expect(done.tx).toEqual(expect.any(String))
    expect((await memory.stats()).total).toBe(10)
    expect((await memory.maintain()).tx).toBeUndefined()
  })

  it(
    '[EXP-7] an export holds the links between what it shows, once, whatever is written meanwhile',
    seconds,
    async () => {
      const memory = await open({ store: create()() })
      const id = (n: number) => `r${String(n).padStart(4, '0')}`
      const items = Array.from({ length: 1200 }, (_, n) => ({ id: id(n), content: `record ${n}` }))
      await memory.addMany(items.slice(0, 600))
      await memory.addMany(items.slice(600))
      await memory.add({ id: 'bob', content: 'of Bob' }, { scope: { userId: 'bob' } })
      const pairs = [
        [id(0), id(1199)],
        [id(1199), id(1)],
        [id(700), id(701)],
        [id(3), id(2)],
      ] as const
      for (const [from, to] of pairs) await memory.link(from, to, { type: 'next' })
      const ended = await memory.add({ content: 'soon over', expiresAt: '2100-01-01T00:00:00Z' })
      await memory.link(ended.record.id, id(5), { type: 'next' })
      const lines: string[] = []
      for await (const line of memory.export()) {
        lines.push(line)
        if (lines.length !== 700) continue
        await memory.link(id(4), id(6), { type: 'later' })
        await memory.add('added later')
      }
      const parsed = lines.map((line) => JSON.parse(line))
      const links = parsed.flatMap(({ link }) => (link ? [[link.from, link.to]] : []))
      expect([...links].sort()).toEqual([...pairs, [ended.record.id, id(5)]].sort())
      expect(parsed.at(-1)).toEqual({ type: 'end', records: 1201, links: 5 })
      const other = await open({})
      expect(await other.import(lines.join(''))).toMatchObject({ imported: 1201, failed: 0 })
      expect((await other.neighbors(id(1199))).links).toHaveLength(2)
    },
  )
})
