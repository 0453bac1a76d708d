import { describe, expect, it } from 'vitest'
import { memory as memoryStore } from '../stores/memory/index.ts'
import { openMemory } from './index.ts'

const ann = { userId: 'ann' }

async function fresh(options: object = {}) {
  return openMemory({ store: memoryStore(), scope: ann, ...options })
}

describe('a memory end to end', () => {
  it('[WRT-1] adds, finds, changes and deletes', async () => {
    const memory = await fresh()
    const { record, tx, outcome } = await memory.add('Ann plays the cello in a small orchestra')
    expect(outcome).toBe('added')
    expect(tx).toBeTypeOf('string')
    await memory.add('Ann is allergic to hazelnuts')
    const { results } = await memory.search('which instrument does she play?')
    expect(results[0]?.id).toBe(record.id)
    const updated = await memory.update(record.id, { importance: 0.9 })
    expect(updated.record.version).toBe(2)
    expect((await memory.history(record.id)).map((revision) => revision.op)).toEqual(['add', 'update'])
    const { previous, record: next } = await memory.supersede(record.id, 'Ann plays the viola now')
    expect(previous.status).toBe('superseded')
    expect(next.supersedes).toBe(record.id)
    const again = await memory.search('instrument cello viola')
    expect(again.results.map((hit) => hit.id)).not.toContain(record.id)
    expect(await memory.delete(next.id)).toMatchObject({ deleted: 1 })
    expect(await memory.get(next.id)).toBeNull()
    expect((await memory.list()).records.map((item) => item.content)).toEqual(['Ann is allergic to hazelnuts'])
    expect(await memory.verify()).toMatchObject({ ok: true })
    await memory.close()
    await expect(memory.get('x')).rejects.toMatchObject({ code: 'ENGINE_CLOSED' })
  })

  it('[WRT-2] answers a repeated idempotency key again and writes nothing', async () => {
    const memory = await fresh()
    const first = await memory.add('once', { idempotencyKey: 'k1' })
    const second = await memory.add('once', { idempotencyKey: 'k1' })
    expect(second).toEqual(first)
    await expect(memory.add('other', { idempotencyKey: 'k1' })).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' })
    expect((await memory.list()).records).toHaveLength(1)
  })

  it('[UND-1] undoes a transaction and refuses when a record changed since', async () => {
    const memory = await fresh()
    const { record } = await memory.add('first words')
    const { tx } = await memory.update(record.id, { content: 'second words' })
    await memory.undo(tx as string)
    expect((await memory.get(record.id))?.content).toBe('first words')
    const later = await memory.update(record.id, { content: 'third words' })
    await memory.update(record.id, { tags: ['x'] })
    await expect(memory.undo(later.tx as string)).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('[UND-2] transactions are undone one after the other, the newest first', async () => {
    const memory = await fresh({ embedder: false })
    const { record, tx: first } = await memory.add('one')
    const { tx: second } = await memory.update(record.id, { content: 'two' })
    const { tx: third } = await memory.supersede(record.id, 'three')
    await memory.get(record.id)
    await memory.undo(third as string)
    await memory.undo(second as string)
    expect((await memory.get(record.id))?.content).toBe('one')
    await memory.undo(first as string)
    expect(await memory.get(record.id)).toBeNull()
    // A change after an undo is taken back to what the undo had left.
    const again = await memory.add('five')
    for (const content of ['six', 'seven']) {
      const { tx: change } = await memory.update(again.record.id, { content })
      await memory.undo(change as string)
      expect((await memory.get(again.record.id))?.content).toBe('five')
    }
    await memory.undo(again.tx as string)
    expect(await memory.get(again.record.id)).toBeNull()
    const { tx: merged } = await memory.update((await memory.add('four')).record.id, { tags: ['x'], importance: 0.9 })
    await memory.update((await memory.list()).records[0]?.id as string, { tags: [] })
    await expect(memory.undo(merged as string)).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('[EXP-1] a round trip through export and import is lossless', async () => {
    const memory = await fresh()
    const a = await memory.add({
      content: 'a',
      tags: ['t'],
      metadata: { n: 1 },
      eventTime: { start: '2026-05-08T13:56:00+02:00' },
    })
    const b = await memory.add('b')
    await memory.link(a.record.id, b.record.id, { type: 'next' })
    await memory.update(a.record.id, { importance: 0.7 })
    const lines: string[] = []
    for await (const line of memory.export({ vectors: true })) lines.push(line)
    const other = await fresh()
    const report = await other.import(lines.join(''))
    expect(report).toMatchObject({ imported: 2, failed: 0 })
    expect(await other.list({ order: 'oldest' })).toEqual(await memory.list({ order: 'oldest' }))
    expect((await other.neighbors(a.record.id)).links).toHaveLength(1)
    for (const format of ['mneme', 'jsonl'] as const)
      expect(await other.import(memory.export({ format: 'jsonl' }), { format })).toMatchObject({ skipped: 2 })
    await expect(other.import(lines.slice(0, -1).join(''))).rejects.toMatchObject({ code: 'INVALID_RECORD' })
  })

  it('[SCO-3] a view is a ceiling', async () => {
    const memory = await fresh()
    await memory.add('of bob', { scope: { userId: 'bob' } })
    const view = memory.scoped(ann)
    expect((await view.search('bob')).results).toHaveLength(0)
    await expect(view.search('x', { scope: { userId: 'bob' } })).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
    await expect(view.list({ allScopes: true })).rejects.toMatchObject({ code: 'SCOPE_DENIED' })
    expect('verify' in view).toBe(false)
  })

  it('[PLN-1] a dry run shows a plan that apply carries out', async () => {
    const memory = await fresh()
    const { plan } = await memory.add('planned words', { dryRun: true })
    expect((await memory.list()).records).toHaveLength(0)
    const { results } = await memory.apply(JSON.parse(JSON.stringify(plan)))
    expect(results[0]?.record?.content).toBe('planned words')
  })
})

describe('restoring', () => {
  it('[WRT-31] brings back the end of validity that a record had; only supersede makes a record superseded', async () => {
    const memory = await fresh()
    const validTo = '2030-01-01T00:00:00.000Z'
    const { record } = await memory.add({ content: 'a lease', validTo })
    await memory.invalidate(record.id, { at: '2026-01-01T00:00:00Z' })
    expect((await memory.restore(record.id)).record).toMatchObject({ status: 'live', validTo })
    const open = await memory.add('open-ended')
    await memory.supersede(open.record.id, 'another')
    expect((await memory.restore(open.record.id)).record.validTo).toBeUndefined()
    await expect(memory.update(record.id, { status: 'superseded' })).rejects.toMatchObject({ code: 'INVALID_RECORD' })
    await expect(memory.add({ content: 'x', status: 'superseded' })).rejects.toMatchObject({ code: 'INVALID_RECORD' })
  })
})
