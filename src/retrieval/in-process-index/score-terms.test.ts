import { describe, expect, it } from 'vitest'
import { plainText } from '../../../test/fixtures/search-answers.ts'
import { compareIds, type SearchWindow } from '../../contract/index.ts'
import { allScopes, exactly, type Scope } from '../../model/index.ts'
import { memory } from '../../stores/memory/index.ts'
import { put, transaction } from '../../testing/index.ts'
import { bm25Term, idf } from '../../text/index.ts'
import { createIndex } from './index.ts'

const small: Scope = { userId: 'small' }
const large: Scope = { userId: 'large' }
const vocabulary = 400

/** Numbers that look random, the same in every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return state / 0x8000_0000
  }
}

interface Note {
  readonly id: string
  readonly scope: Scope
  readonly terms: ReadonlyMap<string, number>
}

/** Words as texts have them: some in most of the notes and often, most in a few. */
function noteOf(i: number, random: () => number): Note {
  const terms = new Map<string, number>()
  for (let n = 3 + Math.floor(random() * 30); n > 0; n--) {
    const word = `w${Math.floor(vocabulary ** random())}`
    terms.set(word, (terms.get(word) ?? 0) + 1)
  }
  return { id: `n${i}`, scope: random() < 0.02 ? small : large, terms }
}

/** Every note compared, sums in the order of the query. */
function best(notes: readonly Note[], query: readonly string[], limit: number) {
  const lengthOf = ({ terms }: Note): number => [...terms.values()].reduce((sum, count) => sum + count, 0)
  const average = notes.reduce((sum, note) => sum + lengthOf(note), 0) / notes.length
  const idfs = query.map((term) => idf(notes.filter(({ terms }) => terms.has(term)).length, notes.length))
  const hits = notes.map((note) => {
    const length = lengthOf(note)
    const score = query.reduce((sum, term, place) => {
      const frequency = note.terms.get(term) ?? 0
      return frequency === 0 ? sum : sum + bm25Term(idfs[place]!, frequency, length, average)
    }, 0)
    return { id: note.id, score }
  })
  const found = hits.filter(({ score }) => score > 0)
  return found.sort((a, b) => b.score - a.score || compareIds(a.id, b.id)).slice(0, limit)
}

describe('in-process index', () => {
  it('[IDX-1] the best by words are those of comparing every record, to the bit, whichever records are passed over', async () => {
    const random = numbers(7)
    const store = memory()
    await store.open()
    const notes = new Map<string, Note>()
    for (let n = 0; n < 30; n++) {
      const written = Array.from({ length: 200 }, (_, i) => noteOf(n * 200 + i, random))
      // Some change, and some go.
      const changed = [...notes.values()].filter(() => random() < 0.01)
      for (const note of changed) written.push({ ...noteOf(0, random), id: note.id, scope: note.scope })
      const changes = written.map(({ id, scope, terms }) => {
        const sorted = [...terms].sort(([a], [b]) => (a < b ? -1 : 1))
        return put({ id, scope }, { analysis: { analyser: 'test', terms: sorted, tokens: [], shape: 0 } })
      })
      const gone = [...notes.keys()].filter((id) => random() < 0.005 && !changed.some((note) => note.id === id))
      const removals = gone.map((id) => ({ type: 'remove' as const, op: 'delete' as const, id }))
      await store.commit(transaction({ id: `t${n}`, at: n, changes: [...changes, ...removals] }))
      for (const note of written) notes.set(note.id, note)
      for (const id of gone) notes.delete(id)
    }
    const index = createIndex(store, { space: null, segmentSlots: 1000 })
    await index.sync()
    for (let n = 0; n < 60; n++) {
      const query = new Set(Array.from({ length: 1 + (n % 6) }, () => `w${Math.floor(vocabulary ** random())}`))
      for (const scope of [null, small]) {
        const visible = [...notes.values()].filter((note) => scope === null || note.scope === scope)
        const window: SearchWindow = { statuses: ['live'], now: 1_000, limit: n % 2 === 0 ? 5 : 50 }
        const found = await index.text.match(scope === null ? allScopes() : exactly(scope), [...query], window)
        const { hits } = plainText(found)
        expect(hits, [...query].join(' ')).toEqual(best(visible, [...query], window.limit))
      }
    }
  })
})
