import { describe, expect, it } from 'vitest'
import { plainVectors } from '../../../test/fixtures/search-answers.ts'
import type { StoreChange } from '../../contract/index.ts'
import { exactly, within } from '../../model/index.ts'
import { memory } from '../../stores/memory/index.ts'
import { put, transaction, unitVector } from '../../testing/index.ts'
import { dot } from '../../vector/index.ts'
import { createIndex } from './index.ts'
import { VectorRows } from './vector-rows.ts'
import { VisibleVectors } from './visible-vectors.ts'

const space = 'test'
const ann = { userId: 'ann' }
const window = { statuses: ['live'], now: 0, limit: 10 } as const
const byNumber = (a: number, b: number): number => a - b

/** Directions that look random and are the same every time. */
function direction(n: number, dimensions: number): number[] {
  return Array.from({ length: dimensions }, (_, i) => Math.sin(1 + n * 12.9898 + i * (78.233 + n)) + 0.2)
}
const unit = (n: number, dimensions = 20): Float32Array => unitVector(direction(n, dimensions)).values

function slots(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, slot) => slot)
}

describe('vectors of the in-process index', () => {
  it('[IDX-16] of more than a thousand vectors the mean cosine follows every change, to the bit as a new index tells it, and is within .01', async () => {
    const store = memory()
    await store.open()
    let n = 0
    const commit = (...changes: StoreChange[]) => store.commit(transaction({ id: `t${++n}`, at: n, changes }))
    const note = (id: string, i: number) => put({ id, scope: ann }, { vector: unitVector(direction(i, 20)) })
    await commit(...Array.from({ length: 1500 }, (_, i) => note(`r${i}`, i)))
    await commit(put({ id: 'late', scope: ann, content: 'tea' }), put({ id: 'bob', scope: { userId: 'bob' } }))
    const index = createIndex(store, { space })
    const query = unit(-1)
    const look = async (of = index) => plainVectors(await of.vectors.nearest(within(ann), space, query, window))
    await index.sync()
    await look()
    await commit(note('new', 5000), note('r7', 6000))
    await commit({ type: 'remove', op: 'delete', id: 'r9' })
    await store.derive([{ id: 'late', version: 1, vector: unitVector(direction(7000, 20)) }])
    await index.sync()
    const fresh = createIndex(store, { space })
    await fresh.sync()
    expect(await look()).toEqual(await look(fresh))
    const { vectors, meanCosine } = await look()
    const listed = await store.list(exactly(ann), { statuses: ['live'], order: 'oldest', limit: 2000 })
    const units = listed.items.flatMap(({ vector }) => vector?.values ?? [])
    expect(vectors).toBe(units.length)
    const mean = units.reduce((sum, values) => sum + dot(values, query), 0) / units.length
    expect(Math.abs(meanCosine - mean)).toBeLessThan(0.01)
    await store.close()
  })

  it('[IDX-17] a search that waits for vectors of the store answers from what there was when it began', async () => {
    let goOn: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const from = new VectorRows(20, {})
    for (let slot = 0; slot < 30; slot++) from.set(slot, unit(slot))
    const rows = new VectorRows(20, {
      async fetch(wanted) {
        await gate
        return wanted.map((slot) => unit(slot))
      },
    })
    expect(rows.load(0, from.save(0, 30))).toBe(true)
    const query = { vector: unit(3), limit: 30, exact: false, allowed: null, before: byNumber }
    const asked = rows.nearest({ ...query, among: new VisibleVectors(rows, slots(30)) })
    rows.free(3)
    rows.set(30, unit(99))
    goOn()
    expect(await asked).toEqual(await from.nearest({ ...query, among: new VisibleVectors(from, slots(30)) }))
    const { hits } = await rows.nearest({ ...query, among: new VisibleVectors(rows, slots(30)) })
    expect(hits.map(({ slot }) => slot)).not.toContain(3)
  })

  it('[IDX-17] vectors that were loaded without single precision are fetched once, by the way or when a search needs them', async () => {
    const from = new VectorRows(20, {})
    for (let slot = 0; slot < 1500; slot++) from.set(slot, unit(slot))
    const fetched: number[] = []
    const rows = new VectorRows(20, {
      async fetch(wanted) {
        fetched.push(...wanted)
        return wanted.map((slot) => (slot === 1400 ? null : unit(slot)))
      },
    })
    expect(rows.load(0, from.save(0, 1500))).toBe(true)
    const query = { vector: unit(3), limit: 10, exact: false, allowed: null, before: byNumber }
    const { hits } = await rows.nearest({ ...query, among: new VisibleVectors(rows, slots(1500)) })
    expect(hits).toEqual((await from.nearest({ ...query, among: new VisibleVectors(from, slots(1500)) })).hits)
    expect(rows.preparationDue).toBe(true)
    await rows.prepare(new AbortController().signal)
    expect(rows.preparationDue).toBe(false)
    expect(fetched.sort(byNumber)).toEqual([...slots(1500)])
    // Of a record that the store has no longer: the next sync takes it away.
    expect((await rows.cosines(unit(3), [1400, 1401]))[0]).toBeNull()
  })

  it('[IDX-17] where not all can be kept in single precision, those of a scope that is asked again and again are fetched once', async () => {
    let fetched: number[] = []
    const rows = new VectorRows(20, {
      floatRows: 24_000,
      async fetch(wanted) {
        fetched.push(...wanted)
        return wanted.map((slot) => unit(slot))
      },
    })
    for (let slot = 0; slot < 30_000; slot++) rows.set(slot, unit(slot))
    const { signal } = new AbortController()
    await rows.prepare(signal)
    const among = new VisibleVectors(rows, slots(1500))
    const search = (n: number) =>
      rows.nearest({ vector: unit(-n), limit: 10, exact: false, allowed: null, before: byNumber, among })
    const before = []
    for (let n = 1; n <= 4; n++) {
      expect(rows.preparationDue).toBe(false)
      before.push(await search(n))
    }
    expect(rows.preparationDue).toBe(true)
    await rows.prepare(signal)
    expect(rows.preparationDue).toBe(false)
    expect(new Set(fetched).size).toBe(1500)
    fetched = []
    for (let n = 1; n <= 4; n++) expect(await search(n)).toEqual(before[n - 1])
    await search(5)
    expect(fetched).toEqual([])
    // What is too much to be kept is left to searches.
    const many = new VisibleVectors(rows, slots(20_000))
    for (let n = 1; n <= 5; n++)
      await rows.nearest({ vector: unit(-n), limit: 10, exact: false, allowed: null, before: byNumber, among: many })
    expect(rows.preparationDue).toBe(false)
  })

  it('[IDX-18] what was learnt of vectors without questions is learnt anew once there are some', async () => {
    const count = 10_500
    const rows = new VectorRows(20, {})
    for (let slot = 0; slot < count; slot++) rows.set(slot, unit(slot))
    const among = new VisibleVectors(rows, slots(count))
    const { signal } = new AbortController()
    await rows.prepare(signal)
    expect([rows.calibration?.asked, rows.preparationDue]).toEqual([false, false])
    const learnt = rows.calibration
    const reopened = new VectorRows(20, {})
    for (let slot = 0; slot < count; slot++) reopened.set(slot, unit(slot))
    if (learnt) reopened.know(learnt)
    await reopened.prepare(signal)
    for (const each of [rows, reopened]) {
      for (let i = 1; i <= 16; i++) {
        expect(each.preparationDue).toBe(false)
        await each.nearest({ vector: unit(-i), among, limit: 10, exact: false, allowed: null, before: byNumber })
      }
      expect(each.preparationDue).toBe(true)
      await each.prepare(signal)
      expect([each.calibration?.asked, each.hasLearnt, each.preparationDue]).toEqual([true, true, false])
    }
  })

  it('[IDX-18] asked to be exact, a search of many vectors answers as if every one was compared', async () => {
    const count = 31_000
    const rows = new VectorRows(64, {})
    for (let slot = 0; slot < count; slot++) rows.set(slot, unit(slot, 64))
    const among = new VisibleVectors(rows, slots(count))
    await rows.prepare(new AbortController().signal)
    const allowed = (slot: number): boolean => slot % 3 !== 0
    for (let i = 1; i < 4; i++) {
      const vector = unit(-i, 64)
      const { hits } = await rows.nearest({ vector, among, limit: 200, exact: true, allowed, before: byNumber })
      const cosines = await rows.cosines(vector, [...slots(count)])
      const expected = [...slots(count)].filter(allowed).map((slot) => ({ slot, cosine: cosines[slot]! }))
      expected.sort((a, b) => b.cosine - a.cosine || a.slot - b.slot)
      expect(hits).toEqual(expected.slice(0, 200))
    }
  })
})
