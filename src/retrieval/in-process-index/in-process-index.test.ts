import { describe, expect, it } from 'vitest'
import { plainText, plainTurns, plainVectors } from '../../../test/fixtures/search-answers.ts'
import type { MemoryStore, SearchWindow, StoreChange } from '../../contract/index.ts'
import { MnemeError } from '../../errors/index.ts'
import { allScopes, type Scope, type ScopeFilter, within } from '../../model/index.ts'
import { memory } from '../../stores/memory/index.ts'
import { put, transaction, unitVector } from '../../testing/index.ts'
import { createIndex, type InProcessIndex, type SearchFacets } from './index.ts'

const ann: Scope = { userId: 'ann' }
const bob: Scope = { userId: 'bob' }
const window: SearchWindow = { statuses: ['live'], now: 1_000, limit: 10 }
const space = 'test'

interface Opened {
  readonly store: MemoryStore
  readonly index: InProcessIndex
  commit(...changes: StoreChange[]): Promise<void>
}

async function opened(
  source?: (store: MemoryStore) => Pick<MemoryStore, 'log' | 'get' | 'vectorsOf'>,
): Promise<Opened> {
  const store = memory()
  await store.open()
  let n = 0
  return {
    store,
    index: createIndex(source?.(store) ?? store, { space }),
    async commit(...changes) {
      await store.commit(transaction({ id: `t${++n}`, at: n, changes }))
    },
  }
}

function several<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i))
}

function newGate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined
  const opening = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened: opening, open }
}

async function found(index: SearchFacets, term: string, scope: ScopeFilter = within(ann)): Promise<readonly string[]> {
  const { hits } = await index.text.match(scope, [term], { ...window, limit: 1000 })
  return hits.map(({ id }) => id).sort()
}

async function everything(index: SearchFacets, scope: ScopeFilter) {
  const vector = Float32Array.of(1, 0.5, -0.25, 0.001, 0.7)
  const others = several(5, (i) => Float32Array.of(i / 3, 1, 0.1, 1e-4, 0.3)).map((other) =>
    index.vectors.nearest(scope, space, other, window),
  )
  const asked = { terms: ['tea'], tokens: [1, 2], space, vector }
  return [
    plainText(await index.text.match(scope, ['tea', 'cake', 'rain'], window)),
    plainVectors(await index.vectors.nearest(scope, space, vector, window)),
    (await Promise.all(others)).map(plainVectors),
    await index.turns.actors(scope, window),
    plainTurns(await index.turns.describe(scope, { keyed: ['a0', 'a1', 'a7'] }, asked, window)),
  ]
}

/** A few hundred records of a scope, no two alike. */
function diary(scope: Scope, prefix: string, count: number): StoreChange[] {
  return several(count, (i) => {
    const content = `tea ${i % 3 === 0 ? 'cake cake' : 'rain'} ${'word '.repeat(i % 7)}`
    const vector = unitVector([
      Math.sin(i * 7.3),
      Math.cos(i),
      (i % 11) / 7 + 0.01,
      Math.sin(i) / 1e3,
      Math.cos(i * 3) / 1e6,
    ])
    return put({ id: `${prefix}${i}`, scope, content }, { vector })
  })
}

