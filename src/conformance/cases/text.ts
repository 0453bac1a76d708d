import assert from 'node:assert/strict'
import { compareIds, type SearchWindow, type StoredRecord, type TextHits } from '../../contract/index.ts'
import { allScopes, formatInstant, type ScopeFilter, within } from '../../model/index.ts'
import { put } from '../../testing/index.ts'
import type { ConformanceCase, ConformanceContext } from '../conformance-case.ts'
import { listAll, refuses } from '../expectations.ts'
import { searchWindow } from './search-window.ts'

const [ann, bob] = [{ userId: 'ann' }, { userId: 'bob' }]
const words = ['tea', 'milk', 'sugar', 'cup', 'spoon', 'water', 'leaf', 'pot', 'steam', 'kettle']

/** Sixty records of ann's with words of different rarity; lengths differ, so do frequencies. */
async function library({ commit, ids }: ConformanceContext, scope = ann): Promise<string[]> {
  const names = Array.from({ length: 60 }, () => ids())
  const text = (i: number) =>
    Array.from({ length: 1 + ((i * 7) % 9) }, (_, j) => words[(i * (j + 1) + j * j) % (1 + (i % 10))])
  await commit(names.map((id, i) => put({ id, scope, content: text(i).join(' ') })))
  return names
}

/** BM25 as written in the contract, from what the store lists. */
function reference(visible: readonly StoredRecord[], terms: readonly string[]): TextHits {
  const documents = visible
    .map(({ record, analysis }) => ({
      id: record.id,
      frequencies: new Map(analysis.terms),
      length: analysis.terms.reduce((sum, [, frequency]) => sum + frequency, 0),
    }))
    .filter(({ length }) => length > 0)
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length
  const idfs = terms.map((term) => {
    const having = documents.filter(({ frequencies }) => frequencies.has(term)).length
    return Math.log(1 + (documents.length - having + 0.5) / (having + 0.5))
  })
  const hits = documents
    .map(({ id, frequencies, length }) => {
      const parts = terms.map((term, i) => {
        const frequency = frequencies.get(term) ?? 0
        return ((idfs[i] ?? 0) * frequency * 2.2) / (frequency + 1.2 * (0.25 + (0.75 * length) / average))
      })
      return { id, score: parts.reduce((sum, part) => sum + part, 0) }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || compareIds(a.id, b.id))
  return { hits, documents: documents.length, idfs }
}

function near(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= 1e-6, `${what}: ${actual}, not ${expected}`)
}

/** Equal numbers to 1e-6 and the same order, ids of equal scores ascending. */
function sameHits(actual: TextHits, expected: TextHits): void {
  assert.equal(actual.documents, expected.documents, 'documents')
  for (const [i, idf] of expected.idfs.entries()) near(actual.idfs[i] ?? Number.NaN, idf, `idf ${i}`)
  assert.equal(actual.hits.length, expected.hits.length, 'hits')
  const scores = new Map(expected.hits.map(({ id, score }) => [id, score]))
  for (const [i, { id, score }] of actual.hits.entries()) {
    near(score, scores.get(id) ?? Number.NaN, `score of ${id}`)
    near(score, expected.hits[i]?.score ?? Number.NaN, `score at place ${i}`)
    const before = actual.hits[i - 1]
    if (before?.score === score) assert.ok(compareIds(before.id, id) < 0, 'ties are in order of id')
  }
}

/** As plain data: a store may look ids up only when they are asked for. */
async function matched(
  { facet }: ConformanceContext,
  scope: ScopeFilter,
  terms: readonly string[],
  window: SearchWindow = searchWindow(),
): Promise<TextHits> {
  const { hits, ...rest } = await facet('text').match(scope, terms, window)
  return { ...rest, hits: hits.map(({ id, score }) => ({ id, score })) }
}

async function matchesReference({ store, facet }: ConformanceContext, scope: ScopeFilter, terms: readonly string[]) {
  sameHits(await facet('text').match(scope, terms, searchWindow()), reference(await listAll(store, scope), terms))
}

