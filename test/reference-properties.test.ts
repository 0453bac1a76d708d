import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashing } from '../src/embedders/index.ts'
import type { MemoryEngine, MemoryView, Scope } from '../src/index.ts'
import { fixedClock } from '../src/testing/index.ts'
import { anyFilter, anyMetadata, naiveMatch } from './fixtures/reference-filter.ts'
import { runs } from './fixtures/reference-runs.ts'
import { anyScope, related, sameScope, seenFrom, sharedWith } from './fixtures/reference-scope.ts'
import { open, storeKinds } from './fixtures/reference-stores.ts'

const vocabulary = ['cello', 'viola', 'piano', 'tuning', 'the tuning fork', '大提琴']

interface Item {
  readonly id: string
  readonly scope: Scope
  readonly content: string
}

/** A store with records in scopes that have to do with each other, and somebody who reads. */
const anyScenario = anyScope.chain((base) =>
  fc.record({
    items: fc
      .array(
        fc.record({
          scope: fc.oneof({ weight: 3, arbitrary: related(base) }, { weight: 1, arbitrary: anyScope }),
          content: fc
            .array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 4 })
            .map((words) => words.join(' ')),
        }),
        { minLength: 2, maxLength: 10 },
      )
      .map((items) => items.map((item, i): Item => ({ ...item, id: `r${i}` }))),
    reader: fc.oneof(fc.constant(base), related(base)),
    also: related(base),
    shared: fc.boolean(),
  }),
)

async function filled(items: readonly Item[], create: () => ReturnType<(typeof storeKinds)[number]['create']>) {
  const clock = fixedClock()
  const memory = await open({ store: create()(), scope: undefined, clock, embedder: hashing({ dimensions: 16 }) })
  for (const { scope, ...given } of items) await memory.add(given, { scope })
  return memory
}

type ReadOptions = { scope?: Scope; include?: 'shared' }

/** Ids that each way of reading shows, sorted. */
async function everyRead(memory: MemoryEngine | MemoryView, ids: readonly string[], options: ReadOptions) {
  const shown: Record<string, readonly (string | undefined)[]> = {
    list: (await memory.list({ limit: 1000, ...options })).records.map(({ id }) => id),
    getMany: (await memory.getMany(ids, options)).map((record) => record?.id),
    changes: (await memory.changes(options)).changes.map(({ id }) => id),
  }
  const lines: string[] = []
  for await (const line of memory.export(options)) lines.push(line)
  shown.export = lines.map((line) => (JSON.parse(line) as { record?: { id: string } }).record?.id)
  const histories = await Promise.all(
    ids.map(async (id) => ((await memory.history(id, options)).length > 0 ? id : undefined)),
  )
  shown.history = histories
  const explained = ids.map(async (id) => ((await memory.explain('x', id, options)).found ? id : undefined))
  shown.explain = await Promise.all(explained)
  const sorted = Object.entries(shown).map(([path, found]) => [path, found.filter((id) => id !== undefined).sort()])
  return { ...Object.fromEntries(sorted), stats: (await memory.stats(options)).total } as Record<string, unknown>
}

const expectedOf = (visible: readonly string[]) => {
  const sorted = [...visible].sort()
  return {
    ...Object.fromEntries(['list', 'getMany', 'changes', 'export', 'history', 'explain'].map((path) => [path, sorted])),
    stats: sorted.length,
  }
}

/** What a search shows, scores and all. */
const scoresOf = async (memory: MemoryEngine | MemoryView, options: object) =>
  (await memory.search('tuning cello 大提琴', { limit: 1000, touch: false, ...options })).results.map(
    ({ id, score }) => [id, score],
  )