describe('in-process index', () => {
  it('[IDX-2] what others write, change and remove moves no bit of an answer', async () => {
    const { index, commit } = await opened()
    await commit(...diary({ ...ann, sessionId: 's1' }, 'a', 60), ...diary({ ...ann, sessionId: 's2' }, 'b', 60))
    await commit(...diary({ ...ann, sessionId: 's1' }, 'a', 60))
    await index.sync()
    const before = await everything(index, within(ann))
    await commit(...diary(bob, 'x', 1000))
    await index.sync()
    expect(await everything(index, within(ann))).toEqual(before)
    await commit(...diary(bob, 'x', 1000))
    await commit(...several(1000, (i): StoreChange => ({ type: 'remove', op: 'delete', id: `x${i}` })))
    await index.sync()
    expect(index.size).toBe(120)
    expect(await everything(index, within(ann))).toEqual(before)
  })

  it('[IDX-1] a record is visible until the millisecond in which it expires', async () => {
    const { index, commit } = await opened()
    const expiresAt = '1970-01-01T00:00:02.000Z'
    await commit(put({ id: 'r', scope: ann, content: 'tea', expiresAt }), put({ id: 's', scope: ann, content: 'tea' }))
    await index.sync()
    const documents = async (now: number) =>
      (await index.text.match(within(ann), ['tea'], { ...window, now })).documents
    expect(await documents(1_999)).toBe(2)
    expect(await documents(2_000)).toBe(1)
    expect(await documents(5_000)).toBe(1)
    expect(await documents(0)).toBe(2)
  })

  it('[IDX-3] the one record that a narrow search may find is found among ten thousand better ones', async () => {
    const { index, commit } = await opened()
    await commit(
      ...several(10_000, (i) => put({ id: `r${i}`, scope: ann, content: 'tea tea' }, { vector: unitVector([1, 0]) })),
    )
    await commit(
      put({ id: 'one', kind: 'episodic', scope: ann, content: 'a pot of tea' }, { vector: unitVector([0.1, 1]) }),
    )
    await index.sync()
    for (const narrow of [{ kinds: ['episodic'] }, { only: new Set(['one', 'unknown']) }]) {
      const { hits, documents } = await index.text.match(within(ann), ['tea'], { ...window, ...narrow, limit: 1 })
      expect(hits.map(({ id }) => id)).toEqual(['one'])
      expect(documents).toBe(10_001)
      const nearest = await index.vectors.nearest(within(ann), space, Float32Array.of(1, 0), {
        ...window,
        ...narrow,
        limit: 1,
      })
      expect(nearest.hits.map(({ id }) => id)).toEqual(['one'])
      expect(nearest.vectors).toBe(10_001)
    }
  })

  it('[IDX-3] vectors of zeros match nothing, and a query of another length is refused', async () => {
    const { index, commit } = await opened()
    await commit(
      put({ id: 'zero', scope: ann }, { vector: unitVector([0, 0]) }),
      put({ id: 'one', scope: ann }, { vector: unitVector([1, 0]) }),
      put({ id: 'other', scope: ann }, { vector: unitVector([1, 0], 'other') }),
    )
    await index.sync()
    const nearest = async (vector: Float32Array, of = space) =>
      plainVectors(await index.vectors.nearest(within(ann), of, vector, window))
    expect(await nearest(Float32Array.of(0, 1))).toEqual({
      hits: [{ id: 'one', cosine: 0 }],
      vectors: 1,
      meanCosine: 0,
    })
    expect(await nearest(Float32Array.of(0, 0))).toEqual({ hits: [], vectors: 1, meanCosine: 0 })
    expect(await nearest(Float32Array.of(1, 0), 'other')).toEqual({ hits: [], vectors: 0, meanCosine: 0 })
    const refused = await nearest(Float32Array.of(1, 0, 0)).catch((error: unknown) => error)
    expect(MnemeError.is(refused, 'INVALID_ARGUMENT')).toBe(true)
  })

  it('[IDX-4] turns of a thread are placed by event time, then in the order in which they were first written', async () => {
    const { index, commit } = await opened()
    const scope = { ...ann, sessionId: 's' }
    const eventTime = { start: '1970-01-01T00:00:00.000Z' }
    await commit(
      put({ id: 'late', scope }),
      put({ id: 'first', scope, eventTime }),
      put({ id: 'second', scope, eventTime }),
    )
    await commit(
      put({ id: 'first', scope, eventTime, content: 'changed' }, { op: 'update' }),
      put({ id: 'fact', scope: ann }),
    )
    await commit(put({ id: 'gone', scope, eventTime, status: 'superseded' }))
    await index.sync()
    const ids = ['first', 'second', 'gone', 'late', 'fact']
    const { turns } = await index.turns.describe(within(ann), { keyed: ids }, { terms: [], tokens: [] }, window)
    expect(turns.map(({ id, position, thread }) => [id, position, thread !== null])).toEqual([
      ['first', 0, true],
      ['second', 1, true],
      ['late', 2, true],
      ['fact', 0, false],
    ])
  })

  it('[IDX-5] sync sees everything committed before the call, also when another is under way', async () => {
    const gate = newGate()
    let reads = 0
    const { index, commit } = await opened((store) => ({
      ...store,
      async log(after, options) {
        const page = await store.log(after, options)
        // The first reader has seen the end of the log and is held up.
        if (++reads === 1) await gate.opened
        return page
      },
    }))
    const first = index.sync()
    await Promise.resolve()
    await commit(put({ id: 'r', scope: ann, content: 'tea' }))
    const others = Promise.all([index.sync(), index.sync(), index.sync()])
    gate.open()
    await others
    expect(await found(index, 'tea')).toEqual(['r'])
    await first
    const before = reads
    await Promise.all([index.sync(), index.sync(), index.sync()])
    // One round at work, one that the two others share.
    expect(reads - before).toBe(2)
  })

  it('[IDX-5] a search sees all of a transaction or nothing, and a long replay leaves room for other work', async () => {
    const { index, commit } = await opened()
    await commit(put({ id: 'old', scope: ann, content: 'tea' }))
    await index.sync()
    const content = `tea ${Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ')}`
    await commit(
      { type: 'remove', op: 'delete', id: 'old' },
      ...several(5000, (i) => put({ id: `r${i}`, scope: ann, content })),
    )
    let done = false
    const syncing = index.sync().finally(() => {
      done = true
    })
    const seen = new Set<number>()
    let turns = 0
    for (; !done; turns++) {
      seen.add((await index.text.match(within(ann), ['tea'], window)).documents)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await syncing
    seen.add((await index.text.match(within(ann), ['tea'], window)).documents)
    expect([...seen]).toEqual([1, 5000])
    expect(turns).toBeGreaterThan(1)
  })

  it('[IDX-5] an aborted wait ends at once and leaves the work to the others', async () => {
    const gate = newGate()
    const { index, commit } = await opened((store) => ({
      ...store,
      log: (after, options) => gate.opened.then(() => store.log(after, options)),
    }))
    await commit(put({ id: 'r', scope: ann, content: 'tea' }))
    const patient = index.sync()
    const reason = new Error('enough')
    const controller = new AbortController()
    const impatient = index.sync({ signal: controller.signal })
    controller.abort(reason)
    await expect(impatient).rejects.toBe(reason)
    await expect(index.sync({ signal: controller.signal })).rejects.toBe(reason)
    await expect(index.text.match(within(ann), ['tea'], window, { signal: controller.signal })).rejects.toBe(reason)
    gate.open()
    await patient
    expect(await found(index, 'tea')).toEqual(['r'])
  })

  it('[IDX-5] after a failure the next sync goes on where the last one stopped', async () => {
    let failing = true
    const { index, commit } = await opened((store) => ({
      ...store,
      async log(after, options) {
        if (failing && after !== null) throw new Error('the disk is gone')
        return store.log(after, { ...options, limit: 1 })
      },
    }))
    for (let i = 0; i < 3; i++) await commit(put({ id: `r${i}`, scope: ann, content: 'tea' }))
    await expect(index.sync()).rejects.toThrow('the disk is gone')
    expect(await found(index, 'tea')).toEqual(['r0'])
    failing = false
    await index.sync()
    expect(await found(index, 'tea')).toEqual(['r0', 'r1', 'r2'])
  })

  it('[IDX-6] erased and removed records are gone with the next sync, and may come back', async () => {
    const { store, index, commit } = await opened()
    await commit(...diary(ann, 'a', 5), ...diary(bob, 'b', 5))
    await index.sync()
    await store.erase(allScopes(), ['a1', 'b2'])
    await commit({ type: 'remove', op: 'delete', id: 'a2' }, { type: 'remove', op: 'undo', id: 'a3' })
    await index.sync()
    expect(await found(index, 'tea', allScopes())).toEqual(['a0', 'a4', 'b0', 'b1', 'b3', 'b4'])
    await store.erase(allScopes(), ['a0'])
    await commit(
      put({ id: 'a0', scope: ann, content: 'tea again' }),
      put({ id: 'a2', scope: ann, content: 'tea again' }),
    )
    await index.sync()
    expect(await found(index, 'tea', within(ann))).toEqual(['a0', 'a2', 'a4'])
    expect(await found(index, 'again', within(ann))).toEqual(['a0', 'a2'])
    expect(await index.check(store)).toEqual([])
  })

  it('[IDX-6] a record erased while the log is being read is gone too', async () => {
    let reads = 0
    const { index, commit } = await opened((store) => ({
      ...store,
      async log(after, options) {
        if (++reads === 2) await store.erase(allScopes(), ['r0'])
        return store.log(after, { ...options, limit: 1 })
      },
    }))
    for (let i = 0; i < 3; i++) await commit(put({ id: `r${i}`, scope: ann, content: 'tea' }))
    await index.sync()
    expect(await found(index, 'tea')).toEqual(['r1', 'r2'])
  })

  it('[IDX-7] vectors that come late are found with the next sync', async () => {
    const { store, index, commit } = await opened()
    await commit(...several(700, (i) => put({ id: `r${i}`, scope: ann })))
    await index.sync()
    const nearest = () => index.vectors.nearest(within(ann), space, Float32Array.of(1, 0), window)
    expect((await nearest()).vectors).toBe(0)
    await store.derive([
      { id: 'r3', version: 1, vector: unitVector([1, 0]) },
      { id: 'r699', version: 1, vector: unitVector([1, 1]) },
      { id: 'r5', version: 7, vector: unitVector([1, 0]) },
    ])
    await index.sync()
    expect((await nearest()).hits.map(({ id }) => id)).toEqual(['r3', 'r699'])
    // A change of the record without its vector: it has none until the next late one.
    await commit(put({ id: 'r3', scope: ann, content: 'changed' }, { op: 'update' }))
    await index.sync()
    expect((await nearest()).hits.map(({ id }) => id)).toEqual(['r699'])
    expect(await index.check(store)).toEqual([])
  })

  it('[IDX-7] with thousands of records waiting, the oldest get their late vectors first and the rest with later syncs', async () => {
    let fetched = 0
    const { store, index, commit } = await opened((original) => ({
      ...original,
      get(scope, ids, options) {
        fetched += ids.length
        return original.get(scope, ids, options)
      },
    }))
    await commit(...several(4500, (i) => put({ id: `r${i}`, scope: ann })))
    await index.sync()
    expect(fetched).toBe(0)
    const late = (id: string) => ({ id, version: 1, vector: unitVector([1, 0]) })
    await store.derive([late('r4499'), late('r2100'), late('r0')])
    const seen = []
    for (let i = 0; i < 4; i++) {
      await index.sync()
      seen.push((await index.vectors.nearest(within(ann), space, Float32Array.of(1, 0), window)).vectors)
    }
    expect(seen).toEqual([1, 2, 3, 3])
    expect(fetched).toBe(4500)
    await store.derive([late('r4000')])
    expect(await index.check(store)).toEqual([])
  })

  it('[IDX-7] a late vector of a version that the index has not read yet waits for that version', async () => {
    let late = false
    const { store, index, commit } = await opened((original) => ({
      ...original,
      async get(scope, ids, options) {
        if (late) await commit(put({ id: 'r', scope: ann, content: 'cake' }, { vector: unitVector([0, 1]) }))
        late = false
        return original.get(scope, ids, options)
      },
    }))
    await commit(put({ id: 'r', scope: ann, content: 'tea' }), put({ id: 's', scope: ann, content: 'tea' }))
    await index.sync()
    await store.derive([{ id: 's', version: 1, vector: unitVector([1, 0]) }])
    late = true
    await index.sync()
    const nearest = () => index.vectors.nearest(within(ann), space, Float32Array.of(1, 0), window)
    expect((await nearest()).hits.map(({ id }) => id)).toEqual(['s'])
    await index.sync()
    expect((await nearest()).hits.map(({ id }) => id)).toEqual(['s', 'r'])
    expect(await found(index, 'cake')).toEqual(['r'])
  })

  it('[IDX-8] many changes later it still answers as a new index would', async () => {
    const { store, index, commit } = await opened()
    const first = diary({ ...ann, sessionId: 's1' }, 'a', 50)
    const second = diary({ ...ann, sessionId: 's2' }, 'c', 20)
    await commit(...first, ...second, ...diary(bob, 'b', 50))
    await index.sync()
    for (let round = 0; round < 30; round++) {
      // Backwards, and in another order of scopes.
      await commit(...second.toReversed(), ...first.toReversed(), ...diary(bob, 'b', 3))
      await index.sync()
    }
    const fresh = createIndex(store, { space })
    await fresh.sync()
    for (const scope of [within(ann), within(bob), allScopes()]) {
      expect(await everything(index, scope)).toEqual(await everything(fresh, scope))
    }
    const { turns } = await index.turns.describe(
      within(ann),
      { keyed: ['a0', 'a7'] },
      { terms: [], tokens: [] },
      window,
    )
    expect(turns.map(({ position }) => position)).toEqual([0, 7])
    expect(index.size).toBe(120)
    expect(await index.check(store)).toEqual([])
  })

  it('[IDX-9] a log that does not know the cursor is read from its start', async () => {
    const { store, index, commit } = await opened()
    await commit(put({ id: 'old', scope: ann, content: 'tea' }))
    await commit(put({ id: 'older', scope: ann, content: 'tea' }))
    await index.sync()
    // An emptied memory store: its log is another one.
    await store.close()
    await store.open()
    await commit(put({ id: 'new', scope: ann, content: 'tea' }))
    await index.sync()
    expect(await found(index, 'tea')).toEqual(['new'])
    index.clear()
    expect(index.size).toBe(0)
    await index.sync()
    expect(await found(index, 'tea')).toEqual(['new'])
  })

  it('[IDX-10] check names every record on which the index and the store differ', async () => {
    const hidden = new Set(['missing', 'stale'])
    const { store, index, commit } = await opened((original) => ({
      ...original,
      async log(after, options) {
        const page = await original.log(after, options)
        const entries = page.entries.map((entry) => ({
          ...entry,
          changes: entry.changes.flatMap((change) => {
            if (change.type === 'remove') return []
            if (change.type !== 'put' || change.stored === null) return [change]
            const { analysis } = change.stored
            if (hidden.has(change.id) && (change.version > 1 || change.id === 'missing')) return []
            if (change.id === 'differs')
              return [{ ...change, stored: { ...change.stored, analysis: { ...analysis, shape: 9 } } }]
            return [change]
          }),
        }))
        return { ...page, entries }
      },
    }))
    for (const id of ['missing', 'stale', 'extra', 'differs', 'right']) {
      await commit(put({ id, scope: ann }, { vector: unitVector([1, 2]) }))
    }
    await commit(put({ id: '_reserved', kind: '_note', scope: ann }))
    await index.sync()
    await commit(put({ id: 'stale', scope: ann }, { op: 'update' }), { type: 'remove', op: 'delete', id: 'extra' })
    const problems = await index.check(store)
    expect(problems.map(({ code, id }) => [code, id]).sort()).toEqual([
      ['INDEX_DIFFERS', 'differs'],
      ['INDEX_EXTRA', 'extra'],
      ['INDEX_MISSING', 'missing'],
      ['INDEX_STALE', 'stale'],
    ])
  })
})