export const textCases: readonly ConformanceCase[] = [
  {
    rule: 'STO-TXT-1',
    title: 'text is ranked by BM25 (k1 1.2, b 0.75) over what the read sees, equal to 1e-6, ties by id',
    needs: ['text'],
    async run(context) {
      const { commit, ids, add } = context
      const names = await library(context)
      await library(context, bob)
      const queries = [['tea'], ['milk', 'sugar'], words, ['kettle', 'unknown'], ['unknown']]
      const check = async () => {
        for (const terms of queries) {
          for (const scope of [within(ann), within(bob), allScopes()]) await matchesReference(context, scope, terms)
        }
      }
      await check()
      await commit(names.slice(0, 10).map((id) => ({ type: 'remove' as const, op: 'delete' as const, id })))
      await commit(names.slice(10, 20).map((id) => put({ id, content: 'tea milk tea' }, { op: 'update' })))
      await commit(names.slice(20, 25).map((id) => put({ id, status: 'invalid' }, { op: 'invalidate' })))
      await add({ id: ids(), content: '' })
      await check()
    },
  },
  {
    rule: 'STO-TXT-2',
    title: 'what is stored in another scope changes neither hits nor scores nor counts',
    needs: ['text'],
    async run(context) {
      const { commit, ids } = context
      await library(context)
      const before = await matched(context, within(ann), words)
      await library(context, bob)
      await commit([put({ id: ids(), scope: { userId: 'ann-2' }, content: words.join(' ') })])
      assert.deepEqual(await matched(context, within(ann), words), before)
      const nobody = await matched(context, within({ userId: 'nobody' }), words)
      assert.deepEqual([nobody.hits, nobody.documents], [[], 0])
    },
  },
  {
    rule: 'STO-TXT-3',
    title: 'only, kinds and limit narrow what is found, not what is counted',
    needs: ['text'],
    async run(context) {
      const { commit, ids } = context
      const names = await library(context)
      const episodic = ids()
      await commit([put({ id: episodic, kind: 'episodic', content: 'tea pot' })])
      const match = (fields: Parameters<typeof searchWindow>[0]) =>
        matched(context, within(ann), ['tea', 'pot'], searchWindow(fields))
      const whole = await match({})
      const only = new Set([...names.slice(0, 30), 'nobody'])
      const narrowed = await match({ only })
      assert.deepEqual(narrowed, { ...whole, hits: whole.hits.filter(({ id }) => only.has(id)) })
      assert.deepEqual(await match({ limit: 3 }), { ...whole, hits: whole.hits.slice(0, 3) })
      assert.deepEqual(await match({ kinds: ['episodic'] }), {
        ...whole,
        hits: whole.hits.filter(({ id }) => id === episodic),
      })
      assert.deepEqual((await match({ only: new Set() })).hits, [])
      assert.deepEqual((await match({ limit: 0 })).hits, [])
    },
  },
  {
    rule: 'STO-TXT-4',
    title:
      'statuses that are not asked for and expired records are neither found nor counted; records without terms neither',
    needs: ['text'],
    async run({ facet, commit }) {
      await commit([
        put({ id: 'live', content: 'tea' }),
        put({ id: 'invalid', content: 'tea', status: 'invalid' }),
        put({ id: 'archived', content: 'tea', status: 'archived' }),
        put({ id: 'expiring', content: 'tea', expiresAt: formatInstant(1000) }),
        put(
          { id: 'reserved', content: 'tea', kind: '_conflict' },
          { analysis: { analyser: 'x', terms: [], tokens: [], shape: 0 } },
        ),
      ])
      const find = async (fields: Parameters<typeof searchWindow>[0]) => {
        const { hits, documents } = await facet('text').match(allScopes(), ['tea'], searchWindow(fields))
        return [hits.map(({ id }) => id).join(' '), documents]
      }
      assert.deepEqual(await find({ now: 999 }), ['expiring live', 2])
      assert.deepEqual(await find({ now: 1000 }), ['live', 1])
      assert.deepEqual(await find({ now: 999, statuses: ['live', 'invalid'] }), ['expiring invalid live', 3])
      assert.deepEqual(await find({ statuses: ['archived'] }), ['archived', 1])
      assert.deepEqual(await find({ statuses: [] }), ['', 0])
    },
  },
  {
    rule: 'STO-TXT-5',
    title: 'a commit, a remove and an erase are seen by the next search; after close none is answered',
    needs: ['text'],
    async run({ store, facet, add, commit }) {
      const found = async () =>
        (await facet('text').match(allScopes(), ['tea'], searchWindow())).hits.map(({ id }) => id)
      assert.deepEqual(await found(), [])
      const [a, b] = [await add({ content: 'tea' }), await add({ content: 'tea' })]
      assert.deepEqual(await found(), [a.id, b.id].sort(compareIds))
      await commit([put({ id: a.id, content: 'milk' }, { op: 'update' })])
      assert.deepEqual(await found(), [b.id])
      await commit([{ type: 'remove', op: 'delete', id: b.id }])
      assert.deepEqual(await found(), [])
      const c = await add({ content: 'tea' })
      assert.deepEqual(await found(), [c.id])
      await store.erase(allScopes(), [c.id])
      assert.deepEqual(await found(), [])
      await store.close()
      await refuses(facet('text').match(allScopes(), ['tea'], searchWindow()), 'ENGINE_CLOSED')
    },
  },
]
