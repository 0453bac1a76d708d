import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { SearchWindow, SnapshotStore, StoreChange, VectorHits } from '../src/contract/index.ts'
import { type Scope, type ScopeFilter, within } from '../src/model/index.ts'
import { createIndex, type InProcessIndex } from '../src/retrieval/index.ts'
import { sqlite } from '../src/stores/sqlite/index.ts'
import { put, transaction } from '../src/testing/index.ts'
import { seeded, vectorSource } from './fixtures/vectors.ts'

// So many records that the index has several segments of its usual size, and tells vectors apart by their signs first.

const count = 42_000
const dimensions = 128
const space = 'test'
const window: SearchWindow = { statuses: ['live'], now: 0, limit: 200 }
/** Of notes and of questions: both lie in the same clusters. */
const source = vectorSource('clusters', dimensions)
const ann: Scope = { userId: 'ann' }
const bob: Scope = { userId: 'bob' }

interface Note {
  readonly scope: Scope
  readonly terms: readonly (readonly [string, number])[]
  readonly vector: Float32Array
}

/** Frequent words and rare ones; one record in fifty is Bob's. */
function notes(): (i: number) => Note {
  const random = seeded(5)
  return (i) => {
    const words = new Set(Array.from({ length: 6 }, () => `w${Math.floor(300 ** random())}`))
    const terms = [...words].sort().map((word) => [word, 1 + Math.floor(random() * 3)] as const)
    return { scope: i % 50 === 0 ? bob : ann, terms, vector: source() }
  }
}

const lengthOf = ({ terms }: Note): number => terms.reduce((sum, [, frequency]) => sum + frequency, 0)
const byScore = (a: readonly [string, number], b: readonly [string, number]): number =>
  b[1] - a[1] || (a[0] < b[0] ? -1 : 1)

/** Every record's BM25, best first. */
function plainMatch(
  there: ReadonlyMap<string, Note>,
  terms: readonly string[],
): readonly (readonly [string, number])[] {
  const average = [...there.values()].reduce((sum, note) => sum + lengthOf(note), 0) / there.size
  const idfs = terms.map((term) => {
    const having = [...there.values()].filter((note) => note.terms.some(([word]) => word === term)).length
    return Math.log(1 + (there.size - having + 0.5) / (having + 0.5))
  })
  const scored = [...there].map(([id, note]) => {
    const length = 1.2 * (0.25 + (0.75 * lengthOf(note)) / average)
    const score = terms.reduce((sum, term, i) => {
      const frequency = note.terms.find(([word]) => word === term)?.[1] ?? 0
      return frequency === 0 ? sum : sum + (idfs[i]! * frequency * 2.2) / (frequency + length)
    }, 0)
    return [id, score] as const
  })
  return scored.filter(([, score]) => score > 0).sort(byScore)
}

/** Every record's cosine, best first. */
function plainNearest(there: ReadonlyMap<string, Note>, query: Float32Array): readonly (readonly [string, number])[] {
  const scored = [...there].map(([id, { vector }]) => {
    let sum = 0
    for (let i = 0; i < dimensions; i++) sum += vector[i]! * query[i]!
    return [id, sum] as const
  })
  return scored.sort(byScore)
}

const asPairs = ({ hits }: VectorHits) => hits.map(({ id, cosine }) => [id, cosine] as const)

/** The same scores in the same places; of those within a rounding of each other any may come first. */
function expectSame(
  actual: readonly (readonly [string, number])[],
  expected: readonly (readonly [string, number])[],
  limit: number,
): void {
  const scores = new Map(expected)
  expect(actual.length).toBe(Math.min(limit, expected.length))
  for (const [i, [id, score]] of actual.entries()) {
    expect(Math.abs(score - expected[i]![1])).toBeLessThan(1e-6)
    expect(Math.abs(score - scores.get(id)!)).toBeLessThan(1e-6)
  }
  expect([...actual].sort(byScore)).toEqual(actual)
}