describe.each(storeKinds)('isolation, on $name', ({ name, create }) => {
  const tries = runs(name === 'memory' ? 80 : 12)

  it('[SCO-6] every way of reading shows what the scope sees, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(anyScenario, async ({ items, reader, shared }) => {
        const memory = await filled(items, create)
        const visible = items.filter(({ scope }) => seenFrom(reader, scope) || (shared && sharedWith(reader, scope)))
        const options: ReadOptions = { scope: reader, ...(shared ? { include: 'shared' as const } : {}) }
        const ids = items.map(({ id }) => id)
        const expected = expectedOf(visible.map(({ id }) => id))
        expect(await everyRead(memory, ids, options)).toEqual(expected)
        await memory.close()
      }),
      tries,
    )
  })

  it('[SCO-3] a view shows its ceiling and what it may read besides', async () => {
    await fc.assert(
      fc.asyncProperty(anyScenario, async ({ items, reader, also, shared }) => {
        const memory = await filled(items, create)
        const view = memory.scoped(reader, { alsoRead: [also] })
        const visible = items.filter(({ scope }) => seenFrom(reader, scope) || seenFrom(also, scope))
        const options: ReadOptions = shared ? { include: 'shared' } : {}
        const ids = items.map(({ id }) => id)
        expect(await everyRead(view, ids, options)).toEqual(expectedOf(visible.map(({ id }) => id)))
        await memory.close()
      }),
      tries,
    )
  })

  it('[SCO-8] results and scores are those of a store that holds nothing but what is seen', async () => {
    await fc.assert(
      fc.asyncProperty(anyScenario, async ({ items, reader, shared }) => {
        const visible = items.filter(({ scope }) => seenFrom(reader, scope) || (shared && sharedWith(reader, scope)))
        const [all, only] = [await filled(items, create), await filled(visible, create)]
        const options = { scope: reader, ...(shared ? { include: 'shared' } : {}) }
        for (const mode of ['hybrid', 'text', 'vector']) {
          const expected = await scoresOf(only, { ...options, mode })
          expect(await scoresOf(all, { ...options, mode })).toEqual(expected)
          expect(expected.map(([id]) => id).every((id) => visible.some((item) => item.id === id))).toBe(true)
        }
        await all.close()
        await only.close()
      }),
      tries,
    )
  })

  it('[DEL-23] deleting everything in a scope deletes what the scope sees, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(anyScenario, fc.boolean(), async ({ items, reader }, byIds) => {
        const memory = await filled(items, create)
        const within = items.filter(({ scope }) => seenFrom(reader, scope))
        const ids = items.map(({ id }) => id)
        const selection = byIds ? { ids } : { filter: {} }
        expect((await memory.deleteMany({ ...selection, scope: reader })).deleted).toBe(within.length)
        const left = (await memory.list({ allScopes: true, limit: 1000 })).records
        const expected = items.filter((item) => !within.includes(item))
        expect(left.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort())
        for (const record of left) {
          expect(sameScope(record.scope, items.find(({ id }) => id === record.id)?.scope as Scope)).toBe(true)
        }
        await memory.close()
      }),
      tries,
    )
  })
})

describe.each(storeKinds)('filters, on $name', ({ name, create }) => {
  it('[FLT-1] lists, searches and bulk deletes select what the grammar says', async () => {
    const memory = await open({ store: create()(), clock: fixedClock('2026-05-08T11:56:00Z') })
    const [sample] = fc.sample(fc.array(anyMetadata, { minLength: 60, maxLength: 60 }), { numRuns: 1, seed: 7 })
    await memory.addMany(
      (sample ?? []).map((metadata, n) => ({ id: `r${n}`, content: `word ${n}`, metadata, tags: ['a'] })),
    )
    const { records } = await memory.list({ limit: 1000 })
    expect(records).toHaveLength(60)
    await fc.assert(
      fc.asyncProperty(anyFilter, async (filter) => {
        const expected = records
          .filter((record) => naiveMatch(filter, record))
          .map(({ id }) => id)
          .sort()
        const listed = await memory.list({ filter, limit: 1000 })
        expect(listed.records.map(({ id }) => id).sort()).toEqual(expected)
        const searched = await memory.search('word', { filter, limit: 1000, touch: false })
        expect(searched.results.map(({ id }) => id).sort()).toEqual(expected)
        expect((await memory.deleteMany({ filter, dryRun: true })).deleted).toBe(expected.length)
      }),
      runs(name === 'memory' ? 300 : 100),
    )
    expect((await memory.stats()).total).toBe(60)
  })
})