async function expectPlain(
  index: InProcessIndex,
  all: ReadonlyMap<string, Note>,
): Promise<{ readonly recall: number }> {
  const scopes: readonly (readonly [ScopeFilter, (note: Note) => boolean])[] = [
    [within(ann), ({ scope }) => scope === ann],
    [within(bob), ({ scope }) => scope === bob],
  ]
  let [near, asked] = [0, 0]
  for (const [scope, sees] of scopes) {
    const there = new Map([...all].filter(([, note]) => sees(note)))
    for (const terms of [['w1'], ['w1', 'w2', 'w250'], ['w90', 'w260'], ['w1', 'w2', 'w3', 'w4', 'none']]) {
      const { hits, documents } = await index.text.match(scope, terms, window)
      expect(documents).toBe(there.size)
      expectSame(
        hits.map(({ id, score }) => [id, score]),
        plainMatch(there, terms),
        window.limit,
      )
    }
    for (let n = 0; n < 3; n++) {
      const query = source()
      const asWide = { ...window, limit: n === 0 ? 10 : window.limit }
      const expected = plainNearest(there, query)
      const exact = await index.vectors.nearest(scope, space, query, { ...asWide, exact: true })
      expectSame(asPairs(exact), expected, asWide.limit)
      const found = await index.vectors.nearest(scope, space, query, asWide)
      const mean = expected.reduce((sum, [, cosine]) => sum + cosine, 0) / there.size
      for (const { vectors, meanCosine } of [exact, found]) {
        expect(vectors).toBe(there.size)
        expect(Math.abs(meanCosine - mean)).toBeLessThan(0.01)
      }
      // Some of the far ones may be missing, and others be there in their place: every score is the exact one.
      const known = new Map(asPairs(exact))
      const last = exact.hits.at(-1)!.cosine
      for (const { id, cosine } of found.hits) {
        if (known.has(id)) expect(cosine).toBe(known.get(id))
        else expect(cosine).toBeLessThanOrEqual(last)
      }
      const ids = new Set(found.hits.map(({ id }) => id))
      near += expected.slice(0, 10).filter(([id]) => ids.has(id)).length
      asked += 10
    }
  }
  return { recall: near / asked }
}

describe('an index of many records', () => {
  it('[IDX-18] finds what looking at every record does, in several segments, after removals, kept and loaded', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const store = sqlite({ path: ':memory:' }) as ReturnType<typeof sqlite> & { readonly snapshots: SnapshotStore }
    await store.open()
    const made = notes()
    const all = new Map<string, Note>()
    let n = 0
    const commit = (changes: readonly StoreChange[]) => store.commit(transaction({ id: `t${++n}`, at: n, changes }))
    const noted = (i: number): StoreChange => {
      const note = made(i)
      const id = `r${String(i).padStart(5, '0')}`
      all.set(id, note)
      const analysis = { analyser: '', terms: note.terms, tokens: [], shape: 0 }
      return put({ id, scope: note.scope }, { analysis, vector: { space, values: note.vector } })
    }
    for (let i = 0; i < count; i += 3000) await commit(Array.from({ length: 3000 }, (_, j) => noted(i + j)))

    const index = createIndex(store, { space })
    await index.sync()
    expect((await expectPlain(index, all)).recall).toBeGreaterThanOrEqual(0.98)
    for (let n = 0; n < 20; n++) await index.vectors.nearest(within(ann), space, source(), window)
    // What is learnt of the vectors is learnt a moment after a search, in turns with whatever else there is to do.
    await vi.advanceTimersByTimeAsync(60_000)
    for (let turn = 0; turn < 5000; turn++) await setImmediate()
    expect((await expectPlain(index, all)).recall).toBeGreaterThanOrEqual(0.98)

    // A whole segment but for a few, some of the others, and many new versions.
    const gone = [...all.keys()].filter((_, i) => (i > 8000 && i < 17_000 && i % 400 !== 0) || i % 40 === 0)
    await commit(gone.map((id) => ({ type: 'remove', op: 'delete', id })))
    for (const id of gone) all.delete(id)
    const changed = [...all.keys()].filter((_, i) => i % 11 === 0)
    await commit(changed.map((id) => noted(Number(id.slice(1)))))
    await index.sync()
    expect((await expectPlain(index, all)).recall).toBeGreaterThanOrEqual(0.98)
    await index.save(true)
    const loaded = createIndex(store, { space })
    await loaded.sync()
    expect((await expectPlain(loaded, all)).recall).toBeGreaterThanOrEqual(0.98)
    expect(await loaded.check(store)).toEqual([])
    for (const one of [index, loaded]) await one.close()
    await store.close()
    vi.useRealTimers()
  }, 300_000)
})
